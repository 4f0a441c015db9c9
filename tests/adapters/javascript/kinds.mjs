/**
 * What the adapter computes for each kind of case, from its named inputs.
 */

import { readdirSync, readFileSync } from "node:fs";
import { checkAuthority } from "../../../spec/assets/verifier/authority.mjs";
import { contentHash, pyjsonBytes, stages } from "../../../spec/assets/verifier/canonical.mjs";
import { checkContract } from "../../../spec/assets/verifier/contract.mjs";
import { checkContracts } from "../../../spec/assets/verifier/contracts.mjs";
import { Copies, readCopies } from "../../../spec/assets/verifier/copies.mjs";
import { checkItem } from "../../../spec/assets/verifier/evidence.mjs";
import { Facts } from "../../../spec/assets/verifier/facts.mjs";
import { gate as passGate } from "../../../spec/assets/verifier/gate.mjs";
import { groundingVerdict } from "../../../spec/assets/verifier/grounding.mjs";
import { lint as lintRun } from "../../../spec/assets/verifier/lint.mjs";
import { Profiles } from "../../../spec/assets/verifier/profiles.mjs";
import { verifyRun } from "../../../spec/assets/verifier/run.mjs";
import { Schemas } from "../../../spec/assets/verifier/schema.mjs";
import { checkSources } from "../../../spec/assets/verifier/sources.mjs";
import { sha256 } from "../../../spec/assets/verifier/sha256.mjs";
import { JsonFloat, JsonInteger, read } from "../../../spec/assets/verifier/strictjson.mjs";
import { readTrace } from "../../../spec/assets/verifier/trace.mjs";
import { checkOrder } from "../../../spec/assets/verifier/resolvers.mjs";
import { Vocabulary, checkWitness } from "../../../spec/assets/verifier/witness.mjs";

/** What the implementation needs of the checkout: its schemas and its span profiles. */
export const KIT = {
  schemas: new Schemas(documents("../../../schemas/")),
  profiles: new Profiles(documents("../../../spec/profiles/").values()),
  titles: titles("../../../spec/"),
  evidence: documents("../../../spec/evidence/").get("vocabulary.json"),
  vocabulary: new Vocabulary(documents("../../../spec/evidence/").get("vocabulary.json")),
};

/** The title of every code, from the rule catalogue. */
function titles(folder) {
  const codes = documents(folder).get("rules.json").get("codes");
  return new Map(codes.map((entry) => [entry.get("code"), entry.get("title")]));
}

/** The JSON documents of a folder of the checkout, by file name, read strictly. */
function documents(folder) {
  const place = new URL(folder, import.meta.url);
  const names = readdirSync(place).filter((name) => name.endsWith(".json"));
  return new Map(names.map((name) => [name, read(new Uint8Array(readFileSync(new URL(name, place))))]));
}

/** A named input that is absent or not in the form the protocol gives it. */
export class InputError extends Error {}

function parse(input) {
  read(octets(input, "document"));
  return { verdict: "pass" };
}

function canonicalise(input) {
  const { parsed, projected, canonical, digest } = stages(read(octets(input, "document")), text(input, "name"));
  const between = { parsed_b64: base64(parsed), projected_b64: base64(projected) };
  return { verdict: "pass", canonical_b64: base64(canonical), digest, stages: between };
}

/** A digest over doubles that are made here (conformance.numbers). */
function numbers(input) {
  const [name, seed, count] = [text(input, "name"), text(input, "seed"), Number(text(input, "count"))];
  const isSafe = (double) => !name.startsWith("jcs-") || Math.abs(double) <= Number.MAX_SAFE_INTEGER;
  const made = [];
  for (let block = 0; made.length < count; block++) {
    const hex = sha256(new TextEncoder().encode(`${seed}:${block}`));
    for (let at = 0; at < 64 && made.length < count; at += 16) {
      const double = new DataView(new BigUint64Array([BigInt(`0x${hex.slice(at, at + 16)}`)]).buffer).getFloat64(0, LITTLE);
      if (Number.isFinite(double) && isSafe(double)) made.push(new JsonFloat(double));
    }
  }
  return { verdict: "pass", digest: contentHash(made, name) };
}

/** Whether this machine keeps the octets of a number in reverse. */
const LITTLE = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

function evidence(input) {
  const envelope = read(octets(input, "envelope"));
  const listed = envelope instanceof Map && (envelope.has("evidence") ? envelope.get("evidence") : []);
  if (!Array.isArray(listed)) return { verdict: "fail", stage: "schema", codes: ["schema.envelope"] };
  const items = listed.map((item) => {
    const { verdict, codes, notes } = checkItem(item);
    return { source_id: sourceId(item), verdict, codes, notes };
  });
  return { verdict: overall(items), items, codes: [...new Set(items.flatMap((item) => item.codes))].sort() };
}

function overall(items) {
  if (items.some((item) => item.verdict === "failed")) return "fail";
  return items.length === 0 || items.some((item) => item.verdict === "unchecked") ? "unchecked" : "pass";
}

