//! An independent implementation, in Rust with nothing but its standard library, of four parts of
//! the specification: strict reading, canonical JSON, rule E1 and the contract.
//!
//! `adapter` speaks the adapter protocol on standard input and output.
//! `adapter make-run OUTDIR` writes one complete run, the same octets every time.
//!
//! Every part names the chapter it was written from, every function the requirements it carries out.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::fs;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::ExitCode;

// ---------------------------------------------------------------------------------------------
// Strict JSON (spec/strict-json.md): values and refusals
// ---------------------------------------------------------------------------------------------

/// A JSON value as strict reading yields it (json.integers-kept): integers and doubles are two
/// types, and an object keeps its members in document order.
#[derive(Clone)]
enum Value {
    Null,
    Bool(bool),
    /// An integer within 64 bits.
    Int(i64),
    /// The decimal digits of any other integer, with its sign.
    Big(Box<str>),
    Float(f64),
    Text(Box<str>),
    List(Box<[Value]>),
    Object(Box<[Member]>),
}

type Member = (Box<str>, Value);

impl Value {
    fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    fn list(&self) -> Option<&[Value]> {
        match self {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    fn object(&self) -> Option<&[Member]> {
        match self {
            Value::Object(members) => Some(members),
            _ => None,
        }
    }

    /// How deep the value nests; a scalar has no level (json.depth-limit).
    fn depth(&self) -> usize {
        let inner = match self {
            Value::List(items) => items.iter().map(Value::depth).max(),
            Value::Object(members) => members.iter().map(|(_, value)| value.depth()).max(),
            _ => return 0,
        };
        1 + inner.unwrap_or(0)
    }
}

/// The value of a member.
fn get<'a>(members: &'a [Member], name: &str) -> Option<&'a Value> {
    let found = members.iter().find(|(known, _)| &**known == name);
    found.map(|(_, value)| value)
}

/// The value of a member where it is a string.
fn get_text<'a>(members: &'a [Member], name: &str) -> Option<&'a str> {
    get(members, name).and_then(Value::text)
}

/// An integer from its literal; `-0` is the integer 0 (json.integers-kept).
fn integer(literal: &str) -> Value {
    match literal.parse() {
        Ok(number) => Value::Int(number),
        Err(_) => Value::Big(literal.into()),
    }
}

/// Why a document has no value, or a value no canonical octets: one code with its stage
/// (json.first-offence).
#[derive(Clone, Copy)]
struct Refusal {
    stage: &'static str,
    code: &'static str,
}

fn refuse<T>(stage: &'static str, code: &'static str) -> Result<T, Refusal> {
    Err(Refusal { stage, code })
}

// ---------------------------------------------------------------------------------------------
// Strict JSON: stage decode
// ---------------------------------------------------------------------------------------------

/// json.document-limit, in octets.
const MOST_OCTETS: usize = 64 << 20;

/// Octets to text: json.document-limit, json.utf8, json.no-mark, in the order of
/// json.first-offence.
fn decode(octets: &[u8]) -> Result<&str, Refusal> {
    if octets.len() > MOST_OCTETS {
        return refuse("decode", "read.document-too-large");
    }
    let zero_in_front = octets.iter().take(2).any(|&octet| octet == 0);
    if zero_in_front || octets.starts_with(b"\xfe\xff") || octets.starts_with(b"\xff\xfe") {
        return refuse("decode", "read.other-encoding");
    }
    if octets.starts_with(b"\xef\xbb\xbf") {
        return refuse("decode", "read.byte-order-mark");
    }
    std::str::from_utf8(octets).or(refuse("decode", "read.invalid-utf8"))
}

/// The one door: octets to a value or one refusal (json.total).
fn read(octets: &[u8]) -> Result<Value, Refusal> {
    let text = decode(octets)?;
    parse(text).or_else(|code| refuse("parse", code))
}

// ---------------------------------------------------------------------------------------------
// Strict JSON: stage parse
// ---------------------------------------------------------------------------------------------

/// json.depth-limit.
const MOST_LEVELS: usize = 64;

/// json.number-limit, in characters.
const MOST_DIGITS: usize = 1100;

/// From how many members on an object looks its names up in a table (json.total).
const FEW_MEMBERS: usize = 8;

type Parsed<T> = Result<T, &'static str>;

/// A place in a text that is being read.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

/// One whole text to a value: json.grammar, json.one-value.
fn parse(text: &str) -> Parsed<Value> {
    let mut reader = Reader { text, at: 0 };
    reader.skip_space();
    if reader.peek().is_none() {
        return Err("read.empty");
    }
    let value = reader.value(0)?;
    reader.skip_space();
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err("read.trailing-data"),
    }
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// Space, tab, line feed, carriage return and nothing else (json.grammar).
    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// Steps over one octet if it is the one expected.
    fn take(&mut self, octet: u8) -> bool {
        let there = self.peek() == Some(octet);
        self.at += usize::from(there);
        there
    }

    /// One value inside `depth` levels. The recursion ends at json.depth-limit.
    fn value(&mut self, depth: usize) -> Parsed<Value> {
        match self.peek() {
            Some(b'{' | b'[') if depth == MOST_LEVELS => Err("read.too-deep"),
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.list(depth + 1),
            Some(b'"') => self.string().map(Value::Text),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            _ if self.at_non_finite() => Err("read.non-finite-token"),
            Some(octet) if in_number(octet) => self.number(),
            _ => Err("read.syntax"),
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Parsed<Value> {
        if !self.rest().starts_with(word.as_bytes()) {
            return Err("read.syntax");
        }
        self.at += word.len();
        Ok(value)
    }

    /// json.no-non-finite.
    fn at_non_finite(&self) -> bool {
        let tokens: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];
        tokens.iter().any(|token| self.rest().starts_with(token))
    }

    fn list(&mut self, depth: usize) -> Parsed<Value> {
        let mut items = Vec::new();
        self.at += 1;
        self.skip_space();
        if self.take(b']') {
            return Ok(Value::List(items.into()));
        }
        loop {
            self.skip_space();
            items.push(self.value(depth)?);
            if self.closes(b']')? {
                return Ok(Value::List(items.into()));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Parsed<Value> {
        let mut names = Names::default();
        let mut members = Vec::new();
        self.at += 1;
        self.skip_space();
        if self.take(b'}') {
            return Ok(Value::Object(members.into()));
        }
        loop {
            self.skip_space();
            let name = self.name()?;
            names.add(&members, &name)?;
            self.colon()?;
            members.push((name, self.value(depth)?));
            if self.closes(b'}')? {
                return Ok(Value::Object(members.into()));
            }
        }
    }

    fn name(&mut self) -> Parsed<Box<str>> {
        match self.peek() {
            Some(b'"') => self.string(),
            _ => Err("read.syntax"),
        }
    }

    fn colon(&mut self) -> Parsed<()> {
        self.skip_space();
        if !self.take(b':') {
            return Err("read.syntax");
        }
        self.skip_space();
        Ok(())
    }

    /// Whether the list or object ends here; otherwise there has to be a comma.
    fn closes(&mut self, end: u8) -> Parsed<bool> {
        self.skip_space();
        match self.take(end) {
            true => Ok(true),
            false if self.take(b',') => Ok(false),
            false => Err("read.syntax"),
        }
    }

    /// A string from its quotation mark on.
    fn string(&mut self) -> Parsed<Box<str>> {
        let mut text = String::new();
        self.at += 1;
        loop {
            let from = self.at;
            while self.peek().is_some_and(stands_for_itself) {
                self.at += 1;
            }
            text.push_str(&self.text[from..self.at]);
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => text.push(self.escape()?),
                _ => return Err("read.syntax"),
            }
        }
        self.at += 1;
        Ok(text.into())
    }

    fn escape(&mut self) -> Parsed<char> {
        let letter = self.rest().get(1).copied();
        if letter == Some(b'u') {
            return self.unicode_escape();
        }
        self.at += 2;
        match letter {
            Some(b'"' | b'\\' | b'/') => Ok(char::from(letter.unwrap_or_default())),
            Some(b'b') => Ok('\u{8}'),
            Some(b'f') => Ok('\u{c}'),
            Some(b'n') => Ok('\n'),
            Some(b'r') => Ok('\r'),
            Some(b't') => Ok('\t'),
            _ => Err("read.syntax"),
        }
    }

    /// `\uXXXX`, or two of them that are a pair (json.no-lone-surrogates).
    fn unicode_escape(&mut self) -> Parsed<char> {
        let first = self.unit().ok_or("read.syntax")?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first).ok_or("read.lone-surrogate");
        }
        match self.unit() {
            Some(second @ 0xdc00..=0xdfff) => {
                let point = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                char::from_u32(point).ok_or("read.lone-surrogate")
            }
            _ => Err("read.lone-surrogate"),
        }
    }

    /// The UTF-16 unit of an escape `\uXXXX` that stands here.
    fn unit(&mut self) -> Option<u32> {
        let digits = self.rest().strip_prefix(b"\\u")?.get(..4)?;
        let unit = digits.iter().try_fold(0, |sum, &digit| {
            Some(sum * 16 + char::from(digit).to_digit(16)?)
        })?;
        self.at += 6;
        Some(unit)
    }

    /// A number literal, whole, and its offences in the order of json.first-offence:
    /// json.grammar, json.number-limit, json.no-overflow.
    fn number(&mut self) -> Parsed<Value> {
        let length = self.rest().iter().take_while(|&&o| in_number(o)).count();
        let literal = &self.text[self.at..self.at + length];
        let integral = number_grammar(literal.as_bytes()).ok_or("read.syntax")?;
        if length > MOST_DIGITS {
            return Err("read.number-too-long");
        }
        self.at += length;
        if integral {
            return Ok(integer(literal));
        }
        match literal.parse::<f64>() {
            Ok(double) if double.is_finite() => Ok(Value::Float(double)),
            _ => Err("read.number-overflow"),
        }
    }
}

