/**
 * The closed shapes of the list of copies and of stored verdicts: `source-copies.json`, `grounding-verdict.json` and
 * `source-verdict.json`, written out for values of the strict reader. An integer may be spelled `2.0`, as in a schema.
 *
 * A shape is a function of a value: the path of the first place that departs, in document order, or null where it fits.
 */

import { isInvocationId, MODES } from "./facts.mjs";
import { isDigest } from "./retrievals.mjs";
import { JsonFloat, JsonInteger } from "./strictjson.mjs";

const where = (fits) => (value) => (fits(value) ? null : []);
const string = where((value) => typeof value === "string");
const text = where((value) => typeof value === "string" && value !== "");
const boolean = where((value) => typeof value === "boolean");
const digest = where(isDigest);
const matching = (pattern, most) =>
  where((value) => typeof value === "string" && value.length <= most && pattern.test(value));
const word = (...words) => where((value) => words.includes(value));
/** What fits one of several shapes departs as a whole. */
const either = (...shapes) => where((value) => shapes.some((shape) => shape(value) === null));
const orNull = (shape) => either(word(null), shape);

const integer = (least) => where((value) => {
  if (value instanceof JsonInteger) return value.value >= BigInt(least);
  return value instanceof JsonFloat && Number.isInteger(value.value) && value.value >= least;
});

function firstWithin(entries, shapeOf) {
  for (const [step, inner] of entries) {
    const path = shapeOf(step)(inner);
    if (path !== null) return [step, ...path];
  }
  return null;
}

const list = (shape, least = 0) => (value) =>
  Array.isArray(value) && value.length >= least ? firstWithin(value.entries(), () => shape) : [];

const counts = (shape) => (value) => (value instanceof Map ? firstWithin(value, () => shape) : []);

/** An object with all the required members, perhaps some of the optional ones, and no others. */
function object(required, optional = {}) {
  const shapes = new Map(Object.entries({ ...optional, ...required }));
  const names = Object.keys(required);
  return (value) => {
    const isClosed = value instanceof Map && names.every((name) => value.has(name)) &&
      [...value.keys()].every((name) => shapes.has(name));
    return isClosed ? firstWithin(value, (name) => shapes.get(name)) : [];
  };
}

const copy = { snapshot_refs: list(text, 1), id_field: text, sha256: digest };
const besides = { bytes: integer(1), locations: list(text, 1), path: text };
const asked = { require_content: boolean, require_resolved: boolean };

/** The list of copies (sources.config): an entry has a path or locations. */
export const listOfCopies = object(
  { sources: list(either(
    object({ ...copy, path: text }, besides),
    object({ ...copy, locations: list(text, 1) }, besides),
  )) },
  { profile: object({}, asked) },
);

const at = either(
  object({ pointer: string }),
  object({ span: integer(0), span_id: orNull(matching(/^[0-9a-f]{16}$/, 16)) }),
  object({ file: string, pointer: string }),
);
const note = { code: matching(/^[a-z][a-z0-9]*[.][a-z][a-z0-9-]*$/, 60), at, detail: string };
const findings = list(object({ rule: matching(/^[A-Z][0-9]{1,2}$/, 4), ...note }));
const omitted = counts(integer(1));

/** The grounding verdict as data (verdicts.grounding), its members in the order of the chapter. */
export const groundingMembers = {
  format: word("grounding/1"),
  invocation_id: orNull(where(isInvocationId)),
  judged_hash: orNull(digest),
  mode: word(null, ...MODES),
  profile: orNull(text),
  status: word("passed", "failed", "withheld", "unchecked"),
  counts: object({}, { retrieval: integer(0), model_call: integer(0), delegation: integer(0) }),
  findings,
  notes: list(object(note)),
  omitted,
};

/** The source verdict as data (verdicts.sources), its members in the order of the chapter. */
export const sourcesMembers = {
  format: word("sources/1"),
  judged_hash: orNull(digest),
  status: word("verified", "unresolved", "failed", "nothing-to-check", "unchecked"),
  profile: object(asked),
  copies: list(object({ snapshot_refs: list(text, 1), sha256: digest })),
  verified: list(text),
  unresolved: list(object({
    ref: text,
    snapshot_ref: orNull(text),
    why: word("no-snapshot-ref", "not-listed", "not-fetched"),
  })),
  violations: findings,
  skipped: list(text),
  omitted,
};

export const groundingShape = object(groundingMembers);
export const sourcesShape = object(sourcesMembers);
