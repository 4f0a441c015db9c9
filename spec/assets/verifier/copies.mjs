/**
 * The list of copies and the copies themselves: octets that are believed because they hash to their pin (source check).
 *
 * The files come as octets by path, so nothing is opened here, and no copy can change between its pin and a look-up.
 */

import { contentHash } from "./canonical.mjs";
import { sha256 } from "./sha256.mjs";
import { listOfCopies } from "./shapes.mjs";
import { lines, read, ReadError } from "./strictjson.mjs";

const [LF, OPEN_LIST] = [0x0a, 0x5b];
const WHITE_SPACE = new Set([0x20, 0x09, LF, 0x0d]);

/**
 * Why a list of copies, or a copy, was refused. `code` is permanent; `stage` is "configuration"; `line` is the line of
 * the copy that is at fault, from 1, or null.
 */
export class ConfigurationError extends Error {
  constructor(code, detail, line = null) {
    super(`${detail} [${code}]`);
    this.name = "ConfigurationError";
    Object.assign(this, { code, stage: "configuration", detail, line });
  }
}

/** One record of a copy. Its hash under a name is worked out once, however often it is cited. */
class PinnedRecord {
  #hashes = new Map();

  constructor(value) {
    this.value = value;
  }

  /** As {@link contentHash} of the record. */
  hash(name) {
    if (!this.#hashes.has(name)) this.#hashes.set(name, contentHash(this.value, name));
    return this.#hashes.get(name);
  }
}

/** Copies that are proven to be the pinned ones, in the order of their list. */
export class Copies {
  #byReference = new Map();

  /**
   * @param {Array<{references: string[], sha256: string, records: Map<string, PinnedRecord>|null}>} listed `records`
   *   by their id, null where the copy was not fetched
   * @param {{content: boolean, resolved: boolean}} profile what the list asks for beyond the rules
   */
  constructor(listed = [], profile = { content: false, resolved: false }) {
    Object.assign(this, { listed, profile });
    for (const copy of listed) {
      for (const reference of copy.references) this.#byReference.set(reference, copy);
    }
  }

  /** The listed copy that a snapshot reference names, or undefined. */
  named(reference) {
    return this.#byReference.get(reference);
  }
}

/**
 * Read a list of copies and every copy it lists, in time linear in their octets. One refusal is told
 * (sources.refusals).
 *
 * @param {Uint8Array} bytes the list, in JSON
 * @param {{get(path: string): Uint8Array|undefined}} files the octets by `path`, such as a Map
 * @returns {Copies}
 * @throws {ReadError} where the list is no strict JSON
 * @throws {ConfigurationError} config.schema, config.duplicate-reference, config.path-outside, config.copy-missing,
 *   config.copy-too-long, config.pin-mismatch, config.record-unreadable, config.record-id, config.duplicate-id,
 *   config.no-record
 */
export function readCopies(bytes, files) {
  const list = read(bytes);
  if (listOfCopies(list) !== null) throw new ConfigurationError("config.schema", "the list departs from its schema");
  const entries = list.get("sources");
  refuseRepeatedReferences(entries);
  refuseOutsidePaths(entries);
  const opened = new Map();
  const listed = entries.map((entry) => ({
    references: entry.get("snapshot_refs"),
    sha256: entry.get("sha256"),
    records: entry.has("path") ? recordsOf(entry, open(entry.get("path"), files, opened)) : null,
  }));
  const asked = list.get("profile") ?? new Map();
  const isAsked = (name) => asked.get(name) === true;
  return new Copies(listed, { content: isAsked("require_content"), resolved: isAsked("require_resolved") });
}

/** sources.references-once. */
function refuseRepeatedReferences(entries) {
  const seen = new Set();
  for (const reference of entries.flatMap((entry) => entry.get("snapshot_refs"))) {
    if (seen.has(reference)) {
      throw new ConfigurationError("config.duplicate-reference", "a snapshot reference is listed twice");
    }
    seen.add(reference);
  }
}

/** sources.paths. */
function refuseOutsidePaths(entries) {
  for (const path of entries.map((entry) => entry.get("path") ?? "")) {
    if (!path.startsWith("/") && path.split("/").includes("..")) {
      throw new ConfigurationError("config.path-outside", "a relative path leaves the folder of the list");
    }
  }
}

/** A file that several entries name is hashed once and parsed once. */
function open(path, files, opened) {
  if (!opened.has(path)) {
    const bytes = files.get(path);
    if (bytes === undefined) throw new ConfigurationError("config.copy-missing", "a listed copy is not there");
    opened.set(path, { bytes, sha256: null, values: null });
  }
  return opened.get(path);
}

/** The records of a copy by their id: the pin first, then the records, then that no id stands again. */
function recordsOf(entry, file) {
  provePin(entry, file);
  const records = new Map();
  const values = [];
  let repeated;
  for (const { value, line } of file.values ?? texts(file.bytes)) {
    const id = value instanceof Map ? value.get(entry.get("id_field")) : undefined;
    if (typeof id !== "string") {
      throw new ConfigurationError("config.record-id", "a record is no object or has no string for its id", line);
    }
    if (records.has(id)) repeated ??= { line };
    records.set(id, new PinnedRecord(value));
    values.push({ value, line });
  }
  if (repeated) throw new ConfigurationError("config.duplicate-id", "two records have one id", repeated.line);
  if (records.size === 0) throw new ConfigurationError("config.no-record", "the copy holds no record");
  file.values = values;
  return records;
}

/** sources.pin. */
function provePin(entry, file) {
  if (entry.has("bytes") && file.bytes.length > entry.get("bytes").value) {
    throw new ConfigurationError("config.copy-too-long", "a copy has more octets than its entry says");
  }
  file.sha256 ??= sha256(file.bytes);
  if (file.sha256 !== entry.get("sha256")) {
    throw new ConfigurationError("config.pin-mismatch", "a copy's octets do not hash to its pin");
  }
}

/** The records of a copy in either form, each with its line where it has one of its own (sources.form). */
function* texts(bytes) {
  const first = bytes.find((octet) => !WHITE_SPACE.has(octet));
  try {
    if (first === OPEN_LIST) yield* read(bytes).map((value) => ({ value, line: null }));
    else yield* lines(bytes);
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    const line = error.line ?? lineAt(bytes, error.offset);
    throw new ConfigurationError("config.record-unreadable", error.message, line);
  }
}

function lineAt(bytes, offset) {
  return bytes.subarray(0, offset).reduce((line, octet) => line + Number(octet === LF), 1);
}