/// The characters of which a number literal is the longest run (json.grammar).
fn in_number(octet: u8) -> bool {
    matches!(octet, b'-' | b'+' | b'.' | b'0'..=b'9' | b'e' | b'E')
}

fn stands_for_itself(octet: u8) -> bool {
    octet >= 0x20 && octet != b'"' && octet != b'\\'
}

/// Whether a whole literal is an integer, or nothing where it is no number (json.grammar).
fn number_grammar(literal: &[u8]) -> Option<bool> {
    let (whole, rest) = digits(literal.strip_prefix(b"-").unwrap_or(literal))?;
    if whole.len() > 1 && whole[0] == b'0' {
        return None;
    }
    let after_fraction = match rest.strip_prefix(b".") {
        Some(fraction) => digits(fraction)?.1,
        None => rest,
    };
    let end = match after_fraction {
        [b'e' | b'E', b'-' | b'+', exponent @ ..] => digits(exponent)?.1,
        [b'e' | b'E', exponent @ ..] => digits(exponent)?.1,
        _ => after_fraction,
    };
    end.is_empty().then_some(rest.is_empty())
}

/// One digit or more, and what follows them.
fn digits(octets: &[u8]) -> Option<(&[u8], &[u8])> {
    let count = octets.iter().take_while(|o| o.is_ascii_digit()).count();
    (count > 0).then(|| octets.split_at(count))
}

/// The names of an object that is being read: a table once they are many (json.unique-names).
#[derive(Default)]
struct Names {
    table: HashSet<Box<str>>,
}

impl Names {
    fn add(&mut self, members: &[Member], name: &str) -> Parsed<()> {
        if members.len() < FEW_MEMBERS {
            return match get(members, name) {
                Some(_) => Err("read.duplicate-name"),
                None => Ok(()),
            };
        }
        if self.table.is_empty() {
            self.table.extend(members.iter().map(|(n, _)| n.clone()));
        }
        match self.table.insert(name.into()) {
            true => Ok(()),
            false => Err("read.duplicate-name"),
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Canonical JSON (spec/canonical-json.md): the table of names
// ---------------------------------------------------------------------------------------------

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Py,
    Jcs,
}

#[derive(Clone, Copy, PartialEq)]
enum Covers {
    /// canon.whole-document
    Whole,
    /// canon.record-members
    Record,
    /// canon.fact-members
    Fact,
}

/// A registered name (canon.registered-names).
struct Name {
    name: &'static str,
    inputs: bool,
    covers: Covers,
    form: Form,
}

const fn row(name: &'static str, inputs: bool, covers: Covers, form: Form) -> Name {
    Name {
        name,
        inputs,
        covers,
        form,
    }
}

static NAMES: [Name; 8] = [
    row("json-sorted-utf8-v1", false, Covers::Record, Form::Py),
    row("dd-input-json-v1", true, Covers::Whole, Form::Py),
    row("dd-json-document-v1", false, Covers::Whole, Form::Py),
    row("dd-envelope-json-v1", false, Covers::Whole, Form::Py),
    row("jcs-input-v1", true, Covers::Whole, Form::Jcs),
    row("jcs-document-v1", false, Covers::Whole, Form::Jcs),
    row("jcs-envelope-v1", false, Covers::Whole, Form::Jcs),
    row("groundrules-fact-v1", false, Covers::Fact, Form::Jcs),
];

const RECORD_MEMBERS: [&str; 9] = [
    "fairsharing_id",
    "doi",
    "name",
    "abbreviation",
    "record_type",
    "status",
    "description",
    "subjects",
    "domains",
];

const FACT_MEMBERS: [&str; 8] = [
    "source_id",
    "domain",
    "text",
    "citation",
    "citation_id",
    "published_date",
    "indexed_at",
    "authority",
];

/// Names are compared exactly (canon.registered-names).
fn registered(name: &[u8]) -> Option<&'static Name> {
    NAMES.iter().find(|row| row.name.as_bytes() == name)
}

/// Whether a name is an input canonicalisation (envelope.input-citation).
fn is_for_inputs(name: &str) -> bool {
    registered(name.as_bytes()).is_some_and(|row| row.inputs)
}

// ---------------------------------------------------------------------------------------------
// Canonical JSON: projections
// ---------------------------------------------------------------------------------------------

/// The part of a document that a hash under the name covers (canon.idempotent).
fn project<'a>(name: &Name, value: &'a Value) -> Result<Cow<'a, Value>, Refusal> {
    if name.covers == Covers::Whole {
        return Ok(Cow::Borrowed(value));
    }
    let Some(members) = value.object() else {
        return refuse("project", "canon.not-an-object");
    };
    let projected: Result<Vec<Member>, Refusal> = match name.covers {
        Covers::Record => RECORD_MEMBERS
            .iter()
            .map(|&name| Ok((name.into(), record_member(get(members, name))?)))
            .collect(),
        _ => FACT_MEMBERS
            .iter()
            .map(|&name| Ok((name.into(), fact_member(get(members, name))?)))
            .collect(),
    };
    Ok(Cow::Owned(Value::Object(projected?.into())))
}

/// canon.record-members: a missing member is null. canon.label-order: a list is sorted by code
/// point, which is the order of UTF-8 octets and of `str`.
fn record_member(value: Option<&Value>) -> Result<Value, Refusal> {
    let Some(value) = value else {
        return Ok(Value::Null);
    };
    let Some(labels) = value.list() else {
        return Ok(value.clone());
    };
    let texts: Result<Vec<Box<str>>, Refusal> = labels.iter().map(label_text).collect();
    let mut texts = texts?;
    texts.sort();
    Ok(Value::List(texts.into_iter().map(Value::Text).collect()))
}

/// canon.label-text, canon.label-scalar.
fn label_text(label: &Value) -> Result<Box<str>, Refusal> {
    match label {
        Value::Null => Ok("None".into()),
        Value::Bool(true) => Ok("True".into()),
        Value::Bool(false) => Ok("False".into()),
        Value::Int(number) => Ok(number.to_string().into()),
        Value::Big(number) => Ok(number.clone()),
        Value::Float(double) => Ok(py_float(*double).into()),
        Value::Text(text) => Ok(text.clone()),
        _ => refuse("project", "canon.label-not-scalar"),
    }
}

/// canon.fact-members.
fn fact_member(value: Option<&Value>) -> Result<Value, Refusal> {
    match value {
        Some(text @ Value::Text(_)) => Ok(text.clone()),
        _ => refuse("project", "canon.fact-member"),
    }
}

// ---------------------------------------------------------------------------------------------
// Canonical JSON: the forms pyjson and jcs-safe
// ---------------------------------------------------------------------------------------------

/// The octets of a value in the form pyjson; every value has them.
fn pyjson(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    // The form pyjson refuses nothing.
    let _ = write_value(value, Form::Py, &mut out);
    out
}

/// One value without white space (canon.py-space). The depth was bounded by the reader.
fn write_value(value: &Value, form: Form, out: &mut Vec<u8>) -> Result<(), Refusal> {
    match value {
        Value::Null => out.extend(b"null"),
        Value::Bool(true) => out.extend(b"true"),
        Value::Bool(false) => out.extend(b"false"),
        Value::Text(text) => write_text(text, form, out)?,
        Value::List(items) => write_list(items, form, out)?,
        Value::Object(members) => write_object(members, form, out)?,
        number => write_number(number, form, out)?,
    }
    Ok(())
}

fn write_list(items: &[Value], form: Form, out: &mut Vec<u8>) -> Result<(), Refusal> {
    out.push(b'[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_value(item, form, out)?;
    }
    out.push(b']');
    Ok(())
}

/// A name before its value, the members in canonical order.
fn write_object(members: &[Member], form: Form, out: &mut Vec<u8>) -> Result<(), Refusal> {
    let mut sorted: Vec<&Member> = members.iter().collect();
    sorted.sort_by(|a, b| name_order(form, &a.0, &b.0));
    out.push(b'{');
    for (index, (name, value)) in sorted.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_text(name, form, out)?;
        out.push(b':');
        write_value(value, form, out)?;
    }
    out.push(b'}');
    Ok(())
}

/// canon.py-order: by code point. canon.jcs-order: by UTF-16 unit.
fn name_order(form: Form, a: &str, b: &str) -> Ordering {
    match form {
        Form::Py => a.cmp(b),
        Form::Jcs => a.encode_utf16().cmp(b.encode_utf16()),
    }
}

/// A string or a name: canon.py-escapes, canon.jcs-escapes, canon.jcs-noncharacters.
fn write_text(text: &str, form: Form, out: &mut Vec<u8>) -> Result<(), Refusal> {
    if form == Form::Jcs && text.chars().any(is_noncharacter) {
        return refuse("canonicalise", "canon.noncharacter");
    }
    quote(text, out);
    Ok(())
}

fn is_noncharacter(character: char) -> bool {
    let point = u32::from(character);
    point & 0xfffe == 0xfffe || (0xfdd0..=0xfdef).contains(&point)
}

