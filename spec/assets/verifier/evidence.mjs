/**
 * E1 for one evidence item: what is shown is what was hashed.
 *
 * An item may carry the content it cites. Then the content hashes to `content_hash` under the canonicalisation named,
 * and everything a reader sees in it is covered by that hash, as it stands. Nothing here says where content came from.
 */

import {
  CANONICALISATIONS, CanonicalError, compareCodePoints, contentHash, project, pyjsonBytes,
} from "./canonical.mjs";
import { JsonFloat, JsonInteger, pointer } from "./strictjson.mjs";

/** The canonicalisations under which an input is cited. */
export const INPUT_NAMES = new Set(["dd-input-json-v1", "jcs-input-v1"]);

const isString = (value) => typeof value === "string";
const isText = (value) => isString(value) && value !== "";
const REQUIRED = new Map([
  ["source_id", isText],
  ["hash_algorithm", (value) => value === "sha256"],
  ["canonicalisation", isString],
  ["content_hash", (value) => isString(value) && /^[0-9a-f]{64}$/.test(value)],
]);
const OPTIONAL = new Map([
  ["content", () => true],
  ["snapshot_ref", isText],
  ["source_uri", isString],
  ["retrieved_at", isString],
]);

/**
 * Judge one evidence item (rule E1).
 *
 * @param item a value of the strict reader
 * @returns {{verdict: "verified"|"failed"|"unchecked", codes: string[], notes: string[],
 *   findings: Array<{code: string, at: string}>}} codes and notes sorted, each once; findings in order, each with the
 *   JSON Pointer of what is wrong within the item; an item without content is unchecked, never verified
 */
export function checkItem(item) {
  if (!isWellFormed(item)) return judged([{ code: "e1.malformed-item", at: "" }]);
  const [name, content] = [item.get("canonicalisation"), item.get("content")];
  if (!CANONICALISATIONS.includes(name)) {
    return judged([{ code: "e1.unknown-canonicalisation", at: "/canonicalisation" }]);
  }
  if (!item.has("content")) return { ...judged([]), verdict: "unchecked" };
  if (!INPUT_NAMES.has(name) && !(content instanceof Map)) {
    return judged([{ code: "e1.content-not-object", at: "/content" }]);
  }
  try {
    return judgeContent(content, name, item.get("content_hash"));
  } catch (error) {
    if (!(error instanceof CanonicalError)) throw error;
    return judged([{ code: "e1.outside-domain", at: `/content${error.pointer ?? ""}` }]);
  }
}

/** Whether a value has the closed shape of an evidence item. */
function isWellFormed(item) {
  if (!(item instanceof Map)) return false;
  for (const [name, fits] of REQUIRED) {
    if (!item.has(name) || !fits(item.get(name))) return false;
  }
  for (const [name, value] of item) {
    if (!REQUIRED.has(name) && !(OPTIONAL.has(name) && OPTIONAL.get(name)(value))) return false;
  }
  return true;
}

function judgeContent(content, name, expected) {
  const digest = contentHash(content, name); // first: outside the domain there is nothing to compare
  const shown = content instanceof Map ? compareMembers(content, project(content, name)) : { findings: [], notes: [] };
  if (digest === expected) return judged(shown.findings, shown.notes);
  const changed = contentHash(integersForFloats(content), name) === expected;
  const hint = changed ? ["note.numbers-changed"] : [];
  return judged([{ code: "e1.hash-mismatch", at: "/content" }, ...shown.findings], [...shown.notes, ...hint]);
}

/** What a reader sees against what the hash covers, member by member. */
function compareMembers(content, projected) {
  const [findings, notes] = [[], []];
  for (const [name, value] of content) {
    const at = pointer(["content", name]);
    if (!projected.has(name)) findings.push({ code: "e1.unhashed-member", at });
    else if (sameBytes(value, projected.get(name))) continue;
    else if (differOnlyInOrder(value, projected.get(name))) notes.push("note.label-order");
    else findings.push({ code: "e1.coerced-value", at });
  }
  if ([...projected.keys()].some((name) => !content.has(name))) notes.push("note.member-absent");
  return { findings, notes };
}

function differOnlyInOrder(labels, sorted) {
  return Array.isArray(labels) && labels.every(isString) && sameBytes([...labels].sort(compareCodePoints), sorted);
}

function sameBytes(a, b) {
  if (a === b) return true;
  const [left, right] = [pyjsonBytes(a), pyjsonBytes(b)];
  return left.length === right.length && left.every((octet, at) => octet === right[at]);
}

/** The value with every float that is a whole number as an integer: what a transport of doubles takes away. */
function integersForFloats(value) {
  if (value instanceof JsonFloat && Number.isInteger(value.value)) {
    return new JsonInteger(BigInt(value.value).toString());
  }
  if (Array.isArray(value)) return value.map(integersForFloats);
  if (value instanceof Map) return new Map(Array.from(value, ([name, inner]) => [name, integersForFloats(inner)]));
  return value;
}

function judged(findings, notes = []) {
  const once = (words) => [...new Set(words)].sort();
  const codes = once(findings.map(({ code }) => code));
  return { verdict: codes.length === 0 ? "verified" : "failed", codes, notes: once(notes), findings };
}
