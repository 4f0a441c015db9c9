/**
 * The contract C1 to C15: what an envelope has to satisfy by itself, whoever made it (envelope and contract).
 *
 * A rule looks at members that have their type and leaves the rest to C1. An absent list is an empty one.
 */

import { CANONICALISATIONS } from "./canonical.mjs";
import { INPUT_NAMES } from "./evidence.mjs";
import { inDocumentOrder, listed, ruleOf, sortedSet } from "./order.mjs";
import { pointer } from "./strictjson.mjs";

const STATUSES = new Set(["succeeded", "abstained", "referred", "failed", "suspended"]);
const RETRIEVING = ["retrieval", "brokered"];
const INPUT_ALONE = ["input_only", "none"];
const MODES = new Set([...RETRIEVING, ...INPUT_ALONE, "delegation"]);
const STRUCT_DEPTH = 32;
const VERSION = /^(0|[1-9][0-9]{0,5})[.](0|[1-9][0-9]{0,5})(?:[.](?:0|[1-9][0-9]{0,5}))?$/;

const isString = (value) => typeof value === "string";

/**
 * Judge an envelope by the contract, all findings at once, in document order.
 *
 * @param envelope a value of the strict reader, whatever it is
 * @param {import("./schema.mjs").Schemas} schemas with `envelope.json` and those it refers to
 * @returns {{verdict: "pass"|"fail", codes: string[], notes: string[],
 *   findings: Array<{code: string, pointer: string}>}}
 */
export function checkContract(envelope, schemas) {
  const departures = schemas.departures(envelope, "envelope.json").map((path) => ({ code: "c1.schema", path }));
  const others = envelope instanceof Map ? rulesOn(new View(envelope)) : [];
  const found = inDocumentOrder([...departures, ...others], envelope, compareCodes);
  return {
    verdict: found.length === 0 ? "pass" : "fail",
    codes: sortedSet(found.map(({ code }) => code)),
    notes: depth(envelope) > STRUCT_DEPTH ? ["note.struct-depth"] : [],
    findings: listed(found).map(({ code, path }) => ({ code, pointer: pointer(path) })),
  };
}

/** By the number of the rule; findings of one rule keep the order in which it tells them. */
function compareCodes(a, b) {
  return ruleOf(a).slice(1) - ruleOf(b).slice(1);
}

/** An envelope as the rules see it: a member without its type is undefined, an absent list is empty. */
class View {
  constructor(envelope) {
    const text = (name) => (isString(envelope.get(name)) ? envelope.get(name) : undefined);
    const list = (name) => (envelope.has(name) ? asList(envelope.get(name)) : []);
    this.envelope = envelope;
    this.outcome = envelope.get("outcome") instanceof Map ? envelope.get("outcome") : undefined;
    this.payload = envelope.get("payload") instanceof Map ? envelope.get("payload") : undefined;
    this.evidence = list("evidence");
    this.delegations = list("delegations");
    this.retrievals = list("retrievals");
    this.version = text("contract_version");
    const status = this.outcome?.get("status");
    this.status = STATUSES.has(status) ? status : undefined;
    this.mode = MODES.has(envelope.get("grounding_mode")) ? envelope.get("grounding_mode") : undefined;
    this.inputId = text("invocation_id") === undefined ? undefined : `input:${text("invocation_id")}`;
  }

  has(name) {
    return this.envelope.has(name);
  }

  succeededIn(...modes) {
    return this.status === "succeeded" && modes.includes(this.mode);
  }

  /** The evidence items that are objects with strings for these members, each with its path. */
  items(...members) {
    return (this.evidence ?? [])
      .map((item, at) => ({ item, path: ["evidence", at] }))
      .filter(({ item }) => item instanceof Map && members.every((name) => isString(item.get(name))));
  }

  citesInput(item) {
    return item.get("source_id") === this.inputId && INPUT_NAMES.has(item.get("canonicalisation"));
  }
}

function asList(value) {
  return Array.isArray(value) ? value : undefined;
}

const RULES = [
  problem, reason, payloadPresence, payloadGrounded, names, retrievalGrounded, input, delegated, pairing, retrieved,
];

function rulesOn(view) {
  return RULES.flatMap((rule) => [...rule(view)]);
}

const at = (code, ...path) => ({ code, path });

/** C2 and C7. */
function* problem(view) {
  if (view.status === undefined) return;
  const present = view.has("problem");
  const due = view.status === "failed" || view.status === "suspended";
  if (due && !present) yield at("c2.problem-missing");
  if (!due && present) yield at("c7.problem-present", "problem");
}

