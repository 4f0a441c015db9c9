/**
 * The tree of spans (G0, tree), in time linear in their number. Where two spans have one id, the first in the file is
 * the parent that the id names.
 */

/**
 * Judge how spans hang together. Where there is not exactly one root, nothing is foreign and nothing outside.
 *
 * @param {import("./trace.mjs").SpanRecord[]} spans
 * @param {SpanRecord[]} roots
 * @returns {{foreign: Set, outside: Set, duplicates: Set, cycles: Set, known: Map<string, SpanRecord>}} the spans of
 *   another trace than the root's, those outside its tree, those whose id an earlier span has, the first of every
 *   cycle; and the first span of every id
 */
export function judgeTree(spans, roots) {
  const byId = new Map();
  const duplicates = new Set();
  for (const span of spans) {
    if (span.spanId === null) continue;
    if (byId.has(span.spanId)) duplicates.add(span);
    else byId.set(span.spanId, span);
  }
  const parents = spans.map((span) => byId.get(span.parentId)?.index ?? -1);
  const { cycles, onCycle } = findCycles(parents);
  const result = { foreign: new Set(), outside: new Set(), duplicates, cycles: pick(spans, cycles), known: byId };
  if (roots.length !== 1) return result;
  const [root] = roots;
  const inside = descendants(parents, root.index);
  for (const span of spans) {
    if (span.traceId !== null && root.traceId !== null && span.traceId !== root.traceId) result.foreign.add(span);
    if (!inside[span.index] && !onCycle[span.index]) result.outside.add(span);
  }
  return result;
}

function pick(spans, indexes) {
  return new Set(indexes.map((index) => spans[index]));
}

/** The cycles of a graph in which every node has at most one parent: the first node of each, and all nodes on one. */
function findCycles(parents) {
  const walkOf = new Int32Array(parents.length).fill(-1);
  const onCycle = new Uint8Array(parents.length);
  const cycles = [];
  for (let start = 0; start < parents.length; start += 1) {
    let node = start;
    while (node >= 0 && walkOf[node] < 0) {
      walkOf[node] = start;
      node = parents[node];
    }
    if (node < 0 || walkOf[node] !== start) continue;
    let first = node;
    for (let at = node; !onCycle[at]; at = parents[at]) {
      onCycle[at] = 1;
      first = Math.min(first, at);
    }
    cycles.push(first);
  }
  return { cycles, onCycle };
}

/** Which nodes reach a root by way of their parents. */
function descendants(parents, root) {
  const inside = new Int8Array(parents.length).fill(-1);
  inside[root] = 1;
  for (let start = 0; start < parents.length; start += 1) {
    const path = [];
    let node = start;
    while (node >= 0 && inside[node] < 0) {
      inside[node] = 0; // met again before it is known, a node is on a cycle, and reaches nothing
      path.push(node);
      node = parents[node];
    }
    const reaches = node >= 0 && inside[node] === 1;
    for (const at of path) inside[at] = reaches ? 1 : 0;
  }
  return inside;
}
