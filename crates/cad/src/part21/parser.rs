//! Parser of the data sections. It takes any bytes: memory is linear in the size of the file, nesting is bounded.

use super::{Instance, Record, Value};
use crate::CadError;

/// Deepest nesting of lists and typed values; real files have three levels.
const DEEPEST: usize = 32;
/// Most values of a file (32 bytes each).
const MOST_VALUES: usize = 100_000_000;

pub(crate) struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    values: usize,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, bytes: text.as_bytes(), at: 0, values: 0 }
    }

    /// All statements `#n = …;`. Others (header, section marks) are skipped.
    pub(crate) fn instances(&mut self) -> Result<Vec<Instance<'a>>, CadError> {
        self.blank();
        if !self.bytes[self.at..].starts_with(b"ISO-10303-21") {
            return Err(self.wrong("the file does not begin with ISO-10303-21"));
        }
        let mut instances = Vec::new();
        loop {
            self.blank();
            match self.peek() {
                None => return Ok(instances),
                Some(b'#') => instances.push(self.instance()?),
                Some(_) => self.skip_statement(),
            }
        }
    }

    fn instance(&mut self) -> Result<Instance<'a>, CadError> {
        self.at += 1;
        let id = self.integer()?;
        self.expect(b'=')?;
        self.blank();
        let mut records = Vec::new();
        if self.peek() == Some(b'(') {
            self.at += 1;
            loop {
                self.blank();
                match self.peek() {
                    Some(b')') => break,
                    Some(_) => records.push(self.record()?),
                    None => return Err(self.wrong("the file ends within an instance")),
                }
            }
            self.at += 1;
        } else {
            records.push(self.record()?);
        }
        self.expect(b';')?;
        Ok(Instance { id, records })
    }

    fn record(&mut self) -> Result<Record<'a>, CadError> {
        let kind = self.keyword()?;
        self.expect(b'(')?;
        Ok(Record { kind, fields: self.list(0)? })
    }

    /// Values up to the closing bracket; the opening one has been read.
    fn list(&mut self, depth: usize) -> Result<Vec<Value<'a>>, CadError> {
        if depth > DEEPEST {
            return Err(self.wrong("lists are nested too deeply"));
        }
        let mut values = Vec::new();
        self.blank();
        if self.peek() == Some(b')') {
            self.at += 1;
            return Ok(values);
        }
        loop {
            values.push(self.value(depth)?);
            self.values += 1;
            if self.values > MOST_VALUES {
                return Err(CadError::TooLarge { limit: MOST_VALUES, what: "values" });
            }
            self.blank();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b')') => {
                    self.at += 1;
                    return Ok(values);
                }
                _ => return Err(self.wrong("expected `,` or `)`")),
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value<'a>, CadError> {
        self.blank();
        match self.peek() {
            Some(b'$') => {
                self.at += 1;
                Ok(Value::Null)
            }
            Some(b'*') => {
                self.at += 1;
                Ok(Value::Derived)
            }
            Some(b'#') => {
                self.at += 1;
                Ok(Value::Reference(self.integer()?))
            }
            Some(b'\'') => self.string(),
            Some(b'"') => {
                self.at += 1;
                let start = self.at;
                self.take_while(|byte| byte != b'"');
                let inside = &self.text[start..self.at];
                self.expect(b'"')?;
                Ok(Value::Text(inside))
            }
            Some(b'(') => {
                self.at += 1;
                Ok(Value::List(self.list(depth + 1)?))
            }
            Some(b'.') if self.bytes.get(self.at + 1).is_some_and(|byte| !byte.is_ascii_digit()) => {
                self.at += 1;
                let start = self.at;
                self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                let word = &self.text[start..self.at];
                self.expect(b'.')?;
                Ok(Value::Word(word))
            }
            Some(b'+' | b'-' | b'.' | b'0'..=b'9') => self.number(),
            Some(b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'!') => {
                self.keyword()?;
                self.expect(b'(')?;
                Ok(Value::Typed(self.list(depth + 1)?))
            }
            _ => Err(self.wrong("expected a value")),
        }
    }

    /// A string; a doubled quote inside stays doubled.
    fn string(&mut self) -> Result<Value<'a>, CadError> {
        self.at += 1;
        let start = self.at;
        loop {
            self.take_while(|byte| byte != b'\'');
            let end = self.at;
            self.expect(b'\'')?;
            if self.peek() != Some(b'\'') {
                return Ok(Value::Text(&self.text[start..end]));
            }
            self.at += 1;
        }
    }

    fn number(&mut self) -> Result<Value<'a>, CadError> {
        let start = self.at;
        self.take_while(|byte| matches!(byte, b'+' | b'-' | b'.' | b'0'..=b'9' | b'E' | b'e'));
        let text = &self.text[start..self.at];
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::Number(number)),
            _ => Err(self.wrong(&format!("`{}` is no finite number", shortened(text)))),
        }
    }

    fn integer(&mut self) -> Result<u64, CadError> {
        let start = self.at;
        self.take_while(|byte| byte.is_ascii_digit());
        let text = &self.text[start..self.at];
        text.parse().map_err(|_| self.wrong(&format!("`#{}` is no instance number", shortened(text))))
    }

    fn keyword(&mut self) -> Result<&'a str, CadError> {
        self.blank();
        let start = self.at;
        self.take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'!'));
        if self.at == start {
            return Err(self.wrong("expected the name of a type"));
        }
        Ok(&self.text[start..self.at])
    }

    /// Skips to the end of a statement that is no instance; strings and comments may hold semicolons.
    fn skip_statement(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b';' => {
                    self.at += 1;
                    return;
                }
                b'\'' => {
                    self.at += 1;
                    self.take_while(|byte| byte != b'\'');
                    self.at = (self.at + 1).min(self.bytes.len());
                }
                b'/' if self.bytes.get(self.at + 1) == Some(&b'*') => self.blank(),
                _ => self.at += 1,
            }
        }
    }

    /// Skips white space and comments.
    fn blank(&mut self) {
        loop {
            self.take_while(|byte| {
                byte.is_ascii_whitespace() || byte == 0xEF || byte == 0xBB || byte == 0xBF
            });
            if self.bytes[self.at..].starts_with(b"/*") {
                let rest = &self.bytes[self.at + 2..];
                let end = rest.windows(2).position(|pair| pair == b"*/");
                self.at = end.map_or(self.bytes.len(), |end| self.at + 2 + end + 2);
            } else {
                return;
            }
        }
    }

    fn take_while(&mut self, keep: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&keep) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn expect(&mut self, byte: u8) -> Result<(), CadError> {
        self.blank_unless_quote(byte);
        if self.peek() == Some(byte) {
            self.at += 1;
            return Ok(());
        }
        Err(self.wrong(&format!("expected `{}`", char::from(byte))))
    }

    /// Quotes and dots close what they opened: no white space is skipped before them.
    fn blank_unless_quote(&mut self, byte: u8) {
        if !matches!(byte, b'\'' | b'"' | b'.') {
            self.blank();
        }
    }

    fn wrong(&self, what: &str) -> CadError {
        let line =
            1 + self.bytes[..self.at.min(self.bytes.len())].iter().filter(|&&byte| byte == b'\n').count();
        CadError::Syntax { line, what: what.to_owned() }
    }
}

