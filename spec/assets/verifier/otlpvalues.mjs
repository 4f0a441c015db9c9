/**
 * Attributes as OTLP/JSON writes them: lists of a key and one typed value each (trace, attributes).
 *
 * They become values of the strict reader, and octets become {@link OtlpBytes}, which equal no string.
 */

import { JsonFloat, JsonInteger } from "./strictjson.mjs";

const NON_FINITE = new Set(["NaN", "Infinity", "-Infinity"]);
const [LEAST, MOST] = [-(2n ** 63n), 2n ** 63n - 1n];

/** The value of a `bytesValue`; it is no string, whatever its text. */
export class OtlpBytes {
  constructor(base64) {
    this.base64 = base64;
  }
}

/**
 * The attributes of a list. A malformed entry, or the second of two with one key, makes it not good, and it has none.
 *
 * @returns {{attributes: Map<string, *>, good: boolean}}
 */
export function attributeList(list) {
  const attributes = new Map();
  if (!Array.isArray(list)) return { attributes, good: false };
  for (const entry of list) {
    const [key, value] = keyAndValue(entry);
    if (value === undefined || attributes.has(key)) return { attributes: new Map(), good: false };
    attributes.set(key, value);
  }
  return { attributes, good: true };
}

function keyAndValue(entry) {
  if (!(entry instanceof Map) || entry.size !== 2 || typeof entry.get("key") !== "string") return [];
  return [entry.get("key"), typed(entry.get("value"))];
}

/** The value of `{stringValue: …}` and its like, undefined where it is malformed. */
function typed(value) {
  if (!(value instanceof Map) || value.size !== 1) return undefined;
  const [[kind, inner]] = value;
  return KINDS.get(kind)?.(inner);
}

const only = (holds) => (value) => (holds(value) ? value : undefined);

const KINDS = new Map([
  ["stringValue", only((value) => typeof value === "string")],
  ["boolValue", only((value) => typeof value === "boolean")],
  ["doubleValue", double],
  ["bytesValue", (value) => (typeof value === "string" ? new OtlpBytes(value) : undefined)],
  ["intValue", integer],
  ["arrayValue", (value) => {
    const items = valuesOf(value)?.map(typed);
    return items?.includes(undefined) ? undefined : items;
  }],
  ["kvlistValue", (value) => {
    const { attributes, good } = attributeList(valuesOf(value));
    return good ? attributes : undefined;
  }],
]);

/** The list in `{values: […]}`; it may be absent where it is empty. */
function valuesOf(value) {
  if (!(value instanceof Map) || value.size > 1) return undefined;
  const list = value.size === 0 ? [] : value.get("values");
  return Array.isArray(list) ? list : undefined;
}

/** A double, however it is spelled, or one of the three words for what is none. */
function double(value) {
  if (value instanceof JsonInteger) {
    const number = Number(value.digits);
    return Number.isFinite(number) ? new JsonFloat(number) : undefined;
  }
  return value instanceof JsonFloat || NON_FINITE.has(value) ? value : undefined;
}

/** A 64-bit integer, as a decimal string or a number. */
function integer(value) {
  const text = value instanceof JsonInteger ? value.digits : value;
  const parts = typeof text === "string" ? /^(-?)0*([0-9]{1,19})$/.exec(text) : null;
  if (parts === null) return undefined;
  const number = BigInt(parts[1] + parts[2]);
  return number >= LEAST && number <= MOST ? new JsonInteger(number.toString()) : undefined;
}