function sourceId(item) {
  const id = item instanceof Map ? item.get("source_id") : "";
  return typeof id === "string" ? id : "";
}

function contract(input) {
  return checkContract(read(octets(input, "envelope")), KIT.schemas);
}

function witness(input) {
  return checkWitness(read(octets(input, "record")), KIT.schemas, KIT.vocabulary);
}

function order(input) {
  return checkOrder(read(octets(input, "record")), KIT.schemas, KIT.evidence);
}

function contractCheck(input) {
  return checkContracts(read(octets(input, "record")), KIT.schemas, KIT.evidence);
}

function authority(input) {
  return checkAuthority(read(octets(input, "record")), KIT.schemas, KIT.evidence);
}

function lint(input) {
  const profile = Object.hasOwn(input, "profile") ? text(input, "profile") : undefined;
  if (profile !== undefined && !KIT.profiles.has(profile)) {
    return { verdict: "fail", stage: "usage", codes: ["usage.unknown-profile"] };
  }
  const spans = readTrace(octets(input, "spans"));
  return lintRun(spans, read(octets(input, "envelope")), KIT, profile);
}

const SOURCES_VERDICTS = new Map([
  ["verified", "pass"], ["failed", "fail"], ["unresolved", "unchecked"], ["nothing-to-check", "unchecked"],
]);

function sources(input) {
  const copies = copiesIn(input);
  const judged = plain(checkSources(read(octets(input, "envelope")), copies));
  const { status, verified, unresolved, skipped, violations } = judged;
  return {
    verdict: SOURCES_VERDICTS.get(status),
    status,
    codes: [...new Set(violations.map(({ code }) => code))].sort(),
    verified,
    unresolved,
    skipped,
    copies: judged.copies,
    findings: violations.map(({ code, at }) => ({ code, pointer: at.pointer })),
  };
}

function gate(input) {
  const copies = copiesIn(input);
  const spans = readTrace(octets(input, "spans"));
  const envelope = read(octets(input, "envelope"));
  const grounding = groundingVerdict(new Facts(spans, envelope, KIT));
  const left = passGate(envelope, grounding, checkSources(envelope, copies), KIT.schemas);
  return {
    verdict: left.acted ? "withheld" : "pass",
    canonical_b64: base64(pyjsonBytes(left.envelope)),
    digest: contentHash(left.envelope, "dd-envelope-json-v1"),
  };
}

const RUN_FILES = {
  request: "request.json",
  envelope: "envelope.json",
  spans: "spans.jsonl",
  grounding: "grounding.json",
  grounding_text: "grounding.txt",
  sources: "sources.json",
  sources_text: "sources.txt",
};

function run(input) {
  const copies = copiesIn(input);
  const given = Object.entries(RUN_FILES).filter(([name]) => Object.hasOwn(input, name));
  const files = new Map(given.map(([name, file]) => [file, octets(input, name)]));
  const stored = Object.hasOwn(input, "children") ? read(octets(input, "children")) : null;
  const children = stored instanceof Map ? stored : new Map();
  const { words, codes, missing, unreadable, findings } = verifyRun(files, KIT, { copies, children });
  return {
    verdict: runVerdict(Object.values(words)),
    words,
    codes,
    missing: missing.sort(),
    unreadable: unreadable.map(({ file }) => file).sort(),
    findings,
  };
}

function runVerdict(words) {
  if (["invalid", "disagree", "failed"].some((word) => words.includes(word))) return "fail";
  return ["withheld", "unchecked"].find((word) => words.includes(word)) ?? "pass";
}

/** The copies that `config` lists; each lies in the input that its path names. */
function copiesIn(input) {
  if (!Object.hasOwn(input, "config")) return new Copies();
  const files = { get: (path) => (Object.hasOwn(input, path) ? octets(input, path) : undefined) };
  return readCopies(octets(input, "config"), files);
}

/** A verdict document as JSON.stringify takes it: its numbers are small, and its members have names of ours. */
function plain(value) {
  if (value instanceof JsonInteger) return Number(value.digits);
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries(Array.from(value, ([name, inner]) => [name, plain(inner)]));
}

/** The kinds of cases and how each is answered. */
export const KINDS = new Map(
  Object.entries({
    parse, canonicalise, evidence, contract, lint, numbers, sources, gate, run, witness, order,
    "contract-check": contractCheck, authority,
  }),
);

function octets(input, name) {
  const bytes = Buffer.from(String(input[name]), "base64");
  if (bytes.toString("base64") !== input[name]) throw new InputError(`the input "${name}" is missing or not base64`);
  return new Uint8Array(bytes);
}

function text(input, name) {
  const bytes = Buffer.from(octets(input, name));
  const decoded = bytes.toString("utf8");
  if (!bytes.equals(Buffer.from(decoded))) throw new InputError(`the input "${name}" is not UTF-8`);
  return decoded;
}

const base64 = (bytes) => Buffer.from(bytes).toString("base64");
