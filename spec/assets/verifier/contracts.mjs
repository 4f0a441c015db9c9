/**
 * Contracts: what a claim of a predicate has to cite, and what a record says of it (W1, W2, P1 to P9).
 */

import { checkArguments, checkFields, checkInferences, checkPolicies, checkSubjects } from "./bindings.mjs";
import { listed, sortedSet } from "./order.mjs";
import { Counting } from "./scope.mjs";
import { checkTexts } from "./texts.mjs";
import { Vocabulary, checkWitness } from "./witness.mjs";

const FAIL = "APPLICABLE_FAIL";
const PASS = "APPLICABLE_PASS";
const ASIDE = "NOT_APPLICABLE";
const ABSENCE = "TYPED_ABSENCE";

/** The state in which a claim is one of behaviour, by polarity (W1). */
const OF_BEHAVIOUR = new Map([["risk", FAIL], ["safeguard", PASS]]);

const ANYBODY = ["declared_applicability"];
const CONVERTER = [...ANYBODY, "premise_gate", "observed_null", "checker"];

const NOTHING = new Map();

/** Whether a claim says that something applies. */
export const isApplicable = (claim) => [FAIL, PASS].includes(claim.get("state"));

const basisOf = (claim) => claim.get("parameters")?.get("applicability_basis")?.get("source");
const recordedOf = (claim) => claim.get("parameters")?.get("contract_check");

/**
 * @param record a value of the strict reader
 * @param {import("./schema.mjs").Schemas} schemas with `evaluation-record.json`
 * @param {Map} vocabulary of `schemas/evidence-vocabulary.json`
 */
export function checkContracts(record, schemas, vocabulary) {
  const witness = checkWitness(record, schemas, new Vocabulary(vocabulary));
  if (witness.stage !== undefined) return witness;
  const contracts = new Contracts(record, vocabulary, witness);
  const judged = record
    .get("claims")
    .map((claim, index) => ({ claim, at: `/claims/${index}`, check: contracts.check(claim) }));
  const findings = [
    ...judged.flatMap(unwitnessed),
    ...judged.flatMap(unprovenGroups),
    ...checkInferences(record),
    ...checkSubjects(record),
    ...checkArguments(record),
    ...checkPolicies(record),
    ...judged.flatMap(withoutBasis),
    ...judged.flatMap(wronglyRecorded),
    ...judged.flatMap((one) => wrongBasis(one, contracts)),
    ...checkTexts(record),
    ...checkFields(record, contracts.kinds),
  ];
  return {
    verdict: findings.length > 0 ? "fail" : "pass",
    codes: sortedSet(findings.map(({ code }) => code)),
    findings: listed(findings),
    checks: judged
      .filter(({ check }) => check !== undefined)
      .map(({ claim, check }) => ({ claim: claim.get("id"), status: check.status, unmet: check.unmet })),
  };
}

/** The predicates of a record, and how its claims stand with their contracts. */
export class Contracts {
  #predicates;
  #counting;
  #flags;
  #witnessing;
  #allowed;

  /**
   * @param {Map} record that satisfies its schema
   * @param {Map} vocabulary of `schemas/evidence-vocabulary.json`
   * @param {{flags: string[], witnessing: string[]}} witness what the witness rule computed of the record
   */
  constructor(record, vocabulary, { flags, witnessing }) {
    this.kinds = new Map(vocabulary.get("kinds").map((kind) => [kind.get("id"), kind]));
    const kinds = vocabulary.get("kinds").filter((kind) => kind.get("required_fields").includes("turn_index"));
    const needTurn = new Set(kinds.map((kind) => kind.get("id")));
    this.#counting = new Counting(record, new Vocabulary(vocabulary), needTurn);
    this.#predicates = new Map();
    for (const predicate of record.get("predicates") ?? []) {
      const name = nameOf(predicate.get("id"), predicate.get("version"));
      this.#predicates.set(name, this.#predicates.has(name) ? null : predicate);
    }
    this.#flags = new Set(flags);
    this.#witnessing = new Set(witnessing);
    this.#allowed = record.get("producer_kind") === "converter" ? CONVERTER : ANYBODY;
  }

  /** The predicate of a claim, undefined where the record declares none or two. */
  predicate(claim) {
    return this.#predicates.get(nameOf(claim.get("predicate"), claim.get("predicate_version"))) ?? undefined;
  }

  /** Whether a claim may rest on what it names as its basis for not applying. */
  allowsBasis(claim) {
    const declared = this.predicate(claim)?.get("evidence_contract")?.get("not_applicable_basis");
    return (declared ?? this.#allowed).includes(basisOf(claim));
  }

  /**
   * How a claim stands with its contract; undefined where its state has no direction.
   *
   * @returns {{status: string, unmet: string[], proofs: Map[], needsWitness: boolean, openGroups: string[]}|undefined}
   *   `proofs` count, witness and are not forbidden; `openGroups` have refs, none of which proves (W2)
   */
  check(claim) {
    if (claim.get("state") === ASIDE) return this.#aside(claim);
    return isApplicable(claim) ? this.#applicable(claim) : undefined;
  }

  #aside(claim) {
    const unmet = this.allowsBasis(claim) ? [] : ["not_applicable_basis"];
    return { status: statusOf(unmet), unmet, proofs: [], needsWitness: false, openGroups: [] };
  }