/// canon.py-escapes and canon.py-unicode: U+2028, `<`, `>`, `&`, solidus and DEL stand for
/// themselves.
fn quote(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for &octet in text.as_bytes() {
        match octet {
            b'"' => out.extend(b"\\\""),
            b'\\' => out.extend(b"\\\\"),
            0x08 => out.extend(b"\\b"),
            0x0c => out.extend(b"\\f"),
            b'\n' => out.extend(b"\\n"),
            b'\r' => out.extend(b"\\r"),
            b'\t' => out.extend(b"\\t"),
            0..=0x1f => out.extend(format!("\\u{octet:04x}").as_bytes()),
            _ => out.push(octet),
        }
    }
    out.push(b'"');
}

/// canon.py-integers, canon.py-floats, canon.jcs-numbers, canon.jcs-range.
fn write_number(number: &Value, form: Form, out: &mut Vec<u8>) -> Result<(), Refusal> {
    let text = match (form, number) {
        (Form::Py, Value::Int(integer)) => integer.to_string(),
        (Form::Py, Value::Big(digits)) => digits.to_string(),
        (Form::Py, _) => py_float(nearest_double(number)),
        (Form::Jcs, _) => jcs_number(nearest_double(number))?,
    };
    out.extend(text.as_bytes());
    Ok(())
}

/// The nearest double of a number; infinite for an integer past them all.
fn nearest_double(number: &Value) -> f64 {
    match number {
        Value::Int(integer) => *integer as f64,
        Value::Big(digits) => digits.parse().unwrap_or(f64::INFINITY),
        Value::Float(double) => *double,
        _ => f64::NAN,
    }
}

/// 2^53 - 1 (canon.jcs-range).
const LARGEST_SAFE: f64 = 9_007_199_254_740_991.0;

fn jcs_number(double: f64) -> Result<String, Refusal> {
    match double.abs() <= LARGEST_SAFE {
        true => Ok(js_number(double)),
        false => refuse("canonicalise", "canon.number-out-of-range"),
    }
}

// ---------------------------------------------------------------------------------------------
// Canonical JSON: doubles
// ---------------------------------------------------------------------------------------------

/// A double that is not zero as 0.DIGITS times ten to the power of `point`.
struct Decimal {
    sign: &'static str,
    digits: String,
    point: i32,
}

/// The fewest digits that read back, the closest of those, of two equally close the even one
/// (canon.py-floats). `{:e}` gives the fewest and decides a tie upwards; `{:.*e}` rounds the exact
/// value to that many digits, ties to even, and is taken where it reads back too.
fn shortest(double: f64) -> Decimal {
    let size = double.abs();
    let fewest = split_exponent(&format!("{size:e}"));
    let rounded = format!("{size:.*e}", fewest.0.len() - 1);
    let (digits, exponent) = match rounded.parse() == Ok(size) {
        true => split_exponent(&rounded),
        false => fewest,
    };
    Decimal {
        sign: if double.is_sign_negative() { "-" } else { "" },
        digits,
        point: exponent + 1,
    }
}

/// `d.ddde-x` as its digits and its exponent.
fn split_exponent(text: &str) -> (String, i32) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    (mantissa.replace('.', ""), exponent.parse().unwrap_or(0))
}

/// The layout of canon.py-floats.
fn py_float(double: f64) -> String {
    if double == 0.0 {
        return if double.is_sign_negative() {
            "-0.0".into()
        } else {
            "0.0".into()
        };
    }
    let decimal = shortest(double);
    match decimal.point {
        -3..=16 => {
            let text = fixed(&decimal);
            let fraction = if text.contains('.') { "" } else { ".0" };
            format!("{text}{fraction}")
        }
        _ => scientific(&decimal, 2),
    }
}

/// The layout of ECMAScript's `Number::toString` (canon.jcs-numbers).
fn js_number(double: f64) -> String {
    if double == 0.0 {
        return "0".into();
    }
    let decimal = shortest(double);
    match decimal.point {
        -5..=21 => fixed(&decimal),
        _ => scientific(&decimal, 1),
    }
}

/// Fixed notation, with a point only where there is a fraction.
fn fixed(decimal: &Decimal) -> String {
    let Decimal {
        sign,
        digits,
        point,
    } = decimal;
    let before = usize::try_from(*point).unwrap_or(0);
    if *point <= 0 {
        let zeros = "0".repeat(point.unsigned_abs() as usize);
        return format!("{sign}0.{zeros}{digits}");
    }
    match digits.split_at_checked(before) {
        Some((whole, fraction)) if !fraction.is_empty() => format!("{sign}{whole}.{fraction}"),
        _ => format!("{sign}{digits:0<before$}"),
    }
}

/// Scientific notation with an exponent of at least `least` digits.
fn scientific(decimal: &Decimal, least: usize) -> String {
    let Decimal {
        sign,
        digits,
        point,
    } = decimal;
    let (first, others) = digits.split_at(1);
    let dot = if others.is_empty() { "" } else { "." };
    let exponent = point - 1;
    let direction = if exponent < 0 { '-' } else { '+' };
    let size = exponent.unsigned_abs();
    format!("{sign}{first}{dot}{others}e{direction}{size:0>least$}")
}

// ---------------------------------------------------------------------------------------------
// Canonical JSON: the stages together
// ---------------------------------------------------------------------------------------------

/// What the stages of a canonicalisation yield.
struct Canonical {
    parsed: Vec<u8>,
    projected: Vec<u8>,
    octets: Vec<u8>,
    digest: String,
}

/// decode, parse, project, canonicalise, hash (canon.registered-names, canon.digest).
fn canonicalise(document: &[u8], name: &[u8]) -> Result<Canonical, Refusal> {
    let value = read(document)?;
    let Some(name) = registered(name) else {
        return refuse("project", "canon.unknown-name");
    };
    let projection = project(name, &value)?;
    let octets = canonical_octets(name, &projection)?;
    Ok(Canonical {
        parsed: pyjson(&value),
        projected: pyjson(&projection),
        digest: sha256_hex(&octets),
        octets,
    })
}

/// The octets of a projection in the form of its name.
fn canonical_octets(name: &Name, projection: &Value) -> Result<Vec<u8>, Refusal> {
    let mut octets = Vec::new();
    write_value(projection, name.form, &mut octets)?;
    Ok(octets)
}

/// The content hash of a value under a name (canon.digest, canon.domain).
fn content_hash(name: &Name, value: &Value) -> Result<String, Refusal> {
    let projection = project(name, value)?;
    canonical_octets(name, &projection).map(|octets| sha256_hex(&octets))
}

// ---------------------------------------------------------------------------------------------
// Canonical JSON: evidence, rule E1
// ---------------------------------------------------------------------------------------------

/// What E1 says of one evidence item.
#[derive(Default)]
struct ItemVerdict {
    source_id: String,
    unchecked: bool,
    codes: Vec<&'static str>,
    notes: Vec<&'static str>,
}

impl ItemVerdict {
    fn verdict(&self) -> &'static str {
        match (self.codes.is_empty(), self.unchecked) {
            (false, _) => "failed",
            (true, true) => "unchecked",
            (true, false) => "verified",
        }
    }
}

/// The evidence of an envelope, item by item (evidence.envelope). Absent evidence is an empty list.
fn check_evidence(envelope: &Value) -> Result<Vec<ItemVerdict>, Refusal> {
    let evidence = envelope.object().map(|members| get(members, "evidence"));
    match evidence {
        Some(None) => Ok(Vec::new()),
        Some(Some(Value::List(items))) => Ok(items.iter().map(check_item).collect()),
        _ => refuse("schema", "schema.envelope"),
    }
}

/// One item: its shape, its name, its content. A malformed item, and one with a name that is
/// unknown, has that one code (evidence.item, evidence.known-name).
fn check_item(item: &Value) -> ItemVerdict {
    let mut verdict = ItemVerdict::default();
    let members = item.object().unwrap_or_default();
    verdict.source_id = get_text(members, "source_id").unwrap_or_default().into();
    if !fits(&EVIDENCE_ITEM, item) {
        verdict.codes.push("e1.malformed-item");
        return verdict;
    }
    let name = get_text(members, "canonicalisation").unwrap_or_default();
    let Some(name) = registered(name.as_bytes()) else {
        verdict.codes.push("e1.unknown-canonicalisation");
        return verdict;
    };
    match get(members, "content") {
        None => verdict.unchecked = true,
        Some(content) => {
            let hash = get_text(members, "content_hash").unwrap_or_default();
            check_content(name, hash, content, &mut verdict);
        }
    }
    verdict
}

/// evidence.content-object, evidence.in-domain, evidence.content-hash, in that order; what the
/// content shows is looked at whether the hash fits or not.
fn check_content(name: &Name, hash: &str, content: &Value, verdict: &mut ItemVerdict) {
    if !name.inputs && content.object().is_none() {
        return verdict.codes.push("e1.content-not-object");
    }
    let Ok(projection) = project(name, content) else {
        return verdict.codes.push("e1.outside-domain");
    };
    let Ok(octets) = canonical_octets(name, &projection) else {
        return verdict.codes.push("e1.outside-domain");
    };
    if sha256_hex(&octets) != hash {
        verdict.codes.push("e1.hash-mismatch");
        if numbers_changed(name, hash, content) {
            verdict.notes.push("note.numbers-changed");
        }
    }
    if name.covers != Covers::Whole {
        let shown = content.object().unwrap_or_default();
        let hashed = projection.object().unwrap_or_default();
        check_shown(shown, hashed, verdict);
    }
    tidy(&mut verdict.codes);
    tidy(&mut verdict.notes);
}

