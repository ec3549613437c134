//! FNV-1a, 64 bits: identifies a mesh and detects a damaged file. Not a cryptographic hash.
//!
//! ```text
//! h₀ = 14695981039346656037      hₖ₊₁ = (hₖ ⊕ byteₖ) · 1099511628211 mod 2⁶⁴
//! ```
//!
//! G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, "The FNV non-cryptographic hash algorithm".

/// A running hash.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fnv(pub(super) u64);

impl Fnv {
    /// Hash of the empty input.
    pub(super) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// The hash after more bytes.
    pub(super) fn bytes(self, bytes: &[u8]) -> Self {
        let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        Self(bytes.iter().fold(self.0, step))
    }

    /// The hash after the bits of a number.
    pub(super) fn number(self, number: f64) -> Self {
        self.bytes(&number.to_bits().to_le_bytes())
    }
}
