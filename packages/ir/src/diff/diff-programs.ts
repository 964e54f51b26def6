/** @file In what two programs differ: nodes, metadata, signature, state. */
import { checkOptions, type OptionNames } from "@sconce/errors";
import type { Tensor } from "@sconce/tensor";
import { sameValues } from "@sconce/tensor/compare";
import type { Graph } from "../graph/graph.js";
import type { Node } from "../graph/node.js";
import { lineSplices, programLines } from "../history/program-lines.js";
import { ExpressionWriter } from "../ir-text/expressions.js";
import { nodeLine } from "../ir-text/print-graph.js";
import { tensorsOf } from "../ir-text/print-program.js";
import { typeText } from "../ir-text/types.js";
import { valueText } from "../ir-text/values.js";
import type { ExportedProgram } from "../program/program.js";
import { align } from "../support/align.js";
import type { NodeMeta } from "../values/meta.js";
import { matchNames } from "./match-names.js";
import { renameProgram } from "./rename.js";

/** One node that is not the same in both programs. */
export interface NodeDifference {
  /** Path of the nested graph, `""` for the program's own. */
  readonly graph: string;
  /** The name of the node. */
  readonly node: string;
  /** `moved` nodes stand in another order among those that are in both. */
  readonly kind: "added" | "removed" | "changed" | "moved";
  /** What changed: `op`, `target`, `args`, `kwargs`, `type`, or a key of the metadata. */
  readonly fields: readonly string[];
  /** The node as IR text, in the program that has it. */
  readonly before?: string;
  /** The node as the second program has it; undefined when it does not have it. */
  readonly after?: string;
}

/** In what two programs differ. */
export interface ProgramDifference {
  /** Whether nothing differs. */
  readonly equal: boolean;
  /** Nodes that both programs have and that differ. */
  readonly nodes: readonly NodeDifference[];
  /**
   * Lines of the program block as IR text: dialect, versions, ranges, declared state, signature,
   * calling convention.
   */
  readonly removed: readonly string[];
  /** Names of nodes that only the second program has. */
  readonly added: readonly string[];
  /** Keys of tensors that both declare alike but that hold other values. */
  readonly values: readonly string[];
}

/** What counts as a difference. */
export interface DiffOptions {
  /** Compare up to the names of nodes and of nested graphs. */
  readonly ignoreNames?: boolean;
  /** Leave out stack traces and the like; types are compared all the same. */
  readonly ignoreMetadata?: boolean;
}

const DIFF: OptionNames<DiffOptions> = { ignoreNames: true, ignoreMetadata: true };

/**
 * In what `after` differs from `before`. Versions of one program share their nodes, which are then
 * not looked into.
 */
export function diffPrograms(
  before: ExportedProgram,
  after: ExportedProgram,
  options: DiffOptions = {},
): ProgramDifference {
  checkOptions("diffPrograms", options, DIFF);
  const named = options.ignoreNames === true ? alignNames(before, after) : after;
  const nodes: NodeDifference[] = [];
  new GraphComparison(options.ignoreMetadata !== true, nodes).compare(before.graph, named.graph, "");
  const splices = lineSplices(programLines(before), programLines(named));
  const removed = splices.flatMap((splice) => splice.removed.map((line) => line.trim()));
  const added = splices.flatMap((splice) => splice.added.map((line) => line.trim()));
  const values = otherValues(tensorsOf(before), tensorsOf(after));
  const equal = nodes.length + removed.length + added.length + values.length === 0;
  return { equal, nodes, removed, added, values };
}

/** `after` with its nodes called as the nodes of `before` that do the same. */
export const alignNames = (before: ExportedProgram, after: ExportedProgram): ExportedProgram =>
  renameProgram(after, matchNames(before.graph, after.graph));

class GraphComparison {
  readonly #writer = new ExpressionWriter();
  readonly #metadata: boolean;
  readonly #found: NodeDifference[];