/// evidence.shown-is-hashed.
fn check_shown(shown: &[Member], hashed: &[Member], verdict: &mut ItemVerdict) {
    for (name, value) in shown {
        match get(hashed, name) {
            None => verdict.codes.push("e1.unhashed-member"),
            Some(other) if pyjson(value) == pyjson(other) => {}
            Some(other) if same_labels(value, other) => verdict.notes.push("note.label-order"),
            Some(_) => verdict.codes.push("e1.coerced-value"),
        }
    }
    if hashed.iter().any(|(name, _)| get(shown, name).is_none()) {
        verdict.notes.push("note.member-absent");
    }
}

/// Whether two lists differ in nothing but the order of their labels.
fn same_labels(a: &Value, b: &Value) -> bool {
    let sorted = |value: &Value| {
        let mut labels: Vec<Vec<u8>> = value.list()?.iter().map(pyjson).collect();
        labels.sort();
        Some(labels)
    };
    sorted(a).is_some_and(|labels| Some(labels) == sorted(b))
}

/// evidence.numbers-changed.
fn numbers_changed(name: &Name, hash: &str, content: &Value) -> bool {
    content_hash(name, &with_integers(content)).is_ok_and(|other| other == hash)
}

/// The value with every integral double an integer.
fn with_integers(value: &Value) -> Value {
    match value {
        Value::Float(double) if double.fract() == 0.0 => integer(&format!("{double:.0}")),
        Value::List(items) => Value::List(items.iter().map(with_integers).collect()),
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, value)| (name.clone(), with_integers(value)))
                .collect(),
        ),
        other => other.clone(),
    }
}

/// Codes as a sorted set.
fn tidy(codes: &mut Vec<&'static str>) {
    codes.sort_unstable();
    codes.dedup();
}

// ---------------------------------------------------------------------------------------------
// Envelope (spec/envelope.md, schemas/*.json): shapes
// ---------------------------------------------------------------------------------------------

/// What a schema asks of a value.
enum Shape {
    Anything,
    /// A string with so many characters at least and at most.
    Text(usize, usize),
    /// A string that a pattern or a format accepts.
    Pattern(fn(&str) -> bool),
    OneOf(&'static [&'static str]),
    True,
    /// A number without a fraction, whatever its spelling, within bounds.
    Integer(f64, f64),
    List(&'static Shape),
    Object(&'static ObjectShape),
}

struct ObjectShape {
    required: &'static [&'static str],
    members: &'static [(&'static str, Shape)],
    closed: bool,
    /// Whether `content_hash` stands where `status` is `ok` and only there.
    hash_where_ok: bool,
}

const fn open(
    required: &'static [&'static str],
    members: &'static [(&'static str, Shape)],
) -> ObjectShape {
    ObjectShape {
        required,
        members,
        closed: false,
        hash_where_ok: false,
    }
}

const fn closed(
    required: &'static [&'static str],
    members: &'static [(&'static str, Shape)],
) -> ObjectShape {
    ObjectShape {
        closed: true,
        ..open(required, members)
    }
}

const ANY_TEXT: Shape = Shape::Text(0, usize::MAX);
const NOT_EMPTY: Shape = Shape::Text(1, usize::MAX);
const NAME: Shape = Shape::Text(1, 2000);
const DIGEST: Shape = Shape::Pattern(is_digest);
const INVOCATION_ID: Shape = Shape::Pattern(is_invocation_id);
const TIME: Shape = Shape::Pattern(is_time);
const COUNT: Shape = Shape::Integer(0.0, f64::INFINITY);

const STATUSES: [&str; 5] = ["succeeded", "abstained", "referred", "failed", "suspended"];
const MODES: [&str; 5] = ["retrieval", "input_only", "none", "delegation", "brokered"];

/// envelope.shape.
static ENVELOPE: ObjectShape = open(
    &[
        "invocation_id",
        "agent_id",
        "agent_version",
        "completed_at",
        "grounding_mode",
        "outcome",
        "requires_human_review",
    ],
    &[
        ("invocation_id", INVOCATION_ID),
        ("agent_id", NAME),
        ("agent_version", NAME),
        ("completed_at", TIME),
        ("grounding_mode", Shape::OneOf(&MODES)),
        ("outcome", Shape::Object(&OUTCOME)),
        ("payload", Shape::Object(&PAYLOAD)),
        ("evidence", Shape::List(&EVIDENCE_ITEM)),
        ("problem", Shape::Object(&PROBLEM)),
        ("telemetry", Shape::Object(&TELEMETRY)),
        ("requires_human_review", Shape::True),
        ("conversation_id", NAME),
        ("parent_invocation_id", INVOCATION_ID),
        ("delegations", Shape::List(&DELEGATION)),
        ("retrievals", Shape::List(&RETRIEVAL)),
        ("policy_bundle_ref", Shape::Pattern(is_policy_bundle_ref)),
        ("policy_digest", DIGEST),
        ("acting_for", Shape::Object(&PRINCIPAL)),
        ("contract_version", Shape::Pattern(is_contract_version)),
        ("input_schema", NAME),
        ("payload_schema", NAME),
    ],
);

static OUTCOME: ObjectShape = open(
    &["status", "statement"],
    &[
        ("status", Shape::OneOf(&STATUSES)),
        ("statement", ANY_TEXT),
        ("reason_code", NAME),
        ("referred_to", NAME),
    ],
);

static PAYLOAD: ObjectShape = open(
    &[],
    &[
        ("schema_class", NAME),
        ("grounded_on", Shape::List(&REFERENCE)),
    ],
);

static PROBLEM: ObjectShape = open(
    &["type"],
    &[
        ("type", NAME),
        ("title", ANY_TEXT),
        ("http_status", Shape::Integer(100.0, 599.0)),
        ("detail", ANY_TEXT),
        ("instance", ANY_TEXT),
        ("resume_condition", ANY_TEXT),
        ("resume_after", TIME),
    ],
);

static TELEMETRY: ObjectShape = open(
    &[],
    &[
        ("trace_id", Shape::Pattern(is_trace_id)),
        ("model_id", ANY_TEXT),
        ("input_tokens", COUNT),
        ("output_tokens", COUNT),
    ],
);

static PRINCIPAL: ObjectShape = open(
    &["principal_id", "name", "principal_kind", "assurance"],
    &[
        ("principal_id", NAME),
        ("name", NAME),
        ("principal_kind", NAME),
        ("assurance", NAME),
    ],
);

/// envelope.reference.
static REFERENCE: Shape = Shape::Object(&closed(
    &["source_id", "content_hash"],
    &[("source_id", NOT_EMPTY), ("content_hash", DIGEST)],
));

/// evidence.item. That its name is registered is a rule of its own.
static EVIDENCE_ITEM: Shape = Shape::Object(&closed(
    &[
        "source_id",
        "hash_algorithm",
        "canonicalisation",
        "content_hash",
    ],
    &[
        ("source_id", NOT_EMPTY),
        ("hash_algorithm", Shape::OneOf(&["sha256"])),
        ("canonicalisation", ANY_TEXT),
        ("content_hash", DIGEST),
        ("content", Shape::Anything),
        ("snapshot_ref", NOT_EMPTY),
        ("source_uri", ANY_TEXT),
        ("retrieved_at", ANY_TEXT),
    ],
));

/// envelope.delegation.
static DELEGATION: Shape = Shape::Object(&closed(
    &[
        "delegated_invocation_id",
        "delegated_agent_id",
        "delegated_agent_version",
        "delegated_status",
        "content_hash",
    ],
    &[
        ("delegated_invocation_id", INVOCATION_ID),
        ("delegated_agent_id", NAME),
        ("delegated_agent_version", NAME),
        ("delegated_status", Shape::OneOf(&STATUSES)),
        ("content_hash", DIGEST),
        ("canonicalisation", NAME),
    ],
));

/// envelope.retrieval-record.
static RETRIEVAL: Shape = Shape::Object(&ObjectShape {
    required: &[
        "span_id",
        "status",
        "source_id",
        "snapshot_ref",
        "canonicalisation",
        "started_at",
        "ended_at",
    ],
    members: &[
        ("span_id", Shape::Pattern(is_span_id)),
        ("status", Shape::OneOf(&["ok", "not-found", "error"])),
        ("source_id", NOT_EMPTY),
        ("snapshot_ref", NOT_EMPTY),
        ("canonicalisation", NOT_EMPTY),
        ("content_hash", DIGEST),
        ("started_at", TIME),
        ("ended_at", TIME),
    ],
    closed: true,
    hash_where_ok: true,
});

// ---------------------------------------------------------------------------------------------
// Envelope: patterns and formats
// ---------------------------------------------------------------------------------------------

fn is_lower_hex(text: &str) -> bool {
    let hex = |octet| matches!(octet, b'0'..=b'9' | b'a'..=b'f');
    text.bytes().all(hex)
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && is_lower_hex(text)
}

fn is_trace_id(text: &str) -> bool {
    text.len() == 32 && is_lower_hex(text)
}

fn is_span_id(text: &str) -> bool {
    text.len() == 16 && is_lower_hex(text)
}

