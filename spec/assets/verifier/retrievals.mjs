/**
 * What a retrieval declares: the pairs of id and hash it says were retrieved (trace, retrieved pair and documents).
 */

import { read, ReadError } from "./strictjson.mjs";

const DOCUMENTS = "gen_ai.retrieval.documents";

/** Whether a value is a SHA-256 in lower-case hexadecimal. */
export function isDigest(value) {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

/** A pair of id and hash as one string, equal exactly where both are. */
export function pairOf(sourceId, contentHash) {
  return contentHash + sourceId;
}

/**
 * Read what a retrieval span declares.
 *
 * @returns {{pairs: string[], empty: boolean, good: boolean, unhashed: boolean}} its pairs, none where it is ill typed;
 *   whether it is an empty retrieval, whether it is well typed, and whether a document has no hash
 */
export function declared(span) {
  if (span.status === "error") return { pairs: [], empty: true, good: true, unhashed: false };
  const own = ownPair(span.attributes);
  const documents = documentsOf(span.attributes);
  const good = own.good && documents.good;
  const pairs = good ? [...(own.pair === null ? [] : [own.pair]), ...documents.pairs] : [];
  return { pairs, empty: good && pairs.length === 0, good, unhashed: documents.unhashed };
}

function ownPair(attributes) {
  const [id, hash] = [attributes.get("dd.source_id"), attributes.get("dd.content_hash")];
  const absent = !attributes.has("dd.source_id") && !attributes.has("dd.content_hash");
  const complete = isSourceId(id) && isDigest(hash);
  return { pair: complete ? pairOf(id, hash) : null, good: absent || complete };
}

function isSourceId(value) {
  return typeof value === "string" && value !== "";
}

/** The documents of a span; one that is malformed makes all of them so. */
function documentsOf(attributes) {
  const found = { pairs: [], good: true, unhashed: false };
  const malformed = { pairs: [], good: false, unhashed: false };
  if (!attributes.has(DOCUMENTS)) return found;
  const list = listOf(attributes.get(DOCUMENTS));
  if (list === null) return malformed;
  for (const document of list) {
    const [id, hash] = document instanceof Map ? [document.get("id"), document.get("dd.content_hash")] : [];
    if (!isSourceId(id)) return malformed;
    if (!document.has("dd.content_hash")) found.unhashed = true;
    else if (isDigest(hash)) found.pairs.push(pairOf(id, hash));
    else return malformed;
  }
  return found;
}

/** A list, or the list that a string holds; else null. */
function listOf(value) {
  const list = typeof value === "string" ? readOrNull(value) : value;
  return Array.isArray(list) ? list : null;
}

function readOrNull(text) {
  try {
    return read(new TextEncoder().encode(text));
  } catch (error) {
    if (error instanceof ReadError) return null;
    throw error;
  }
}