  constructor(metadata: boolean, found: NodeDifference[]) {
    this.#metadata = metadata;
    this.#found = found;
  }

  compare(before: Graph, after: Graph, path: string): void {
    if (before === after) return;
    const [old, now] = [before.nodes(), after.nodes()];
    const match = align(old.map(nameOf), now.map(nameOf));
    const matched = new Set<Node>();
    old.forEach((node, i) => {
      const j = match[i]!;
      const other = j >= 0 ? now[j]! : after.find(node.name);
      if (other === undefined) this.#add(path, "removed", node, undefined);
      else if (j >= 0) this.#compareNodes(path, node, other, "changed");
      else this.#compareNodes(path, node, other, "moved");
      if (other !== undefined) matched.add(other);
    });
    for (const node of now) if (!matched.has(node)) this.#add(path, "added", undefined, node);
    for (const target of new Set([...before.subgraphs.keys(), ...after.subgraphs.keys()])) {
      const [left, right] = [before.subgraphs.get(target), after.subgraphs.get(target)];
      const inner = path === "" ? target : `${path}.${target}`;
      if (left !== undefined && right !== undefined) this.compare(left, right, inner);
      else
        for (const node of (left ?? right)!.nodes())
          this.#add(inner, left ? "removed" : "added", left && node, left ? undefined : node);
    }
  }

  #add(graph: string, kind: NodeDifference["kind"], before: Node | undefined, after: Node | undefined): void {
    this.#found.push({
      graph,
      node: (before ?? after)!.name,
      kind,
      fields: [],
      ...(before === undefined ? {} : { before: nodeLine(before, this.#writer) }),
      ...(after === undefined ? {} : { after: nodeLine(after, this.#writer) }),
    });
  }

  #compareNodes(graph: string, before: Node, after: Node, kind: "changed" | "moved"): void {
    const fields = before === after ? [] : this.#fields(before, after);
    if (fields.length === 0 && kind === "changed") return;
    this.#found.push({
      graph,
      node: before.name,
      kind,
      fields,
      before: nodeLine(before, this.#writer),
      after: nodeLine(after, this.#writer),
    });
  }

  #fields(before: Node, after: Node): string[] {
    const fields: string[] = [];
    if (before.op !== after.op) fields.push("op");
    if (before.target !== after.target) fields.push("target");
    if (before.args.map(valueText).join() !== after.args.map(valueText).join()) fields.push("args");
    if (kwargsText(before) !== kwargsText(after)) fields.push("kwargs");
    if (this.#type(before.meta) !== this.#type(after.meta)) fields.push("type");
    return this.#metadata ? [...fields, ...metadataFields(before.meta, after.meta)] : fields;
  }

  #type({ val }: NodeMeta): string {
    return val === undefined ? "" : typeText(val, this.#writer);
  }
}

const nameOf = (node: Node): string => node.name;

const kwargsText = ({ kwargs }: Node): string =>
  Object.entries(kwargs)
    .map(([key, value]) => `${key}=${valueText(value)}`)
    .join();

/** Keys of the metadata, types left out, that differ. */
function metadataFields(before: NodeMeta, after: NodeMeta): string[] {
  if (before === after) return [];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof NodeMeta)[];
  return keys.filter((key) => {
    if (key === "val" || before[key] === after[key]) return false;
    return JSON.stringify(before[key]) !== JSON.stringify(after[key]);
  });
}

function otherValues(before: ReadonlyMap<string, Tensor>, after: ReadonlyMap<string, Tensor>): string[] {
  return [...before].flatMap(([key, tensor]) => {
    const other = after.get(key);
    // That one has no values is a difference of the texts.
    if (other === undefined || !sameType(tensor, other) || tensor.hasValues !== other.hasValues) return [];
    return sameValues(tensor, other) ? [] : [key];
  });
}

const sameType = (a: Tensor, b: Tensor): boolean => a.dtype === b.dtype && a.shape.join() === b.shape.join();