/** C3 and C4. */
function* reason({ status, outcome }) {
  const due = status === "abstained" || status === "referred";
  if (due && !outcome.has("reason_code")) yield at("c3.reason-missing", "outcome");
  if (status === "referred" && !outcome.has("referred_to")) yield at("c4.referral-missing", "outcome");
}

/** C5 and C6. */
function* payloadPresence(view) {
  if (view.status === undefined) return;
  const due = view.status === "succeeded";
  if (due && !view.has("payload")) yield at("c5.payload-missing");
  if (!due && view.has("payload")) yield at("c6.payload-present", "payload");
}

/** C8. */
function* payloadGrounded({ payload }) {
  if (payload === undefined) return;
  if (!payload.has("schema_class")) yield at("c8.schema-class-missing", "payload");
  if (!payload.has("grounded_on")) yield at("c8.grounded-on-missing", "payload");
}

/** C9. */
function* names(view) {
  for (const { item, path } of view.items("canonicalisation")) {
    if (CANONICALISATIONS.includes(item.get("canonicalisation"))) continue;
    yield at("c9.unregistered", ...path, "canonicalisation");
  }
}

/** C10. */
function* retrievalGrounded(view) {
  if (!view.succeededIn(...RETRIEVING)) return;
  const code = "c10.grounded-on-empty";
  if (!view.has("payload")) yield at(code);
  else if (view.payload?.has("grounded_on") === false) yield at(code, "payload");
  else if (asList(view.payload?.get("grounded_on"))?.length === 0) yield at(code, "payload", "grounded_on");
}

/** C11 and C12. */
function* input(view) {
  if (!view.succeededIn(...INPUT_ALONE, "delegation") || view.inputId === undefined) return;
  const items = view.items("source_id", "canonicalisation");
  const cited = items.some(({ item }) => view.citesInput(item));
  const place = view.has("evidence") ? ["evidence"] : [];
  if (!cited && view.evidence !== undefined) yield at("c11.input-not-cited", ...place);
  if (view.mode === "delegation") return;
  for (const { item, path } of items) {
    if (!view.citesInput(item)) yield at("c12.other-evidence", ...path);
  }
}

/** C13. */
function* delegated(view) {
  if (!view.succeededIn("delegation") || view.inputId === undefined || view.delegations === undefined) return;
  const recorded = new Set(view.delegations.flatMap(delegationCitation));
  for (const { item, path } of view.items("source_id", "content_hash", "canonicalisation")) {
    const citation = citationOf(item, "source_id", "content_hash", "canonicalisation");
    if (!view.citesInput(item) && !recorded.has(citation)) yield at("c13.not-delegated", ...path);
  }
}

/** The one citation of a delegation with the types it needs, else none. */
function delegationCitation(delegation) {
  if (!(delegation instanceof Map)) return [];
  const name = delegation.has("canonicalisation") ? delegation.get("canonicalisation") : "dd-envelope-json-v1";
  const parts = [delegation.get("delegated_invocation_id"), delegation.get("content_hash"), name];
  return parts.every(isString) ? [JSON.stringify([`invocation:${parts[0]}`, parts[1], parts[2]])] : [];
}

/** C14. */
function* pairing(view) {
  const version = VERSION.exec(view.version ?? "");
  if (version === null) return;
  const [major, minor] = [Number(version[1]), Number(version[2])];
  if (major === 0 && minor < 6) return;
  if (view.has("payload") !== view.has("payload_schema")) yield at("c14.unpaired");
}

/** C15. */
function* retrieved(view) {
  if (!view.succeededIn("brokered") || view.retrievals === undefined) return;
  const members = ["source_id", "content_hash", "canonicalisation", "snapshot_ref"];
  const records = view.retrievals.filter((record) => record instanceof Map && record.get("status") === "ok");
  const complete = records.filter((record) => members.every((name) => isString(record.get(name))));
  const recorded = new Set(complete.map((record) => citationOf(record, ...members)));
  for (const { item, path } of view.items(...members.slice(0, 3))) {
    if (item.has("snapshot_ref") && !isString(item.get("snapshot_ref"))) continue;
    if (!recorded.has(citationOf(item, ...members))) yield at("c15.not-recorded", ...path);
  }
}

function citationOf(object, ...members) {
  return JSON.stringify(members.map((name) => object.get(name)));
}

/** How many levels a value nests: a scalar none, an empty list one. */
function depth(value) {
  if (Array.isArray(value) || value instanceof Map) {
    let deepest = 0;
    for (const inner of value.values()) deepest = Math.max(deepest, depth(inner));
    return deepest + 1;
  }
  return 0;
}
