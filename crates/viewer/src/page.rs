//! The page, built from `web/` and embedded: no Node and no network is needed to build or run the program.

use crate::Recording;

/// Script of the page, made by `npm run build` in `web/`.
pub const SCRIPT: &str = include_str!("../assets/view.js");
/// Style of the page.
pub const STYLE: &str = include_str!("../assets/view.css");

/// The page that connects to the server that sent it.
pub const LIVE_HTML: &str = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Tightfit</title>\
<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
<link rel=\"icon\" href=\"data:,\"><link rel=\"stylesheet\" href=\"view.css\"></head>\
<body class=\"tf-page\"><div data-door=\"socket\"></div><script src=\"view.js\"></script></body></html>\n";

/// The page as one file with recorded runs in it.
#[must_use]
pub fn recording_html(title: &str, recordings: &[Recording]) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <link rel=\"icon\" href=\"data:,\"><style>{STYLE}</style></head>\
         <body class=\"tf-page\">{}{}</body></html>\n",
        recording_section(recordings),
        script_element(),
    )
}

/// Element and data of recorded runs, to be put into any HTML document; [`script_element`] must follow once.
#[must_use]
pub fn recording_section(recordings: &[Recording]) -> String {
    let mut html = String::from("<div data-door=\"recording\">");
    for recording in recordings {
        // `<` would end the script element early
        let description = recording.description().replace('<', "\\u003c");
        html += &format!("<script type=\"application/json\" class=\"tf-description\">{description}</script>");
        html += &format!(
            "<script type=\"text/plain\" class=\"tf-frames\">{}</script>",
            base64(&recording.block())
        );
    }
    html + "</div>"
}

/// The script as an element.
#[must_use]
pub fn script_element() -> String {
    format!("<script>{}</script>", SCRIPT.replace("</script", "<\\/script"))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let group = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            let letter = LETTERS[(group >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let pairs = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, coded) in pairs {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }
}