/// The first characters of a text, for messages.
fn shortened(text: &str) -> &str {
    let end = text.char_indices().nth(24).map_or(text.len(), |(place, _)| place);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::super::Table;
    use super::*;

    #[test]
    fn every_kind_of_value_is_read() {
        let text = "ISO-10303-21;HEADER;FILE_NAME('a;b');ENDSEC;DATA;/* c */\n#2=A('it''s',$,*,.T.,-1.5E-3,(#1,()),B(.5));\
                    #1 = ( C(1) D() );ENDSEC;";
        let table = Table::parse(text).unwrap();
        assert_eq!(table.instances.len(), 2);
        let fields = &table.get(2).unwrap().records[0].fields;
        assert_eq!(fields[0], Value::Text("it''s"));
        assert_eq!(fields[3], Value::Word("T"));
        assert_eq!(fields[4], Value::Number(-1.5e-3));
        assert_eq!(fields[5], Value::List(vec![Value::Reference(1), Value::List(vec![])]));
        assert_eq!(fields[6], Value::Typed(vec![Value::Number(0.5)]));
        assert_eq!(table.get(1).unwrap().kind(), "C+D");
    }

    #[test]
    fn deep_nesting_and_truncated_files_are_errors() {
        let deep = format!("ISO-10303-21;#1=A({});", "(".repeat(100_000));
        assert!(matches!(Table::parse(&deep), Err(CadError::Syntax { line: 1, .. })));
        let whole = "ISO-10303-21;#1=A('x',(1.,.T.),\"0\");";
        for end in 14..whole.len() {
            let _ = Table::parse(&whole[..end]);
        }
    }
}
