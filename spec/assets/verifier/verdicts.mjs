/**
 * Verdicts as documents: values of the strict reader, as they are stored, compared and put in a head line (verdicts).
 */

import { contentHash, pyjsonBytes } from "./canonical.mjs";
import { LISTED, listed, ruleOf, sortedSet } from "./order.mjs";
import { JsonInteger } from "./strictjson.mjs";

const NOTE = "note";
const BRACKET = [0x20, 0x28];
const LF = 0x0a;

/** The hash by which a verdict names the envelope it judged (verdicts.judged). */
export function judgedHash(envelope) {
  return contentHash(envelope, "dd-envelope-json-v1");
}

/**
 * A verdict as a document. Its lists `findings`, `violations` and `notes` are given whole, each with `code` and `at`;
 * at most a thousand of a rule are listed and the others counted in `omitted` (verdicts.finding). `detail` is left
 * empty: the catalogue has the title of every code.
 *
 * @param {object} verdict with plain values; numbers are integers
 * @returns {Map}
 */
export function verdictDocument(verdict) {
  const { findings = [], violations = [], notes = [] } = verdict;
  const document = asValue({ ...verdict, omitted: omittedOf([...findings, ...violations, ...notes]) });
  for (const name of ["findings", "violations", "notes"].filter((name) => document.has(name))) {
    document.set(name, listed(verdict[name]).map(findingDocument));
  }
  return document;
}

function findingDocument({ code, at }) {
  const rule = ruleOf(code);
  return asValue({ ...(rule === NOTE ? {} : { rule: rule.toUpperCase() }), code, at, detail: "" });
}

/** How many findings of each rule are not listed. */
function omittedOf(found) {
  const counts = new Map();
  for (const { code } of found) counts.set(ruleOf(code), (counts.get(ruleOf(code)) ?? 0) + 1);
  const over = [...counts].filter(([, count]) => count > LISTED);
  return Object.fromEntries(over.map(([rule, count]) => [rule === NOTE ? NOTE : rule.toUpperCase(), count - LISTED]));
}

function asValue(plain) {
  if (typeof plain === "number") return new JsonInteger(String(plain));
  if (Array.isArray(plain)) return plain.map(asValue);
  if (typeof plain !== "object" || plain === null) return plain;
  return new Map(Object.entries(plain).map(([name, inner]) => [name, asValue(inner)]));
}

/**
 * The first member, in a given order, in which two verdicts differ, or undefined. `detail` is not compared, and of the
 * notes only the set of their codes (i4.recomputed).
 */
export function firstDifference(a, b, members) {
  const [left, right] = [compared(a), compared(b)];
  return members.find((name) => !sameValue(left.get(name), right.get(name)));
}

/** Equality of two values of the strict reader: `1` and `1.0` differ, the order of members does not count. */
export function sameValue(a, b) {
  return sameOctets(pyjsonBytes(a), pyjsonBytes(b));
}

function compared(verdict) {
  const kept = new Map(verdict);
  for (const name of ["findings", "violations"].filter((name) => verdict.has(name))) {
    kept.set(name, verdict.get(name).map((finding) => without(finding, "detail")));
  }
  if (verdict.has("notes")) kept.set("notes", sortedSet(verdict.get("notes").map((note) => note.get("code"))));
  return kept.set("omitted", without(verdict.get("omitted"), NOTE));
}

function without(object, name) {
  return new Map([...object].filter(([member]) => member !== name));
}

function sameOctets(a, b) {
  return a.length === b.length && a.every((octet, at) => octet === b[at]);
}

/** The head line of a verdict, up to the first space and opening bracket (verdicts.text). */
export function headLine(verdict) {
  return verdict.get("format") === "grounding/1" ? groundingHead(verdict) : sourcesHead(verdict);
}

function groundingHead(verdict) {
  const status = verdict.get("status");
  return `grounding: ${status === "failed" ? "FAILED" : status} [${verdict.get("mode") ?? "no mode"}]`;
}

function sourcesHead(verdict) {
  if (verdict.get("status") === "unchecked") return "sources: unchecked";
  const [verified, unresolved, skipped] = ["verified", "unresolved", "skipped"].map((name) => verdict.get(name).length);
  const failed = verdict.get("status") === "failed";
  if (!failed && verified + unresolved === 0) return "sources: nothing to check";
  const parts = failed ? ["FAILED"] : [];
  if (verified > 0) parts.push(`${verified} verified`);
  if (unresolved > 0) parts.push(`${unresolved} unresolved`);
  if (skipped > 0) parts.push(`${skipped} skipped`);
  return `sources: ${parts.join(", ")}`;
}

/**
 * Whether the first line of a stored text form is the head line of a verdict, up to its bracket, and no line below it
 * could be read as another (i4.text).
 */
export function textSays(bytes, verdict) {
  return headSays(bytes, verdict) && isIndentedBelow(bytes);
}

/** Whether every line below the first that is not empty begins with two spaces. */
function isIndentedBelow(bytes) {
  for (let feed = bytes.indexOf(LF); feed >= 0; feed = bytes.indexOf(LF, feed + 1)) {
    const [first, second] = [bytes[feed + 1], bytes[feed + 2]];
    if (first !== undefined && first !== LF && (first !== 0x20 || second !== 0x20)) return false;
  }
  return true;
}

function headSays(bytes, verdict) {
  const feed = bytes.indexOf(LF);
  const line = feed < 0 ? bytes : bytes.subarray(0, feed);
  const bracket = line.findIndex((octet, at) => octet === BRACKET[0] && line[at + 1] === BRACKET[1]);
  return sameOctets(bracket < 0 ? line : line.subarray(0, bracket), new TextEncoder().encode(headLine(verdict)));
}
