/**
 * The grounding linter: a run's account of itself, held to the rules of its declared mode (grounding rules).
 *
 * It is a consistency check of trace and envelope. A pass proves no retrieval.
 */

import { checkItem } from "./evidence.mjs";
import { Facts } from "./facts.mjs";
import { checkAccount, isWithheld } from "./g0.mjs";
import { inDocumentOrder, listed, sortedSet } from "./order.mjs";
import { standings } from "./precedence.mjs";
import { RULES } from "./rules.mjs";
import { pointer } from "./strictjson.mjs";

/**
 * Lint a run.
 *
 * @param {import("./trace.mjs").SpanRecord[]} spans
 * @param envelope a value of the strict reader, whatever it is
 * @param {{schemas: import("./schema.mjs").Schemas, profiles: import("./profiles.mjs").Profiles}} kit
 * @param {string} [profile] the id of the profile to use, whatever the root says
 * @returns {{verdict: "pass"|"fail"|"withheld", mode: string|null, profile: string, codes: string[], notes: string[],
 *   findings: Array<{code: string, at: {pointer: string}|{span: number, span_id: string|null}}>}}
 */
export function lint(spans, envelope, kit, profile) {
  const facts = new Facts(spans, envelope, kit, profile);
  const used = { mode: facts.mode, profile: facts.profile.id };
  if (isWithheld(envelope)) return { verdict: "withheld", ...used, codes: [], notes: [], findings: [] };
  const shown = judgeEvidence(facts);
  const found = [...checkAccount(facts), ...shown.findings, ...modeFindings(facts)];
  return {
    verdict: found.length === 0 ? "pass" : "fail",
    ...used,
    codes: sortedSet(found.map(({ code }) => code)),
    notes: sortedSet([...shown.notes, ...spanNotes(facts), ...callNotes(facts), ...childNotes(facts)]),
    findings: listed(found).map(({ code, at, span, path }) => ({ code, at: at ?? placeOf(span, path) })),
  };
}

function placeOf(span, path) {
  return span === undefined ? { pointer: pointer(path) } : { span: span.index, span_id: span.spanId };
}

/** E1, item by item, with its notes. */
function judgeEvidence({ evidence }) {
  const [findings, notes] = [[], []];
  for (const { value, path } of evidence) {
    const judged = checkItem(value);
    findings.push(...judged.findings.map(({ code, at }) => ({ code, at: { pointer: pointer(path) + at } })));
    notes.push(...judged.notes, ...(value.has("content") ? [] : ["note.legacy-no-content"]));
  }
  return { findings, notes };
}

function modeFindings(facts) {
  return RULES.filter(({ modes }) => modes.includes(facts.mode)).flatMap(({ check }) => {
    const found = check(facts);
    const onEnvelope = found.filter(({ path }) => path !== undefined);
    const onSpans = found.filter(({ path }) => path === undefined);
    return [...onSpans, ...inDocumentOrder(onEnvelope, facts.members, () => 0)];
  });
}

function* spanNotes(facts) {
  const isAdrift = (root) => root.parentId !== null && !facts.tree.known.has(root.parentId);
  if (facts.roots.length === 1 && facts.roots.some(isAdrift)) yield "note.root-has-parent";
  if (facts.roots.length === 1 && facts.spans.some((span) => isBeyond(span, facts.roots[0]))) {
    yield "note.outside-root-interval";
  }
  if (facts.retrievals.some(({ empty }) => empty)) yield "note.empty-retrieval";
  if (facts.retrievals.some(({ unhashed }) => unhashed)) yield "note.document-without-hash";
  if (facts.spans.some((span) => facts.kit.profiles.isUnknownCall(span, facts.profile))) yield "note.unclassified-call";
}

/** Whether a span starts before the root does or ends after it has ended, in rule time. */
function isBeyond(span, root) {
  const isBefore = (a, b) => a !== null && b !== null && a < b;
  return isBefore(span.startTime, root.startTime) || isBefore(root.endTime, span.endTime);
}

function* callNotes(facts) {
  if (!RULES.find(({ id }) => id === "G1").modes.includes(facts.mode)) return;
  for (const { standing } of standings(facts)) {
    if (standing === "tie") yield "note.tie";
    if (standing === "skew") yield "note.clock-skew";
  }
}

function childNotes({ delegations, references, evidence }) {
  const cited = new Set([...references, ...evidence].map(({ pair }) => pair));
  const failed = delegations.some((child) => !child.succeeded && cited.has(child.pair));
  return failed ? ["note.child-not-succeeded"] : [];
}
