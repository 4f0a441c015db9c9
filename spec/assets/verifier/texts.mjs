/**
 * Whether a text is what and where its ref says (P8). Places are counted in code points, not in UTF-16 units.
 */

import { whole } from "./scope.mjs";
import { sha256 } from "./sha256.mjs";

const DOTLESS_I = "\u0131";

const digestOf = (text) => sha256(new TextEncoder().encode(text));
const pointsOf = (text) => Array.from(text);

/** Full default case folding, as near as the platform has it; texts are compared by it and not shown. */
function fold(text) {
  const lower = (points) => pointsOf(points).map((point) => point.toLowerCase()).join("");
  return pointsOf(text).map((point) => (point === DOTLESS_I ? point : lower(lower(point).toUpperCase()))).join("");
}

/** What the record holds of a source. */
class Source {
  #text;
  #stated;
  #computed;
  #points;

  constructor(document) {
    this.#text = document.get("text");
    this.#stated = document.get("sha256");
  }

  /** The hash of its text where the record has it, else the stated one. */
  get digest() {
    if (this.#text !== undefined) this.#computed ??= digestOf(this.#text);
    return this.#computed ?? this.#stated;
  }

  /** Its text as characters, undefined where the record does not have it. */
  get points() {
    if (this.#text !== undefined) this.#points ??= pointsOf(this.#text);
    return this.#points;
  }
}

/**
 * @param {Map} record
 * @returns {Array<{code: string, pointer: string}>}
 */
export function checkTexts(record) {
  const sources = new Map((record.get("sources") ?? []).map((source) => [source.get("id"), new Source(source)]));
  return record.get("refs").flatMap((ref, index) => {
    const found = [...wrongHash(ref), ...wrongPlace(ref, sources)];
    return found.map(([code, member]) => ({ code, pointer: `/refs/${index}/${member}` }));
  });
}

function wrongHash(ref) {
  const isStated = ref.has("text") && ref.has("text_sha256");
  return isStated && digestOf(ref.get("text")) !== ref.get("text_sha256") ? [["p8.text-hash", "text_sha256"]] : [];
}

function wrongPlace(ref, sources) {
  const source = sources.get(ref.get("source_ref"));
  const ofSource = source === undefined ? [] : wrongSource(ref, source);
  if (!ref.has("char_start") || !ref.has("char_end")) return ofSource;
  const [start, end] = [whole(ref.get("char_start")), whole(ref.get("char_end"))];
  const isLong = !ref.has("text") || BigInt(pointsOf(ref.get("text")).length) === end - start;
  if (end < start || !isLong) return [["p8.text-length", "char_end"], ...ofSource];
  return source === undefined ? [] : [...ofSource, ...wrongWords(ref, source, start, end)];
}

function wrongSource(ref, { digest }) {
  const differs = ref.has("source_sha256") && digest !== undefined && digest !== ref.get("source_sha256");
  return differs ? [["p8.source-hash", "source_sha256"]] : [];
}

function wrongWords(ref, { points }, start, end) {
  if (points === undefined) return [];
  if (end > points.length) return [["p8.outside-source", "char_end"]];
  if (!ref.has("text")) return [];
  const there = points.slice(Number(start), Number(end)).join("");
  const read = ref.get("anchor") === "casefold" ? fold : (text) => text;
  return read(ref.get("text")) === read(there) ? [] : [["p8.text-differs", "text"]];
}
