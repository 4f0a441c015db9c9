/**
 * What every ref has to state of itself, and what nobody may cite (P1 to P4 and P9).
 */

const DIGEST = /^[0-9a-f]{64}$/u;
const NAMED_BY_DIGEST = /^sha256:[0-9a-f]{64}$/u;
const POINTER = /^(\/([^~/]|~[01])*)+$/u;

/**
 * P1: what a juror proposed and nobody found is cited by nothing that stands.
 *
 * @param {Map} record
 * @returns {Array<{code: string, pointer: string}>}
 */
export function checkInferences(record) {
  const inferred = new Set(record.get("refs").filter(isFrom("JUROR_INFERENCE")).map((ref) => ref.get("id")));
  const finding = (pointer) => ({ code: "p1.inference-cited", pointer });
  const within = (ids = [], at) =>
    ids.flatMap((id, index) => (inferred.has(id) ? [finding(`${at}/${index}`)] : []));
  const ofClaims = record.get("claims").flatMap((claim, index) => {
    if (claim.get("state") === "EVIDENCE_INVALID") return [];
    return ["evidence", "counterevidence"].flatMap((name) => within(claim.get(name), `/claims/${index}/${name}`));
  });
  const views = record.get("views") ?? [];
  const ofViews = views.flatMap((view, index) => within(view.get("refs"), `/views/${index}/refs`));
  return [...ofClaims, ...ofViews];
}

/** P2: state is the state of something. */
export function checkSubjects(record) {
  const isUnbound = (ref) => isFrom("STATE_LEDGER")(ref) && !ref.has("subject");
  return atRefs(record, isUnbound, "p2.subject-unbound");
}

/** P3: arguments stay where they are. */
export function checkArguments(record) {
  const isCopy = (ref) => ref.get("kind") === "TOOL_RECEIPT" && ref.has("inputs") && !isBinding(ref.get("inputs"));
  return atRefs(record, isCopy, "p3.arguments-copied", "/inputs");
}

/** P4: a policy is named by what it says. */
export function checkPolicies(record) {
  const isNamed = (ref) => ref.has("source_sha256") || NAMED_BY_DIGEST.test(ref.get("source_ref") ?? "");
  return atRefs(record, (ref) => isFrom("POLICY_SOURCE")(ref) && !isNamed(ref), "p4.policy-unnamed");
}

/**
 * P9: evidence has the members of its kind.
 *
 * @param {Map} record
 * @param {Map<string, Map>} kinds of the vocabulary, by id
 */
export function checkFields(record, kinds) {
  return record.get("refs").flatMap((ref, index) => {
    const missing = kinds.get(ref.get("kind")).get("required_fields").filter((name) => !ref.has(name));
    return missing.map(() => ({ code: "p9.missing-field", pointer: `/refs/${index}` }));
  });
}

const isFrom = (sourceType) => (ref) => ref.get("source_type") === sourceType;

function atRefs(record, isWrong, code, member = "") {
  const finding = (index) => ({ code, pointer: `/refs/${index}${member}` });
  return record.get("refs").flatMap((ref, index) => (isWrong(ref) ? [finding(index)] : []));
}

/** Whether the inputs of a receipt tell where the arguments are and what they hash to, and do not repeat them. */
function isBinding(inputs) {
  const isWhole = inputs instanceof Map && inputs.has("arguments_sha256") && inputs.has("arguments_pointer");
  return isWhole && [...inputs].every(([name, value]) => typeof value === "string" && isAllowed(name, value));
}

function isAllowed(name, value) {
  if (name.endsWith("_sha256")) return DIGEST.test(value);
  if (name.endsWith("_pointer")) return POINTER.test(value);
  return name === "tool";
}
