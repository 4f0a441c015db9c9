/**
 * Whether request, envelope and trace of a stored run belong together (I1 to I3), and its child runs to it (D4).
 *
 * Each rule looks at a run as run.mjs reads it. What is not there is undefined, and nothing is compared with it.
 */

import { CanonicalError, contentHash } from "./canonical.mjs";
import { STATUSES } from "./facts.mjs";
import { isWithheld } from "./g0.mjs";
import { inDocumentOrder } from "./order.mjs";
import { pointer } from "./strictjson.mjs";

export const [REQUEST, ENVELOPE] = ["request.json", "envelope.json"];

/** A finding in a file of the run (verdicts.finding). */
export function inFile(code, file, ...path) {
  return { code, at: { file, pointer: pointer(path) } };
}

const onSpan = (code, span) => ({ code, at: { span: span.index, span_id: span.spanId } });

const memberOf = (value, name) => (value instanceof Map ? value.get(name) : undefined);

/** The hash of a value under a name, or null where it has none. */
function hashOrNull(value, name) {
  try {
    return contentHash(value, name);
  } catch (error) {
    if (error instanceof CanonicalError) return null;
    throw error;
  }
}

/** I1: the request is the one that was run (i1.request-shape, i1.input-hashes). */
export function* requestFindings({ request, facts, kit }) {
  if (request === undefined) return;
  const departures = kit.schemas.departures(request, REQUEST).map((path) => ({ code: "i1.request-schema", path }));
  for (const { code, path } of inDocumentOrder(departures, request, () => 0)) yield inFile(code, REQUEST, ...path);
  const input = memberOf(request, "input");
  const recorded = facts?.inputHash ?? null;
  if (input === undefined || recorded === null) return;
  const hash = hashOrNull(input, facts.inputName);
  if (hash === null) yield inFile("i1.outside-domain", REQUEST, "input");
  else if (hash !== recorded) yield inFile("i1.hash-differs", REQUEST, "input");
}

const IDS = [
  { code: "i2.invocation-id", member: "invocation_id", attribute: "dd.invocation_id" },
  { code: "i2.agent-id", member: "agent_id", attribute: "dd.agent_id" },
  { code: "i2.agent-version", member: "agent_version", attribute: "dd.agent_version" },
];

/** I2: the files name one run (i2.ids-agree). */
export function* idFindings({ request, envelope, root }) {
  const inEnvelope = (code, name) => told(memberOf(envelope, name), inFile(code, ENVELOPE, name));
  const inRequest = (code, name) => told(memberOf(request, name), inFile(code, REQUEST, name));
  for (const { code, member, attribute } of IDS) {
    const onRoot = root === undefined ? [] : told(root.attributes.get(attribute), onSpan(code, root));
    yield* departing([...inEnvelope(code, member), ...inRequest(code, member), ...onRoot]);
  }
  yield* traceIdFindings(envelope, root);
  for (const name of ["conversation_id", "parent_invocation_id"]) {
    yield* departing([...inEnvelope("i2.lineage", name), ...inRequest("i2.lineage", name)]);
  }
}

/** The root's trace id is in its normal form, the envelope's as it stands there. */
function traceIdFindings(envelope, root) {
  if (root === undefined || root.traceId === null) return [];
  const inEnvelope = told(memberOf(memberOf(envelope, "telemetry"), "trace_id"), null);
  return departing([...inEnvelope, ...told(root.traceId, onSpan("i2.trace-id", root))]);
}

/** An id that is present, with the finding that is told where it departs. */
function told(id, finding) {
  return id === undefined ? [] : [{ id, finding }];
}

/** What differs from the first; an id that is no string agrees with nothing. */
function departing([first, ...others]) {
  const agrees = ({ id }) => typeof id === "string" && id === first.id;
  return others.filter((other) => !agrees(other)).map(({ finding }) => finding);
}

/** The statuses that the gate keeps; of any other it makes `failed`. */
const KEPT_BY_GATE = new Set(["abstained", "referred", "suspended"]);

/** I3: the outcome is the recorded one, or was withheld since (i3.outcome-agrees). */
export function* outcomeFindings({ envelope, root }) {
  if (envelope === undefined || !root?.attributes.has("dd.outcome")) return;
  const recorded = root.attributes.get("dd.outcome");
  const status = memberOf(memberOf(envelope, "outcome"), "status");
  const agrees = STATUSES.has(status) && recorded === status;
  const couldBeWithheld = typeof recorded === "string" && !KEPT_BY_GATE.has(recorded);
  if (agrees || (couldBeWithheld && isWithheld(envelope))) return;
  yield onSpan("i3.outcome", root);
}

/**
 * D4: the stored child runs are the ones recorded (d4.children). A child that is cited twice is hashed once a name.
 *
 * @returns {{findings: object[], missing: string[]}}
 */
export function childFindings({ envelope, children, kit }) {
  const [findings, missing, hashes] = [[], new Set(), new Map()];
  const list = memberOf(envelope, "delegations");
  for (const [index, delegation] of (Array.isArray(list) ? list : []).entries()) {
    if (!kit.schemas.fits(delegation, "delegation.json")) continue;
    const id = delegation.get("delegated_invocation_id");
    if (!children.has(id)) missing.add(`${id}/${ENVELOPE}`);
    else {
      const codes = childCodes(delegation, children.get(id), envelope.get("invocation_id"), hashes);
      for (const code of codes) findings.push(inFile(code, ENVELOPE, "delegations", index));
    }
  }
  return { findings, missing: [...missing] };
}

function childCodes(delegation, child, parent, hashes) {
  const hash = hashOnce(child, delegation.get("canonicalisation") ?? "dd-envelope-json-v1", hashes);
  if (hash !== delegation.get("content_hash")) return ["d4.child-hash"];
  const named = memberOf(child, "parent_invocation_id");
  const codes = typeof named === "string" && named === parent ? [] : ["d4.child-parent"];
  return isRecorded(child, delegation) ? codes : [...codes, "d4.child-record"];
}

function hashOnce(child, name, hashes) {
  if (!hashes.has(child)) hashes.set(child, new Map());
  const byName = hashes.get(child);
  if (!byName.has(name)) byName.set(name, hashOrNull(child, name));
  return byName.get(name);
}

/** Whether a child run is the one that the record says. */
function isRecorded(child, delegation) {
  return [
    [memberOf(child, "invocation_id"), "delegated_invocation_id"],
    [memberOf(child, "agent_id"), "delegated_agent_id"],
    [memberOf(child, "agent_version"), "delegated_agent_version"],
    [memberOf(memberOf(child, "outcome"), "status"), "delegated_status"],
  ].every(([value, name]) => value === delegation.get(name));
}
