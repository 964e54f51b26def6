/**
 * @file Calls in place, and with outputs, that read memory which they write to. PyTorch's kernels
 * refuse those that they detect (`ATen/MemoryOverlap.cpp`); its shape rules, and lowered programs,
 * do not.
 */
import { forEachRef, type Graph, isRef, type Node, type SchemaArgument } from "@sconce/ir";
import { dtypeInfo, numel, type TensorLayout } from "@sconce/tensor";
import { isOutput, outputRule, overlapError } from "../outputs/output-operands.js";
import type { BoundArgs, OpDefinition } from "../rows/define-op.js";
import { argumentAt } from "../table/bind.js";
import type { OperatorTable } from "../table/table.js";
import { memoryRoots } from "./mutation.js";

/** How the memory of two tensors of one storage meets. */
type Overlap = "none" | "full" | "partial" | "unknown";

/** What a call that writes to an argument may not share memory with. */
interface OverlapRule {
  /** Not even all of it: the kernel reads elements that it has written. */
  readonly full: boolean;
  /** Not with a part of it. */
  readonly part: boolean;
}

/** The rule for an operand of a call. */
type OverlapRules = (operand: string) => OverlapRule;

const ANY: OverlapRule = { full: true, part: true };
const PARTIAL: OverlapRule = { full: false, part: true };
const NONE: OverlapRule = { full: false, part: false };
const only =
  (operand: string, rule: OverlapRule): OverlapRules =>
  (name) =>
    name === operand ? rule : NONE;
const any: OverlapRules = () => ANY;
const partial: OverlapRules = () => PARTIAL;

/** By the names of operators; pointwise operators have {@link PARTIAL}. */
const RULES: ReadonlyMap<string, OverlapRules | undefined> = new Map([
  ["copy_", partial],
  ["bernoulli_", partial],
  ["masked_fill_", only("mask", PARTIAL)],
  ["index_fill_", only("index", ANY)],
  ...["addr_", "index_add_", "index_copy_", "index_put_", "_index_put_impl_", "index_reduce_", "put_"].map(
    (name) => [name, any] as const,
  ),
  ...["scatter_", "scatter_add_", "scatter_reduce_"].map((name) => [name, any] as const),
  // A fill writes the same everywhere, and `ldexp_` reads a product.
  ["fill_", undefined],
  ["ldexp_", undefined],
]);

/** The arguments that a call writes to, and those whose memory may not be the same. */
interface OverlapRoles {
  readonly written: readonly number[];
  readonly reads: readonly { readonly at: number; readonly rule: OverlapRule }[];
  /** Whether what is written are outputs. */
  readonly isOutput: boolean;
}

const known = new WeakMap<OpDefinition, OverlapRoles | null>();

/** Returns the roles of the arguments of an operator; null when any of them may share memory. */
function rolesOf(definition: OpDefinition): OverlapRoles | null {
  let roles = known.get(definition);
  if (roles === undefined) {
    roles = findRoles(definition);
    known.set(definition, roles);
  }
  return roles;
}

function findRoles(definition: OpDefinition): OverlapRoles | null {
  const { namespace, args } = definition.schema;
  const hasOutputs = args.some(isOutput);
  const rules = hasOutputs ? outputRules(definition) : inPlaceRules(definition);
  if (namespace !== "aten" || rules === undefined) return null;
  const isWritten = (arg: SchemaArgument): boolean => (hasOutputs ? isOutput(arg) : arg === args[0]);
  const reads = args.flatMap((arg, at) => {
    const rule = rules(arg.name);
    return !isWritten(arg) && (rule.full || rule.part) ? [{ at, rule }] : [];
  });
  if (reads.length === 0) return null;
  return { written: args.flatMap((arg, at) => (isWritten(arg) ? [at] : [])), reads, isOutput: hasOutputs };
}

const outputRules =
  (definition: OpDefinition): OverlapRules =>
  (operand) => {
    const { same, part } = outputRule(definition, operand);
    return { full: same, part };
  };

