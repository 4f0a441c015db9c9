/**
 * What the adapter computes for each kind of case, from its named inputs.
 */

import { readdirSync, readFileSync } from "node:fs";
import { stages } from "../../../spec/assets/verifier/canonical.mjs";
import { checkContract } from "../../../spec/assets/verifier/contract.mjs";
import { checkItem } from "../../../spec/assets/verifier/evidence.mjs";
import { lint as lintRun } from "../../../spec/assets/verifier/lint.mjs";
import { Profiles } from "../../../spec/assets/verifier/profiles.mjs";
import { Schemas } from "../../../spec/assets/verifier/schema.mjs";
import { read } from "../../../spec/assets/verifier/strictjson.mjs";
import { readTrace } from "../../../spec/assets/verifier/trace.mjs";

const KIT = {
  schemas: new Schemas(documents("../../../schemas/")),
  profiles: new Profiles(documents("../../../spec/profiles/").values()),
};

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

function lint(input) {
  const profile = Object.hasOwn(input, "profile") ? text(input, "profile") : undefined;
  if (profile !== undefined && !KIT.profiles.has(profile)) {
    return { verdict: "fail", stage: "usage", codes: ["usage.unknown-profile"] };
  }
  const spans = readTrace(octets(input, "spans"));
  return lintRun(spans, read(octets(input, "envelope")), KIT, profile);
}

/** The kinds of cases and how each is answered. */
export const KINDS = new Map(Object.entries({ parse, canonicalise, evidence, contract, lint }));

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
