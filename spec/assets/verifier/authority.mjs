/**
 * Authority: who decided a claim, what is proven, and how strong a recommendation may be (A1 to A5).
 */

import { checkArguments, checkFields, checkPolicies, checkSubjects } from "./bindings.mjs";
import { Contracts, isApplicable } from "./contracts.mjs";
import { Deciders } from "./deciders.mjs";
import { isStronger, prohibitedUseCase, strongestEffect } from "./effect.mjs";
import { listed, sortedSet } from "./order.mjs";
import { checkTexts } from "./texts.mjs";
import { Vocabulary, checkWitness } from "./witness.mjs";

/**
 * @param record a value of the strict reader
 * @param {import("./schema.mjs").Schemas} schemas with `evaluation-record.json`
 * @param {Map} vocabulary of `schemas/evidence-vocabulary.json`
 */
export function checkAuthority(record, schemas, vocabulary) {
  const witness = checkWitness(record, schemas, new Vocabulary(vocabulary));
  if (witness.stage !== undefined) return witness;
  const deciders = new Deciders(record, vocabulary);
  const kinds = new Map(vocabulary.get("kinds").map((kind) => [kind.get("id"), kind]));
  const judged = judge(record, new Contracts(record, vocabulary, witness), deciders, kinds);
  const allowed = strongestEffect(record, judged);
  const findings = [
    ...judged.flatMap(wronglyDecided),
    ...wronglyRecommended(record, judged, allowed.effect),
    ...unqualified(record, judged, deciders),
    ...unsigned(judged),
    ...wrongFact(record),
  ];
  return {
    verdict: findings.length > 0 ? "fail" : "pass",
    codes: sortedSet(findings.map(({ code }) => code)),
    findings: listed(findings),
    proven: judged.filter(({ isProven }) => isProven).map(({ claim }) => claim.get("id")),
    deciders: judged.map(({ claim, decided_by, basis }) => ({ claim: claim.get("id"), decided_by, basis })),
    ...allowed,
  };
}

/** What is computed of each claim: its predicate, who decided it, whether a person signed it, whether it is proven. */
function judge(record, contracts, deciders, kinds) {
  const [claims, refs] = [record.get("claims"), record.get("refs")];
  const [times, refTimes] = [timesOf(claims), timesOf(refs)];
  const signoffs = new Set(refs.filter(isSignoff).map((ref) => ref.get("id")).filter((id) => refTimes.get(id) === 1));
  const [citations, unbound] = [proofCitations(record), unboundRefs(record, kinds)];
  return claims.map((claim, index) => {
    const { decided_by, basis } = deciders.of(claim);
    const isSigned = claim.get("evidence").some((id) => signoffs.has(id));
    const mayDecide = decided_by === "deterministic" || (decided_by === "human" && isSigned);
    const isOne = isApplicable(claim) && times.get(claim.get("id")) === 1;
    const isCited = () => isShown(contracts.check(claim), citations.get(claim.get("id")), unbound);
    const isProven = isOne && mayDecide && isFirm(claim) && isCited();
    const [at, predicate] = [`/claims/${index}`, contracts.predicate(claim)];
    return { claim, at, predicate, decided_by, basis, isSigned, isProven };
  });
}

/** How often each id is given. */
function timesOf(items) {
  const times = new Map();
  for (const item of items) times.set(item.get("id"), (times.get(item.get("id")) ?? 0) + 1);
  return times;
}

/** What the findings of each claim cite as its proof. */
function proofCitations(record) {
  const citations = new Map();
  for (const finding of record.get("findings") ?? []) {
    const claim = finding.get("claim");
    if (!citations.has(claim)) citations.set(claim, new Set());
    for (const id of finding.get("proof_citations")) citations.get(claim).add(id);
  }
  return citations;
}

/** To set a claim aside is a decision too. */
const isDecided = (claim) => isApplicable(claim) || claim.get("state") === "NOT_APPLICABLE";

function isFirm(claim) {
  const parameters = claim.get("parameters");
  return parameters?.get("fidelity") === "exact" || parameters?.get("recurrence") === "CONFIRMED";
}

const isShown = ({ status, proofs }, cited, unbound) =>
  status !== "unmet" && proofs.some((ref) => cited?.has(ref.get("id")) && !unbound.has(ref));

