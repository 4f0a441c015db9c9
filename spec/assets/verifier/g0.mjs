/**
 * G0: the account can be checked at all. What is wrong with spans, then what is wrong with the envelope.
 */

import { INPUT_NAMES } from "./evidence.mjs";
import { clockSkew, isInvocationId, MODES, STATUSES } from "./facts.mjs";
import { inDocumentOrder } from "./order.mjs";
import { isOwned } from "./profiles.mjs";
import { isDigest } from "./retrievals.mjs";

/** The codes in the order of the catalogue, in which those of one span or one place are told. */
export const CODES = [
  "g0.no-root", "g0.many-roots", "g0.foreign-trace", "g0.outside-tree", "g0.duplicate-span-id", "g0.cycle",
  "g0.span-name", "g0.span-id", "g0.trace-id", "g0.time", "g0.unended-span", "g0.end-before-start", "g0.span-status",
  "g0.attributes", "g0.owned-attribute", "g0.mode-missing", "g0.mode-unknown", "g0.mode-differs", "g0.input-hash",
  "g0.input-canonicalisation", "g0.clock-skew", "g0.span-profile", "g0.envelope", "g0.invocation-id", "g0.outcome",
  "g0.status", "g0.payload", "g0.schema-class", "g0.grounded-on-missing", "g0.malformed-references", "g0.evidence",
  "g0.duplicate-evidence", "g0.delegations", "g0.retrievals", "g0.retrieval-span", "g0.withheld-content",
];

const RANKS = new Map(CODES.map((code, rank) => [code, rank]));
const compareCodes = (a, b) => RANKS.get(a) - RANKS.get(b);

/** All findings of G0, in order. */
export function checkAccount(facts) {
  const missing = facts.roots.length === 0 ? [{ code: "g0.no-root", path: [] }] : [];
  return [...missing, ...onSpans(facts), ...onEnvelope(facts)];
}

function onSpans(facts) {
  const { tree } = facts;
  const sets = new Map([
    ["g0.many-roots", new Set(facts.roots.slice(1))],
    ["g0.foreign-trace", tree.foreign],
    ["g0.outside-tree", tree.outside],
    ["g0.duplicate-span-id", tree.duplicates],
    ["g0.cycle", tree.cycles],
    ["g0.owned-attribute", ownedByOthers(facts)],
    ["g0.retrieval-span", new Set(facts.retrievals.filter(({ good }) => !good).map(({ span }) => span))],
  ]);
  return facts.spans.flatMap((span) => {
    const isTheRoot = facts.roots.length === 1 && span === facts.roots[0];
    const root = isTheRoot ? rootCodes(span.attributes, facts.kit.profiles) : [];
    const codes = [...span.faults, ...root];
    for (const [code, members] of sets) {
      if (members.has(span)) codes.push(code);
    }
    return codes.sort(compareCodes).map((code) => ({ code, span }));
  });
}

function ownedByOthers({ spans, roots }) {
  const rootSet = new Set(roots);
  return new Set(spans.filter((span) => !rootSet.has(span) && isOwned(span)));
}

function rootCodes(attributes, profiles) {
  const wrong = (name, holds) => attributes.has(name) && !holds(attributes.get(name));
  const codes = [];
  if (!attributes.has("dd.grounding_mode")) codes.push("g0.mode-missing");
  if (wrong("dd.grounding_mode", (mode) => MODES.has(mode))) codes.push("g0.mode-unknown");
  if (!isDigest(attributes.get("dd.input_hash"))) codes.push("g0.input-hash");
  if (wrong("dd.input_canonicalisation", (name) => INPUT_NAMES.has(name))) codes.push("g0.input-canonicalisation");
  if (wrong("dd.clock_skew_us", (skew) => clockSkew(skew) !== null)) codes.push("g0.clock-skew");
  if (wrong("dd.span_profile", (id) => profiles.has(id))) codes.push("g0.span-profile");
  return codes;
}

const PARTS = [modes, invocation, outcome, payload, groundings, evidence, lists, withheld];

