/**
 * Writes two complete runs, the same octets every time: node make-runs.mjs OUTDIR
 *
 *   OUTDIR/javascript-retrieval/   which lichen records bear on a claim about a churchyard wall
 *   OUTDIR/javascript-input-only/  what a transcribed inscription says about itself
 *
 * Each is stored as a conductor stores it: request, spans, envelope, both verdicts as data and as text; and beside them
 * the list of copies and the copy, where there is one.
 *
 * Documents that get hashed are texts, not JavaScript values: a value would forget how its numbers were spelled. Each
 * is read strictly, hashed by the library, and copied into the envelope as it stands.
 */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { contentHash } from "../../../spec/assets/verifier/canonical.mjs";
import { checkItem } from "../../../spec/assets/verifier/evidence.mjs";
import { readCopies } from "../../../spec/assets/verifier/copies.mjs";
import { verifyRun } from "../../../spec/assets/verifier/run.mjs";
import { sha256 } from "../../../spec/assets/verifier/sha256.mjs";
import { JsonInteger, read } from "../../../spec/assets/verifier/strictjson.mjs";
import { headLine } from "../../../spec/assets/verifier/verdicts.mjs";
import { KIT } from "./kinds.mjs";

// Characters that are hard to see in a source file, by name.
const LINE_SEPARATOR = "\u2028";
const PARAGRAPH_SEPARATOR = "\u2029";
const DELETE = "\u007f";
const PRIVATE_USE = "\ue000";
const GRINNING_FACE = "\u{1f600}";
const COMBINED = "e\u0301";
const PRECOMPOSED = "\u00e9";

const SNAPSHOT = "snapshot:netherfold-lichens-2026-09-01";
const COPY = "copy";
const LIST = "copies.json";

/** The survey's five records. The second and the fourth are cited. */
const RECORDS = [
  String.raw`{"source_id":"lichen:netherfold/0301","taxon":"Xanthoria parietina","stones":["coping",["gate pier",[]],null],"cover":1.0,"quadrats":12,"remark":"common beside the rook${LINE_SEPARATOR}roost"}`,
  String.raw`{"source_id": "lichen:netherfold/0312", "taxon": "Caloplaca flavescens", "10": "ten-stone transect", "9": "nine-stone transect", "__proto__": {"sheet": "as first drawn", "redrawn": null}, "${GRINNING_FACE}": "the surveyor's own mark", "${PRIVATE_USE}": "a glyph of the herbarium", "widths_mm": [112, 97.50, [1.50, [null, []]]], "growth_m_per_day": 0.00001, "spores_per_m2": 1e16, "grains_in_wall": 100000000000000000000, "drift": -0.0, "visits": -0, "remark": "mortar <lime & sand>${LINE_SEPARATOR}caf${PRECOMPOSED} and caf${COMBINED} wall alike, tab\tand ${DELETE} kept, \"stone\\bed\" 3\/4"}`,
  String.raw`{"source_id":"lichen:netherfold/0318","taxon":"Lecanora muralis","__proto__":null,"readings":[1E5,100000.0,123456789.125,5e-324],"total":9007199254740993,"remark":""}`,
  String.raw`{"taxon": "Verrucaria nigrescens", "source_id": "lichen:netherfold/0327", "9": [9, 9.0, 9e0], "10": {"${PRIVATE_USE}": "lower course", "${GRINNING_FACE}": "upper course"}, "__proto__": ["kept", "in", "place"], "growth_m_per_day": 0.00001, "ratio": 1.50, "drift": -0.0, "hundred": 1E+2, "tiny": 0.0000001, "largest": 9007199254740991, "remark": "r${COMBINED}sum${PRECOMPOSED}${PARAGRAPH_SEPARATOR}${DELETE}\u00e9\u0001<&>", "seen": [true, false, null, {}]}`,
  String.raw`{"source_id":"lichen:netherfold/0340","taxon":null,"layers":{"outer":{"inner":[[[["core"]]]]}},"share":0.1,"inverse":1.0e-7,"bulk":1.7976931348623157e308}`,
];

const QUESTION = String.raw`{"schema_class": "WallClaim", "wall": "west boundary, Netherfold churchyard", "claim": "The lower courses have gone unrepointed for a century or more.", "threshold_years": 100, "confidence_wanted": 0.80, "stones": {"10": "quoin", "9": "rubble", "__proto__": "unsorted"}, "asked_by": "the fabric committee <walls & paths>"}`;

const INSCRIPTION = String.raw`{"schema_class": "InscriptionTranscript", "stone": "row 9, stone 10", "lines": ["HERE LYETH", "Zo${COMBINED} & Zo${PRECOMPOSED}", "aged 1.0 <score> and X", "raw${LINE_SEPARATOR}break ${DELETE}"], "10": 10, "9": 9.0, "__proto__": {"doubtful": [null, [1e16, 1.50, 0.00001]]}, "${GRINNING_FACE}": "later scratch", "${PRIVATE_USE}": "mason's mark", "letters": 100000000000000000000, "lean_degrees": -0.0, "photograph": null}`;

