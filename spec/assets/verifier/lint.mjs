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

const VERDICTS = new Map([["passed", "pass"], ["failed", "fail"], ["withheld", "withheld"]]);

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
  const { status, findings, notes } = judge(facts);
  return {
    verdict: VERDICTS.get(status),
    mode: facts.mode,
    profile: facts.profile.id,
    codes: sortedSet(findings.map(({ code }) => code)),
    notes: sortedSet(notes.map(({ code }) => code)),
    findings: listed(findings),
  };
}

/**
 * All findings and all notes of a run, in order, each with its place: notes on evidence item by item, then those on
 * spans in file order, then those on the rest of the envelope in document order.
 *
 * @param {Facts} facts
 * @returns {{status: "passed"|"failed"|"withheld", findings: Array<{code: string, at: object}>,
 *   notes: Array<{code: string, at: object}>}}
 */
export function judge(facts) {
  if (isWithheld(facts.envelope)) return { status: "withheld", findings: [], notes: [] };
  const shown = judgeEvidence(facts);
  const found = [...checkAccount(facts), ...shown.findings, ...modeFindings(facts)];
  return {
    status: found.length === 0 ? "passed" : "failed",
    findings: found.map(({ code, at, span, path }) => ({ code, at: at ?? placeOf(span, path) })),
    notes: [...shown.notes, ...spanNotes(facts), ...childNotes(facts)],
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
    const place = pointer(path);
    for (const { code, at } of judged.findings) findings.push({ code, at: { pointer: place + at } });
    for (const code of judged.notes) notes.push({ code, at: { pointer: `${place}/content` } });
    if (!value.has("content")) notes.push({ code: "note.legacy-no-content", at: { pointer: place } });
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

/** The notes on spans, in file order; those on one span in the order of the catalogue. */
function spanNotes(facts) {
  const { spans, kit, profile, tree } = facts;
  const [root] = facts.roots.length === 1 ? facts.roots : [];
  const isAdrift = root !== undefined && root.parentId !== null && !tree.known.has(root.parentId);
  const standing = standingsOf(facts);
  const calls = (word) => standing.filter((one) => one.standing === word).map(({ call }) => call);
  const retrievals = (holds) => facts.retrievals.filter(holds).map(({ span }) => span);
  const noted = [
    ["note.outside-root-interval", root === undefined ? [] : spans.filter((span) => isBeyond(span, root))],
    ["note.root-has-parent", isAdrift ? [root] : []],
    ["note.tie", calls("tie")],
    ["note.clock-skew", calls("skew")],
    ["note.empty-retrieval", retrievals(({ empty }) => empty)],
    ["note.document-without-hash", retrievals(({ unhashed }) => unhashed)],
    ["note.unclassified-call", spans.filter((span) => kit.profiles.isUnknownCall(span, profile))],
  ].map(([code, members]) => [code, new Set(members)]);
  return spans.flatMap((span) => {
    const codes = noted.filter(([, members]) => members.has(span)).map(([code]) => code);
    return codes.map((code) => ({ code, at: placeOf(span) }));
  });
}

/** Whether a span starts before the root does or ends after it has ended, in rule time. */
function isBeyond(span, root) {
  const isBefore = (a, b) => a !== null && b !== null && a < b;
  return isBefore(span.startTime, root.startTime) || isBefore(root.endTime, span.endTime);
}

/** How calls stand under G1, where it holds. */
function standingsOf(facts) {
  return RULES.find(({ id }) => id === "G1").modes.includes(facts.mode) ? standings(facts) : [];
}

function childNotes({ delegations, references, evidence }) {
  const cited = new Set([...references, ...evidence].map(({ pair }) => pair));
  const failed = delegations.filter((child) => !child.succeeded && cited.has(child.pair));
  return failed.map(({ path }) => ({ code: "note.child-not-succeeded", at: placeOf(undefined, path) }));
}
