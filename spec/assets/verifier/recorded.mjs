/**
 * I4: the verdicts that are stored with a run are the ones computed again, or explain why they cannot be.
 *
 * A result that the gate changed is not the one that was judged. Its verdicts are repeated as recorded: the statement
 * and their codes have to tell the same story.
 */

import { ENVELOPE, inFile } from "./agreement.mjs";
import { Facts } from "./facts.mjs";
import { isWithheld } from "./g0.mjs";
import { GATES_WORDS, isAsGated, PROBLEM_TYPE, statementFor } from "./gate.mjs";
import { groundingVerdict } from "./grounding.mjs";
import { groundingMembers, groundingShape, sourcesMembers, sourcesShape } from "./shapes.mjs";
import { checkSources } from "./sources.mjs";
import { firstDifference, judgedHash, textSays } from "./verdicts.mjs";

/** The stored verdicts of a run: where they lie as data and as text, and their shapes. */
export const STORED = [
  { name: "grounding", file: "grounding.json", text: "grounding.txt", shape: groundingShape },
  { name: "sources", file: "sources.json", text: "sources.txt", shape: sourcesShape },
];

/**
 * Judge what is stored.
 *
 * @param run as run.mjs reads it: `stored` and `texts` by name, undefined where they are not there
 * @returns {{findings: object[], missing: string[], recorded: {grounding: Map|null, sources: Map|null}|null}}
 *   `recorded` where the stored verdicts are repeated and were not computed again
 */
export function judgeStored(run) {
  const there = STORED.filter(({ name }) => run.stored[name] !== undefined);
  const shaped = there.map((one) => ({ ...one, departure: one.shape(run.stored[one.name]) }));
  const wellFormed = shaped.filter(({ departure }) => departure === null);
  const misshapen = shaped.filter(({ departure }) => departure !== null);
  const verdicts = Object.fromEntries(wellFormed.map(({ name }) => [name, run.stored[name]]));
  const held = run.envelope === undefined ? NOTHING : holdToEnvelope(run, verdicts);
  const texts = wellFormed.filter(({ name, text }) => run.texts[name] && !textSays(run.texts[name], verdicts[name]));
  return {
    findings: [
      ...misshapen.map(({ file, departure }) => inFile("i4.malformed", file, ...departure)),
      ...held.findings,
      ...texts.map(({ text }) => inFile("i4.text-differs", text)),
    ],
    missing: held.missing,
    recorded: held.changed ? { grounding: verdicts.grounding ?? null, sources: verdicts.sources ?? null } : null,
  };
}

const NOTHING = { findings: [], missing: [], changed: false };

/** The stored verdicts against the stored envelope, which may have left the gate changed. */
function holdToEnvelope(run, verdicts) {
  const hash = judgedHash(run.envelope);
  if (!leftGateChanged(run.envelope, verdicts)) {
    const again = recompute(run, verdicts, hash);
    return { ...again, findings: [...judgedAnother(verdicts, hash), ...again.findings], changed: false };
  }
  const findings = [
    ...judgedThisOne(verdicts, hash),
    ...unexplained(run.envelope, verdicts, run.kit.schemas),
    ...(isGates(run.envelope) ? notConcealed(verdicts, run.kit) : []),
  ];
  return { findings, missing: [], changed: true };
}

/** Whether an envelope left the gate changed (i4.judged). */
function leftGateChanged(envelope, verdicts) {
  if (!(envelope instanceof Map)) return false;
  if (!envelope.has("payload") && hasNoEvidence(envelope) && hasGatesWords(envelope)) return true;
  if (!isWithheld(envelope)) return false;
  const hash = judgedHash(envelope);
  const isOfAnother = (verdict) => verdict !== undefined && verdict.get("judged_hash") !== hash;
  return hasGatesType(envelope) || Object.values(verdicts).some(isOfAnother);
}

function hasGatesWords(envelope) {
  const statement = statementIn(envelope);
  return typeof statement === "string" && statement.startsWith(GATES_WORDS);
}

function hasGatesType(envelope) {
  const problem = envelope.get("problem");
  return problem instanceof Map && problem.get("type") === PROBLEM_TYPE;
}

function hasNoEvidence(envelope) {
  const list = envelope.has("evidence") ? envelope.get("evidence") : [];
  return Array.isArray(list) && list.length === 0;
}

function statementIn(envelope) {
  const outcome = envelope.get("outcome");
  return outcome instanceof Map ? outcome.get("statement") : undefined;
}

const misjudged = ({ file }) => inFile("i4.judged-hash", file, "judged_hash");

/** Where the envelope is as it was judged: the verdicts that judged another one. */
function judgedAnother(verdicts, hash) {
  const isAnother = (verdict) => verdict !== undefined && verdict.get("judged_hash") !== hash;
  return STORED.filter(({ name }) => isAnother(verdicts[name])).map(misjudged);
}

/** Where it left the gate changed: the verdicts that judged what is left, or two that judged different envelopes. */
function judgedThisOne(verdicts, hash) {
  const these = STORED.filter(({ name }) => verdicts[name]?.get("judged_hash") === hash).map(misjudged);
  const hashes = STORED.filter(({ name }) => verdicts[name] !== undefined)
    .map(({ name }) => verdicts[name].get("judged_hash"));
  return these.length === 0 && new Set(hashes).size > 1 ? [misjudged(STORED[1])] : these;
}

