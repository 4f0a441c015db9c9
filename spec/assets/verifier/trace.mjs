/**
 * A trace: from octets to span records (trace, reading).
 *
 * What is wrong inside one span is a fault of that span, a G0 code, and the span stays with the malformed part absent.
 * What keeps the file from being read as spans is a {@link ReadError}.
 */

import { attributeList } from "./otlpvalues.mjs";
import { JsonInteger, lines, read, ReadError } from "./strictjson.mjs";
import { instant, ruleTime } from "./times.mjs";

/** How many spans a trace may have (trace, limit). */
export const SPANS = 100_000;

const [SPAN_DIGITS, TRACE_DIGITS] = [16, 32];
const LATEST = 2n ** 64n - 1n;
const [LF, CR, TAB, SPACE] = [0x0a, 0x0d, 0x09, 0x20];
const TO_JSON_STATUSES = new Map([["UNSET", "unset"], ["OK", "ok"], ["ERROR", "error"]]);
const OTLP_STATUSES = new Map([
  ["0", "unset"], ["1", "ok"], ["2", "error"],
  ["STATUS_CODE_UNSET", "unset"], ["STATUS_CODE_OK", "ok"], ["STATUS_CODE_ERROR", "error"],
]);

/**
 * One span as the rules read it. What is absent or malformed is null: `name`, the normalised ids, `start` and `end`
 * in nanoseconds, `startTime` and `endTime` in rule time. `status` is unset, ok or error; `attributes` is a Map;
 * `faults` are the G0 codes of what is malformed; `index` counts from 0 in the file.
 */
export class SpanRecord {
  constructor(index, members, faults) {
    Object.assign(this, members, { index, faults });
    this.startTime = this.start === null ? null : ruleTime(this.start);
    this.endTime = this.end === null ? null : ruleTime(this.end);
  }
}

/**
 * Read a trace in either form.
 *
 * @param {Uint8Array} bytes the whole file
 * @returns {SpanRecord[]} in file order, at least one
 * @throws {ReadError} as strict reading, and read.not-a-trace, read.too-many-spans, read.base64-id
 */
export function readTrace(bytes) {
  const spans = [];
  for (const text of texts(bytes)) {
    for (const [form, span] of spansOf(text)) {
      if (spans.length === SPANS) throw refusal("read.too-many-spans", `the trace has more than ${SPANS} spans`);
      spans.push(record(spans.length, span, form));
    }
  }
  if (spans.length === 0) throw refusal("read.not-a-trace", "there is no span in the trace");
  return spans;
}

/** The texts of the file: its lines, or the whole of it where the first line is no JSON text. */
function* texts(bytes) {
  const rest = lines(withoutEmptyEnd(bytes));
  let next = firstOf(rest);
  if (next.done) yield read(bytes);
  for (; !next.done; next = rest.next()) yield next.value.value;
}

function firstOf(iterator) {
  try {
    return iterator.next();
  } catch (error) {
    if (error instanceof ReadError) return { done: true };
    throw error;
  }
}

/** The file up to the end of its last line that is not white space alone. */
function withoutEmptyEnd(bytes) {
  let last = bytes.length - 1;
  while (last >= 0 && [LF, CR, TAB, SPACE].includes(bytes[last])) last -= 1;
  const feed = last < 0 ? 0 : bytes.indexOf(LF, last);
  return bytes.subarray(0, feed < 0 ? bytes.length : feed);
}

/** The spans of one text, each with its form, in document order. */
function* spansOf(text) {
  if (!(text instanceof Map)) throw notATrace();
  if (!text.has("resourceSpans")) {
    if (!text.has("context")) throw notATrace();
    yield [TO_JSON, text];
    return;
  }
  for (const resource of objects(text, "resourceSpans")) {
    for (const scope of objects(resource, "scopeSpans")) {
      for (const span of objects(scope, "spans")) yield [OTLP, span];
    }
  }
}

/** The objects of a list of objects; an absent list is empty. */
function* objects(parent, name) {
  const list = parent.has(name) ? parent.get(name) : [];
  if (!Array.isArray(list)) throw notATrace();
  for (const item of list) {
    if (!(item instanceof Map)) throw notATrace();
    yield item;
  }
}