/// A UUID of version 7 in lower case.
fn is_invocation_id(text: &str) -> bool {
    let groups: Vec<&str> = text.splitn(6, '-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    lengths == [8, 4, 4, 4, 12]
        && groups.iter().all(|group| is_lower_hex(group))
        && groups[2].starts_with('7')
        && groups[3].starts_with(['8', '9', 'a', 'b'])
}

/// `profile:NAME@vDIGITS`.
fn is_policy_bundle_ref(text: &str) -> bool {
    let Some((name, version)) = text
        .strip_prefix("profile:")
        .and_then(|rest| rest.split_once("@v"))
    else {
        return false;
    };
    let in_name = |octet: u8| octet.is_ascii_alphanumeric() || matches!(octet, b'.' | b'_' | b'-');
    (1..=100).contains(&name.len())
        && name.bytes().all(in_name)
        && (1..=9).contains(&version.len())
        && version.bytes().all(|octet| octet.is_ascii_digit())
}

/// The two or three numbers of a contract version, each of at most six digits and without a
/// leading zero.
fn contract_version(text: &str) -> Option<Vec<u32>> {
    let number = |part: &str| {
        let plain = (1..=6).contains(&part.len()) && part.bytes().all(|o| o.is_ascii_digit());
        let leading = part.len() > 1 && part.starts_with('0');
        (plain && !leading).then(|| part.parse().ok()).flatten()
    };
    let parts: Option<Vec<u32>> = text.splitn(4, '.').map(number).collect();
    parts.filter(|parts| matches!(parts.len(), 2 | 3))
}

fn is_contract_version(text: &str) -> bool {
    contract_version(text).is_some()
}

/// RFC 3339 with `T`, an offset and at most nine fraction digits; no leap second, no year 0000.
fn is_time(text: &str) -> bool {
    let octets = text.as_bytes();
    let Some((stamp, rest)) = octets.split_at_checked(19) else {
        return false;
    };
    let fraction = rest.strip_prefix(b".").map(digits);
    let offset = match fraction {
        None => rest,
        Some(Some((fraction, offset))) if fraction.len() <= 9 => offset,
        Some(_) => return false,
    };
    is_stamp(stamp) && is_offset(offset)
}

/// `YYYY-MM-DDThh:mm:ss`, a day of the calendar and a time of the day.
fn is_stamp(stamp: &[u8]) -> bool {
    let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if marks.iter().any(|&(at, mark)| stamp[at] != mark) {
        return false;
    }
    let fields = [0..4, 5..7, 8..10, 11..13, 14..16, 17..19].map(|at| decimal(&stamp[at]));
    let [Some(year), Some(month), Some(day), Some(hour), Some(minute), Some(second)] = fields
    else {
        return false;
    };
    let days = days_of_month(year, month);
    year > 0 && (1..=days).contains(&day) && hour < 24 && minute < 60 && second < 60
}

fn is_offset(offset: &[u8]) -> bool {
    match offset {
        b"Z" => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => {
            decimal(&[*h1, *h2]).is_some_and(|hour| hour < 24)
                && decimal(&[*m1, *m2]).is_some_and(|minute| minute < 60)
        }
        _ => false,
    }
}

/// A few ASCII digits as a number.
fn decimal(octets: &[u8]) -> Option<u32> {
    octets.iter().try_fold(0, |sum, &octet| {
        Some(sum * 10 + char::from(octet).to_digit(10)?)
    })
}

/// None in a month that does not exist.
fn days_of_month(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}

// ---------------------------------------------------------------------------------------------
// Envelope: findings and their places
// ---------------------------------------------------------------------------------------------

/// A place in a document, as a chain to its root.
struct Place<'a> {
    parent: Option<&'a Place<'a>>,
    /// Where it stands among the members or items of its parent.
    index: usize,
    /// The name of a member; nothing for an item.
    name: Option<&'a str>,
}

impl<'a> Place<'a> {
    const ROOT: Place<'static> = Place {
        parent: None,
        index: 0,
        name: None,
    };

    fn member(&'a self, members: &[Member], name: &'a str) -> Place<'a> {
        let index = members.iter().position(|(known, _)| &**known == name);
        Place {
            parent: Some(self),
            index: index.unwrap_or(usize::MAX),
            name: Some(name),
        }
    }

    fn item(&'a self, index: usize) -> Place<'a> {
        Place {
            parent: Some(self),
            index,
            name: None,
        }
    }

    /// The places from the one below the root down to this one.
    fn chain(&self) -> Vec<&Place<'_>> {
        let mut chain = Vec::new();
        let mut place = self;
        while let Some(parent) = place.parent {
            chain.push(place);
            place = parent;
        }
        chain.reverse();
        chain
    }

    /// The JSON Pointer of this place (RFC 6901).
    fn pointer(&self) -> String {
        let token = |place: &&Place| match place.name {
            Some(name) => format!("/{}", name.replace('~', "~0").replace('/', "~1")),
            None => format!("/{}", place.index),
        };
        self.chain().iter().map(token).collect()
    }
}

/// How many findings of one rule are listed.
const MOST_FINDINGS: usize = 1000;

struct Finding {
    order: Vec<usize>,
    rule: usize,
    code: &'static str,
    pointer: String,
}

/// The findings of the contract. Every rule finds in document order, so no rule's list is sorted
/// before it is cut.
#[derive(Default)]
struct Findings {
    list: Vec<Finding>,
    counts: [usize; 16],
}

impl Findings {
    fn add(&mut self, rule: usize, code: &'static str, place: &Place) {
        self.counts[rule] += 1;
        if self.counts[rule] > MOST_FINDINGS {
            return;
        }
        self.list.push(Finding {
            order: place.chain().iter().map(|place| place.index).collect(),
            rule,
            code,
            pointer: place.pointer(),
        });
    }

    /// In document order, a container before its members, at one place by rule.
    fn sorted(mut self) -> Vec<Finding> {
        self.list
            .sort_by(|a, b| (&a.order, a.rule).cmp(&(&b.order, b.rule)));
        self.list
    }
}

// ---------------------------------------------------------------------------------------------
// Envelope: the contract, C1
// ---------------------------------------------------------------------------------------------

/// Whether a value has a shape.
fn fits(shape: &Shape, value: &Value) -> bool {
    let mut findings = Findings::default();
    check_shape(shape, value, &Place::ROOT, &mut findings);
    findings.list.is_empty()
}

/// contract.schema: one finding for every place that departs from its shape, in document order.
fn check_shape(shape: &Shape, value: &Value, place: &Place, findings: &mut Findings) {
    match (shape, value) {
        (Shape::Object(shape), Value::Object(members)) => {
            check_object(shape, members, place, findings);
        }
        (Shape::List(shape), Value::List(items)) => {
            for (index, item) in items.iter().enumerate() {
                check_shape(shape, item, &place.item(index), findings);
            }
        }
        (shape, value) if fits_scalar(shape, value) => {}
        _ => findings.add(1, "c1.schema", place),
    }
}

fn fits_scalar(shape: &Shape, value: &Value) -> bool {
    match (shape, value) {
        (Shape::Anything, _) => true,
        (Shape::Text(least, most), Value::Text(text)) => {
            (*least..=*most).contains(&text.chars().count())
        }
        (Shape::Pattern(accepts), Value::Text(text)) => accepts(text),
        (Shape::OneOf(words), Value::Text(text)) => words.contains(&&**text),
        (Shape::True, Value::Bool(true)) => true,
        (Shape::Integer(least, most), number) => {
            let double = nearest_double(number);
            let integral = !matches!(number, Value::Float(_)) || double.fract() == 0.0;
            integral && (*least..=*most).contains(&double)
        }
        _ => false,
    }
}

/// The object itself, then its members as they stand.
fn check_object(shape: &ObjectShape, members: &[Member], place: &Place, findings: &mut Findings) {
    let hash_belongs = !shape.hash_where_ok || get_text(members, "status") == Some("ok");
    if departs(shape, members, hash_belongs) {
        findings.add(1, "c1.schema", place);
    }
    for (index, (name, value)) in members.iter().enumerate() {
        let place = Place {
            parent: Some(place),
            index,
            name: Some(name),
        };
        if let Some(shape) = member_shape(shape, name) {
            check_shape(shape, value, &place, findings);
        }
    }
}

/// Whether an object lacks a member or has one too many.
fn departs(shape: &ObjectShape, members: &[Member], hash_belongs: bool) -> bool {
    let lacks = |name: &str| get(members, name).is_none();
    let unknown = |(name, _): &Member| member_shape(shape, name).is_none();
    shape.required.iter().any(|name| lacks(name))
        || shape.hash_where_ok && hash_belongs == lacks("content_hash")
        || shape.closed && members.iter().any(unknown)
}

fn member_shape(shape: &ObjectShape, name: &str) -> Option<&'static Shape> {
    let found = shape.members.iter().find(|(known, _)| *known == name);
    found.map(|(_, shape)| shape)
}

// ---------------------------------------------------------------------------------------------
// Envelope: the contract, C2 to C15
// ---------------------------------------------------------------------------------------------

/// How deep a protobuf Struct goes at the least (note.struct-depth).
const STRUCT_LEVELS: usize = 32;

struct ContractVerdict {
    findings: Vec<Finding>,
    notes: Vec<&'static str>,
}

/// The whole contract over one envelope.
fn check_contract(envelope: &Value) -> ContractVerdict {
    let mut findings = Findings::default();
    check_shape(
        &Shape::Object(&ENVELOPE),
        envelope,
        &Place::ROOT,
        &mut findings,
    );
    if let Some(members) = envelope.object() {
        let run = Run::of(members);
        run.check_outcome(&mut findings);
        run.check_payload(&mut findings);
        run.check_evidence(&mut findings);
    }
    let deep = envelope.depth() > STRUCT_LEVELS;
    ContractVerdict {
        findings: findings.sorted(),
        notes: if deep {
            vec!["note.struct-depth"]
        } else {
            Vec::new()
        },
    }
}