/** i4.recomputed, for the verdicts that judged this envelope. */
function recompute(run, { grounding, sources }, hash) {
  const isOfThis = (verdict) => verdict !== undefined && verdict.get("judged_hash") === hash;
  const findings = isOfThis(grounding) && run.facts !== undefined ? recomputeGrounding(run, grounding) : [];
  const again = isOfThis(sources) ? recomputeSources(run, sources) : { findings: [], missing: [] };
  return { findings: [...findings, ...again.findings], missing: again.missing };
}

/** The grounding verdict under the profile that the stored one states, where there is one of that name. */
function recomputeGrounding(run, stored) {
  const [stated, { facts }] = [stored.get("profile"), run];
  const isOther = stated !== facts.profile.id && facts.kit.profiles.has(stated);
  const again = isOther ? groundingVerdict(new Facts(facts.spans, facts.envelope, facts.kit, stated)) : run.grounding;
  const differing = firstDifference(stored, again, Object.keys(groundingMembers));
  return differing === undefined ? [] : [inFile("i4.grounding-differs", "grounding.json", differing)];
}

function recomputeSources(run, stored) {
  const again = checkSources(run.envelope, run.copies, statedProfile(stored));
  const isComparable = sameCopies(again, stored);
  const expected = isComparable ? with_(again, { copies: stored.get("copies") })
    : with_(stored, { status: statusIn(stored), skipped: again.get("skipped") });
  const differing = firstDifference(stored, expected, Object.keys(sourcesMembers));
  return {
    findings: differing === undefined ? [] : [inFile("i4.sources-differ", "sources.json", differing)],
    missing: isComparable ? [] : ["copies"],
  };
}

const with_ = (verdict, members) => new Map([...verdict, ...Object.entries(members)]);

/** Whether two verdicts name the same copies under the same references, in whatever order. */
function sameCopies(a, b) {
  const inOrder = (verdict) => verdict.get("copies")
    .map((copy) => JSON.stringify([copy.get("sha256"), ...[...copy.get("snapshot_refs")].sort()]))
    .sort();
  return JSON.stringify(inOrder(a)) === JSON.stringify(inOrder(b));
}

/** The status that follows from the lists of a source verdict (sources.verdict). */
function statusIn(verdict) {
  const words = [["violations", "failed"], ["unresolved", "unresolved"], ["verified", "verified"]];
  return words.find(([name]) => verdict.get(name).length > 0)?.[1] ?? "nothing-to-check";
}

function statedProfile(sources) {
  const profile = sources.get("profile");
  return { content: profile.get("require_content"), resolved: profile.get("require_resolved") };
}

/** i4.explained, for an envelope that left the gate changed. */
function unexplained(envelope, { grounding, sources }, schemas) {
  if (grounding === undefined || sources === undefined) return [];
  const statement = statementFor(grounding, sources);
  if (statement === null) return [inFile("i4.unexplained", ENVELOPE, "outcome")];
  if (!isGates(envelope)) return [];
  if (statementIn(envelope) !== statement) return [inFile("i4.unexplained", ENVELOPE, "outcome", "statement")];
  return isAsGated(envelope, grounding, sources, schemas) ? [] : [inFile("i4.not-as-gated", ENVELOPE)];
}

const isGates = (envelope) => hasGatesWords(envelope) || hasGatesType(envelope);

const CONCEALED = /^sha256:[0-9a-f]{64}$/;
const LISTS = new Set(["evidence", "delegations", "retrievals"]);

/** i4.concealed: the verdicts of what the gate made hold no word of the agent. */
function notConcealed(verdicts, kit) {
  const shows = (verdict) => remarksIn(verdict).some((remark) => showsAgent(remark, kit))
    || textsIn(verdict).some((text) => !CONCEALED.test(text));
  return STORED.filter(({ name }) => verdicts[name] !== undefined && shows(verdicts[name]))
    .map(({ file }) => inFile("i4.not-concealed", file));
}

const remarksIn = (verdict) => ["findings", "violations", "notes"].flatMap((name) => verdict.get(name) ?? []);

function showsAgent(remark, { titles, schemas }) {
  const title = titles.get(remark.get("code"));
  if (title === undefined || remark.get("detail") !== title) return true;
  const at = remark.get("at");
  if (at.has("file")) return true;
  return at.has("pointer") && concealedPlace(at.get("pointer"), schemas) !== at.get("pointer");
}

/** Of a place the first step where the envelope's schema names it, and the index in a list (verdicts.stored). */
function concealedPlace(pointer, schemas) {
  const steps = pointer.split("/").slice(1);
  if (steps.length === 0 || !schemas.names("envelope.json").has(steps[0])) return "";
  return steps.slice(0, LISTS.has(steps[0]) ? 2 : 1).map((step) => `/${step}`).join("");
}

/** The source ids and snapshot references of a source verdict. */
function textsIn(verdict) {
  if (!verdict.has("unresolved")) return [];
  const unresolved = verdict.get("unresolved").flatMap((item) => [item.get("ref"), item.get("snapshot_ref")]);
  const copies = verdict.get("copies").flatMap((copy) => copy.get("snapshot_refs"));
  return [...verdict.get("verified"), ...verdict.get("skipped"), ...unresolved, ...copies].filter((text) => text !== null);
}
