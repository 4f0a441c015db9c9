/**
 * The order of resolvers: what can be computed comes before what is judged (O1 to O3).
 */

import { listed, sortedSet } from "./order.mjs";

/**
 * @param record a value of the strict reader
 * @param {import("./schema.mjs").Schemas} schemas with `evaluation-record.json`
 * @param {Map} vocabulary of `schemas/evidence-vocabulary.json`
 */
export function checkOrder(record, schemas, vocabulary) {
  if (schemas.departures(record, "evaluation-record.json").length > 0) {
    return { verdict: "fail", stage: "schema", codes: ["schema.evaluation-record"] };
  }
  const known = new Map(vocabulary.get("resolvers").map((entry) => [entry.get("id"), entry]));
  const classOf = (name) => Number(known.get(name).get("order_class").value);
  const log = record.get("log") ?? [];
  const findings = [];
  const find = (code, pointer) => findings.push({ code, pointer });

  (record.get("predicates") ?? []).forEach((predicate, index) => {
    let reached = 0;
    predicate.get("resolvers").forEach((name, position) => {
      const pointer = `/predicates/${index}/resolvers/${position}`;
      if (!known.has(name)) return find("o1.unknown-resolver", pointer);
      if (classOf(name) < reached) find("o1.decreasing", pointer);
      reached = Math.max(reached, classOf(name));
    });
  });
  log.forEach((entry, index) => {
    if (!known.has(entry.get("resolver"))) find("o1.unknown-resolver", `/log/${index}/resolver`);
  });

  const computed = computedBefore(log, (name) => known.has(name) && classOf(name) === 0);
  log.forEach((entry, index) => {
    entry.get("established").forEach((fact, position) => {
      if (computed[index].has(fact)) find("o2.decided-again", `/log/${index}/established/${position}`);
    });
  });
  log.forEach((entry, index) => {
    if (known.get(entry.get("resolver"))?.get("kind") !== "semantic") return;
    entry.get("asked").forEach((fact, position) => {
      const isOpen = entry.get("open_before").includes(fact) && !computed[index].has(fact);
      if (!isOpen) find("o3.not-open", `/log/${index}/asked/${position}`);
    });
  });
  return { verdict: findings.length > 0 ? "fail" : "pass", codes: sortedSet(findings.map(({ code }) => code)), findings: listed(findings) };
}

/** For every entry what had been computed for its claim before it, in the order of `seq`. */
function computedBefore(log, isComputing) {
  const established = new Map();
  const before = [];
  const inTime = log.map((entry, index) => [Number(entry.get("seq").value), index]).sort((one, other) => one[0] - other[0]);
  for (const [, index] of inTime) {
    const entry = log[index];
    const mine = established.get(entry.get("claim")) ?? new Set();
    established.set(entry.get("claim"), mine);
    before[index] = new Set(mine);
    if (isComputing(entry.get("resolver"))) entry.get("established").forEach((fact) => mine.add(fact));
  }
  return before;
}