function onEnvelope(facts) {
  if (!(facts.envelope instanceof Map)) return [{ code: "g0.envelope", path: [] }];
  const found = PARTS.flatMap((part) => [...part(facts)]);
  return inDocumentOrder(found, facts.envelope, compareCodes);
}

const at = (code, ...path) => ({ code, path });

/** A finding at a member, or at the object that lacks it. */
function atMember(code, object, name, ...path) {
  return at(code, ...path, ...(object.has(name) ? [name] : []));
}

function* modes({ members, roots }) {
  const mode = members.get("grounding_mode");
  const rootMode = roots.length === 1 ? roots[0].attributes.get("dd.grounding_mode") : undefined;
  if (!members.has("grounding_mode")) yield at("g0.mode-missing");
  else if (!MODES.has(mode)) yield at("g0.mode-unknown", "grounding_mode");
  else if (MODES.has(rootMode) && rootMode !== mode) yield at("g0.mode-differs", "grounding_mode");
}

function* invocation({ members }) {
  if (!isInvocationId(members.get("invocation_id"))) yield atMember("g0.invocation-id", members, "invocation_id");
}

function* outcome({ members }) {
  const value = members.get("outcome");
  if (!(value instanceof Map)) yield atMember("g0.outcome", members, "outcome");
  else if (!STATUSES.has(value.get("status"))) yield atMember("g0.status", value, "status", "outcome");
}

function* payload({ members }) {
  if (!members.has("payload")) return;
  const value = members.get("payload");
  if (!(value instanceof Map)) {
    yield at("g0.payload", "payload");
    return;
  }
  const schemaClass = value.get("schema_class");
  if (typeof schemaClass !== "string" || schemaClass === "") {
    yield atMember("g0.schema-class", value, "schema_class", "payload");
  }
  if (!value.has("grounded_on")) yield at("g0.grounded-on-missing", "payload");
}

function* groundings({ groundings: found, kit }) {
  for (const { value, path } of found) {
    yield* malformed("g0.malformed-references", value, path, "grounding-reference.json", kit);
  }
}

function* evidence({ members, evidence: items, kit }) {
  yield* malformedMember("g0.evidence", members, "evidence", "evidence-item.json", kit);
  const seen = new Set();
  for (const { pair, path } of items) {
    if (seen.has(pair)) yield at("g0.duplicate-evidence", ...path);
    seen.add(pair);
  }
}

function* lists({ members, kit }) {
  yield* malformedMember("g0.delegations", members, "delegations", "delegation.json", kit);
  yield* malformedMember("g0.retrievals", members, "retrievals", "retrieval-record.json", kit);
}

function* malformedMember(code, members, name, schema, kit) {
  if (members.has(name)) yield* malformed(code, members.get(name), [name], schema, kit);
}

/** A finding where a value is no list, else one at every member that has not its shape. */
function* malformed(code, value, path, schema, { schemas }) {
  if (!Array.isArray(value)) {
    yield at(code, ...path);
    return;
  }
  for (const [index, item] of value.entries()) {
    if (!schemas.fits(item, schema)) yield at(code, ...path, index);
  }
}

function* withheld({ envelope }) {
  if (saysWithheld(envelope) && !isWithheld(envelope)) yield at("g0.withheld-content");
}

/** Whether an envelope says that it was withheld: failed, by a grounding violation. */
function saysWithheld(envelope) {
  if (!(envelope instanceof Map)) return false;
  const [outcomeValue, problem] = [envelope.get("outcome"), envelope.get("problem")];
  if (!(outcomeValue instanceof Map && problem instanceof Map)) return false;
  const type = problem.get("type");
  return outcomeValue.get("status") === "failed" && typeof type === "string" && type.endsWith("grounding-violation");
}

/** Whether an envelope is withheld: it says so, and has neither payload nor evidence (withheld). */
export function isWithheld(envelope) {
  if (!saysWithheld(envelope) || envelope.has("payload")) return false;
  const items = envelope.has("evidence") ? envelope.get("evidence") : [];
  return Array.isArray(items) && items.length === 0;
}
