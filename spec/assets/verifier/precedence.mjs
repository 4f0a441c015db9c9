/**
 * G1: a model call comes after a retrieval other than itself has ended, in rule time.
 */

/**
 * How each model call stands to the first retrieval that ended: "follows", "tie" at the very same time, "skew" before
 * it within the clock skew (mode brokered), else "violates".
 *
 * @param {import("./facts.mjs").Facts} facts
 * @returns {Array<{call: import("./trace.mjs").SpanRecord, standing: string}>}
 */
export function standings(facts) {
  const isBrokered = facts.mode === "brokered";
  const ends = earliestTwo(isBrokered ? recorded(facts) : told(facts));
  const skew = isBrokered ? facts.skew : 0n;
  return facts.calls.map((call) => ({ call, standing: standingOf(call, ends, skew) }));
}

function standingOf(call, ends, skew) {
  const first = ends.find(({ isOf }) => !isOf(call));
  if (first === undefined || call.startTime === null) return "violates";
  const wait = first.end - call.startTime;
  if (wait === 0n) return "tie";
  if (wait < 0n) return "follows";
  return wait <= skew ? "skew" : "violates";
}

function told({ retrievals }) {
  const ended = retrievals.filter(({ pairs, span }) => pairs.length > 0 && span.endTime !== null);
  return ended.map(({ span }) => ({ end: span.endTime, id: span.index, isOf: (call) => call === span }));
}

function recorded({ okRecords }) {
  return okRecords.map(({ end, spanId }) => ({ end, id: spanId, isOf: (call) => call.spanId === spanId }));
}

/** The earliest end, and the earliest of another retrieval, which serves the call that is itself the first. */
function earliestTwo(ends) {
  const first = earliest(ends);
  const second = earliest(ends.filter(({ id }) => id !== first.id));
  return [first, second].filter((end) => end !== undefined);
}

function earliest(ends) {
  return ends.reduce((least, one) => (least === undefined || one.end < least.end ? one : least), undefined);
}
