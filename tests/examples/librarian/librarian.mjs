// Looks a bell up in a file of its own and answers from the record: Node.js over stdio, mode "retrieval".
// It needs nothing but Node: the agent protocol is one line in, one line out.

import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const SNAPSHOT = "snapshot:bells-2026-10-01";

// One line comes in: all that this agent gets of the run.
const lines = createInterface({ input: process.stdin });
const host = JSON.parse((await lines[Symbol.asyncIterator]().next()).value);
lines.close();
const wanted = JSON.parse(host.request).input.bell;
const [, traceId, rootId] = host.traceparent.split("-");

// The form "jcs-safe" of a flat record of strings and small integers: names sorted by code units, no white space.
function canonical(record) {
  return `{${Object.keys(record).sort().map((name) => `${JSON.stringify(name)}:${JSON.stringify(record[name])}`).join(",")}}`;
}

// A span as OpenTelemetry's to_json writes it, with microseconds.
const now = () => performance.timeOrigin + performance.now();
function time(milliseconds) {
  const microseconds = Math.floor(milliseconds * 1000);
  const fraction = String(microseconds % 1e6).padStart(6, "0");
  return new Date(Math.floor(microseconds / 1e6) * 1000).toISOString().replace(/\.000Z$/, `.${fraction}Z`);
}
function span(name, started, ended, attributes) {
  return JSON.stringify({
    name,
    context: { trace_id: `0x${traceId}`, span_id: `0x${randomBytes(8).toString("hex")}` },
    parent_id: `0x${rootId}`,
    start_time: time(started),
    end_time: time(ended),
    status: { status_code: "UNSET" },
    attributes,
  });
}

const started = now();
const records = readFileSync(new URL("../bells.jsonl", import.meta.url), "utf8").trim().split("\n").map((line) => JSON.parse(line));
const found = records.find((record) => record.source_id === wanted);
const spans = [];
let result;
if (found === undefined) {
  spans.push(span("retrieval", started, now(), {}));
  result = { status: "abstained", statement: "The list has no such bell.", reason_code: "not-found", evidence: [] };
} else {
  const content_hash = createHash("sha256").update(canonical(found)).digest("hex");
  spans.push(span("retrieval", started, now(), { "dd.source_id": wanted, "dd.content_hash": content_hash }));
  const citation = { source_id: wanted, content_hash };
  if (process.argv.includes("--invent")) {
    citation.source_id = "bell:tarnhow/seventh"; // what no retrieval of this run declared
  }
  result = {
    status: "succeeded",
    statement: `${found.name} was cast by ${found.founder}.`,
    payload: { schema_class: "BellAnswer", grounded_on: [citation], bell: wanted, answer: String(found.cast) },
    evidence: [
      {
        source_id: wanted,
        hash_algorithm: "sha256",
        canonicalisation: "jcs-document-v1",
        content_hash,
        content: found,
        snapshot_ref: SNAPSHOT,
      },
    ],
  };
}
process.stdout.write(`${JSON.stringify({ op: "result", result: JSON.stringify(result), spans })}\n`);