  #applicable(claim) {
    const predicate = this.predicate(claim);
    const declared = predicate?.get("evidence_contract");
    const own = claim.get("state") === PASS ? declared?.get("pass_contract") : declared;
    const { hasScope, cited, counting } = this.#counting.of(claim, own?.get("scope") ?? declared?.get("scope"));
    const forbidden = new Set((own ?? declared ?? NOTHING).get("forbid_as_agent_proof"));
    const proofs = counting.filter((ref) => this.#witnessing.has(ref.get("id")) && !forbidden.has(ref.get("kind")));
    const needsWitness = OF_BEHAVIOUR.get(predicate?.get("polarity")) === claim.get("state");
    const witness = needsWitness && proofs.length === 0 ? ["no_witnessing_ref"] : [];
    const demands = this.#demands(own ?? NOTHING, forbidden);
    const result = { proofs, needsWitness, openGroups: demands.openGroups(counting) };
    if (declared === undefined) return { status: "not_declared", unmet: predicate === undefined ? [] : witness, ...result };
    const unmet =
      own === undefined
        ? [...this.#passDefault(predicate, counting), ...(hasScope ? [] : ["scope"]), ...witness]
        : [...demands.tokens(counting, cited, hasScope), ...this.#against(own, claim), ...witness];
    return { status: statusOf(unmet), unmet, ...result };
  }

  #demands(contract, forbidden) {
    const canProve = (kind) => this.kinds.get(kind).get("can_prove_agent_behaviour");
    const proves = (ref) => this.#flags.has(ref.get("id")) && !forbidden.has(ref.get("kind"));
    return new Demands(contract, canProve, proves);
  }

  #passDefault(predicate, counting) {
    const polarity = predicate.get("polarity");
    const isShown = (ref) => this.#flags.has(ref.get("id")) || (polarity === "risk" && ref.get("kind") === ABSENCE);
    return polarity === "safeguard" || counting.some(isShown) ? [] : ["no_agent_ref"];
  }

  #against(contract, claim) {
    const isLacking = contract.get("counterevidence_required") === true;
    const isThere = (claim.get("counterevidence") ?? []).some((id) => this.#counting.has(id));
    return isLacking && !isThere ? ["counterevidence"] : [];
  }
}

/** What a contract asks of the refs that count. */
class Demands {
  #contract;
  #groups;
  #proves;

  constructor(contract, canProve, proves) {
    this.#contract = contract;
    this.#groups = (contract.get("require_groups") ?? []).map((kinds, index) => ({
      token: `group:${index + 1}`,
      has: (ref) => kinds.includes(ref.get("kind")),
      asksProof: kinds.some(canProve),
    }));
    this.#proves = proves;
  }

  /** The tokens that refs leave, with `scope` where that is the reason. */
  tokens(counting, cited, hasScope) {
    const unmet = this.#unmet(counting);
    const isElsewhere = !hasScope || this.#unmet(cited).length < unmet.length;
    return isElsewhere ? [...unmet, "scope"] : unmet;
  }

  /** The groups that ask for proof and have refs, none of which proves. */
  openGroups(refs) {
    const isOpen = (group) => group.asksProof && refs.some(group.has) && !this.#isSatisfied(group, refs);
    return this.#groups.filter(isOpen).map(({ token }) => token);
  }

  #unmet(refs) {
    const kinds = new Set(refs.map((ref) => ref.get("kind")));
    const missing = (this.#contract.get("require_all") ?? []).filter((kind) => !kinds.has(kind));
    const any = this.#contract.get("require_any");
    return [
      ...missing.map((kind) => `require_all:${kind}`),
      ...(any === undefined || any.some((kind) => kinds.has(kind)) ? [] : ["require_any"]),
      ...this.#groups.filter((group) => !this.#isSatisfied(group, refs)).map(({ token }) => token),
      ...(refs.length < (this.#contract.get("minimum_refs")?.value ?? 0) ? ["minimum_refs"] : []),
    ];
  }

  #isSatisfied({ has, asksProof }, refs) {
    return refs.some((ref) => has(ref) && (!asksProof || this.#proves(ref)));
  }
}

const nameOf = (id, version) => JSON.stringify([id, version]);
const statusOf = (unmet) => (unmet.length > 0 ? "unmet" : "met");

/** W1: a claim of behaviour has a witness, or the record says that it has none. */
function unwitnessed({ claim, at, check }) {
  const isTold = recordedOf(claim)?.get("unmet").includes("no_witnessing_ref");
  return check?.needsWitness && check.proofs.length === 0 && !isTold ? [{ code: "w1.no-witness", pointer: at }] : [];
}

/** W2: no recorded check takes a group as met by what cannot prove. */
function unprovenGroups({ claim, at, check }) {
  const recorded = recordedOf(claim);
  if (recorded === undefined || check === undefined) return [];
  const untold = check.openGroups.filter((token) => !recorded.get("unmet").includes(token));
  return untold.map(() => ({ code: "w2.group-unproven", pointer: `${at}/parameters/contract_check` }));
}

/** P5: what does not apply says why. */
function withoutBasis({ claim, at }) {
  return claim.get("state") === ASIDE && basisOf(claim) === undefined ? [{ code: "p5.no-basis", pointer: at }] : [];
}

/** P6: the recorded check is the computed one. */
function wronglyRecorded({ claim, at, check }) {
  if (!isApplicable(claim)) return [];
  const recorded = recordedOf(claim);
  if (recorded === undefined) return [{ code: "p6.no-check", pointer: at }];
  const inOrder = (tokens) => JSON.stringify([...tokens].sort());
  const isSame = recorded.get("status") === check.status && inOrder(recorded.get("unmet")) === inOrder(check.unmet);
  return isSame ? [] : [{ code: "p6.check-differs", pointer: `${at}/parameters/contract_check` }];
}

/** P7: the basis is one that the producer may use. */
function wrongBasis({ claim, at }, contracts) {
  const isWrong = claim.get("state") === ASIDE && basisOf(claim) !== undefined && !contracts.allowsBasis(claim);
  return isWrong ? [{ code: "p7.basis-not-allowed", pointer: `${at}/parameters/applicability_basis/source` }] : [];
}
