/**
 * The rules of the modes, G1 to B4 (grounding rules, the rules). Each looks at the facts and tells its findings in
 * order: those on spans in file order, then those on the envelope in document order.
 */

import { standings } from "./precedence.mjs";

const RETRIEVAL = "retrieval";
const INPUT_ONLY = "input_only";
const NONE = "none";
const DELEGATION = "delegation";
const BROKERED = "brokered";

/** The rules in the order of their table, with the modes they hold in. */
export const RULES = [
  { id: "G1", modes: [RETRIEVAL, BROKERED], check: callsAfterRetrieval },
  { id: "G2", modes: [RETRIEVAL], check: referencesRetrieved },
  { id: "G3", modes: [RETRIEVAL], check: evidenceRetrieved },
  { id: "G4", modes: [RETRIEVAL, BROKERED, DELEGATION], check: referencesInEvidence },
  { id: "R1", modes: [INPUT_ONLY, NONE, DELEGATION], check: noRetrieval },
  { id: "R2", modes: [INPUT_ONLY, NONE], check: inputAlone },
  { id: "R3", modes: [INPUT_ONLY, NONE], check: inputCited("r3") },
  { id: "N1", modes: [NONE], check: noModelCall },
  { id: "D1", modes: [DELEGATION], check: referencesDelegated },
  { id: "D2", modes: [DELEGATION], check: evidenceDelegated },
  { id: "D3", modes: [DELEGATION], check: inputCited("d3") },
  { id: "B1", modes: [BROKERED], check: referencesRecorded },
  { id: "B2", modes: [BROKERED], check: evidenceRecorded },
  { id: "B3", modes: [BROKERED], check: restsOnRecord },
  { id: "B4", modes: [BROKERED], check: spansAndRecords },
];

const atSpan = (code) => (span) => ({ code, span });
const atPlace = (code) => ({ path }) => ({ code, path });

function callsAfterRetrieval(facts) {
  const early = standings(facts).filter(({ standing }) => standing === "violates");
  return early.map(({ call }) => call).map(atSpan("g1.call-before-retrieval"));
}

/** The one check behind R2, D1, D2, B1, B2 and their like: what is cited and not in the allowed set. */
function outside(cited, isAllowed, code) {
  return cited.filter((citation) => !isAllowed(citation)).map(atPlace(code));
}

function setOfPairs(list) {
  const pairs = new Set(list.map(({ pair }) => pair));
  return ({ pair }) => pairs.has(pair);
}

function declaredPairs({ retrievals }) {
  return setOfPairs(retrievals.flatMap(({ pairs }) => pairs.map((pair) => ({ pair }))));
}

/** A succeeded run needs a payload with a reference in it. */
function restsOnNothing(facts, code) {
  return facts.succeeded && facts.references.length === 0 ? [atPayload(facts, code)] : [];
}

function atPayload({ members }, code) {
  return { code, path: members.has("payload") ? ["payload"] : [] };
}

function referencesRetrieved(facts) {
  const unknown = outside(facts.references, declaredPairs(facts), "g2.not-retrieved");
  return [...unknown, ...restsOnNothing(facts, "g2.rests-on-nothing")];
}

function evidenceRetrieved(facts) {
  return outside(facts.evidence, declaredPairs(facts), "g3.not-retrieved");
}

function referencesInEvidence(facts) {
  return outside(facts.references, setOfPairs(facts.evidence), "g4.not-in-evidence");
}

function noRetrieval({ retrievals }) {
  return retrievals.map(({ span }) => span).map(atSpan("r1.retrieval"));
}

function inputAlone(facts) {
  return [
    ...outside(facts.references, ({ pair }) => pair === facts.inputPair, "r2.reference"),
    ...outside(facts.evidence, (item) => facts.citesInput(item), "r2.evidence"),
  ];
}

function inputCited(rule) {
  return (facts) => {
    if (!facts.succeeded) return [];
    const cited = facts.evidence.some((item) => facts.citesInput(item));
    const place = { path: facts.members.has("evidence") ? ["evidence"] : [] };
    return [
      ...(cited ? [] : [atPlace(`${rule}.input-not-cited`)(place)]),
      ...restsOnNothing(facts, `${rule}.rests-on-nothing`),
    ];
  };
}

function noModelCall({ spans, calls, embeddings }) {
  const models = new Set([...calls, ...embeddings]);
  return spans.filter((span) => models.has(span)).map(atSpan("n1.model-call"));
}

function referencesDelegated(facts) {
  const isDelegated = setOfPairs(facts.delegations);
  return outside(facts.references, (cited) => cited.pair === facts.inputPair || isDelegated(cited), "d1.reference");
}

function evidenceDelegated(facts) {
  const recorded = new Set(facts.delegations.map(({ pair, name }) => JSON.stringify([pair, name])));
  const isRecorded = ({ pair, value }) => recorded.has(JSON.stringify([pair, value.get("canonicalisation")]));
  return outside(facts.evidence, (item) => facts.citesInput(item) || isRecorded(item), "d2.evidence");
}

function referencesRecorded(facts) {
  return outside(facts.references, setOfPairs(facts.okRecords), "b1.reference");
}

function evidenceRecorded(facts) {
  const recorded = new Set(facts.okRecords.map(({ pair, name, copy }) => JSON.stringify([pair, name, copy])));
  const isRecorded = ({ pair, value }) =>
    recorded.has(JSON.stringify([pair, value.get("canonicalisation"), value.get("snapshot_ref")]));
  return outside(facts.evidence, isRecorded, "b2.evidence");
}

function restsOnRecord(facts) {
  if (!facts.succeeded || facts.references.some(setOfPairs(facts.okRecords))) return [];
  return [atPayload(facts, "b3.rests-on-no-record")];
}

/** B4: the first span and the first record of one id belong together; every other is without its fellow. */
function spansAndRecords(facts) {
  const records = firstOfEach(facts.records, ({ spanId }) => spanId);
  const spans = firstOfEach(facts.retrievals.filter(({ span }) => span.spanId !== null), ({ span }) => span.spanId);
  const isAlone = ({ span }) => spans.get(span.spanId)?.span !== span || !records.has(span.spanId);
  const alone = facts.retrievals.filter(isAlone).map(({ span }) => span);
  const told = facts.records.flatMap((record) => {
    const retrieval = spans.get(record.spanId);
    const isWithout = retrieval === undefined || records.get(record.spanId) !== record;
    if (isWithout) return [atPlace("b4.record-without-span")(record)];
    return agree(retrieval, record, facts.skew) ? [] : [atPlace("b4.record-differs")(record)];
  });
  return [...alone.map(atSpan("b4.span-without-record")), ...told];
}

function firstOfEach(list, idOf) {
  const first = new Map();
  for (const one of list) {
    if (!first.has(idOf(one))) first.set(idOf(one), one);
  }
  return first;
}

/** Whether a retrieval span says what its record says: pair, start and end. */
function agree({ span, pairs }, record, skew) {
  if (record.ok ? pairs.length !== 1 || pairs[0] !== record.pair : pairs.length > 0) return false;
  return isNear(span.startTime, record.start, skew) && isNear(span.endTime, record.end, skew);
}

function isNear(time, recorded, skew) {
  if (time === null) return false;
  const apart = time - recorded;
  return apart <= skew && -apart <= skew;
}