/// The parts of an envelope that the rules look at, where they have their type. A status or mode
/// that is none of those named is nothing, so the rules that depend on it are silent.
struct Run<'a> {
    members: &'a [Member],
    outcome: &'a [Member],
    status: Option<&'a str>,
    mode: Option<&'a str>,
}

impl<'a> Run<'a> {
    fn of(members: &'a [Member]) -> Run<'a> {
        let outcome = get(members, "outcome").and_then(Value::object);
        let outcome = outcome.unwrap_or_default();
        let status = get_text(outcome, "status").filter(|word| STATUSES.contains(word));
        let mode = get_text(members, "grounding_mode").filter(|word| MODES.contains(word));
        Run {
            members,
            outcome,
            status,
            mode,
        }
    }

    fn has(&self, name: &str) -> bool {
        get(self.members, name).is_some()
    }

    fn place(&self, name: &'a str) -> Place<'a> {
        Place::ROOT.member(self.members, name)
    }

    /// The mode of a run that succeeded.
    fn succeeded_in(&self) -> Option<&'a str> {
        self.mode.filter(|_| self.status == Some("succeeded"))
    }

    /// C2 to C7.
    fn check_outcome(&self, findings: &mut Findings) {
        let Some(status) = self.status else {
            return;
        };
        let broken = matches!(status, "failed" | "suspended");
        let succeeded = status == "succeeded";
        // contract.problem-given, contract.problem-only-on-failure
        match (broken, self.has("problem")) {
            (true, false) => findings.add(2, "c2.problem-missing", &Place::ROOT),
            (false, true) => findings.add(7, "c7.problem-present", &self.place("problem")),
            _ => {}
        }
        // contract.payload-given, contract.payload-only-on-success
        match (succeeded, self.has("payload")) {
            (true, false) => findings.add(5, "c5.payload-missing", &Place::ROOT),
            (false, true) => findings.add(6, "c6.payload-present", &self.place("payload")),
            _ => {}
        }
        self.check_reason(status, findings);
    }

    /// C3 and C4: contract.reason-given, contract.referral-named.
    fn check_reason(&self, status: &str, findings: &mut Findings) {
        let lacks = |name| get(self.outcome, name).is_none();
        let place = self.place("outcome");
        if matches!(status, "abstained" | "referred") && lacks("reason_code") {
            findings.add(3, "c3.reason-missing", &place);
        }
        if status == "referred" && lacks("referred_to") {
            findings.add(4, "c4.referral-missing", &place);
        }
    }

    /// C8, C10 and C14.
    fn check_payload(&self, findings: &mut Findings) {
        let payload = get(self.members, "payload");
        if let Some(payload) = payload.and_then(Value::object) {
            self.check_payload_members(payload, findings);
        }
        if matches!(self.succeeded_in(), Some("retrieval" | "brokered")) {
            self.check_grounded(payload, findings);
        }
        self.check_paired(findings);
    }

    /// C8: contract.payload-grounded.
    fn check_payload_members(&self, payload: &[Member], findings: &mut Findings) {
        let place = self.place("payload");
        if get(payload, "schema_class").is_none() {
            findings.add(8, "c8.schema-class-missing", &place);
        }
        if get(payload, "grounded_on").is_none() {
            findings.add(8, "c8.grounded-on-missing", &place);
        }
    }

    /// C10: contract.retrieval-grounded, told where something is missing or empty.
    fn check_grounded(&self, payload: Option<&Value>, findings: &mut Findings) {
        let code = "c10.grounded-on-empty";
        let Some(payload) = payload else {
            return findings.add(10, code, &Place::ROOT);
        };
        let Some(payload) = payload.object() else {
            return;
        };
        let place = self.place("payload");
        match get(payload, "grounded_on") {
            None => findings.add(10, code, &place),
            Some(Value::List(references)) if references.is_empty() => {
                findings.add(10, code, &place.member(payload, "grounded_on"));
            }
            Some(_) => {}
        }
    }

    /// C14: contract.payload-schema-paired.
    fn check_paired(&self, findings: &mut Findings) {
        let version = get_text(self.members, "contract_version").and_then(contract_version);
        let paired = self.has("payload") == self.has("payload_schema");
        if version.is_some_and(|numbers| numbers[..] >= [0, 6][..]) && !paired {
            findings.add(14, "c14.unpaired", &Place::ROOT);
        }
    }

    /// C9, C11, C12, C13 and C15.
    fn check_evidence(&self, findings: &mut Findings) {
        let items = match get(self.members, "evidence") {
            None => &[],
            Some(Value::List(items)) => &items[..],
            Some(_) => return,
        };
        self.check_names(items, findings);
        match self.succeeded_in() {
            Some("input_only" | "none") => {
                self.check_input(items, findings);
                self.check_alone(items, findings);
            }
            Some("delegation") => {
                self.check_input(items, findings);
                self.check_delegated(items, findings);
            }
            Some("brokered") => self.check_recorded(items, findings),
            _ => {}
        }
    }

    /// C9: contract.canonicalisation-registered.
    fn check_names(&self, items: &[Value], findings: &mut Findings) {
        let evidence = self.place("evidence");
        for (index, members) in objects(items) {
            let name = get_text(members, "canonicalisation");
            if name.is_some_and(|name| registered(name.as_bytes()).is_none()) {
                let place = evidence.item(index);
                findings.add(
                    9,
                    "c9.unregistered",
                    &place.member(members, "canonicalisation"),
                );
            }
        }
    }

    /// `input:<invocation_id>` (envelope.input-citation).
    fn input_id(&self) -> Option<String> {
        let id = get_text(self.members, "invocation_id");
        id.map(|id| format!("input:{id}"))
    }

    /// C11: contract.input-cited.
    fn check_input(&self, items: &[Value], findings: &mut Findings) {
        let Some(input) = self.input_id() else {
            return;
        };
        if objects(items).any(|(_, item)| cites(item, &input)) {
            return;
        }
        match self.has("evidence") {
            true => findings.add(11, "c11.input-not-cited", &self.place("evidence")),
            false => findings.add(11, "c11.input-not-cited", &Place::ROOT),
        }
    }

    /// C12: contract.input-alone.
    fn check_alone(&self, items: &[Value], findings: &mut Findings) {
        let Some(input) = self.input_id() else {
            return;
        };
        self.each_item(items, 12, "c12.other-evidence", findings, |item| {
            let (source_id, name) = (get_text(item, "source_id")?, canonicalisation(item)?);
            Some(source_id == input && is_for_inputs(name))
        });
    }

    /// C13: contract.delegated-alone.
    fn check_delegated(&self, items: &[Value], findings: &mut Findings) {
        let (Some(input), Some(records)) = (self.input_id(), self.records("delegations")) else {
            return;
        };
        let recorded: HashSet<Key> = objects(records)
            .filter_map(|(_, record)| delegation_key(record))
            .collect();
        self.each_item(items, 13, "c13.not-delegated", findings, |item| {
            Some(recorded.contains(&item_key(item)?) || cites(item, &input))
        });
    }

    /// C15: contract.retrieved-alone. A `snapshot_ref` of another type is C1's.
    fn check_recorded(&self, items: &[Value], findings: &mut Findings) {
        let Some(records) = self.records("retrievals") else {
            return;
        };
        let recorded: HashSet<(Key, &str)> = objects(records)
            .filter(|(_, record)| get_text(record, "status") == Some("ok"))
            .filter_map(|(_, record)| Some((item_key(record)?, get_text(record, "snapshot_ref")?)))
            .collect();
        self.each_item(items, 15, "c15.not-recorded", findings, |item| {
            let key = item_key(item)?;
            match get(item, "snapshot_ref") {
                None => Some(false),
                Some(snapshot) => Some(recorded.contains(&(key, snapshot.text()?))),
            }
        });
    }

    /// The records of a list that is there and is one, or none; nothing where it is no list.
    fn records(&self, name: &str) -> Option<&'a [Value]> {
        match get(self.members, name) {
            None => Some(&[]),
            Some(value) => value.list(),
        }
    }

    /// A finding for every evidence item that a rule does not allow. An item without a member that
    /// the rule needs, of which `allowed` says nothing, is C1's alone.
    fn each_item(
        &self,
        items: &[Value],
        rule: usize,
        code: &'static str,
        findings: &mut Findings,
        allowed: impl Fn(&[Member]) -> Option<bool>,
    ) {
        let evidence = self.place("evidence");
        for (index, item) in objects(items) {
            if allowed(item) == Some(false) {
                findings.add(rule, code, &evidence.item(index));
            }
        }
    }
}

/// Source id, content hash and canonicalisation, compared as the strings they are.
type Key<'a> = (Cow<'a, str>, &'a str, &'a str);

fn canonicalisation(item: &[Member]) -> Option<&str> {
    get_text(item, "canonicalisation")
}

/// The key of an evidence item or a retrieval record that has its three members.
fn item_key(item: &[Member]) -> Option<Key<'_>> {
    let source_id = get_text(item, "source_id")?;
    let hash = get_text(item, "content_hash")?;
    Some((source_id.into(), hash, canonicalisation(item)?))
}

