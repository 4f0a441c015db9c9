/**
 * Canonical JSON: the registered names, their projections and their bytes.
 *
 * Two forms exist. **pyjson** sorts members by code point and keeps the spelling apart of an integer and a float.
 * **jcs-safe** is RFC 8785 over the documents on which it is injective, the sign of zero aside: numbers within ±(2^53 - 1), no noncharacters.
 * A registered name never changes its bytes.
 *
 * Values are those of strictjson.mjs; what no strict reading yields is refused (canon.not-json), never coerced.
 */

import { sha256 } from "./sha256.mjs";
import { JsonFloat, JsonInteger, pointer } from "./strictjson.mjs";

/** Why a document has no canonical bytes under a name. `stage` is "project" or "canonicalise". */
export class CanonicalError extends Error {
  constructor(code, stage, at, detail) {
    super(`${detail} [${code}]`);
    this.name = "CanonicalError";
    Object.assign(this, { code, stage, pointer: at, detail });
  }
}

const RECORD_MEMBERS = [
  "fairsharing_id", "doi", "name", "abbreviation", "record_type", "status", "description", "subjects", "domains",
];
const FACT_MEMBERS = [
  "source_id", "domain", "text", "citation", "citation_id", "published_date", "indexed_at", "authority",
];

const REGISTRY = new Map([
  ["json-sorted-utf8-v1", { projection: projectRecord, text: pyjson, members: RECORD_MEMBERS }],
  ["dd-input-json-v1", { projection: whole, text: pyjson }],
  ["dd-json-document-v1", { projection: whole, text: pyjson }],
  ["dd-envelope-json-v1", { projection: whole, text: pyjson }],
  ["jcs-input-v1", { projection: whole, text: jcs }],
  ["jcs-document-v1", { projection: whole, text: jcs }],
  ["jcs-envelope-v1", { projection: whole, text: jcs }],
  ["groundrules-fact-v1", { projection: projectFact, text: jcs, members: FACT_MEMBERS }],
]);

/** The registered names (canonical JSON, registry). */
export const CANONICALISATIONS = Object.freeze([...REGISTRY.keys()]);

/**
 * What of a document a name covers (canonical JSON, projection). Idempotent.
 *
 * @throws {CanonicalError} canon.unknown-name, canon.not-an-object, canon.label-not-scalar, canon.fact-member
 */
export function project(document, name) {
  return registered(name).projection(document);
}

/**
 * The canonical bytes of a document's projection (canonical JSON, bytes).
 *
 * @param document a value of the strict reader
 * @param {string} name a registered name
 * @returns {Uint8Array}
 * @throws {CanonicalError} as {@link project}, and canon.number-out-of-range, canon.noncharacter under jcs names
 */
export function canonicalise(document, name) {
  return utf8(registered(name).text(project(document, name), []));
}

/** The content hash: SHA-256 over the canonical bytes, as 64 lower-case hexadecimal digits. Throws as above. */
export function contentHash(document, name) {
  return sha256(canonicalise(document, name));
}

/**
 * Every stage of a canonicalisation, so that two implementations can see where they part (canonical JSON, stages).
 * The value before and after projection is shown as its pyjson bytes, under every name.
 *
 * @returns {{parsed: Uint8Array, projected: Uint8Array, canonical: Uint8Array, digest: string}}
 */
export function stages(document, name) {
  const canonical = canonicalise(document, name);
  return {
    parsed: pyjsonBytes(document),
    projected: pyjsonBytes(project(document, name)),
    canonical,
    digest: sha256(canonical),
  };
}

/** The pyjson bytes of any value, without a projection. */
export function pyjsonBytes(value) {
  return utf8(pyjson(value));
}

/** Order of two strings by Unicode code point (canonical JSON, member order of pyjson): negative, zero, positive. */
export function compareCodePoints(a, b) {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (x !== y) return codePointRank(x) - codePointRank(y);
  }
  return a.length - b.length;
}

