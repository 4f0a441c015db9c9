/**
 * A conformance adapter: JSON lines in, one answer a line out. It reports what the library computed and never sees
 * what is expected. README.md says how to run it.
 */

import { CanonicalError } from "../../../spec/assets/verifier/canonical.mjs";
import { ConfigurationError } from "../../../spec/assets/verifier/copies.mjs";
import { GateError } from "../../../spec/assets/verifier/gate.mjs";
import { ReadError } from "../../../spec/assets/verifier/strictjson.mjs";
import { InputError, KINDS } from "./kinds.mjs";

const HELLO = {
  protocol: 1,
  implementation: {
    name: "groundrules-javascript",
    version: "1.0.0",
    language: "JavaScript",
    url: "https://w3id.org/groundrules/",
  },
  kinds: [...KINDS.keys()],
  features: [],
};

const REFUSALS = [ReadError, CanonicalError, ConfigurationError, GateError];

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

const protocolError = (detail) => ({ error: { code: "protocol", detail } });

function answerCase({ seq, kind, input }) {
  if (!Number.isSafeInteger(seq) || typeof kind !== "string" || !isObject(input)) {
    return protocolError("a case has an integer seq, a kind and an input");
  }
  if (!KINDS.has(kind)) return { seq, skipped: "this adapter does not answer cases of this kind" };
  try {
    return { seq, ...KINDS.get(kind)(input) };
  } catch (error) {
    if (error instanceof InputError) return { seq, ...protocolError(error.message) };
    if (!REFUSALS.some((refusal) => error instanceof refusal)) throw error;
    return { seq, verdict: "fail", stage: error.stage, codes: [error.code] };
  }
}

/** The answer to one line; null ends the conversation. */
function answer(line) {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return protocolError("the message is not JSON");
  }
  if (message?.op === "bye") return null;
  if (message?.op === "hello" && message.protocol === 1) return HELLO;
  return message?.op === "case" ? answerCase(message) : protocolError("a message is hello (protocol 1), case or bye");
}

/** Lines of standard input, split on line feeds alone (node:readline would split at U+2028 as well). */
async function* inputLines() {
  let pieces = [];
  for await (const chunk of process.stdin) {
    let start = 0;
    for (let feed = chunk.indexOf(10); feed >= 0; feed = chunk.indexOf(10, start)) {
      yield Buffer.concat([...pieces, chunk.subarray(start, feed)]).toString("utf8");
      pieces = [];
      start = feed + 1;
    }
    pieces.push(chunk.subarray(start));
  }
  const rest = Buffer.concat(pieces);
  if (rest.length > 0) yield rest.toString("utf8");
}

for await (const line of inputLines()) {
  const reply = answer(line);
  if (reply === null) break;
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
