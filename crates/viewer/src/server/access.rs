//! Who may connect: a token per start, and only pages that this server sent.

use std::hash::{BuildHasher, RandomState};
use std::net::SocketAddr;

use axum::http::{HeaderMap, header};

/// A token that cannot be guessed: 128 bits from the keyed hash whose keys the system draws at random.
#[must_use]
pub fn new_token() -> String {
    let [high, low] = [0_u8, 1].map(|half| RandomState::new().hash_one((half, std::process::id())));
    format!("{high:016x}{low:016x}")
}

/// Whether a request names this server. A page of another site that resolves its name to our address does not.
pub(super) fn is_our_host(headers: &HeaderMap, address: SocketAddr) -> bool {
    let Some(host) = text(headers, header::HOST) else { return false };
    let port = address.port();
    let is_local = [format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")];
    // a server for other machines is reached under a number, which no site can take
    let is_number = !address.ip().is_loopback() && host.parse::<SocketAddr>().is_ok();
    is_number || is_local.iter().any(|known| known == host)
}

/// Whether the page of a request came from this server. A program that is no browser names no origin.
pub(super) fn is_our_origin(headers: &HeaderMap) -> bool {
    match (text(headers, header::ORIGIN), text(headers, header::HOST)) {
        (None, _) => !headers.contains_key(header::ORIGIN),
        (Some(origin), Some(host)) => origin.strip_prefix("http://") == Some(host),
        (Some(_), None) => false,
    }
}

/// Compares without a hint at how many letters agree.
pub(super) fn is_equal(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(host: &str, origin: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        headers
    }

    #[test]
    fn only_our_own_pages_are_let_in() {
        let address = SocketAddr::from(([127, 0, 0, 1], 8020));
        let own = headers("127.0.0.1:8020", Some("http://127.0.0.1:8020"));
        assert!(is_our_host(&own, address) && is_our_origin(&own));
        assert!(is_our_origin(&headers("localhost:8020", None)));
        assert!(!is_our_host(&headers("evil.example:8020", None), address));
        assert!(!is_our_host(&headers("192.168.0.7:8020", None), address));
        assert!(!is_our_origin(&headers("127.0.0.1:8020", Some("http://evil.example"))));
        assert!(!is_our_origin(&headers("127.0.0.1:8020", Some("null"))));
        let open = SocketAddr::from(([0, 0, 0, 0], 8020));
        assert!(is_our_host(&headers("192.168.0.7:8020", None), open));
        assert!(!is_our_host(&headers("evil.example:8020", None), open));
    }

    #[test]
    fn tokens_differ_and_are_compared_whole() {
        let [a, b] = [new_token(), new_token()];
        assert!(
            a != b
                && a.len() == 32
                && is_equal(&a, &a.clone())
                && !is_equal(&a, &b)
                && !is_equal(&a, &a[1..])
        );
    }
}
