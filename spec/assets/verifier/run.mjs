/**
 * A stored run: its four verdicts, told apart and never combined (runs, verdicts).
 *
 * What a verdict needs and is not there, or cannot be read, leaves it unchecked. Nothing here throws for any octets.
 */

import { childFindings, ENVELOPE, idFindings, outcomeFindings, REQUEST, requestFindings } from "./agreement.mjs";
import { checkContract } from "./contract.mjs";
import { Copies } from "./copies.mjs";
import { Facts } from "./facts.mjs";
import { groundingVerdict, uncheckedGrounding } from "./grounding.mjs";
import { listed, sortedSet } from "./order.mjs";
import { judgeStored, STORED } from "./recorded.mjs";
import { isDigest } from "./retrievals.mjs";
import { checkSources, uncheckedSources } from "./sources.mjs";
import { read, ReadError } from "./strictjson.mjs";
import { readTrace } from "./trace.mjs";

const SPANS = "spans.jsonl";

/** The files of a run (runs.layout). */
export const FILES = Object.freeze([REQUEST, ENVELOPE, SPANS, ...STORED.flatMap(({ file, text }) => [file, text])]);

/**
 * Verify a stored run.
 *
 * @param {Map<string, Uint8Array>} files the octets of its files by name; others than those of a run are ignored
 * @param {{schemas: import("./schema.mjs").Schemas, profiles: import("./profiles.mjs").Profiles,
 *   titles: Map<string, string>}} kit `titles` of the codes, from the rule catalogue
 * @param {{copies?: Copies, children?: Map<string, *>}} [beside] the copies it cites, and the envelopes of the store by
 *   invocation id, each a value of the strict reader
 * @returns {{words: {contract: string, files: string, grounding: string, sources: string}, codes: string[],
 *   findings: Array<{code: string, at: object}>, missing: string[], unreadable: Array<{file: string, code: string}>,
 *   grounding: Map, sources: Map, recorded: {grounding: Map|null, sources: Map|null}|null}} `codes` of all four;
 *   `findings`, `missing` and `unreadable` of the files verdict; the verdicts on grounding and sources as data; and the
 *   stored ones where they are repeated as recorded
 */
export function verifyRun(files, kit, { copies = new Copies(), children = new Map() } = {}) {
  const folder = new Folder(files);
  const run = readRun(folder, kit, copies, children);
  const contract = run.envelope === undefined ? NO_CONTRACT : checkContract(run.envelope, kit.schemas);
  const stored = judgeStored(run);
  if (stored.recorded !== null) run.grounding = withheld(run.grounding);
  const child = childFindings(run);
  const own = [...requestFindings(run), ...idFindings(run), ...outcomeFindings(run)];
  const found = [...own, ...stored.findings, ...child.findings];
  const missing = [...folder.missing, ...absent(run), ...stored.missing, ...child.missing];
  return {
    words: {
      contract: CONTRACT_WORDS.get(contract.verdict),
      files: filesWord(found, [...missing, ...folder.unreadable]),
      grounding: run.grounding.get("status"),
      sources: run.sources.get("status"),
    },
    codes: sortedSet([...contract.codes, ...codesIn(found, run)]),
    findings: listed(found),
    missing,
    unreadable: folder.unreadable,
    grounding: run.grounding,
    sources: run.sources,
    recorded: stored.recorded,
  };
}

/** What is left of a result that the gate changed is judged again for nothing (i4.judged). */
function withheld(grounding) {
  if (grounding.get("status") === "unchecked") return grounding;
  return new Map([...grounding, ["status", "withheld"], ["findings", []], ["notes", []]]);
}

const NO_CONTRACT = { verdict: "unchecked", codes: [] };
const CONTRACT_WORDS = new Map([["pass", "valid"], ["fail", "invalid"], ["unchecked", "unchecked"]]);

/** The files of a run as they are read: what is not there, and what is no document, is told by name (runs.missing). */
class Folder {
  missing = [];
  unreadable = [];

  constructor(files) {
    this.files = files;
  }

  /** What a reader makes of a file; undefined where there is nothing it could read. */
  read(name, reader) {
    const bytes = this.files.get(name);
    if (bytes === undefined) {
      this.missing.push(name);
      return undefined;
    }
    try {
      return reader(bytes);
    } catch (error) {
      if (!(error instanceof ReadError)) throw error;
      this.unreadable.push({ file: name, code: error.code, detail: error.detail });
      return undefined;
    }
  }
}

/** A run as the rules see it; a member that is not there is undefined. */
function readRun(folder, kit, copies, children) {
  const [request, envelope] = [REQUEST, ENVELOPE].map((name) => folder.read(name, read));
  const spans = folder.read(SPANS, readTrace);
  const stored = Object.fromEntries(STORED.map(({ name, file }) => [name, folder.read(file, read)]));
  const texts = Object.fromEntries(STORED.map(({ name, text }) => [name, folder.read(text, (bytes) => bytes)]));
  const facts = spans === undefined ? undefined : new Facts(spans, envelope ?? null, kit);
  const root = facts?.roots.length === 1 ? facts.roots[0] : undefined;
  const isWhole = facts !== undefined && envelope !== undefined;
  const grounding = isWhole ? groundingVerdict(facts) : uncheckedGrounding(envelope);
  const sources = envelope === undefined ? uncheckedSources(copies) : checkSources(envelope, copies);
  return { kit, copies, children, request, envelope, facts, root, stored, texts, grounding, sources };
}

/** What a readable trace lacks. Without a root nothing is told of what it has. */
function absent({ facts, root }) {
  if (facts === undefined) return [];
  if (root === undefined) return ["root"];
  const lacks = [];
  if (!isDigest(root.attributes.get("dd.input_hash"))) lacks.push("dd.input_hash");
  if (!root.attributes.has("dd.outcome")) lacks.push("dd.outcome");
  return lacks;
}

function filesWord(found, untold) {
  if (found.length > 0) return "disagree";
  return untold.length > 0 ? "unchecked" : "agree";
}

function codesIn(found, { grounding, sources }) {
  const told = [...grounding.get("findings"), ...sources.get("violations")].map((finding) => finding.get("code"));
  return [...found.map(({ code }) => code), ...told];
}