function inPlaceRules({ schema: { name, args }, tags }: OpDefinition): OverlapRules | undefined {
  if (!name.endsWith("_") || args[0]?.alias?.write !== true) return undefined;
  if (RULES.has(name)) return RULES.get(name);
  return tags.includes("pointwise") ? partial : undefined;
}

/**
 * Returns whether a tensor fills a piece of memory without gaps, as `is_non_overlapping_and_dense`.
 */
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

/** Returns how two tensors of one storage meet (`get_overlap_status`). */
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

/**
 * Returns whether PyTorch refuses a write to `written` by a call that reads `read`, of one storage.
 */
function isRefused({ full, part }: OverlapRule, written: TensorLayout, read: TensorLayout): boolean {
  const overlap = overlapOf(written, read);
  return (part && overlap === "partial") || (full && overlap === "full");
}

/**
 * Refuses a call that reads memory which it writes to, as PyTorch's kernel does. Outputs that are
 * operands themselves are left to the shape rule.
 *
 * @param asTensor a tensor with its memory; undefined for other values
 * @throws SconceError `INVALID_ARGUMENT`
 */
export function refuseOverlap<T extends TensorLayout & { readonly storage: object }>(
  definition: OpDefinition,
  bound: BoundArgs,
  asTensor: (value: unknown) => T | undefined,
): void {
  const roles = rolesOf(definition);
  if (roles === null) return;
  const { args } = definition.schema;
  for (const at of roles.written) {
    const written = asTensor(bound[args[at]!.name]);
    if (written === undefined) continue;
    for (const { at: i, rule } of roles.reads) {
      const { name } = args[i]!;
      const value = bound[name];
      for (const item of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
        const read = asTensor(item);
        // A mask becomes the places where it is true.
        if (read === undefined || read.storage !== written.storage || isMask(name, read)) continue;
        if (roles.isOutput && read === written) continue;
        if (isRefused(rule, written, read)) throw overlapError(definition.schema.name);
      }
    }
  }
}
const isMask = (name: string, { dtype }: TensorLayout): boolean => name === "indices" && dtype === "bool";

/** A call that reads what may be a view of the memory that it writes to. */
export interface OverlapSuspect {
  readonly node: Node;
  readonly written: string;
  readonly read: string;
  /** Whether PyTorch refuses it, by the layouts of both. */
  readonly isRefused: (written: TensorLayout, read: TensorLayout) => boolean;
}

/** Returns the suspects of a graph; nested graphs are not looked at. */
export function overlapSuspects(graph: Graph, operators: OperatorTable): readonly OverlapSuspect[] {
  const nodes = graph.nodes();
  const roles = nodes.map((node) => {
    const definition = node.op === "call_function" ? operators.get(node.target) : undefined;
    return definition === undefined ? null : rolesOf(definition);
  });
  if (roles.every((one) => one === null)) return [];
  const roots = memoryRoots(graph, operators);
  const meet = (a: string, b: string): boolean => {
    for (const root of roots.get(a) ?? []) if (roots.get(b)?.has(root)) return true;
    return false;
  };
  return nodes.flatMap((node, i) => suspectsOf(node, roles[i] ?? null, operators, meet));
}

function suspectsOf(
  node: Node,
  roles: OverlapRoles | null,
  operators: OperatorTable,
  meet: (a: string, b: string) => boolean,
): readonly OverlapSuspect[] {
  if (roles === null) return [];
  const { schema } = operators.require(node.target);
  const found = new Map<string, OverlapSuspect>();
  for (const at of roles.written) {
    const written = argumentAt(node, schema, at);
    if (!isRef(written)) continue;
    for (const { at: i, rule } of roles.reads) {
      forEachRef(argumentAt(node, schema, i), (read) => {
        if (!meet(read, written.name) || (read === written.name && !rule.full)) return;
        const refuses = (a: TensorLayout, b: TensorLayout): boolean => isRefused(rule, a, b);
        const key = `${written.name} ${read} ${rule.full} ${rule.part}`;
        found.set(key, { node, written: written.name, read, isRefused: refuses });
      });
    }
  }
  return [...found.values()];
}
