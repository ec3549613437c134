//! PNG with a palette, for drawings with large uniform areas.
//!
//! Deflate (RFC 1951) with the fixed Huffman code and repetitions of the last byte only: literals, and lengths 258
//! and 3 to 10 at distance 1, which need no extra bits.

/// Encodes an image of `width` columns, stored by rows, as a PNG file; pixels are palette indices.
pub(super) fn encode(width: usize, pixels: &[u8], palette: &[[u8; 3]]) -> Vec<u8> {
    let height = pixels.len() / width.max(1);
    let mut header = Vec::new();
    header.extend((width as u32).to_be_bytes());
    header.extend((height as u32).to_be_bytes());
    header.extend([8, 3, 0, 0, 0]); // 8 bits, palette, no interlace
    let mut rows = Vec::with_capacity(pixels.len() + height);
    for row in pixels.chunks_exact(width.max(1)) {
        rows.push(0);
        rows.extend_from_slice(row);
    }
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut file, b"IHDR", &header);
    chunk(&mut file, b"PLTE", &palette.concat());
    chunk(&mut file, b"IDAT", &zlib(&rows));
    chunk(&mut file, b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend_from_slice(kind);
    file.extend_from_slice(data);
    let crc = crc32(&file[start..]);
    file.extend(crc.to_be_bytes());
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step))
}

fn adler32(bytes: &[u8]) -> u32 {
    let (a, b) = bytes.iter().fold((1u32, 0u32), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % 65521;
        (a, (a + b) % 65521)
    });
    b << 16 | a
}

struct Bits {
    bytes: Vec<u8>,
    word: u64,
    count: u32,
}

impl Bits {
    /// Appends `count` bits, the lowest first.
    fn push(&mut self, value: u32, count: u32) {
        self.word |= u64::from(value) << self.count;
        self.count += count;
        while self.count >= 8 {
            self.bytes.push(self.word as u8);
            self.word >>= 8;
            self.count -= 8;
        }
    }

    /// Appends a code word, the highest bit first.
    fn code(&mut self, value: u32, count: u32) {
        self.push(value.reverse_bits() >> (32 - count), count);
    }

    fn symbol(&mut self, symbol: u32) {
        match symbol {
            0..=143 => self.code(0x30 + symbol, 8),
            144..=255 => self.code(0x190 + symbol - 144, 9),
            256..=279 => self.code(symbol - 256, 7),
            _ => self.code(0xc0 + symbol - 280, 8),
        }
    }

    /// Repeats the last byte.
    fn repeat(&mut self, length_symbol: u32) {
        self.symbol(length_symbol);
        self.code(0, 5); // distance 1
    }
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut bits = Bits { bytes: vec![0x78, 0x01], word: 0, count: 0 };
    bits.push(0b011, 3); // the last block, fixed code
    for run in bytes.chunk_by(|a, b| a == b) {
        bits.symbol(run[0].into());
        let mut left = run.len() - 1;
        while left >= 3 {
            let length = if left >= 258 { 258 } else { left.min(10) };
            bits.repeat(if length == 258 { 285 } else { 254 + length as u32 });
            left -= length;
        }
        (0..left).for_each(|_| bits.symbol(run[0].into()));
    }
    bits.symbol(256);
    bits.push(0, 7); // pads the last byte
    bits.bytes.extend(adler32(bytes).to_be_bytes());
    bits.bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_match_published_examples() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
    }

    #[test]
    fn uniform_areas_compress_well() {
        let file = encode(1000, &vec![7; 1_000_000], &[[255; 3]; 8]);
        assert!(file.len() < 60_000, "{}", file.len());
        assert_eq!(&file[file.len() - 8..file.len() - 4], b"IEND");
    }
}
