//! Checks a TOML document against a JSON schema and reports what is wrong, where, and what is allowed.
//!
//! The schema is the one generated from the scene's types, so this knows only the words that generator uses:
//! `$ref`, `type`, `properties`, `required`, `additionalProperties`, `items`, `minItems`, `maxItems`, `enum`,
//! `const`, numeric limits, `anyOf` for optional values, and `oneOf` over variants told apart by a `const` tag.

use serde_json::Value as Schema;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::SceneProblem;

/// A parsed document with the place of every value.
pub(super) struct Document<'a> {
    text: &'a str,
    root: Spanned<DeTable<'a>>,
}

impl<'a> Document<'a> {
    /// Parses the text.
    pub(super) fn parse(text: &'a str) -> Result<Self, SceneProblem> {
        let root = DeTable::parse(text).map_err(|error| SceneProblem {
            line: Some(line_of(text, error.span().map_or(0, |span| span.start))),
            key: "syntax".into(),
            value: None,
            remedy: error.message().to_string(),
        })?;
        Ok(Self { text, root })
    }

    /// Every disagreement with the schema, by line.
    pub(super) fn check(&self, schema: &Schema) -> Vec<SceneProblem> {
        let mut checker = Checker { text: self.text, definitions: &schema["$defs"], problems: Vec::new() };
        checker.table(self.root.get_ref(), self.root.span().start, schema, "");
        checker.problems.sort_by(|a, b| (a.line, &a.key).cmp(&(b.line, &b.key)));
        checker.problems
    }

    /// The problem of a key that the schema allows, with its line and value. A key that is not written has the line
    /// of its nearest ancestor.
    pub(super) fn problem(&self, key: &str, remedy: String) -> SceneProblem {
        let mut table = Some(self.root.get_ref());
        let mut found: Option<&Spanned<DeValue>> = None;
        let mut is_whole = true;
        for step in key.split('.') {
            // `drives[1]` is the second table of a list
            let (name, index) = match step.strip_suffix(']').and_then(|step| step.split_once('[')) {
                Some((name, index)) => (name, index.parse::<usize>().ok()),
                None => (step, None),
            };
            let mut value = table.and_then(|table| table.get(name));
            if let (Some(index), Some(list)) = (index, value) {
                value = match list.get_ref() {
                    DeValue::Array(items) => items.get(index),
                    _ => None,
                };
            }
            let Some(value) = value else {
                is_whole = false;
                break;
            };
            found = Some(value);
            table = match value.get_ref() {
                DeValue::Table(inner) => Some(inner),
                _ => None,
            };
        }
        let span = found.map_or(0..0, Spanned::span);
        let is_leaf = found.is_some_and(|value| !matches!(value.get_ref(), DeValue::Table(_)));
        let value = (is_whole && is_leaf).then(|| self.text[span.clone()].to_string());
        SceneProblem { line: Some(line_of(self.text, span.start)), key: key.to_string(), value, remedy }
    }
}

struct Checker<'a> {
    text: &'a str,
    definitions: &'a Schema,
    problems: Vec<SceneProblem>,
}

impl<'a> Checker<'a> {
    fn report(&mut self, offset: usize, key: &str, value: Option<String>, remedy: String) {
        let line = Some(line_of(self.text, offset));
        self.problems.push(SceneProblem { line, key: key.to_string(), value, remedy });
    }

    fn resolve(&self, schema: &'a Schema) -> &'a Schema {
        let Some(reference) = schema["$ref"].as_str() else { return schema };
        reference.strip_prefix("#/$defs/").map_or(schema, |name| &self.definitions[name])
    }

    fn value(&mut self, value: &Spanned<DeValue>, schema: &'a Schema, key: &str) {
        let schema = self.resolve(schema);
        if let Some(options) = schema["anyOf"].as_array() {
            // an optional value: the other branch is null, which TOML does not have
            if let Some(option) = options.iter().find(|option| option["type"] != "null") {
                self.value(value, option, key);
            }
            return;
        }
        let start = value.span().start;
        match value.get_ref() {
            DeValue::Table(table) => self.table(table, start, schema, key),
            DeValue::Array(items) if has_type(schema, "array") => {
                let limit = |name: &str| schema[name].as_u64().map(|n| n as usize);
                let (least, most) = (limit("minItems"), limit("maxItems"));
                if least.is_some_and(|n| items.len() < n) || most.is_some_and(|n| items.len() > n) {
                    let expected = most.or(least).unwrap_or_default();
                    let remedy = format!("has {} items; give {expected}", items.len());
                    self.report(start, key, Some(self.source(value)), remedy);
                }
                for (index, item) in items.iter().enumerate() {
                    self.value(item, &schema["items"], &format!("{key}[{index}]"));
                }
            }
            _ => self.scalar(value, schema, key),
        }
    }

    fn scalar(&mut self, value: &Spanned<DeValue>, schema: &'a Schema, key: &str) {
        let names = enum_names(schema);
        let wanted = match value.get_ref() {
            DeValue::String(text) if !names.is_empty() => {
                names.iter().any(|name| name == text.as_ref()).then_some(()).ok_or(())
            }
            DeValue::String(_) => has_type(schema, "string").then_some(()).ok_or(()),
            DeValue::Boolean(_) => has_type(schema, "boolean").then_some(()).ok_or(()),
            DeValue::Integer(number) => {
                let number = i64::from_str_radix(number.as_str(), number.radix()).map(|n| n as f64);
                number.map_err(|_| ()).and_then(|number| within(schema, number, true))
            }
            DeValue::Float(number) => number
                .as_str()
                .parse::<f64>()
                .map_err(|_| ())
                .and_then(|number| within(schema, number, false)),
            _ => Err(()),
        };
        if wanted.is_err() {
            let start = value.span().start;
            self.report(start, key, Some(self.source(value)), format!("allowed: {}", allowed(schema)));
        }
    }

    fn table(&mut self, table: &DeTable, start: usize, schema: &'a Schema, key: &str) {
        let schema = self.resolve(schema);
        if let Some(variants) = schema["oneOf"].as_array() {
            return self.tagged(table, start, variants, key);
        }
        if !has_type(schema, "object") {
            return self.report(start, key, None, format!("is a table; allowed: {}", allowed(schema)));
        }
        let properties = &schema["properties"];
        for (name, value) in table {
            let own = join(key, name.get_ref());
            if let Some(property) = properties.get(name.get_ref().as_ref()) {
                self.value(value, property, &own);
            } else if schema["additionalProperties"].is_object() {
                self.value(value, &schema["additionalProperties"], &own);
            } else {
                let known: Vec<_> = properties.as_object().into_iter().flat_map(|p| p.keys()).collect();
                let remedy = format!("no such key here; known keys: {}", list(&known));
                self.report(name.span().start, &own, None, remedy);
            }
        }
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Schema::as_str) {
            if !table.contains_key(name) {
                let wanted = allowed(self.resolve(&properties[name]));
                self.report(start, &join(key, name), None, format!("is missing; give {wanted}"));
            }
        }
    }

