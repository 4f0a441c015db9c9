/**
 * The facts of a run that the rules judge: what trace and envelope say, as far as it is well formed.
 *
 * An item, reference, record or delegation that G0 calls malformed is not among them, and nothing is coerced.
 */

import { INPUT_NAMES } from "./evidence.mjs";
import { declared, isDigest, pairOf } from "./retrievals.mjs";
import { JsonInteger } from "./strictjson.mjs";
import { instant, ruleTime } from "./times.mjs";
import { judgeTree } from "./tree.mjs";

export const MODES = new Set(["retrieval", "input_only", "none", "delegation", "brokered"]);
export const STATUSES = new Set(["succeeded", "abstained", "referred", "failed", "suspended"]);

const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether a value is a lower-case UUID of version 7. */
export function isInvocationId(value) {
  return typeof value === "string" && UUID_7.test(value);
}

/** A value that is a non-negative integer, as a BigInt, else null. */
export function clockSkew(value) {
  return value instanceof JsonInteger && value.value >= 0n ? value.value : null;
}

/** The facts of one run; no member changes once it is built. */
export class Facts {
  /**
   * @param {import("./trace.mjs").SpanRecord[]} spans
   * @param envelope a value of the strict reader, whatever it is
   * @param {{schemas: import("./schema.mjs").Schemas, profiles: import("./profiles.mjs").Profiles}} kit
   * @param {string} [asked] the profile asked for
   */
  constructor(spans, envelope, kit, asked) {
    this.spans = spans;
    this.envelope = envelope;
    this.kit = kit;
    this.profile = kit.profiles.choose(spans, asked);
    this.members = envelope instanceof Map ? envelope : new Map();
    this.#readSpans();
    this.#readRoot();
    this.#readEnvelope();
    this.inputPair = this.#inputPair();
  }

  #readSpans() {
    const { spans, profile } = this;
    this.roots = spans.filter((span) => profile.isRoot(span));
    this.tree = judgeTree(spans, this.roots);
    this.calls = spans.filter((span) => profile.isModelCall(span));
    this.embeddings = spans.filter((span) => profile.isEmbedding(span));
    this.retrievals = spans
      .filter((span) => profile.isRetrieval(span))
      .map((span) => ({ span, ...declared(span) }));
  }

  /** What the root states; nothing where there is not exactly one. */
  #readRoot() {
    const attributes = this.roots.length === 1 ? this.roots[0].attributes : new Map();
    const [hash, name] = [attributes.get("dd.input_hash"), attributes.get("dd.input_canonicalisation")];
    const modes = [attributes.get("dd.grounding_mode"), this.members.get("grounding_mode")];
    this.mode = modes.find((mode) => MODES.has(mode)) ?? null;
    this.inputHash = isDigest(hash) ? hash : null;
    this.inputName = INPUT_NAMES.has(name) ? name : "dd-input-json-v1";
    this.skew = clockSkew(attributes.get("dd.clock_skew_us")) ?? 0n;
  }

  #readEnvelope() {
    const outcome = this.members.get("outcome");
    this.status = outcome instanceof Map && STATUSES.has(outcome.get("status")) ? outcome.get("status") : null;
    this.groundings = groundingsIn(this.members.get("payload"), ["payload"]);
    this.references = this.groundings
      .flatMap(({ value, path }) => this.#wellFormed(value, path, "grounding-reference.json"))
      .map(asCitation);
    this.evidence = this.#listed("evidence", "evidence-item.json").map(asCitation);
    this.delegations = this.#listed("delegations", "delegation.json").map(asDelegation);
    this.records = this.#listed("retrievals", "retrieval-record.json").map(asRecord);
    this.okRecords = this.records.filter((record) => record.ok);
  }

  #listed(name, schema) {
    return this.#wellFormed(this.members.get(name), [name], schema);
  }

  /** The well-formed members of a list, with their paths. */
  #wellFormed(list, path, schema) {
    if (!Array.isArray(list)) return [];
    const members = list.map((value, at) => ({ value, path: [...path, at] }));
    return members.filter(({ value }) => this.kit.schemas.fits(value, schema));
  }

  /** How the input is cited; null where id or hash is malformed, and then nothing cites it. */
  #inputPair() {
    const id = this.members.get("invocation_id");
    if (!isInvocationId(id) || this.inputHash === null) return null;
    return pairOf(`input:${id}`, this.inputHash);
  }

  get succeeded() {
    return this.status === "succeeded";
  }

  /** Whether an evidence item cites the input under the root's input canonicalisation. */
  citesInput(item) {
    return item.pair === this.inputPair && item.value.get("canonicalisation") === this.inputName;
  }
}

/** Every member named `grounded_on`, at any depth and in document order, and not inside one (references). */
function groundingsIn(value, path, found = []) {
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) groundingsIn(item, [...path, at], found);
  } else if (value instanceof Map) {
    for (const [name, inner] of value) {
      if (name === "grounded_on") found.push({ value: inner, path: [...path, name] });
      else if (typeof inner === "object" && inner !== null) groundingsIn(inner, [...path, name], found);
    }
  }
  return found;
}

function asCitation({ value, path }) {
  return { value, path, pair: pairOf(value.get("source_id"), value.get("content_hash")) };
}

function asDelegation({ value, path }) {
  const pair = pairOf(`invocation:${value.get("delegated_invocation_id")}`, value.get("content_hash"));
  const name = value.get("canonicalisation") ?? "dd-envelope-json-v1";
  return { path, pair, name, succeeded: value.get("delegated_status") === "succeeded" };
}

function asRecord({ value, path }) {
  const ok = value.get("status") === "ok";
  const pair = ok ? pairOf(value.get("source_id"), value.get("content_hash")) : null;
  const [start, end] = ["started_at", "ended_at"].map((name) => ruleTime(instant(value.get(name))));
  const [name, copy] = [value.get("canonicalisation"), value.get("snapshot_ref")];
  return { path, ok, pair, name, copy, start, end, spanId: value.get("span_id") };
}
