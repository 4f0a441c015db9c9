/**
 * The witness rule: which evidence of an evaluation record can prove what an agent did (W3 and W4).
 */

import { JsonFloat, JsonInteger } from "./strictjson.mjs";
import { listed, sortedSet } from "./order.mjs";

/** The vocabulary of evidence, executed as data. */
export class Vocabulary {
  #kinds;
  #sourceTypes;
  #anchors;

  /** @param {Map} document of `schemas/evidence-vocabulary.json` */
  constructor(document) {
    this.#kinds = new Map(document.get("kinds").map((kind) => [kind.get("id"), kind]));
    this.#sourceTypes = new Map(document.get("source_types").map((type) => [type.get("id"), type]));
    this.#anchors = new Set(document.get("witnessing_anchors"));
  }

  isCompatible(kind, sourceType) {
    return this.#kinds.get(kind).get("compatible_source_types").includes(sourceType);
  }

  required(sourceType) {
    return this.#sourceTypes.get(sourceType).get("witness_requires");
  }

  canProve(kind, sourceType, paired) {
    const type = this.#sourceTypes.get(sourceType);
    const may = this.#kinds.get(kind).get("can_prove_agent_behaviour") && type.get("may_witness");
    return may && this.isCompatible(kind, sourceType) && (!type.has("witness_requires") || paired);
  }

  witnesses(anchor) {
    return this.#anchors.has(anchor);
  }
}

const number = (value) => (value instanceof JsonInteger || value instanceof JsonFloat ? Number(value.value) : undefined);

/** Each text once, sorted by code points, which is not the order of UTF-16 units. */
function byCodePoint(texts) {
  const points = (text) => Array.from(text, (character) => character.codePointAt(0));
  const compare = (one, other) => {
    const [a, b] = [points(one), points(other)];
    const at = a.findIndex((point, index) => point !== b[index]);
    return at < 0 ? a.length - b.length : (a[at] ?? -1) - (b[at] ?? -1);
  };
  return [...new Set(texts)].sort(compare);
}

/** Turn and call index as one text, or undefined where one of them is not stated. */
function callOf(ref) {
  const [turn, call] = ["turn_index", "call_index"].map((name) => number(ref.get(name)));
  return turn === undefined || call === undefined ? undefined : `${turn} ${call}`;
}

/**
 * Judge a record.
 *
 * @param record a value of the strict reader
 * @param {import("./schema.mjs").Schemas} schemas with `evaluation-record.json`
 * @param {Vocabulary} vocabulary
 */
export function checkWitness(record, schemas, vocabulary) {
  if (schemas.departures(record, "evaluation-record.json").length > 0) {
    return { verdict: "fail", stage: "schema", codes: ["schema.evaluation-record"] };
  }
  const [refs, claims] = [record.get("refs"), record.get("claims")];
  const flags = new Map();
  for (const ref of refs) {
    const flag = flagOf(ref, refs, claims, vocabulary);
    flags.set(ref.get("id"), flag && (flags.get(ref.get("id")) ?? true));
  }
  const findings = [];
  refs.forEach((ref, index) => {
    if (!vocabulary.isCompatible(ref.get("kind"), ref.get("source_type"))) {
      findings.push({ code: "w3.incompatible", pointer: `/refs/${index}` });
    }
  });
  refs.forEach((ref, index) => {
    const stated = ref.get("can_prove_agent_behaviour");
    if (stated !== undefined && stated !== flags.get(ref.get("id"))) {
      findings.push({ code: "w4.flag-differs", pointer: `/refs/${index}/can_prove_agent_behaviour` });
    }
  });
  const witnessing = refs.filter((ref) => flags.get(ref.get("id")) && vocabulary.witnesses(ref.get("anchor")));
  return {
    verdict: findings.length > 0 ? "fail" : "pass",
    codes: sortedSet(findings.map(({ code }) => code)),
    flags: byCodePoint([...flags].filter(([, flag]) => flag).map(([id]) => id)),
    witnessing: byCodePoint(witnessing.map((ref) => ref.get("id"))),
    findings: listed(findings),
  };
}

function flagOf(ref, refs, claims, vocabulary) {
  const id = ref.get("id");
  const required = vocabulary.required(ref.get("source_type"));
  const call = callOf(ref);
  const citing = claims.filter((claim) => [...claim.get("evidence"), ...(claim.get("counterevidence") ?? [])].includes(id));
  const cites = (claim) =>
    refs.some(
      (other) =>
        other.get("source_type") === required && callOf(other) === call && claim.get("evidence").includes(other.get("id")),
    );
  const paired = required !== undefined && call !== undefined && citing.length > 0 && citing.every(cites);
  return vocabulary.canProve(ref.get("kind"), ref.get("source_type"), paired);
}