    /// Variants told apart by a constant: `kind = "peg"`.
    fn tagged(&mut self, table: &DeTable, start: usize, variants: &'a [Schema], key: &str) {
        let tag_of = |variant: &Schema| variant["properties"]["kind"]["const"].as_str().map(str::to_string);
        let names: Vec<_> = variants.iter().filter_map(tag_of).collect();
        let Some(kind) = table.get("kind") else {
            return self.report(
                start,
                &join(key, "kind"),
                None,
                format!("is missing; give one of {}", list(&names)),
            );
        };
        let written = match kind.get_ref() {
            DeValue::String(text) => text.as_ref(),
            _ => "",
        };
        match variants.iter().find(|variant| tag_of(variant).as_deref() == Some(written)) {
            Some(variant) => self.table(table, start, variant, key),
            None => {
                let remedy = format!("allowed: {}", list(&names));
                self.report(kind.span().start, &join(key, "kind"), Some(self.source(kind)), remedy);
            }
        }
    }

    fn source(&self, value: &Spanned<DeValue>) -> String {
        self.text[value.span()].to_string()
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

fn join(key: &str, name: &str) -> String {
    if key.is_empty() { name.to_string() } else { format!("{key}.{name}") }
}

fn list<S: AsRef<str>>(names: &[S]) -> String {
    names.iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}

fn has_type(schema: &Schema, name: &str) -> bool {
    match &schema["type"] {
        Schema::String(own) => own == name,
        Schema::Array(options) => options.iter().any(|own| own == name),
        _ => false,
    }
}

/// Names of a closed choice: `enum`, or `oneOf` of constants with a description each.
fn enum_names(schema: &Schema) -> Vec<String> {
    let plain = schema["enum"].as_array().into_iter().flatten();
    let described = schema["oneOf"].as_array().into_iter().flatten().map(|option| &option["const"]);
    let own = std::iter::once(&schema["const"]);
    plain.chain(described).chain(own).filter_map(Schema::as_str).map(str::to_string).collect()
}

/// Numeric limits of a schema: (name of the limit, sign in text, whether the limit is met).
fn within(schema: &Schema, number: f64, is_integer: bool) -> Result<(), ()> {
    let fits = has_type(schema, "number") || (is_integer && has_type(schema, "integer"));
    let limit = |name: &str| schema[name].as_f64();
    let met = fits
        && number.is_finite()
        && limit("minimum").is_none_or(|least| number >= least)
        && limit("exclusiveMinimum").is_none_or(|least| number > least)
        && limit("maximum").is_none_or(|most| number <= most);
    if met { Ok(()) } else { Err(()) }
}

/// What a schema accepts, in words.
fn allowed(schema: &Schema) -> String {
    let names = enum_names(schema);
    if !names.is_empty() {
        return list(&names);
    }
    let kind = ["integer", "number", "boolean", "string", "array", "object"]
        .into_iter()
        .find(|k| has_type(schema, k));
    let limit = |name: &str| schema[name].as_f64();
    match kind {
        Some(kind @ ("number" | "integer")) => {
            let noun = if kind == "integer" { "a whole number" } else { "a number" };
            let least = limit("minimum").map(|n| format!(" from {n}"));
            let least = least.or_else(|| limit("exclusiveMinimum").map(|n| format!(" above {n}")));
            let most = limit("maximum").map(|n| format!(" up to {n}"));
            format!("{noun}{}{}", least.unwrap_or_default(), most.unwrap_or_default())
        }
        Some("array") => {
            let count = schema["maxItems"].as_u64().map_or(String::new(), |n| format!("{n} "));
            format!("a list of {count}items, each {}", allowed(&schema["items"]))
        }
        Some("string") => "a text in quotes".into(),
        Some("boolean") => "`true` or `false`".into(),
        Some("object") => "a table".into(),
        _ => "a value of the documented form".into(),
    }
}