/// What a recorded delegation is cited as (envelope.delegation).
fn delegation_key(record: &[Member]) -> Option<Key<'_>> {
    let id = get_text(record, "delegated_invocation_id")?;
    let hash = get_text(record, "content_hash")?;
    let name = match get(record, "canonicalisation") {
        None => "dd-envelope-json-v1",
        Some(name) => name.text()?,
    };
    Some((format!("invocation:{id}").into(), hash, name))
}

/// Whether an item cites the input under an input canonicalisation (envelope.input-citation).
fn cites(item: &[Member], input: &str) -> bool {
    get_text(item, "source_id") == Some(input) && canonicalisation(item).is_some_and(is_for_inputs)
}

/// The items of a list that are objects, with their places in it.
fn objects(items: &[Value]) -> impl Iterator<Item = (usize, &[Member])> {
    let numbered = items.iter().enumerate();
    numbered.filter_map(|(index, item)| Some((index, item.object()?)))
}

// ---------------------------------------------------------------------------------------------
// SHA-256 (FIPS 180-4)
// ---------------------------------------------------------------------------------------------

const ROUND_CONSTANTS: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

const START: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/// 64 lower-case hex digits (canon.digest).
fn sha256_hex(octets: &[u8]) -> String {
    let mut state = START;
    let (blocks, rest) = octets.as_chunks::<64>();
    for block in blocks {
        compress(&mut state, block);
    }
    let mut tail = rest.to_vec();
    tail.push(0x80);
    while tail.len() % 64 != 56 {
        tail.push(0);
    }
    tail.extend((octets.len() as u64 * 8).to_be_bytes());
    for block in tail.as_chunks::<64>().0 {
        compress(&mut state, block);
    }
    state.iter().map(|word| format!("{word:08x}")).collect()
}

fn compress(state: &mut [u32; 8], block: &[u8; 64]) {
    let schedule = schedule(block);
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (word, constant) in schedule.iter().zip(ROUND_CONSTANTS) {
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let t1 = [s1, choice, constant, *word]
            .iter()
            .fold(h, |sum, x| sum.wrapping_add(*x));
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let t2 = s0.wrapping_add(majority);
        (h, g, f, e) = (g, f, e, d.wrapping_add(t1));
        (d, c, b, a) = (c, b, a, t1.wrapping_add(t2));
    }
    for (word, mixed) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(mixed);
    }
}

fn schedule(block: &[u8; 64]) -> [u32; 64] {
    let mut words = [0; 64];
    for (word, octets) in words.iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*octets);
    }
    for i in 16..64 {
        let (x, y) = (words[i - 15], words[i - 2]);
        let s0 = x.rotate_right(7) ^ x.rotate_right(18) ^ (x >> 3);
        let s1 = y.rotate_right(17) ^ y.rotate_right(19) ^ (y >> 10);
        let sum = words[i - 16].wrapping_add(s0).wrapping_add(s1);
        words[i] = sum.wrapping_add(words[i - 7]);
    }
    words
}

// ---------------------------------------------------------------------------------------------
// Base64 (RFC 4648, section 4)
// ---------------------------------------------------------------------------------------------

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64_encode(octets: &[u8]) -> String {
    let mut text = String::with_capacity(octets.len().div_ceil(3) * 4);
    for group in octets.chunks(3) {
        let at = |index| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for position in 0..4 {
            let sextet = bits >> (18 - 6 * position) & 63;
            let padding = position > group.len();
            text.push(if padding {
                '='
            } else {
                char::from(ALPHABET[sextet as usize])
            });
        }
    }
    text
}

fn base64_decode(text: &str) -> Option<Vec<u8>> {
    let (groups, []) = text.as_bytes().as_chunks::<4>() else {
        return None;
    };
    let mut octets = Vec::with_capacity(groups.len() * 3);
    for (index, group) in groups.iter().enumerate() {
        let padding = group.iter().rev().take_while(|&&o| o == b'=').count();
        if padding > 2 || padding > 0 && index + 1 < groups.len() {
            return None;
        }
        let bits = group[..4 - padding]
            .iter()
            .try_fold(0, |bits, &letter| Some(bits << 6 | sextet(letter)?))?;
        let three = (bits << (6 * padding)).to_be_bytes();
        octets.extend(&three[1..4 - padding]);
    }
    Some(octets)
}

fn sextet(letter: u8) -> Option<u32> {
    let value = match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(value.into())
}

