/**
 * Strict JSON: the one door through which octets become values.
 *
 * Accepted is what RFC 8259 and I-JSON both accept, read without loss: `1` and `1.0` stay apart, an integer keeps all
 * its digits, an object keeps its members as they stand. Everything else is a {@link ReadError}, and for any octets at
 * all nothing but a ReadError is thrown.
 *
 * A value is null, a boolean, a string, a {@link JsonInteger}, a {@link JsonFloat}, an Array, or a Map. Objects are
 * Maps because a plain object moves integer-looking names to the front and swallows `__proto__`.
 *
 * No dependencies and nothing of Node: browsers load this file as it is.
 */

import { decode, LIMITS, ReadError } from "./decode.mjs";

export { LIMITS, ReadError };

/** An integer: a literal without fraction and exponent. `digits` is its decimal text; `-0` reads as `0`. */
export class JsonInteger {
  constructor(digits) {
    this.digits = digits;
  }

  get value() {
    return BigInt(this.digits);
  }
}

/** A float: a literal with a fraction or an exponent, as the nearest double. */
export class JsonFloat {
  constructor(value) {
    this.value = value;
  }
}

/**
 * Read one JSON text (strict JSON, all clauses). The first offence in document order is the one reported.
 *
 * @param {Uint8Array} bytes the whole text
 * @returns the value
 * @throws {ReadError}
 */
export function read(bytes) {
  return new Reader(decode(bytes)).document();
}

/**
 * Read JSON Lines: one strict JSON text a line, split on `\n` alone (strict JSON, lines). A last line feed ends the
 * last line and begins no other; an empty line is refused like any empty text. In an error, `line` counts from 1 and
 * `offset` from the start of the file.
 *
 * @param {Uint8Array} bytes the whole file
 * @yields {{line: number, bytes: Uint8Array, value: *}}
 * @throws {ReadError}
 */
export function* lines(bytes) {
  for (let start = 0, line = 1; start < bytes.length; line += 1) {
    const feed = bytes.indexOf(0x0a, start);
    const end = feed < 0 ? bytes.length : feed;
    const text = bytes.subarray(start, end);
    yield { line, bytes: text, value: readLine(text, line, start) };
    start = end + 1;
  }
}

function readLine(text, line, start) {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof ReadError) {
      error.line = line;
      error.offset += start;
    }
    throw error;
  }
}

const [TAB, LF, CR, SPACE, QUOTE, PLUS, COMMA, MINUS, DOT, ZERO, NINE, COLON] = codes("\t\n\r \"+,-.09:");
const [OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT, SMALL_U] = codes("[\\]{}u");
const SIMPLE_ESCAPES = new Set(codes('"\\/bfnrt'));
const LITERALS = [["true", true], ["false", false], ["null", null]];
const NON_FINITE = ["NaN", "Infinity", "-Infinity"];

function codes(text) {
  return Array.from(text, (character) => character.charCodeAt(0));
}

// Shared, so that a document of the permitted size made of nothing but these fits into memory; hence read-only.
const SMALL_INTEGERS = new Map(
  Array.from({ length: 1000 }, (_, n) => [String(n), Object.freeze(new JsonInteger(String(n)))]),
);
const NO_MEMBERS = Object.defineProperty(new Map(), "set", {
  value() {
    throw new TypeError("values of the strict reader are not to be changed");
  },
});

const isDigit = (unit) => unit >= ZERO && unit <= NINE;
const isExponentSign = (unit) => unit === 0x65 || unit === 0x45;
const isHigh = (unit) => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit) => unit >= 0xdc00 && unit <= 0xdfff;

