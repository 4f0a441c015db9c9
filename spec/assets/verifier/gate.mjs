/**
 * The gate: a result that fails is withheld, not annotated. Whatever of an envelope could carry the answer is left out.
 */

import { sortedSet } from "./order.mjs";
import { judgedHash, sameValue } from "./verdicts.mjs";

/** The type of the problem that the gate writes. */
export const PROBLEM_TYPE = "urn:groundrules:problem:grounding-violation";

const WITH_PROBLEM = new Set(["failed", "suspended"]);
const KEPT_STATUSES = new Set(["abstained", "referred", ...WITH_PROBLEM]);
const KEPT = [
  "invocation_id", "agent_id", "agent_version", "completed_at", "grounding_mode", "requires_human_review",
  "conversation_id", "parent_invocation_id", "telemetry", "delegations", "retrievals", "policy_bundle_ref",
  "policy_digest", "acting_for", "contract_version", "input_schema",
];
const NAMED = new Map([
  ["telemetry", ["trace_id", "model_id", "input_tokens", "output_tokens"]],
  ["acting_for", ["principal_id", "name", "principal_kind", "assurance"]],
]);

/** How the statement of an envelope begins that the gate acted on. */
export const GATES_WORDS = "This result was withheld: ";

/** Why the gate refuses to judge: `stage` is "usage" or "schema". */
export class GateError extends Error {
  constructor(code, stage, detail) {
    super(`${detail} [${code}]`);
    this.name = "GateError";
    Object.assign(this, { code, stage, detail });
  }
}

/**
 * The envelope that may be stored and shown (gate.acts-on).
 *
 * @param envelope a value of the strict reader
 * @param {Map} grounding its grounding verdict
 * @param {Map} sources its source verdict
 * @param {import("./schema.mjs").Schemas} schemas with `envelope.json` and those it refers to
 * @returns {{acted: boolean, envelope: *}} the envelope as it is, or what is left of it
 * @throws {GateError} schema.envelope where it is no object, usage.other-envelope where a verdict judged another
 */
export function gate(envelope, grounding, sources, schemas) {
  if (!(envelope instanceof Map)) throw new GateError("schema.envelope", "schema", "the envelope is no object");
  const hash = judgedHash(envelope);
  if ([grounding, sources].some((verdict) => verdict.get("judged_hash") !== hash)) {
    throw new GateError("usage.other-envelope", "usage", "a verdict judged another envelope than the one given");
  }
  const reasons = reasonsFor(grounding, sources);
  if (reasons === null) return { acted: false, envelope };
  return { acted: true, envelope: withheld(envelope, reasons, schemas) };
}

/** Whether an envelope is what the gate makes of it for the reasons of two verdicts: itself (i4.explained). */
export function isAsGated(envelope, grounding, sources, schemas) {
  return sameValue(withheld(envelope, reasonsFor(grounding, sources), schemas), envelope);
}

/**
 * The statement that the gate writes for the codes of two verdicts (gate.statement).
 *
 * @returns {string|null} null where the gate does not act
 */
export function statementFor(grounding, sources) {
  const reasons = reasonsFor(grounding, sources);
  return reasons === null ? null : statementOf(reasons);
}

const statementOf = (reasons) => `${GATES_WORDS}${reasons}.`;

function reasonsFor(grounding, sources) {
  const reasons = [];
  if (grounding.get("status") === "failed") reasons.push(`grounding failed (${codesIn(grounding.get("findings"))})`);
  if (grounding.get("status") === "unchecked") reasons.push("grounding was not checked");
  if (sources.get("status") === "failed") reasons.push(`sources failed (${codesIn(sources.get("violations"))})`);
  return reasons.length === 0 ? null : reasons.join("; ");
}

/** Codes are ASCII, so the order of code units is that of octets. */
function codesIn(findings) {
  return sortedSet(findings.map((finding) => finding.get("code"))).join(", ");
}

function withheld(envelope, reasons, schemas) {
  const status = statusAfter(envelope.get("outcome"));
  const result = kept(envelope, schemas);
  result.set("outcome", outcome(status, statementOf(reasons))).set("evidence", []);
  return WITH_PROBLEM.has(status) ? result.set("problem", problem(reasons)) : result;
}

/** gate.status. */
function statusAfter(value) {
  const status = value instanceof Map ? value.get("status") : undefined;
  return KEPT_STATUSES.has(status) ? status : "failed";
}

/** The members that stay: those that do not depart from the envelope's schema at any depth (gate.kept). */
function kept(envelope, schemas) {
  const departing = new Set(schemas.departures(envelope, "envelope.json").map(([member]) => member));
  const names = KEPT.filter((name) => envelope.has(name) && !departing.has(name));
  return new Map(names.map((name) => [name, named(name, envelope.get(name))]));
}

/** Of an open member only what the schema names. */
function named(name, value) {
  if (!NAMED.has(name)) return value;
  return new Map(NAMED.get(name).filter((inner) => value.has(inner)).map((inner) => [inner, value.get(inner)]));
}

/** gate.outcome. */
function outcome(status, statement) {
  const members = new Map([["status", status], ["statement", statement]]);
  if (!WITH_PROBLEM.has(status)) members.set("reason_code", "grounding-violation");
  return status === "referred" ? members.set("referred_to", "withheld") : members;
}

/** gate.problem. */
function problem(reasons) {
  return new Map([["type", PROBLEM_TYPE], ["title", "Grounding violation"], ["detail", `${reasons}.`]]);
}