// ---------------------------------------------------------------------------------------------
// Answers
// ---------------------------------------------------------------------------------------------

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut out = Vec::new();
    quote(text, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// A JSON list of codes as a sorted set.
fn code_list(codes: impl IntoIterator<Item = &'static str>) -> String {
    let mut codes: Vec<&str> = codes.into_iter().collect();
    tidy(&mut codes);
    let quoted: Vec<String> = codes.into_iter().map(quoted).collect();
    format!("[{}]", quoted.join(","))
}

fn refusal_answer(refusal: Refusal) -> String {
    let Refusal { stage, code } = refusal;
    format!(r#""verdict":"fail","stage":"{stage}","codes":["{code}"]"#)
}

/// Kind `parse`.
fn answer_parse(document: &[u8]) -> Result<String, Refusal> {
    read(document).map(|_| r#""verdict":"pass""#.into())
}

/// Kind `canonicalise`.
fn answer_canonicalise(document: &[u8], name: &[u8]) -> Result<String, Refusal> {
    let canonical = canonicalise(document, name)?;
    let octets = base64_encode(&canonical.octets);
    let parsed = base64_encode(&canonical.parsed);
    let projected = base64_encode(&canonical.projected);
    let digest = canonical.digest;
    Ok(format!(
        r#""verdict":"pass","canonical_b64":"{octets}","digest":"{digest}","stages":{{"parsed_b64":"{parsed}","projected_b64":"{projected}"}}"#
    ))
}

/// Kind `evidence`: nothing checked is not a pass.
fn answer_evidence(envelope: &[u8]) -> Result<String, Refusal> {
    let items = check_evidence(&read(envelope)?)?;
    let any = |word| items.iter().any(|item| item.verdict() == word);
    let verdict = match (any("failed"), any("unchecked") || items.is_empty()) {
        (true, _) => "fail",
        (false, true) => "unchecked",
        (false, false) => "pass",
    };
    let codes = code_list(items.iter().flat_map(|item| item.codes.iter().copied()));
    let items: Vec<String> = items.iter().map(item_answer).collect();
    let items = items.join(",");
    Ok(format!(
        r#""verdict":"{verdict}","codes":{codes},"items":[{items}]"#
    ))
}

fn item_answer(item: &ItemVerdict) -> String {
    let source_id = quoted(&item.source_id);
    let verdict = item.verdict();
    let codes = code_list(item.codes.iter().copied());
    let notes = code_list(item.notes.iter().copied());
    format!(r#"{{"source_id":{source_id},"verdict":"{verdict}","codes":{codes},"notes":{notes}}}"#)
}

/// Kind `contract`.
fn answer_contract(envelope: &[u8]) -> Result<String, Refusal> {
    let ContractVerdict { findings, notes } = check_contract(&read(envelope)?);
    let verdict = if findings.is_empty() { "pass" } else { "fail" };
    let codes = code_list(findings.iter().map(|finding| finding.code));
    let notes = code_list(notes);
    let findings: Vec<String> = findings.iter().map(finding_answer).collect();
    let findings = findings.join(",");
    Ok(format!(
        r#""verdict":"{verdict}","codes":{codes},"notes":{notes},"findings":[{findings}]"#
    ))
}

fn finding_answer(finding: &Finding) -> String {
    let pointer = quoted(&finding.pointer);
    format!(r#"{{"code":"{}","pointer":{pointer}}}"#, finding.code)
}

// ---------------------------------------------------------------------------------------------
// Protocol
// ---------------------------------------------------------------------------------------------

const HELLO: &str = r#"{"protocol":1,"implementation":{"name":"groundrules-rust","version":"1.0.0","language":"Rust","url":"https://w3id.org/groundrules/"},"kinds":["parse","canonicalise","evidence","contract"],"features":[]}"#;

/// One message of the protocol: its members and its sequence number.
struct Message<'a> {
    members: &'a [Member],
    seq: Option<String>,
}

/// A message that does not keep to the protocol.
type Answer = Result<String, &'static str>;

impl Message<'_> {
    /// The octets of a named input.
    fn input(&self, name: &str) -> Result<Vec<u8>, &'static str> {
        let input = get(self.members, "input").and_then(Value::object);
        let text = input.and_then(|members| get_text(members, name));
        let octets = text.and_then(base64_decode);
        octets.ok_or("an input is missing or is no base64")
    }

    fn answer(&self) -> Answer {
        match get_text(self.members, "op") {
            Some("hello") => self.hello(),
            Some("case") => self.case(),
            _ => Err("the op is none of hello, case and bye"),
        }
    }

    fn hello(&self) -> Answer {
        match get(self.members, "protocol") {
            Some(Value::Int(1)) => Ok(HELLO.into()),
            _ => Err("the protocol is not 1"),
        }
    }

    fn case(&self) -> Answer {
        let seq = self.seq.as_ref().ok_or("a case has no seq")?;
        let answered = match get_text(self.members, "kind").ok_or("a case has no kind")? {
            "parse" => answer_parse(&self.input("document")?),
            "canonicalise" => answer_canonicalise(&self.input("document")?, &self.input("name")?),
            "evidence" => answer_evidence(&self.input("envelope")?),
            "contract" => answer_contract(&self.input("envelope")?),
            _ => Ok(r#""skipped":"this adapter does not answer cases of this kind""#.into()),
        };
        let answer = answered.unwrap_or_else(refusal_answer);
        Ok(format!(r#"{{"seq":{seq},{answer}}}"#))
    }

    fn error(&self, detail: &str) -> String {
        let error = format!(
            r#""error":{{"code":"protocol","detail":{}}}"#,
            quoted(detail)
        );
        match &self.seq {
            Some(seq) => format!(r#"{{"seq":{seq},{error}}}"#),
            None => format!("{{{error}}}"),
        }
    }
}

/// The answer to one line; nothing to `bye`.
fn answer_line(line: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(line).unwrap_or_default();
    let value = parse(text).unwrap_or(Value::Null);
    let members = value.object().unwrap_or_default();
    if get_text(members, "op") == Some("bye") {
        return None;
    }
    let seq = match get(members, "seq") {
        Some(number @ (Value::Int(_) | Value::Big(_))) => String::from_utf8(pyjson(number)).ok(),
        _ => None,
    };
    let message = Message { members, seq };
    let answer = message.answer();
    Some(answer.unwrap_or_else(|detail| message.error(detail)))
}

/// Lines of any length, one answer a line, flushed.
fn serve() -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let Some(answer) = answer_line(&line) else {
            break;
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
        line.clear();
    }
    Ok(())
}

// ---------------------------------------------------------------------------------------------
// One complete run in mode input_only (spec/envelope.md, spec/trace.md, spec/grounding-rules.md)
// ---------------------------------------------------------------------------------------------

const INVOCATION: &str = "01a0c2b1-92d4-7e3b-9c41-5d0f86a2b7e9";
const AGENT: &str = "bell-tuning-clerk";
const AGENT_VERSION: &str = "3.0.1";

/// The input as JSON text. It is hashed, and copied as it stands into request and envelope.
const INPUT: &str = concat!(
    r#"{"schema_class": "TuningSheet", "tower": "St Br"#,
    "\u{ed}d & St Bri\u{301}d",
    r#"", "bells": [{"bell": 1, "hum_hz": 1.0, "strike_hz": 1e0}, "#,
    r#"{"bell": 2, "hum_hz": 329.6275569128699, "strike_hz": 3.296275569128699E+2}], "#,
    r#""10": "tenor", "9": -0, "1": -0.0, "01": 1E-7, "#,
    r#""__proto__": {"constructor": [null, [[], [{}, [0.00001]]]]}, "#,
    r#""caf"#,
    "\u{e9}",
    r#"": 1e16, "caf"#,
    "e\u{301}",
    r#"": 100000000000000000000, ""#,
    "\u{1d11e}",
    r#"": "clef above U+FFFF", ""#,
    "\u{e001}",
    r#"": "founder's mark", ""#,
    "\u{fb01}",
    r#"": "ligature", "smallest": 5e-324, "largest": 1.7976931348623157e308, "#,
    r#""past_doubles": [9007199254740993, 9007199254740993.0, -123456789012345678901234567890], "#,
    r#""halves": [0.0009546279907226562, 1.50, 1234567.0e-2, 1e23, 2.2250738585072014e-308], "#,
    r#""remark": "<b>2 & 3</b> beat;"#,
    "\u{2028}next line\u{2029}\u{85}\u{7f}\u{feff}",
    r#" \u003cslow\u003E \/ \"1.0\" \u0001\t\ud83d\udd14", "#,
    r#""clapper": null, "recast": [], "": {}}"#,
);

/// What the agent sent: the spans it reports, and last the root, which the conductor wrote.
const SPANS: &str = concat!(
    r#"{"name": "execute_tool beat_counter", "context": {"trace_id": "0x5f2a90c71be84d36a0417de8c95b3f12", "#,
    r#""span_id": "0xc2000000000000a3", "trace_state": "[]"}, "kind": "SpanKind.INTERNAL", "#,
    r#""parent_id": "0xa1000000000000a1", "start_time": "2026-09-21T06:40:12.612000Z", "#,
    r#""end_time": "2026-09-21T06:40:12.640500Z", "status": {"status_code": "OK"}, "#,
    r#""attributes": {"beat.per_second": 1.0, "beat.note": "2 < 3 & 3 > 2"#,
    "\u{2028}",
    r#"", "beat.bells": [2, 3]}, "events": [], "links": [], RESOURCE}"#,
    "\n",
    r#"{"name": "chat", "context": {"trace_id": "0x5f2a90c71be84d36a0417de8c95b3f12", "#,
    r#""span_id": "0xb2000000000000a2", "trace_state": "[]"}, "kind": "SpanKind.CLIENT", "#,
    r#""parent_id": "0xa1000000000000a1", "start_time": "2026-09-21T06:40:12.650000Z", "#,
    r#""end_time": "2026-09-21T06:40:13.204000Z", "status": {"status_code": "UNSET"}, "#,
    r#""attributes": {"gen_ai.request.temperature": 0.0, "gen_ai.usage.input_tokens": 512, "#,
    r#""gen_ai.usage.output_tokens": 88}, "events": [], "links": [], RESOURCE}"#,
    "\n",
    r#"{"name": "invoke_agent", "context": {"trace_id": "0x5f2a90c71be84d36a0417de8c95b3f12", "#,
    r#""span_id": "0xa1000000000000a1", "trace_state": "[]"}, "kind": "SpanKind.INTERNAL", "#,
    r#""parent_id": null, "start_time": "2026-09-21T06:40:12.500000Z", "#,
    r#""end_time": "2026-09-21T06:40:13.260000Z", "status": {"status_code": "OK"}, "#,
    r#""attributes": {"dd.grounding_mode": "input_only", "dd.input_hash": "HASH", "#,
    r#""dd.input_canonicalisation": "dd-input-json-v1", "dd.outcome": "succeeded", "#,
    r#""dd.invocation_id": "INVOCATION", "dd.agent_id": "AGENT", "dd.agent_version": "VERSION"}, "#,
    r#""events": [], "links": [], RESOURCE}"#,
    "\n",
);

const RESOURCE: &str = r#""resource": {"attributes": {"service.name": "AGENT", "telemetry.sdk.language": "rust"}, "schema_url": ""}"#;

const REQUEST: &str = r#"{
  "format": "request/1",
  "invocation_id": "INVOCATION",
  "agent_id": "AGENT",
  "agent_version": "VERSION",
  "input": INPUT,
  "requested_at": "2026-09-21T06:40:12.5Z"
}
"#;

const ENVELOPE_TEXT: &str = r#"{
  "invocation_id": "INVOCATION",
  "agent_id": "AGENT",
  "agent_version": "VERSION",
  "completed_at": "2026-09-21T07:40:13.260001500+01:00",
  "grounding_mode": "input_only",
  "outcome": {
    "status": "succeeded",
    "statement": "Two bells are on the sheet; 2 & 3 are said to beat, and there is no bell 3."
  },
  "payload": {
    "schema_class": "TuningReading",
    "observations": [
      {
        "bell": 2,
        "note": "Hum and strike are one number in two spellings.",
        "grounded_on": [REFERENCE]
      },
      {
        "bell": 3,
        "note": "Named in the remark, absent from the list.",
        "grounded_on": [REFERENCE]
      }
    ],
    "cents_flat": -0.0,
    "grounded_on": [REFERENCE]
  },
  "evidence": [
    {
      "source_id": "input:INVOCATION",
      "hash_algorithm": "sha256",
      "canonicalisation": "dd-input-json-v1",
      "content_hash": "HASH",
      "content": INPUT
    }
  ],
  "telemetry": {
    "trace_id": "5f2a90c71be84d36a0417de8c95b3f12",
    "model_id": "campanile-mini-2026-08",
    "input_tokens": 512,
    "output_tokens": 88
  },
  "requires_human_review": true
}
"#;

const REFERENCE_TEXT: &str = r#"{"source_id": "input:INVOCATION", "content_hash": "HASH"}"#;

/// A text with its blanks filled in; the input comes last, so that nothing in it is one.
fn fill(template: &str, hash: &str) -> String {
    template
        .replace("REFERENCE", REFERENCE_TEXT)
        .replace("RESOURCE", RESOURCE)
        .replace("INVOCATION", INVOCATION)
        .replace("AGENT", AGENT)
        .replace("VERSION", AGENT_VERSION)
        .replace("HASH", hash)
        .replace("INPUT", INPUT)
}

/// Writes the run; the same octets every time.
fn make_run(folder: &Path) -> io::Result<()> {
    let canonical = canonicalise(INPUT.as_bytes(), b"dd-input-json-v1");
    let hash = canonical
        .map_err(|refusal| io::Error::other(refusal.code))?
        .digest;
    let run = folder.join("rust-bell-tuning");
    fs::create_dir_all(&run)?;
    fs::write(run.join("request.json"), fill(REQUEST, &hash))?;
    fs::write(run.join("spans.jsonl"), fill(SPANS, &hash))?;
    fs::write(run.join("envelope.json"), fill(ENVELOPE_TEXT, &hash))
}

// ---------------------------------------------------------------------------------------------
// The command
// ---------------------------------------------------------------------------------------------

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let done = match &arguments[..] {
        [] => serve(),
        [command, folder] if command == "make-run" => make_run(Path::new(folder)),
        _ => Err(io::Error::other("usage: adapter [make-run OUTDIR]")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("adapter: {error}");
            ExitCode::from(2)
        }
    }
}
