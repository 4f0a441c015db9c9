/**
 * Who decided a claim, by the log of the record (A1).
 */

import { whole } from "./scope.mjs";

const GRAPH_RULE = "eio.resolver.graph-rule";

/** The sorts of decision, null where nobody known decided. A rule is as good as the weakest fact that it rests on. */
const WEAKEST_FIRST = [null, "semantic", "human", "deterministic"];

/** Who decided each claim of a record. */
export class Deciders {
  #kinds;
  #sorts = new Map();
  #evaluators = new Map();
  #judged = new Set();

  /**
   * @param {Map} record that satisfies its schema
   * @param {Map} vocabulary of `schemas/evidence-vocabulary.json`
   */
  constructor(record, vocabulary) {
    this.#kinds = new Map(vocabulary.get("resolvers").map((resolver) => [resolver.get("id"), resolver.get("kind")]));
    const facts = new Map();
    for (const entry of inTime(record.get("log") ?? [])) {
      if (entry.get("established").length === 0) continue;
      const claim = entry.get("claim");
      if (!facts.has(claim)) facts.set(claim, new Map());
      const sort = this.#sortOf(entry, facts.get(claim));
      for (const fact of entry.get("established")) facts.get(claim).set(fact, sort);
      this.#sorts.set(claim, sort);
      if (sort === "semantic") this.#judged.add(claim);
      this.#note(entry);
    }
  }

  /**
   * @param {Map} claim
   * @returns {{decided_by: string|null, basis: "log"|"declared"}}
   */
  of(claim) {
    const id = claim.get("id");
    if (!this.#sorts.has(id)) return { decided_by: claim.get("decided_by"), basis: "declared" };
    return { decided_by: this.#sorts.get(id), basis: "log" };
  }

  /** The evaluators that the semantic entries of a claim's log name. */
  evaluators(claim) {
    return this.#evaluators.get(claim.get("id")) ?? [];
  }

  #sortOf(entry, facts) {
    const resolver = entry.get("resolver");
    if (resolver !== GRAPH_RULE || entry.get("asked").length === 0) {
      const kind = this.#kinds.get(resolver) ?? null;
      return kind === "deterministic" && this.#judged.has(entry.get("claim")) ? "semantic" : kind;
    }
    const ranks = entry.get("asked").map((fact) => WEAKEST_FIRST.indexOf(facts.get(fact) ?? null));
    return WEAKEST_FIRST[ranks.reduce((one, other) => Math.min(one, other), WEAKEST_FIRST.length - 1)];
  }

  #note(entry) {
    if (this.#kinds.get(entry.get("resolver")) !== "semantic") return;
    const claim = entry.get("claim");
    this.#evaluators.set(claim, [...(this.#evaluators.get(claim) ?? []), ...(entry.get("evaluators") ?? [])]);
  }
}

/** The entries of a log by `seq`, equal ones in the order of the list. */
function inTime(log) {
  const keyed = log.map((entry) => ({ entry, seq: whole(entry.get("seq")) }));
  keyed.sort((one, other) => Number(one.seq > other.seq) - Number(one.seq < other.seq));
  return keyed.map(({ entry }) => entry);
}
