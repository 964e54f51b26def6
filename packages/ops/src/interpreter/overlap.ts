/**
 * @file Calls in place that read memory which they write to. PyTorch's kernels refuse those that
 * they detect (`ATen/MemoryOverlap.cpp`); its shape rules, and lowered programs, do not.
 */
import { forEachRef, type Graph, isRef, type Node } from "@sconce/ir";
import { dtypeInfo, numel, type TensorLayout } from "@sconce/tensor";
import type { BoundArgs, OpDefinition } from "../rows/define-op.js";
import { invalidArgument } from "../rows/errors.js";
import { argumentAt } from "../table/bind.js";
import type { OperatorTable } from "../table/table.js";
import { memoryRoots } from "./mutation.js";

/** How the memory of two tensors of one storage meets. */
type Overlap = "none" | "full" | "partial" | "unknown";

/** Which operands a call in place may not share memory with. */
interface OverlapRule {
  /** Not even itself: the kernel reads elements that it has written. */
  readonly refusesFull: boolean;
  /** The operands that are looked at, by the names of the schema; undefined for all. */
  readonly reads: readonly string[] | undefined;
}

const ANY: OverlapRule = { refusesFull: true, reads: undefined };
const PARTIAL: OverlapRule = { refusesFull: false, reads: undefined };
/** By the names of operators; pointwise operators have {@link PARTIAL}. */
const RULES: ReadonlyMap<string, OverlapRule | undefined> = new Map([
  ["copy_", PARTIAL],
  ["bernoulli_", PARTIAL],
  ["masked_fill_", { refusesFull: false, reads: ["mask"] }],
  ["index_fill_", { refusesFull: true, reads: ["index"] }],
  ...["addr_", "index_add_", "index_copy_", "index_put_", "_index_put_impl_", "index_reduce_", "put_"].map(
    (name) => [name, ANY] as const,
  ),
  ...["scatter_", "scatter_add_", "scatter_reduce_"].map((name) => [name, ANY] as const),
  // A fill writes the same everywhere, and `ldexp_` reads a product.
  ["fill_", undefined],
  ["ldexp_", undefined],
]);

function ruleOf({ schema, tags }: OpDefinition): OverlapRule | undefined {
  const { namespace, name, args } = schema;
  if (namespace !== "aten" || !name.endsWith("_") || args[0]?.alias?.write !== true) return undefined;
  if (RULES.has(name)) return RULES.get(name);
  return tags.includes("pointwise") ? PARTIAL : undefined;
}

/** Whether a tensor fills a piece of memory without gaps, as `is_non_overlapping_and_dense`. */
export function isDense({ shape, strides }: Pick<TensorLayout, "shape" | "strides">): boolean {
  const dims = shape.map((_, d) => d).filter((d) => shape[d] !== 1);
  dims.sort((a, b) => strides[a]! - strides[b]!);
  let expected = 1;
  for (const d of dims) {
    if (strides[d] !== expected) return false;
    expected *= shape[d]!;
  }
  return true;
}

/** How two tensors of one storage meet (`get_overlap_status`). */
function overlapOf(a: TensorLayout, b: TensorLayout): Overlap {
  if (a === b) return "full";
  if (numel(a.shape) === 0 || numel(b.shape) === 0) return "none";
  if (!isDense(a) || !isDense(b)) return "unknown";
  const [begin, end] = extentOf(a);
  const [from, to] = extentOf(b);
  if (begin === from && end === to) return a.strides.join() === b.strides.join() ? "full" : "partial";
  return begin < to && from < end ? "partial" : "none";
}
function extentOf({ dtype, shape, storageOffset = 0 }: TensorLayout): readonly [begin: number, end: number] {
  const { itemSize } = dtypeInfo(dtype);
  return [storageOffset * itemSize, (storageOffset + numel(shape)) * itemSize];
}

/** Whether PyTorch refuses a write to `written` by a call that reads `read`, of one storage. */
function isRefused({ refusesFull }: OverlapRule, written: TensorLayout, read: TensorLayout): boolean {
  const overlap = overlapOf(written, read);
  return overlap === "partial" || (refusesFull && overlap === "full");
}

/**
 * Refuses a call in place that reads memory which it writes to, as PyTorch's kernel does.
 *
 * @param asTensor a tensor with its memory; undefined for other values
 * @throws SconceError `INVALID_ARGUMENT`
 */
export function refuseOverlap<T extends TensorLayout & { readonly storage: object }>(
  definition: OpDefinition,
  bound: BoundArgs,
  asTensor: (value: unknown) => T | undefined,
): void {
  const rule = ruleOf(definition);
  if (rule === undefined) return;
  const [first, ...others] = definition.schema.args;
  const written = asTensor(bound[first!.name]);
  if (written === undefined) return;
  for (const { name } of others) {
    if (rule.reads?.includes(name) === false) continue;
    const value = bound[name];
    for (const item of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
      const read = asTensor(item);
      // A mask becomes the places where it is true.
      if (read === undefined || read.storage !== written.storage || isMask(name, read)) continue;
      if (isRefused(rule, written, read))
        throw invalidArgument(
          `${definition.schema.name}: unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. ` +
            "Please clone() the tensor before performing the operation.",
        );
    }
  }
}
const isMask = (name: string, { dtype }: TensorLayout): boolean => name === "indices" && dtype === "bool";

/** A call in place that reads what may be a view of the memory that it writes to. */
export interface OverlapSuspect {
  readonly node: Node;
  readonly written: string;
  readonly read: string;
  /** Whether PyTorch refuses it, by the layouts of both. */
  readonly isRefused: (written: TensorLayout, read: TensorLayout) => boolean;
}

/** The suspects of a graph; nested graphs are not looked at. */
export function overlapSuspects(graph: Graph, operators: OperatorTable): readonly OverlapSuspect[] {
  const nodes = graph.nodes();
  const rules = nodes.map((node) => {
    const definition = node.op === "call_function" ? operators.get(node.target) : undefined;
    return definition === undefined ? undefined : ruleOf(definition);
  });
  if (rules.every((rule) => rule === undefined)) return [];
  const roots = memoryRoots(graph, operators);
  const meet = (a: string, b: string): boolean => {
    for (const root of roots.get(a) ?? []) if (roots.get(b)?.has(root)) return true;
    return false;
  };
  return nodes.flatMap((node, i): OverlapSuspect[] => {
    const rule = rules[i];
    if (rule === undefined) return [];
    const { schema } = operators.require(node.target);
    const [written, ...others] = schema.args.map((_, at) => argumentAt(node, schema, at));
    if (!isRef(written)) return [];
    const reads = new Set<string>();
    for (const arg of others)
      forEachRef(arg, (name) => {
        if (meet(name, written.name) && (rule.refusesFull || name !== written.name)) reads.add(name);
      });
    return Array.from(reads, (read) => ({
      node,
      written: written.name,
      read,
      isRefused: (a: TensorLayout, b: TensorLayout) => isRefused(rule, a, b),
    }));
  });
}
