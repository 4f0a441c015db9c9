/**
 * A JSON Schema checker for the keywords that the schemas of the documents use, and no others: a schema with another
 * keyword is an error, never a pass.
 *
 * Schemas and documents are values of the strict reader. Numbers are compared by value, and `true` is no integer.
 */

import { instant } from "./times.mjs";
import { JsonFloat, JsonInteger } from "./strictjson.mjs";

const ANNOTATIONS = new Set(["$schema", "$id", "$defs", "title", "description"]);

const isNumber = (value) => value instanceof JsonInteger || value instanceof JsonFloat;
const TYPES = new Map([
  ["null", (value) => value === null],
  ["boolean", (value) => typeof value === "boolean"],
  ["string", (value) => typeof value === "string"],
  ["array", Array.isArray],
  ["object", (value) => value instanceof Map],
  ["number", isNumber],
  ["integer", (value) => value instanceof JsonInteger || (value instanceof JsonFloat && Number.isInteger(value.value))],
]);
const FORMATS = new Map([["date-time", (text) => instant(text) !== null]]);

/** A set of schemas that refer to one another. */
export class Schemas {
  #byAddress = new Map();
  #byFile = new Map();
  #places = new Map();
  #patterns = new Map();

  /** @param {Map<string, Map>} files from file name to schema, each with an absolute `$id` */
  constructor(files) {
    for (const [file, schema] of files) {
      this.#byFile.set(file, schema.get("$id"));
      this.#byAddress.set(schema.get("$id"), schema);
    }
  }

  /**
   * Where a document departs from a schema: the path of every departing value, each once, not in order. For a member
   * that is missing, and for one that must not be there, that is the object.
   *
   * @param document a value of the strict reader
   * @param {string} file the file name of the schema
   * @returns {Array<Array<string|number>>}
   */
  departures(document, file) {
    const check = new Check(this, []);
    check.value(document, this.#byAddress.get(this.#byFile.get(file)), this.#byFile.get(file));
    return check.found;
  }

  /** The members that a schema names at the top of a document. */
  names(file) {
    return this.#byAddress.get(this.#byFile.get(file)).get("properties");
  }

  /** Whether a document satisfies a schema. */
  fits(document, file) {
    return this.departures(document, file).length === 0;
  }

  /** The schema that a reference names, and the address its own references start from. */
  resolve(reference, base) {
    const key = `${base} ${reference}`;
    if (!this.#places.has(key)) this.#places.set(key, this.#find(new URL(reference, base).href));
    return this.#places.get(key);
  }

  pattern(text) {
    if (!this.#patterns.has(text)) this.#patterns.set(text, new RegExp(text, "u"));
    return this.#patterns.get(text);
  }

  #find(address) {
    const [base, fragment = ""] = address.split("#");
    let schema = this.#byAddress.get(base);
    for (const step of decodeURIComponent(fragment).split("/").slice(1)) {
      schema = schema?.get(step.replaceAll("~1", "/").replaceAll("~0", "~"));
    }
    if (schema === undefined) throw new Error(`there is no schema at ${address}`);
    return { schema, base };
  }
}

/** One document against one schema; `path` leads to the value in hand. */
class Check {
  constructor(schemas, path) {
    this.schemas = schemas;
    this.path = path;
    this.found = [];
    this.told = new Set();
  }

  value(value, schema, base) {
    if (schema === true) return;
    if (schema === false) {
      this.depart();
      return;
    }
    for (const [keyword, operand] of schema) {
      if (ANNOTATIONS.has(keyword)) continue;
      const test = KEYWORDS.get(keyword);
      if (test === undefined) throw new Error(`the schema keyword ${keyword} is not implemented`);
      test(this, value, operand, schema, base);
    }
  }

  member(step, value, schema, base) {
    this.path.push(step);
    this.value(value, schema, base);
    this.path.pop();
  }

  require(holds) {
    if (!holds) this.depart();
  }

  depart() {
    const place = JSON.stringify(this.path);
    if (this.told.has(place)) return;
    this.told.add(place);
    this.found.push([...this.path]);
  }

  /** Whether the value in hand satisfies a schema, without a word about it. */
  holds(value, schema, base) {
    const silent = new Check(this.schemas, [...this.path]);
    silent.value(value, schema, base);
    return silent.found.length === 0;
  }
}

const ifText = (test) => (check, value, operand) => {
  if (typeof value === "string") check.require(test(value, operand, check));
};
const ifNumber = (test) => (check, value, operand) => {
  if (isNumber(value)) check.require(test(value.value, operand.value));
};

const KEYWORDS = new Map([
  ["type", (check, value, type) => check.require([type].flat().some((name) => TYPES.get(name)(value)))],
  ["const", (check, value, wanted) => check.require(equal(value, wanted))],
  ["enum", (check, value, wanted) => check.require(wanted.some((one) => equal(value, one)))],
  ["pattern", ifText((text, pattern, check) => check.schemas.pattern(pattern).test(text))],
  ["minLength", ifText((text, least) => codePoints(text) >= least.value)],
  ["maxLength", ifText((text, most) => codePoints(text) <= most.value)],
  ["format", ifText((text, format) => FORMATS.get(format)(text))],
  // JavaScript compares a BigInt and a double by their exact values.
  ["minimum", ifNumber((number, least) => number >= least)],
  ["maximum", ifNumber((number, most) => number <= most)],
  ["required", (check, value, names) => {
    if (value instanceof Map) check.require(names.every((name) => value.has(name)));
  }],
  ["properties", (check, value, schemas, _schema, base) => {
    if (!(value instanceof Map)) return;
    for (const [name, inner] of value) {
      if (schemas.get(name) === false) check.depart();
      else if (schemas.has(name)) check.member(name, inner, schemas.get(name), base);
    }
  }],
  ["additionalProperties", (check, value, inner, schema, base) => {
    if (!(value instanceof Map) || inner === true) return;
    const known = schema.get("properties") ?? new Map();
    const others = [...value].filter(([name]) => !known.has(name));
    if (inner === false) check.require(others.length === 0);
    else for (const [name, other] of others) check.member(name, other, inner, base);
  }],
  ["minProperties", (check, value, least) => {
    if (value instanceof Map) check.require(value.size >= least.value);
  }],
  ["minItems", (check, value, least) => {
    if (Array.isArray(value)) check.require(value.length >= least.value);
  }],
  ["items", (check, value, inner, _schema, base) => {
    if (!Array.isArray(value)) return;
    for (const [at, item] of value.entries()) check.member(at, item, inner, base);
  }],
  ["$ref", (check, value, reference, _schema, base) => {
    const place = check.schemas.resolve(reference, base);
    check.value(value, place.schema, place.base);
  }],
  ["if", (check, value, condition, schema, base) => {
    check.value(value, schema.get(check.holds(value, condition, base) ? "then" : "else") ?? true, base);
  }],
  ["then", () => {}],
  ["else", () => {}],
]);

/** Equality of the scalars that stand in `const` and `enum`. */
function equal(a, b) {
  // Loose equality only ever compares two numbers here, a BigInt with a double among them.
  return isNumber(a) && isNumber(b) ? a.value == b.value : a === b;
}

function codePoints(text) {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
