/** @file Which edges share parameters. */
import type { Graph } from "@sconce/ir";
import {
  type Annotation,
  type EdgeSpec,
  isShared,
  type QuantizationSpec,
  type SharedSpec,
  specText,
} from "../annotate/spec.js";
import { unknownShare } from "../errors.js";

/** Edges and outputs with the same parameters. */
export interface EdgeGroup {
  /** `0`, `1`, ...: distinct in the graph. */
  readonly name: string;
  /** How the values are quantized. */
  readonly spec: QuantizationSpec;
}

/** The groups of annotated edges and outputs. */
export interface EdgeGroups {
  /** Returns the group of an edge; undefined for an edge that stays as it is. */
  ofInput(from: string, to: string): EdgeGroup | undefined;
  /** Returns the group of the output of a node. */
  ofOutput(node: string): EdgeGroup | undefined;
}

const inputKey = (from: string, to: string): string => `${from} > ${to}`;
const keyOf = (shared: SharedSpec): string =>
  "node" in shared ? shared.node : inputKey(shared.from, shared.to);

/**
 * Resolves annotations. Besides what they share by name, an edge shares the parameters of the
 * output that it comes from, and of the other edges of that output, where the specifications are
 * equal: as `prepare_pt2e`.
 * @throws SconceError `QUANTIZER` for an annotation that shares the parameters of an edge without
 * any
 */
export function edgeGroups(graph: Graph, annotations: ReadonlyMap<string, Annotation>): EdgeGroups {
  const specs = new Map<string, EdgeSpec>();
  const siblings = new Map<string, string[]>();
  const order = graph.nodes().flatMap(({ name }) => (annotations.has(name) ? [name] : []));
  for (const name of order) {
    const { inputs, output } = annotations.get(name)!;
    for (const [from, spec] of inputs) {
      specs.set(inputKey(from, name), spec);
      siblings.set(from, [...(siblings.get(from) ?? []), inputKey(from, name)]);
    }
    if (output !== undefined) specs.set(name, output);
  }
  const sets = new DisjointSets();
  const rootText = (key: string): string => specText(rootOf(specs, key));
  for (const [key, spec] of specs) if (isShared(spec)) sets.join(keyOf(spec), key);
  for (const [from, keys] of siblings) {
    const all = specs.has(from) ? [from, ...keys] : keys;
    for (const key of all)
      for (const other of all) if (key !== other && rootText(key) === rootText(other)) sets.join(key, other);
  }
  return groupsOf(specs, sets);
}

function groupsOf(specs: ReadonlyMap<string, EdgeSpec>, sets: DisjointSets): EdgeGroups {
  const groups = new Map<string, EdgeGroup>();
  const groupOf = (key: string): EdgeGroup | undefined => {
    if (!specs.has(key)) return undefined;
    const root = sets.root(key);
    const known = groups.get(root);
    if (known !== undefined) return known;
    const group = { name: String(groups.size), spec: rootOf(specs, key) };
    groups.set(root, group);
    return group;
  };
  return { ofInput: (from, to) => groupOf(inputKey(from, to)), ofOutput: groupOf };
}

/** @throws SconceError `QUANTIZER` */
function rootOf(specs: ReadonlyMap<string, EdgeSpec>, key: string): QuantizationSpec {
  const seen = new Set<string>();
  let at = key;
  for (let spec = specs.get(at); spec !== undefined && !seen.has(at); spec = specs.get(at)) {
    if (!isShared(spec)) return spec;
    seen.add(at);
    at = keyOf(spec);
  }
  throw unknownShare(key, at);
}

class DisjointSets {
  readonly #parents = new Map<string, string>();

  root(key: string): string {
    let at = key;
    for (let up = this.#parents.get(at); up !== undefined; up = this.#parents.get(at)) at = up;
    return at;
  }

  join(a: string, b: string): void {
    const [first, second] = [this.root(a), this.root(b)];
    if (first !== second) this.#parents.set(second, first);
  }
}
