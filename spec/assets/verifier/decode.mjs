/**
 * From octets to text, and what a refusal is (strict JSON, encoding and limits).
 *
 * No dependencies and nothing of Node: browsers load this file as it is.
 */

/** The normative limits (strict JSON, limits): octets of a text, levels of nesting, characters of a number. */
export const LIMITS = Object.freeze({ document: 64 * 1024 * 1024, depth: 64, number: 1100 });

/**
 * Why a text was refused. `code` is permanent; `stage` is "decode" or "parse"; `offset` counts octets from the start;
 * `pointer` is the JSON Pointer of the value being read, or null where none exists; `line` is set by {@link lines}.
 */
export class ReadError extends Error {
  constructor(code, stage, offset, pointer, detail) {
    super(`${detail} [${code}]`);
    this.name = "ReadError";
    Object.assign(this, { code, stage, offset, pointer, detail, line: null });
  }
}

/** Octets to text (strict JSON, encoding): size, then other encodings, then the mark, then UTF-8. */
export function decode(bytes) {
  const refuse = (code, offset, detail) => {
    throw new ReadError(code, "decode", offset, null, detail);
  };
  const [first, second, third] = bytes;
  if (bytes.length > LIMITS.document) {
    refuse("read.document-too-large", LIMITS.document, `the text has more than ${LIMITS.document} bytes`);
  }
  const utf16Mark = (first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe);
  if (utf16Mark || first === 0 || second === 0) {
    refuse("read.other-encoding", 0, "the text is UTF-16 or UTF-32");
  }
  if (first === 0xef && second === 0xbb && third === 0xbf) {
    refuse("read.byte-order-mark", 0, "the text begins with a byte-order mark");
  }
  const wrong = firstIllFormed(bytes);
  if (wrong >= 0) refuse("read.invalid-utf8", wrong, "the bytes here are not UTF-8");
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Where the first ill-formed UTF-8 sequence begins, or -1. Overlong forms and surrogates are ill-formed. */
function firstIllFormed(bytes) {
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at];
    if (lead < 0x80) {
      at += 1;
      continue;
    }
    const length = sequenceLength(lead);
    if (length === 0 || !secondFits(lead, bytes[at + 1])) return at;
    for (let k = 2; k < length; k += 1) {
      if ((bytes[at + k] & 0xc0) !== 0x80) return at;
    }
    at += length;
  }
  return -1;
}

function sequenceLength(lead) {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

function secondFits(lead, second) {
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  return second >= low && second <= high;
}