/** The refs with which a rule P finds fault: what is not bound to what it names proves nothing. */
function unboundRefs(record, kinds) {
  const found = [
    ...checkSubjects(record), ...checkArguments(record), ...checkPolicies(record),
    ...checkFields(record, kinds), ...checkTexts(record),
  ];
  return new Set(found.map(({ pointer }) => record.get("refs")[Number(pointer.split("/")[2])]));
}

function isSignoff(ref) {
  const reviewer = ref.get("output") instanceof Map ? ref.get("output").get("reviewer") : undefined;
  const isOfPerson = ref.get("kind") === "HUMAN_SIGNOFF" && ref.get("source_type") === "HUMAN_REVIEW";
  return isOfPerson && typeof reviewer === "string" && reviewer !== "";
}

/** A1: who decided is said, and said right, and an evaluator's votes are told. */
function wronglyDecided({ claim, at, decided_by }) {
  const found = [];
  const declared = claim.get("decided_by");
  if (decided_by === null) found.push({ code: "a1.undetermined", pointer: `${at}/decided_by` });
  else if (decided_by !== declared) found.push({ code: "a1.decided-by", pointer: `${at}/decided_by` });
  const isSemantic = [decided_by, declared].includes("semantic");
  const isUntold = isDecided(claim) && isSemantic && !claim.get("parameters")?.has("votes");
  return isUntold ? [...found, { code: "a1.no-votes", pointer: at }] : found;
}

/** A2: a recommendation is no stronger than what it may rest on, and attaches what is there. */
function wronglyRecommended(record, judged, allowed) {
  const recommendation = record.get("recommendation");
  if (recommendation === undefined) return [];
  const effect = recommendation.get("effect");
  const isOpinion = ({ claim, decided_by }) => claim.get("state") === "APPLICABLE_FAIL" && decided_by === "semantic";
  const isByOpinion = effect === "BLOCK" && judged.some(isOpinion);
  const code = isByOpinion ? "a2.semantic-only-block" : "a2.too-strong";
  const tooStrong = isStronger(effect, allowed) ? [{ code, pointer: "/recommendation/effect" }] : [];
  return [...tooStrong, ...attachedInVain(record, recommendation)];
}

function attachedInVain(record, recommendation) {
  const sorts = [["claim_ids", "claims"], ["finding_ids", "findings"], ["evidence_refs", "refs"]];
  return sorts.flatMap(([name, member]) => {
    const there = new Set((record.get(member) ?? []).map((item) => item.get("id")));
    return (recommendation.get(name) ?? []).flatMap((id, index) =>
      there.has(id) ? [] : [{ code: "a2.attached", pointer: `/recommendation/${name}/${index}` }],
    );
  });
}

/** A3: an evaluator that decides is declared and qualified. */
function unqualified(record, judged, deciders) {
  const qualified = new Map();
  for (const evaluator of record.get("evaluators") ?? []) {
    const id = evaluator.get("id");
    qualified.set(id, evaluator.get("qualification") === "qualified" && (qualified.get(id) ?? true));
  }
  return judged.flatMap(({ claim, at, decided_by }) => {
    if (!isDecided(claim) || decided_by !== "semantic") return [];
    const named = deciders.evaluators(claim);
    const asked = named.length > 0 ? named : [...qualified.keys()];
    const mayDecide = asked.length > 0 && asked.every((id) => qualified.get(id) === true);
    return mayDecide ? [] : [{ code: "a3.unqualified-evaluator", pointer: `${at}/decided_by` }];
  });
}

/** A4: a person's decision is signed. */
function unsigned(judged) {
  const isUnsigned = ({ claim, decided_by, isSigned }) => isDecided(claim) && decided_by === "human" && !isSigned;
  return judged.filter(isUnsigned).map(({ at }) => ({ code: "a4.no-signoff", pointer: `${at}/decided_by` }));
}

/** A5: a recorded fact is what it is derived to be. */
function wrongFact(record) {
  const stated = record.get("facts")?.get("prohibited_use_case");
  const isWrong = stated !== undefined && stated !== prohibitedUseCase(record);
  return isWrong ? [{ code: "a5.fact-differs", pointer: "/facts/prohibited_use_case" }] : [];
}
