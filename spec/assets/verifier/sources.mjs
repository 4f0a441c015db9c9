/**
 * The source check, S1 to S3: what pinned copies say of the evidence of an envelope. Nothing is fetched.
 *
 * Every item is judged by itself. What no copy can be asked about is unresolved, which is no violation and no pass.
 */

import { CANONICALISATIONS, CanonicalError, covers } from "./canonical.mjs";
import { checkItem } from "./evidence.mjs";
import { judgedHash, verdictDocument } from "./verdicts.mjs";

/** The modes in which a citation of the input or of a child run is held to the conductor's own hash. */
const MODES_OF_CONDUCTOR = new Set(["input_only", "none", "delegation"]);
const SCHEMES_OF_CONDUCTOR = ["input:", "invocation:"];

/** What a finding points at within its item, where that is not the item itself (sources.places). */
const PLACES = new Map([["s2.unknown-canonicalisation", "/canonicalisation"], ["s2.content-differs", "/content"]]);

/**
 * Hold the evidence of an envelope to pinned copies.
 *
 * @param envelope a value of the strict reader, whatever it is
 * @param {import("./copies.mjs").Copies} copies
 * @param {{content: boolean, resolved: boolean}} [profile] what is asked beyond the rules, by default by the list
 * @returns {Map} a source verdict as data, `sources/1` (verdicts.sources)
 */
export function checkSources(envelope, copies, profile = copies.profile) {
  const evidence = evidenceOf(envelope);
  const items = evidence?.map((item) => judge(item, copies, envelope.get("grounding_mode"))) ?? [];
  const violations = evidence === null ? [malformed(envelope)] : violationsIn(items, profile);
  const ids = (standing) => items.filter((item) => item.standing === standing).map(({ id }) => id);
  const [verified, skipped] = [ids("verified"), ids("skipped")];
  const unresolved = items.filter(({ standing }) => standing === "unresolved").map(({ told }) => told);
  return verdictDocument({
    format: "sources/1",
    judged_hash: judgedHash(envelope),
    status: statusOf(violations, unresolved, verified),
    profile: { require_content: profile.content, require_resolved: profile.resolved },
    copies: consulted(items, copies),
    verified,
    unresolved,
    violations,
    skipped,
  });
}

/** The source verdict where there is no envelope to judge (runs.missing). */
export function uncheckedSources({ profile }) {
  return verdictDocument({
    format: "sources/1",
    judged_hash: null,
    status: "unchecked",
    profile: { require_content: profile.content, require_resolved: profile.resolved },
    copies: [],
    verified: [],
    unresolved: [],
    violations: [],
    skipped: [],
  });
}

/** The list of evidence, empty where it is absent; null where there is no list to judge (sources.malformed). */
function evidenceOf(envelope) {
  if (!(envelope instanceof Map)) return null;
  const list = envelope.has("evidence") ? envelope.get("evidence") : [];
  return Array.isArray(list) ? list : null;
}

function malformed(envelope) {
  return { code: "s1.malformed", at: { pointer: envelope instanceof Map ? "/evidence" : "" } };
}

/**
 * One item: how it stands (verified, unresolved, skipped, or null), the code of what violates S1 or S2, whether it
 * carries content, and what it names.
 */
function judge(item, copies, mode) {
  const shown = checkItem(item);
  if (shown.codes.includes("e1.malformed-item")) return { standing: null, code: "s1.malformed", carries: true };
  const [id, reference] = [item.get("source_id"), item.get("snapshot_ref") ?? null];
  const same = { id, reference, carries: item.has("content") };
  const ofConductor = SCHEMES_OF_CONDUCTOR.some((scheme) => id.startsWith(scheme));
  if (ofConductor && MODES_OF_CONDUCTOR.has(mode)) return { ...same, reference: null, standing: "skipped" };
  const copy = reference === null ? undefined : copies.named(reference);
  const why = whyUnresolved(reference, copy);
  if (why !== null) return { ...same, standing: "unresolved", told: { ref: id, snapshot_ref: reference, why } };
  const code = departure(item, copy.records.get(id), shown);
  return code === null ? { ...same, standing: "verified" } : { ...same, standing: null, code };
}

/** sources.unresolved. */
function whyUnresolved(reference, copy) {
  if (reference === null) return "no-snapshot-ref";
  if (copy === undefined) return "not-listed";
  return copy.records === null ? "not-fetched" : null;
}

/** How an item departs from the record that the pinned copy holds under its id (S1 and S2), or null. */
function departure(item, record, shown) {
  if (record === undefined) return "s1.record-missing";
  const name = item.get("canonicalisation");
  if (!CANONICALISATIONS.includes(name)) return "s2.unknown-canonicalisation";
  try {
    if (record.hash(name) !== item.get("content_hash")) return "s2.hash-differs";
    if (!covers(record.value, name)) return "s2.nothing-covered";
  } catch (error) {
    if (!(error instanceof CanonicalError)) throw error;
    return "s2.outside-domain";
  }
  return shown.verdict === "failed" ? "s2.content-differs" : null;
}

/** The findings, item by item; S3 comes after what violates S1 or S2, and speaks where the profile asks for it. */
function violationsIn(items, profile) {
  return items.flatMap(({ code, carries }, index) => {
    const codes = code === undefined ? [] : [code];
    if (profile.content && !carries) codes.push("s3.content-missing");
    return codes.map((found) => ({ code: found, at: { pointer: `/evidence/${index}${PLACES.get(found) ?? ""}` } }));
  });
}

/** sources.verdict. */
function statusOf(violations, unresolved, verified) {
  if (violations.length > 0) return "failed";
  if (unresolved.length > 0) return "unresolved";
  return verified.length > 0 ? "verified" : "nothing-to-check";
}

/** What was consulted: the fetched copies that an item names, each with the references by which it was named. */
function consulted(items, { listed }) {
  const named = new Set(items.map(({ reference }) => reference));
  return listed
    .filter(({ records }) => records !== null)
    .map(({ references, sha256 }) => ({ snapshot_refs: references.filter((one) => named.has(one)), sha256 }))
    .filter(({ snapshot_refs }) => snapshot_refs.length > 0);
}
