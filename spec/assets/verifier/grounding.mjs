/**
 * The grounding verdict as data, `grounding/1` (verdicts.grounding).
 */

import { isInvocationId } from "./facts.mjs";
import { judge } from "./lint.mjs";
import { judgedHash, verdictDocument } from "./verdicts.mjs";

/**
 * What the linter says of a run, as a document.
 *
 * @param {import("./facts.mjs").Facts} facts
 * @returns {Map}
 */
export function groundingVerdict(facts) {
  const { status, findings, notes } = judge(facts);
  return verdictDocument({
    format: "grounding/1",
    invocation_id: idOf(facts.envelope),
    judged_hash: judgedHash(facts.envelope),
    mode: facts.mode,
    profile: facts.profile.id,
    status,
    counts: {
      retrieval: facts.retrievals.length,
      model_call: facts.calls.length + facts.embeddings.length,
      delegation: facts.delegations.length,
    },
    findings,
    notes,
  });
}

/**
 * The verdict where there is no trace, or no envelope, to judge (runs.missing).
 *
 * @param [envelope] a value of the strict reader; undefined where there is none
 */
export function uncheckedGrounding(envelope) {
  return verdictDocument({
    format: "grounding/1",
    invocation_id: idOf(envelope),
    judged_hash: envelope === undefined ? null : judgedHash(envelope),
    mode: null,
    profile: null,
    status: "unchecked",
    counts: {},
    findings: [],
    notes: [],
  });
}

function idOf(envelope) {
  const id = envelope instanceof Map ? envelope.get("invocation_id") : null;
  return isInvocationId(id) ? id : null;
}
