/**
 * Where the evidence of a claim has to lie, and which of it counts (contracts, what counts).
 */

import { JsonFloat, JsonInteger } from "./strictjson.mjs";

const ABSENCE = "TYPED_ABSENCE";

/** A whole number of a record as a BigInt: `1` and `1.0` are one turn. */
export const whole = (number) => BigInt(number.value);

/** Whether a value of the strict reader is a whole number; `true` is none. */
const isWhole = (value) =>
  value instanceof JsonInteger || (value instanceof JsonFloat && Number.isInteger(value.value));

const turnsOf = (numbers) => new Set(numbers.map(whole));
const isWithin = (turns, others) => [...turns].every((turn) => others.has(turn));
const union = (sets) => new Set(sets.flatMap((set) => [...set]));

/** A scope: the turns in which refs lie, null for every turn, and those that an absence has to name. */
const limitedTo = (turns) => ({ turns, searched: turns });
const everyTurn = (searched) => ({ turns: null, searched });

const SCOPES = new Map([
  ["turn", ({ turns }) => (turns.size === 1 ? limitedTo(turns) : null)],
  ["episode", ({ turns, episodes }) => {
    const holding = episodes.filter((candidate) => isWithin(turns, candidate));
    const least = Math.min(...holding.map(({ size }) => size));
    const episode = holding.find(({ size }) => size === least);
    return turns.size === 0 || episode === undefined ? null : limitedTo(episode);
  }],
  ["paired-episode", ({ turns, episodes }) => {
    const touched = episodes.filter((episode) => [...turns].some((turn) => episode.has(turn)));
    const both = union(touched);
    return touched.length === 2 && isWithin(turns, both) ? limitedTo(both) : null;
  }],
  ["run", ({ episodes, named }) => everyTurn(episodes.length > 0 ? union(episodes) : named)],
]);

/** Which refs of a record count for a claim. */
export class Counting {
  #refs;
  #episodes;
  #named;
  #needTurn;
  #vocabulary;

  /**
   * @param {Map} record
   * @param {import("./witness.mjs").Vocabulary} vocabulary
   * @param {Set<string>} needTurn the kinds that have to have a turn
   */
  constructor(record, vocabulary, needTurn) {
    const refs = record.get("refs");
    this.#refs = new Map();
    for (const ref of refs) this.#refs.set(ref.get("id"), this.#refs.has(ref.get("id")) ? null : ref);
    this.#episodes = (record.get("episodes") ?? []).map((episode) => turnsOf(episode.get("turns")));
    const turned = refs.filter((ref) => ref.has("turn_index")).map((ref) => ref.get("turn_index"));
    this.#named = turnsOf([...turned, ...record.get("claims").flatMap((claim) => claim.get("turn_indices"))]);
    this.#needTurn = needTurn;
    this.#vocabulary = vocabulary;
  }

  /** Whether one ref, and no other, has an id. */
  has(id) {
    return Boolean(this.#refs.get(id));
  }

  /**
   * @param {Map} claim
   * @param {string} [name] of the scope, where one is stated
   * @returns {{hasScope: boolean, cited: Map[], counting: Map[]}} `cited` is what would count wherever it lay
   */
  of(claim, name) {
    const ids = [...new Set(claim.get("evidence"))];
    const found = ids.map((id) => this.#refs.get(id)).filter(Boolean);
    const cited = found.filter((ref) => this.#isOfItsKind(ref));
    const scope = this.#scope(claim, name);
    if (scope === null) return { hasScope: false, cited, counting: [] };
    const counting = cited.filter((ref) => this.#lies(ref, scope));
    return { hasScope: true, cited, counting: name === "artifact" ? ofOneArtifact(counting, found) : counting };
  }

  #isOfItsKind(ref) {
    return this.#vocabulary.isCompatible(ref.get("kind"), ref.get("source_type"));
  }

  #scope(claim, name) {
    const turns = turnsOf(claim.get("turn_indices"));
    const find = SCOPES.get(name) ?? (() => everyTurn(turns));
    return find({ turns, episodes: this.#episodes, named: this.#named });
  }

  #lies(ref, { turns, searched }) {
    if (ref.get("kind") === ABSENCE && !isWithin(searched, turnsSearched(ref))) return false;
    if (!ref.has("turn_index")) return !this.#needTurn.has(ref.get("kind"));
    return turns === null || turns.has(whole(ref.get("turn_index")));
  }
}

/** The turns that an absence names. */
function turnsSearched(ref) {
  const inputs = ref.get("inputs");
  const named = inputs instanceof Map ? inputs.get("turns") : undefined;
  return Array.isArray(named) ? turnsOf(named.filter(isWhole)) : new Set();
}

/** Without the words of the agent that are of another artifact than the first that are cited, counting or not. */
function ofOneArtifact(counting, cited) {
  const isWords = (ref) => ref.get("kind") === "AGENT_SPAN";
  const first = cited.find(isWords);
  const isSame = (ref) => ["source_ref", "source_sha256"].every((name) => ref.get(name) === first.get(name));
  return counting.filter((ref) => !isWords(ref) || isSame(ref));
}