const RETRIEVAL = {
  folder: "javascript-retrieval",
  mode: "retrieval",
  invocation: "01a09f3c-d8bd-7c3e-9b1a-5d02f7a4c611",
  agent: { id: "wall-lichen-adviser", version: "1.4.0" },
  trace: "6d1fb0c24e9a47538a02c7e15b90d3f4",
  input: QUESTION,
  times: { requested: "2026-09-14T09:26:00Z", completed: "2026-09-14T09:26:00.995000Z" },
  tokens: { input_tokens: 1184, output_tokens: 212 },
  statement: "Two of the survey's records bear on the claim: one supports it, one neither supports nor weakens it.",
  cited: [
    { text: RECORDS[1], canonicalisation: "dd-json-document-v1", retrieved: "2026-09-14T09:26:00.405000Z" },
    { text: RECORDS[3], canonicalisation: "jcs-document-v1", retrieved: "2026-09-14T09:26:00.505000Z" },
  ],
};

const INPUT_ONLY = {
  folder: "javascript-input-only",
  mode: "input_only",
  invocation: "01a09f5e-44e4-71d4-a6f0-2c9e8b10d735",
  agent: { id: "inscription-reader", version: "0.9.2" },
  trace: "b27c40e8d15f4a6693be0c7d12fa85e9",
  input: INSCRIPTION,
  times: { requested: "2026-09-14T10:02:30Z", completed: "2026-09-14T10:02:30.995000Z" },
  tokens: { input_tokens: 377, output_tokens: 96 },
  statement: "The transcript names two people who may be one; it gives an age in words and in a numeral.",
  cited: [],
};

/** A JSON text that is to stand in a document exactly as it is. */
class Verbatim {
  constructor(text) {
    this.text = text;
  }
}

