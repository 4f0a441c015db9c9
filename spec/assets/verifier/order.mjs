/**
 * Findings in their order (contract; grounding rules, order): by the place in the document, a container before its
 * members, and at one place by rank. At most a thousand findings of a rule are listed.
 */

/** How many findings of one rule are listed. */
export const LISTED = 1000;

/**
 * Sort findings on a document by where they stand in it.
 *
 * @param {Array<{code: string, path: Array<string|number>}>} findings each at a place that exists
 * @param document the document the paths lead into
 * @param {(a: string, b: string) => number} compareCodes the order at one place
 */
export function inDocumentOrder(findings, document, compareCodes) {
  const indexes = new Map();
  const keyed = findings.map((finding) => ({ finding, key: positions(finding.path, document, indexes) }));
  keyed.sort((a, b) => comparePositions(a.key, b.key) || compareCodes(a.finding.code, b.finding.code));
  return keyed.map(({ finding }) => finding);
}

/** The rule of a code: what stands before its dot. */
export function ruleOf(code) {
  return code.slice(0, code.indexOf("."));
}

/** The findings that are listed: the first thousand of every rule. */
export function listed(findings) {
  const counts = new Map();
  return findings.filter(({ code }) => {
    const rule = ruleOf(code);
    counts.set(rule, (counts.get(rule) ?? 0) + 1);
    return counts.get(rule) <= LISTED;
  });
}

/** Words, each once, sorted. */
export function sortedSet(words) {
  return [...new Set(words)].sort();
}

/** A path as numbers: the index of every step among its brothers. */
function positions(path, document, indexes) {
  let value = document;
  return path.map((step) => {
    const position = Array.isArray(value) ? step : indexOf(value, step, indexes);
    value = Array.isArray(value) ? value[step] : value.get(step);
    return position;
  });
}

function indexOf(object, name, indexes) {
  if (!indexes.has(object)) indexes.set(object, new Map([...object.keys()].map((key, at) => [key, at])));
  return indexes.get(object).get(name);
}

function comparePositions(a, b) {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at += 1) {
    if (a[at] !== b[at]) return a[at] - b[at];
  }
  return a.length - b.length;
}