/** One pass over one text. `at` is the place; `path` leads to the value being read, and recursion stops at 64. */
class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.path = [];
  }

  document() {
    this.space();
    if (this.at === this.text.length) this.refuse("read.empty", "there is no JSON value in the text");
    const value = this.value();
    this.space();
    if (this.at < this.text.length) this.refuse("read.trailing-data", "something follows the JSON value");
    return value;
  }

  value() {
    const unit = this.peek();
    if (unit === OPEN_OBJECT) return this.object();
    if (unit === OPEN_LIST) return this.list();
    if (unit === QUOTE) return this.string();
    for (const [word, value] of LITERALS) {
      if (this.skip(word)) return value;
    }
    if (NON_FINITE.some((token) => this.text.startsWith(token, this.at))) {
      this.refuse("read.non-finite-token", "NaN and the infinities are not JSON numbers");
    }
    if (unit === MINUS || isDigit(unit)) return this.number();
    return this.refuse("read.syntax", "a JSON value is expected here");
  }

  object() {
    if (this.enter(CLOSE_OBJECT)) return NO_MEMBERS;
    const members = new Map();
    do {
      const name = this.memberName(members);
      this.path.push(name);
      members.set(name, this.value());
    } while (this.more(CLOSE_OBJECT));
    return members;
  }

  list() {
    if (this.enter(CLOSE_LIST)) return [];
    this.path.push(0);
    const items = [this.value()]; // a literal has room for one; pushing the first would reserve room for many
    while (this.more(CLOSE_LIST)) {
      this.path.push(items.length);
      items.push(this.value());
    }
    return items;
  }

  /** Past an opening bracket; true where the closing one follows at once. */
  enter(closer) {
    if (this.path.length === LIMITS.depth) {
      this.refuse("read.too-deep", `the nesting goes deeper than ${LIMITS.depth} levels`);
    }
    this.at += 1;
    this.space();
    if (this.peek() !== closer) return false;
    this.at += 1;
    return true;
  }

  /** From the end of an element past the comma (true) or past the closing bracket (false). */
  more(closer) {
    this.space();
    const unit = this.peek();
    if (unit !== COMMA && unit !== closer) {
      this.refuse("read.syntax", "a comma or the closing bracket is expected here");
    }
    this.at += 1;
    this.path.pop();
    if (unit === COMMA) this.space();
    return unit === COMMA;
  }

  memberName(members) {
    const start = this.at;
    if (this.peek() !== QUOTE) this.refuse("read.syntax", "a member name in quotes is expected here");
    const name = this.string();
    if (members.has(name)) {
      this.at = start;
      this.refuse("read.duplicate-name", "the member name here stands twice in its object");
    }
    this.space();
    if (this.peek() !== COLON) this.refuse("read.syntax", "a colon is expected after a member name");
    this.at += 1;
    this.space();
    return name;
  }

  /**
   * A number. What looks like one is a run of digits, signs, points and `e`; a run that is not a JSON number as a
   * whole is malformed, which is said before its length, and its length before its size.
   */
  number() {
    const start = this.at;
    const wellFormed = this.integerPart() && this.fractionPart() && this.exponentPart() && !this.inNumber();
    const literal = this.text.slice(start, this.at);
    const end = this.at;
    this.at = start;
    if (!wellFormed) this.refuse("read.syntax", "this is not a JSON number");
    if (literal.length > LIMITS.number) {
      this.refuse("read.number-too-long", `a number has more than ${LIMITS.number} characters`);
    }
    const value = numberOf(literal);
    if (value instanceof JsonFloat && !Number.isFinite(value.value)) {
      this.refuse("read.number-overflow", "the number is too large for a double");
    }
    this.at = end;
    return value;
  }

  integerPart() {
    if (this.peek() === MINUS) this.at += 1;
    if (this.peek() !== ZERO) return this.digits();
    this.at += 1;
    return true;
  }

  fractionPart() {
    if (this.peek() !== DOT) return true;
    this.at += 1;
    return this.digits();
  }

  exponentPart() {
    if (!isExponentSign(this.peek())) return true;
    this.at += 1;
    if (this.peek() === PLUS || this.peek() === MINUS) this.at += 1;
    return this.digits();
  }

  digits() {
    const start = this.at;
    while (isDigit(this.peek())) this.at += 1;
    return this.at > start;
  }

  inNumber() {
    const unit = this.peek();
    return isDigit(unit) || isExponentSign(unit) || unit === PLUS || unit === MINUS || unit === DOT;
  }

  /** A string. Its extent and escapes are checked here; the platform then only resolves escapes known to be good. */
  string() {
    const start = this.at;
    let escaped = false;
    this.at += 1;
    for (;;) {
      const unit = this.peek();
      if (unit === QUOTE) break;
      if (unit === BACKSLASH) {
        escaped = true;
        this.escape();
      } else if (unit >= SPACE) {
        this.at += 1;
      } else {
        this.refuse("read.syntax", "a string is cut short or holds an unescaped control character");
      }
    }
    this.at += 1;
    return escaped ? JSON.parse(this.text.slice(start, this.at)) : this.text.slice(start + 1, this.at - 1);
  }

  escape() {
    if (SIMPLE_ESCAPES.has(this.text.charCodeAt(this.at + 1))) {
      this.at += 2;
      return;
    }
    const unit = this.escapedUnit(this.at);
    if (unit < 0) this.refuse("read.syntax", "a backslash does not begin an escape of JSON");
    const paired = isHigh(unit) && isLow(this.escapedUnit(this.at + 6));
    if (!paired && (isHigh(unit) || isLow(unit))) {
      this.refuse("read.lone-surrogate", "an escape is half of a surrogate pair");
    }
    this.at += paired ? 12 : 6;
  }

  /** The code unit of the escape `\uXXXX` at a place, or -1. */
  escapedUnit(at) {
    if (this.text.charCodeAt(at) !== BACKSLASH || this.text.charCodeAt(at + 1) !== SMALL_U) return -1;
    const digits = this.text.slice(at + 2, at + 6);
    return /^[0-9A-Fa-f]{4}$/.test(digits) ? Number.parseInt(digits, 16) : -1;
  }

  space() {
    for (;;) {
      const unit = this.peek();
      if (unit !== SPACE && unit !== LF && unit !== CR && unit !== TAB) return;
      this.at += 1;
    }
  }

  skip(word) {
    const found = this.text.startsWith(word, this.at);
    if (found) this.at += word.length;
    return found;
  }

  /** The code unit at the place; NaN at the end, which equals nothing. */
  peek() {
    return this.text.charCodeAt(this.at);
  }

  refuse(code, detail) {
    throw new ReadError(code, "parse", octets(this.text, this.at), pointer(this.path), detail);
  }
}

function numberOf(literal) {
  if (/[.eE]/.test(literal)) return new JsonFloat(Number(literal));
  const digits = literal === "-0" ? "0" : literal;
  return SMALL_INTEGERS.get(digits) ?? new JsonInteger(digits);
}

/** The JSON Pointer (RFC 6901) of a path of member names and indexes. */
export function pointer(path) {
  return path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** How many UTF-8 octets the first `end` code units of a text take. */
function octets(text, end) {
  let count = 0;
  for (let at = 0; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) count += 1;
    else if (unit < 0x800 || isHigh(unit) || isLow(unit)) count += 2;
    else count += 3;
  }
  return count;
}
