/**
 * How strong a recommendation a record allows, and what it rests on (A2, A5).
 */

const [BLOCK, REVIEW, NONE] = ["BLOCK", "REVIEW", "NONE"];

/** The effect of each reason. */
const EFFECTS = new Map([
  ["prohibited-use-case", BLOCK],
  ["proven-failure", BLOCK],
  ["semantic-only-failure", REVIEW],
  ["unproven-failure", REVIEW],
  ["undeclared-predicate", REVIEW],
  ["below-floor", REVIEW],
  ["no-value", REVIEW],
]);

/** Whether one effect is stronger than another. */
export function isStronger(effect, other) {
  const strongestFirst = [BLOCK, REVIEW, NONE];
  return strongestFirst.indexOf(effect) < strongestFirst.indexOf(other);
}

/**
 * The fact `prohibited_use_case`, derived: true, false, or null where it is not known.
 *
 * @param {Map} record
 */
export function prohibitedUseCase(record) {
  const tier = record.get("intake")?.get("classification")?.get("tier");
  const useCase = record.get("intake")?.get("use_case");
  const prohibited = record.get("prohibited_use_cases");
  if (tier === "unacceptable" || (useCase !== undefined && prohibited?.includes(useCase))) return true;
  return [tier, useCase, prohibited].includes(undefined) ? null : false;
}

/**
 * The strongest effect that a record allows.
 *
 * @param {Map} record
 * @param {Array<{claim: Map, predicate: Map|undefined, isProven: boolean, decided_by: string|null}>} judged its claims
 * @returns {{effect: string, because: Array<{reason: string, id: string|null}>, attaches: object}}
 */
export function strongestEffect(record, judged) {
  const reasons = [
    ...(prohibitedUseCase(record) === true ? [{ reason: "prohibited-use-case", id: null, cites: [] }] : []),
    ...judged.flatMap(ofClaim),
    ...(record.get("views") ?? []).flatMap(ofView),
  ];
  const effect = [BLOCK, REVIEW].find((one) => reasons.some(({ reason }) => EFFECTS.get(reason) === one)) ?? NONE;
  const rests = reasons.filter(({ reason }) => EFFECTS.get(reason) === effect);
  return { effect, because: rests.map(({ reason, id }) => ({ reason, id })), attaches: attached(record, rests) };
}

function ofClaim({ claim, predicate, isProven, decided_by }) {
  if (claim.get("state") !== "APPLICABLE_FAIL" || predicate?.get("polarity") === "observation") return [];
  const cites = [...claim.get("evidence"), ...(claim.get("counterevidence") ?? [])];
  return [{ reason: reasonOf(predicate, isProven, decided_by), id: claim.get("id"), isClaim: true, cites }];
}

function reasonOf(predicate, isProven, decidedBy) {
  if (isProven) return predicate === undefined ? "undeclared-predicate" : "proven-failure";
  return ["deterministic", "human"].includes(decidedBy) ? "unproven-failure" : "semantic-only-failure";
}

function ofView(view) {
  if (!view.has("floor")) return [];
  const [id, cites] = [view.get("id"), view.get("refs")];
  if (!view.has("value")) return [{ reason: "no-value", id, cites }];
  return isBelow(view.get("value"), view.get("floor")) ? [{ reason: "below-floor", id, cites }] : [];
}

/** Whether one decimal number is below another, exactly. */
function isBelow(value, floor) {
  const [, fraction = ""] = value.split(".");
  const [, other = ""] = floor.split(".");
  const places = Math.max(fraction.length, other.length);
  return scaled(value, places) < scaled(floor, places);
}

/** A decimal number as a multiple of the last of so many places. */
function scaled(decimal, places) {
  const [before, fraction = ""] = decimal.split(".");
  const sign = before.startsWith("-") ? -1n : 1n;
  return sign * BigInt(before.replace("-", "") + fraction.padEnd(places, "0"));
}

/** The claims, the findings of these claims, and what claims and views cite, as the record has them. */
function attached(record, reasons) {
  const claims = new Set(reasons.filter(({ isClaim }) => isClaim).map(({ id }) => id));
  const cited = new Set(reasons.flatMap(({ cites }) => cites));
  const findings = (record.get("findings") ?? []).filter((finding) => claims.has(finding.get("claim")));
  const refs = record.get("refs").filter((ref) => cited.has(ref.get("id")));
  return { claim_ids: [...claims], finding_ids: idsOf(findings), evidence_refs: idsOf(refs) };
}

const idsOf = (items) => [...new Set(items.map((item) => item.get("id")))];