/** A small JSON writer: one line, or indented two spaces a level from `indent` on. Verbatim texts pass through. */
function write(value, indent = null) {
  if (value instanceof Verbatim) return value.text;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const list = Array.isArray(value);
  const deeper = indent === null ? null : `${indent}  `;
  const parts = list
    ? value.map((item) => write(item, deeper))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${write(item, deeper)}`);
  const [open, close] = list ? "[]" : "{}";
  if (indent === null || parts.length === 0) return open + parts.join(", ") + close;
  return `${open}\n${deeper}${parts.join(`,\n${deeper}`)}\n${indent}${close}`;
}

const page = (document) => `${write(document, "")}\n`;
const octets = (text) => new TextEncoder().encode(text);
const readText = (text) => read(octets(text));

/** What the run cites: each with its source id, its hash, and the content as it stands in the copy. */
function citations(run) {
  if (run.mode === "input_only") {
    return [citation(`input:${run.invocation}`, { text: run.input, canonicalisation: "dd-input-json-v1" })];
  }
  return run.cited.map((record) => citation(readText(record.text).get("source_id"), record));
}

function citation(sourceId, { text, canonicalisation, retrieved }) {
  const hash = contentHash(readText(text), canonicalisation);
  return { source_id: sourceId, content_hash: hash, canonicalisation, text, retrieved };
}

function evidenceItem({ source_id, content_hash, canonicalisation, text, retrieved }) {
  const item = { source_id, hash_algorithm: "sha256", canonicalisation, content_hash, content: new Verbatim(text) };
  return retrieved === undefined ? item : { ...item, snapshot_ref: SNAPSHOT, retrieved_at: retrieved };
}

const reference = ({ source_id, content_hash }) => ({ source_id, content_hash });

function advice([supporting, neutral]) {
  return {
    schema_class: "WallClaimAdvice",
    findings: [
      {
        bearing: "supports",
        reason: "At the recorded rate a patch of the recorded width needs longer than the threshold asked about.",
        grounded_on: [reference(supporting)],
      },
    ],
    caution: "A growth rate measured elsewhere on the wall need not hold for its lower courses.",
    grounded_on: [reference(supporting), reference(neutral)],
  };
}

function reading([input]) {
  return {
    schema_class: "InscriptionReading",
    readings: [
      { line: 2, certainty: "low", reason: "The two names differ only in how an accent is encoded.", grounded_on: [reference(input)] },
      { line: 3, certainty: "high", reason: "Words and numeral agree." },
    ],
    grounded_on: [reference(input)],
  };
}

function request(run) {
  return {
    format: "request/1",
    invocation_id: run.invocation,
    agent_id: run.agent.id,
    agent_version: run.agent.version,
    input: new Verbatim(run.input),
    requested_at: run.times.requested,
  };
}

function envelope(run, cited) {
  return {
    invocation_id: run.invocation,
    agent_id: run.agent.id,
    agent_version: run.agent.version,
    completed_at: run.times.completed,
    grounding_mode: run.mode,
    outcome: { status: "succeeded", statement: run.statement },
    payload: run.mode === "retrieval" ? advice(cited) : reading(cited),
    evidence: cited.map(evidenceItem),
    telemetry: { trace_id: run.trace, model_id: "quarry-small-2026-06", ...run.tokens },
    requires_human_review: true,
  };
}

/** The run's spans in the order they ended, as an exporter writes them: the root last. */
function spans(run, cited) {
  const second = run.times.requested.slice(0, -1);
  const root = "0x1000000000000001";
  const span = (name, id, start, end, attributes, rest = {}) => ({
    name,
    context: { trace_id: `0x${run.trace}`, span_id: id, trace_state: "[]" },
    kind: "SpanKind.INTERNAL",
    parent_id: root,
    start_time: `${second}.${start}Z`,
    end_time: `${second}.${end}Z`,
    status: { status_code: "UNSET" },
    attributes,
    events: [],
    links: [],
    resource: { attributes: { "service.name": run.agent.id, "telemetry.sdk.language": "nodejs" }, schema_url: "" },
    ...rest,
  });
  const looks = run.mode === "retrieval" ? cited : [];
  const retrievals = looks.map(({ source_id, content_hash }, k) =>
    span("retrieval", `0x200000000000000${k + 1}`, `${3 + k}10000`, `${4 + k}05000`, {
      "dd.source_id": source_id,
      "dd.content_hash": content_hash,
    }));
  const chat = span("chat", "0x3000000000000001", "600000", "940000", {
    "gen_ai.request.temperature": new Verbatim("0.0"),
    "gen_ai.usage.input_tokens": run.tokens.input_tokens,
    "gen_ai.usage.output_tokens": run.tokens.output_tokens,
  });
  const invocation = span("invoke_agent", root, "250000", "990000", {
    "dd.grounding_mode": run.mode,
    "dd.input_hash": contentHash(readText(run.input), "dd-input-json-v1"),
    "dd.outcome": "succeeded",
    "dd.invocation_id": run.invocation,
    "dd.agent_id": run.agent.id,
    "dd.agent_version": run.agent.version,
  }, { parent_id: null, status: { status_code: "OK" } });
  return [...retrievals, chat, invocation];
}

function listOf(copy) {
  const bytes = octets(copy);
  const pin = { sha256: sha256(bytes), bytes: bytes.length };
  return { sources: [{ snapshot_refs: [SNAPSHOT], path: COPY, id_field: "source_id", ...pin }] };
}

/** The files of a run by name. */
function files(run) {
  const cited = citations(run);
  const stored = {
    "request.json": page(request(run)),
    "spans.jsonl": spans(run, cited).map((span) => `${write(span)}\n`).join(""),
    "envelope.json": page(envelope(run, cited)),
  };
  const copy = RECORDS.map((record) => `${record}\n`).join("");
  const beside = run.mode === "retrieval" ? { [COPY]: copy, [LIST]: page(listOf(copy)) } : {};
  return { ...stored, ...verdicts(stored, beside), ...beside };
}

/** The verdicts of a run as they are stored: each as data, and its head line as text. */
function verdicts(stored, beside) {
  const { grounding, sources } = verify(stored, beside);
  return {
    "grounding.json": page(plain(grounding)),
    "grounding.txt": `${headLine(grounding)}\n`,
    "sources.json": page(plain(sources)),
    "sources.txt": `${headLine(sources)}\n`,
  };
}

function verify(stored, beside) {
  const encoded = new Map(Object.entries(stored).map(([name, text]) => [name, octets(text)]));
  if (!(LIST in beside)) return verifyRun(encoded, KIT);
  const copies = readCopies(octets(beside[LIST]), new Map([[COPY, octets(beside[COPY])]]));
  return verifyRun(encoded, KIT, { copies });
}

/** A value of the strict reader as one that the writer takes. */
function plain(value) {
  if (value instanceof JsonInteger) return Number(value.value);
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries(Array.from(value, ([name, inner]) => [name, plain(inner)]));
}

/** Nothing is written that the library itself would not find good when it reads it back. */
function prove(run, stored) {
  proveEvidence(stored["envelope.json"]);
  const beside = Object.fromEntries([COPY, LIST].filter((name) => name in stored).map((name) => [name, stored[name]]));
  const { words, codes, missing } = verify(stored, beside);
  const checked = run.mode === "retrieval" ? "verified" : "nothing-to-check";
  const expected = ["valid", "agree", "passed", checked].join();
  if (Object.values(words).join() === expected) return;
  throw new Error(`the run is ${Object.values(words)}: ${[...codes, ...missing]}`);
}

function proveEvidence(text) {
  for (const item of readText(text).get("evidence")) {
    const { verdict, codes, notes } = checkItem(item);
    if (verdict !== "verified" || notes.length > 0) throw new Error(`evidence is ${verdict}: ${[...codes, ...notes]}`);
  }
}

async function main(outdir) {
  for (const run of [RETRIEVAL, INPUT_ONLY]) {
    const folder = join(outdir, run.folder);
    const stored = files(run);
    prove(run, stored);
    await mkdir(folder, { recursive: true });
    for (const [name, text] of Object.entries(stored)) await writeFile(join(folder, name), text);
  }
}

if (process.argv.length !== 3) {
  process.stderr.write("usage: node make-runs.mjs OUTDIR\n");
  process.exit(2);
}
await main(process.argv[2]);