/** The members of a span as the two forms have them, raw where both forms check them alike. */
const TO_JSON = {
  ids(span) {
    const context = span.get("context") instanceof Map ? span.get("context") : new Map();
    return [context.get("span_id"), context.get("trace_id")];
  },
  parent(span) {
    const id = span.get("parent_id") ?? null;
    return id === null ? null : spanId(id);
  },
  times: (span) => [span.get("start_time"), span.get("end_time")],
  time: (value) => (typeof value === "string" ? instant(value) : null),
  status: (span) => statusOf(span, "status_code", TO_JSON_STATUSES, (code) => code),
  attributes(span) {
    const attributes = span.get("attributes");
    const good = attributes instanceof Map;
    return { attributes: good ? attributes : new Map(), good };
  },
};

const OTLP = {
  ids: (span) => [span.get("spanId"), span.get("traceId")],
  parent(span) {
    const id = span.get("parentSpanId") ?? "";
    return typeof id === "string" && /^(?:0x)?0*$/.test(id) ? null : spanId(id);
  },
  times: (span) => [span.get("startTimeUnixNano"), span.get("endTimeUnixNano")],
  time: unixNanoseconds,
  status: (span) => statusOf(span, "code", OTLP_STATUSES, otlpStatusCode),
  attributes: (span) => attributeList(span.has("attributes") ? span.get("attributes") : []),
};

/** One span record; every malformed part is a fault and absent. An id refused as base64 refuses the file. */
function record(index, span, form) {
  const faults = new Set();
  const or = (value, absent, code) => {
    if (value !== undefined && value !== null) return value;
    faults.add(code);
    return absent;
  };
  const [rawSpanId, rawTraceId] = form.ids(span);
  const parent = form.parent(span);
  const [rawStart, rawEnd] = form.times(span);
  const { attributes, good } = form.attributes(span);
  if (!good) faults.add("g0.attributes");
  const members = {
    name: or(typeof span.get("name") === "string" ? span.get("name") : null, null, "g0.span-name"),
    spanId: or(spanId(rawSpanId), null, "g0.span-id"),
    parentId: parent === null ? null : or(parent, null, "g0.span-id"),
    traceId: or(normalised(rawTraceId, TRACE_DIGITS), null, "g0.trace-id"),
    start: or(form.time(rawStart), null, "g0.time"),
    end: endOf(rawEnd, form, faults),
    status: or(form.status(span), "unset", "g0.span-status"),
    attributes,
  };
  if (members.start !== null && members.end !== null && members.end < members.start) faults.add("g0.end-before-start");
  return new SpanRecord(index, members, faults);
}

/** The end of a span; one that is absent or null, or zero in OTLP/JSON, has not ended. */
function endOf(value, form, faults) {
  const end = value === undefined || value === null ? undefined : form.time(value);
  const isUnended = end === undefined || (form === OTLP && end === 0n);
  if (isUnended) faults.add("g0.unended-span");
  else if (end === null) faults.add("g0.time");
  return isUnended ? null : end;
}

const spanId = (value) => normalised(value, SPAN_DIGITS);

/** An id after normalisation, or undefined where it is malformed (trace, ids). */
function normalised(value, digits) {
  if (typeof value !== "string") return undefined;
  if ((value.length === 12 || value.length === 24) && /^[A-Za-z0-9+/]+={1,2}$/.test(value)) {
    throw refusal("read.base64-id", "an id is base64, as generic protobuf JSON writes it; OTLP/JSON has hexadecimal");
  }
  const hexadecimal = value.startsWith("0x") ? value.slice(2) : value;
  if (!/^[0-9A-Fa-f]+$/.test(hexadecimal) || hexadecimal.length > digits || /^0+$/.test(hexadecimal)) return undefined;
  return hexadecimal.toLowerCase().padStart(digits, "0");
}

/** Nanoseconds since 1970 as decimal digits, a string or an integer, within the 64 bits that OTLP has for them. */
function unixNanoseconds(value) {
  const digits = value instanceof JsonInteger ? value.digits : value;
  if (typeof digits !== "string" || !/^0*[0-9]{1,20}$/.test(digits)) return null;
  const time = BigInt(digits.slice(-20));
  return time <= LATEST ? time : null;
}

function statusOf(span, member, statuses, nameOf) {
  if (!span.has("status")) return "unset";
  const status = span.get("status");
  if (!(status instanceof Map)) return undefined;
  return status.has(member) ? statuses.get(nameOf(status.get(member))) : "unset";
}

/** An integer as its digits; a string of digits is no status. */
function otlpStatusCode(code) {
  if (code instanceof JsonInteger) return code.digits;
  return typeof code === "string" && code.startsWith("STATUS_CODE_") ? code : undefined;
}

function notATrace() {
  return refusal("read.not-a-trace", "a text of the trace is no span, neither of to_json nor of OTLP/JSON");
}

function refusal(code, detail) {
  return new ReadError(code, "parse", null, null, detail);
}
