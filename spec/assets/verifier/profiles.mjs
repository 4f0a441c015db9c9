/**
 * Span profiles: which spans are roots, retrievals and model calls is data (trace, profile).
 */

/** The attributes that belong to the root and to no other span (trace, what the conductor owns). */
export const OWNED = [
  "dd.grounding_mode", "dd.input_hash", "dd.outcome", "dd.input_canonicalisation", "dd.invocation_id", "dd.agent_id",
  "dd.agent_version", "dd.span_profile", "dd.clock_skew_us",
];

const DEFAULT = "dd";
const CONVENTION = "genai";

/** Whether a span carries an attribute of the conductor, whatever its value. */
export function isOwned(span) {
  return OWNED.some((name) => span.attributes.has(name));
}

/** One profile, over its document in `spec/profiles/`. */
class Profile {
  constructor(document) {
    this.id = document.get("id");
    this.attribute = document.get("operation_attribute");
    this.rootNames = new Set(document.get("roots").get("names"));
    this.rootsOwn = document.get("roots").get("owned_attributes");
    this.retrieval = new Set(document.get("retrieval"));
    this.modelCall = new Set(document.get("model_call"));
    this.embedding = new Set(document.get("embedding"));
  }

  /** The operation of a span: its name; or, in a profile with an attribute for it, that or the name's first word. */
  operation({ name, attributes }) {
    if (this.attribute === null) return name;
    const told = attributes.get(this.attribute);
    return typeof told === "string" ? told : (name?.split(" ", 1)[0] ?? null);
  }

  isRoot(span) {
    return this.rootNames.has(span.name) || (this.rootsOwn && isOwned(span));
  }

  /** A span that carries both id and hash is a retrieval under every profile, whatever its name. */
  isRetrieval(span) {
    const declares = span.attributes.has("dd.source_id") && span.attributes.has("dd.content_hash");
    return declares || this.retrieval.has(this.operation(span));
  }

  isModelCall(span) {
    return this.modelCall.has(this.operation(span));
  }

  isEmbedding(span) {
    return this.embedding.has(this.operation(span));
  }
}

/** The profiles there are. */
export class Profiles {
  #byId;

  /** @param {Iterable<Map>} documents the profiles, as values of the strict reader */
  constructor(documents) {
    this.#byId = new Map([...documents].map((document) => [document.get("id"), new Profile(document)]));
  }

  has(id) {
    return this.#byId.has(id);
  }

  /** The profile to use: the one asked for, else that of the first span that names one, else `dd`. */
  choose(spans, asked) {
    const named = spans.find((span) => span.attributes.has("dd.span_profile"))?.attributes.get("dd.span_profile");
    return this.#byId.get(asked ?? named) ?? this.#byId.get(DEFAULT);
  }

  /** Whether a span looks like a call to a model that the profile in use does not take for one. */
  isUnknownCall(span, profile) {
    const convention = this.#byId.get(CONVENTION);
    const looksSo = convention.isModelCall(span) || convention.isEmbedding(span);
    return profile.id === DEFAULT && looksSo && !profile.isModelCall(span);
  }
}