/** Code units in code-point order: surrogates stand for U+10000 and above, so they rank after U+E000 to U+FFFF. */
function codePointRank(unit) {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

function registered(name) {
  const entry = REGISTRY.get(name);
  if (entry === undefined) {
    throw new CanonicalError("canon.unknown-name", "project", "", "the canonicalisation is not registered");
  }
  return entry;
}

function whole(document) {
  return document;
}

/** Whether a name covers anything of a record: it covers all of it, or a member that the record has (s2.covered). */
export function covers(record, name) {
  const { members } = REGISTRY.get(name);
  return members === undefined || members.some((member) => record.has(member));
}

/** The nine members of a registry record; a missing one is null, a list of labels becomes sorted text. */
function projectRecord(document) {
  requireObject(document);
  return new Map(RECORD_MEMBERS.map((name) => [name, projectMember(document.get(name) ?? null, name)]));
}

/** Labels become text first and are sorted after, so that 10 sorts as "10" does. */
function projectMember(value, name) {
  if (!Array.isArray(value)) return value;
  return value.map((label, k) => labelText(label, [name, k])).sort(compareCodePoints);
}

/** The Python text of a scalar label (canonical JSON, labels). */
function labelText(label, path) {
  if (typeof label === "string") return label;
  if (label === null) return "None";
  if (label === true) return "True";
  if (label === false) return "False";
  if (label instanceof JsonInteger || label instanceof JsonFloat) return pyjson(label);
  throw new CanonicalError(
    "canon.label-not-scalar", "project", pointer(path), "a label is an object or an array, which has no permanent text",
  );
}

/** The eight string members of a knowledge-base fact. */
function projectFact(document) {
  requireObject(document);
  for (const name of FACT_MEMBERS) {
    if (typeof document.get(name) !== "string") {
      throw new CanonicalError("canon.fact-member", "project", pointer([name]), "a fact needs this member as a string");
    }
  }
  return new Map(FACT_MEMBERS.map((name) => [name, document.get(name)]));
}

function requireObject(document) {
  if (!(document instanceof Map)) {
    throw new CanonicalError("canon.not-an-object", "project", "", "this canonicalisation covers objects only");
  }
}

/** The pyjson text of a value. */
function pyjson(value) {
  if (value instanceof JsonInteger) return value.digits;
  if (value instanceof JsonFloat) return floatText(value.value);
  if (Array.isArray(value)) return `[${value.map((item) => pyjson(item)).join(",")}]`;
  if (!(value instanceof Map)) return plainText(value);
  const names = [...value.keys()].sort(compareCodePoints);
  return `{${names.map((name) => `${plainText(name)}:${pyjson(value.get(name))}`).join(",")}}`;
}

/**
 * The pyjson text of a double (canonical JSON, float text). The platform finds the shortest digits d1..dk that
 * round-trip, value = 0.d1..dk x 10^point; only their layout differs from ECMAScript's.
 */
function floatText(value) {
  if (!Number.isFinite(value)) throw notJson();
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const [mantissa, exponent] = Math.abs(value).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  const point = Number(exponent) + 1;
  const fixed = point > -4 && point <= 16;
  return (value < 0 ? "-" : "") + (fixed ? fixedText(digits, point) : scientificText(digits, point - 1));
}

function fixedText(digits, point) {
  if (point <= 0) return `0.${"0".repeat(-point)}${digits}`;
  return `${digits.slice(0, point).padEnd(point, "0")}.${digits.slice(point) || "0"}`;
}

function scientificText(digits, exponent) {
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
  const size = String(Math.abs(exponent)).padStart(2, "0");
  return `${digits[0]}${fraction}e${exponent < 0 ? "-" : "+"}${size}`;
}

/**
 * The jcs-safe text of a value. The text is written in canonical order, each name before its value, and the first
 * offence met on that way decides the code: not the order in which the document happened to be stored.
 */
function jcs(value, path) {
  if (value instanceof JsonInteger) return safeNumber(Number(value.digits), path);
  if (value instanceof JsonFloat) return safeNumber(value.value, path);
  if (Array.isArray(value)) return `[${value.map((item, k) => jcs(item, [...path, k])).join(",")}]`;
  if (!(value instanceof Map)) return safeText(value, path);
  // Array.prototype.sort without a comparison orders by UTF-16 code unit, which is what RFC 8785 asks for.
  const names = [...value.keys()].sort();
  const members = names.map((name) => {
    const inside = [...path, name];
    return `${safeText(name, inside)}:${jcs(value.get(name), inside)}`;
  });
  return `{${members.join(",")}}`;
}

/** ECMAScript number text, for a double no larger than the largest safe integer, however it was spelled. */
function safeNumber(number, path) {
  if (Math.abs(number) <= Number.MAX_SAFE_INTEGER) return String(number);
  throw new CanonicalError(
    "canon.number-out-of-range", "canonicalise", pointer(path), "a number is beyond 2^53 - 1; carry it as a string",
  );
}

function safeText(value, path) {
  if (typeof value !== "string" || !/\p{Noncharacter_Code_Point}/u.test(value)) return plainText(value);
  throw new CanonicalError("canon.noncharacter", "canonicalise", pointer(path), "a string holds a noncharacter");
}

/**
 * null, booleans and strings, alike in both forms: JSON.stringify writes exactly the escapes both prescribe. It would
 * also write an escape for a lone surrogate, which the strict reader never lets in.
 */
function plainText(value) {
  const isText = typeof value === "string" && !/\p{Surrogate}/u.test(value);
  if (isText || value === null || typeof value === "boolean") return JSON.stringify(value);
  throw notJson();
}

function notJson() {
  return new CanonicalError("canon.not-json", "canonicalise", null, "a value is none that strict reading yields");
}

function utf8(text) {
  return new TextEncoder().encode(text);
}
