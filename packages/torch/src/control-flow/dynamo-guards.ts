/**
 * @file What TorchDynamo asks of sizes before branches are traced. `torch.cond` compiles its
 * branches first, with other symbols; what that asks is then checked against the sizes of the
 * export, whose guards it becomes.
 */

import { isSconceError } from "@sconce/errors";
import { type Argument, FakeTensor, isSymScalar, type MetaValue, type SymScalar, symInt } from "@sconce/ir";
import {
  bindArgs,
  evaluateScalarFunction,
  isScalarFunction,
  metaOfBound,
  type UnboundArg,
} from "@sconce/ops";
import {
  type BoolLike,
  eq,
  freeSymbols,
  ge,
  type IntLike,
  isUnbacked,
  le,
  ShapeEnv,
  SymExpr,
  substitute,
  symbol,
} from "@sconce/symbolic";
import { isTraceTuple, type TraceTuple, visitOperands } from "@sconce/trace";
import { guardContiguity } from "../trace/contiguity.js";
import { type TraceArgument, TraceNode } from "../trace/trace-node.js";
import type { Tracer } from "../trace/tracer.js";
import { type MergePlace, mergeOutputs } from "./merge-outputs.js";

/** A branch that was traced. */
export interface TracedBranch {
  /** Its inputs, one for each operand of the call. */
  readonly inputs: readonly TraceNode[];
  readonly nodes: readonly TraceNode[];
  readonly results: readonly TraceArgument[];
  /** The names by which PyTorch orders what it reads of the enclosing graph. */
  readonly keyOf?: (node: TraceNode) => string | undefined;
}

/** What TorchDynamo learns of the branches of a call. */
export interface DynamoFacts {
  /** Conditions on the sizes of the export, in the order in which they are checked. */
  readonly conditions: readonly BoolLike[];
  /** The sizes in which the branches differ, in order. */
  readonly sizes: readonly MergedSize[];
}

/** A size in which results of branches differ: TorchDynamo asserts what it knows of it. */
export interface MergedSize {
  /** The place of the result, and the dimension. */
  readonly at: number;
  readonly dim: number;
  /** TorchDynamo's symbol for it, and the least value that it may have. */
  readonly name: string;
  readonly least: number;
}

/**
 * Runs branches as TorchDynamo does; undefined where that asks what only the data decide, or where
 * nothing is symbolic.
 *
 * @param operands what the call passes to both branches
 */
export function askAsDynamo(
  trace: Tracer,
  operator: MergePlace["operator"],
  branches: readonly TracedBranch[],
  operands: readonly TraceNode[],
): DynamoFacts | undefined {
  if (!operands.some(({ val }) => isSymbolic(val))) return undefined;
  try {
    const run = new DynamoRun(trace);
    const results = run.branches(
      operator,
      branches,
      operands.map((operand) => run.operand(operand)),
    );
    return { conditions: run.conditions(), sizes: run.sizesOf(results) };
  } catch (error) {
    // What is asked of data is refused, or assumed, where the branches are traced.
    if (!isSconceError(error)) throw error;
    return undefined;
  }
}

const symbolsOf = (val: MetaValue | undefined): SymExpr[] => {
  const values: readonly unknown[] =
    val instanceof FakeTensor ? val.shape : isSymScalar(val ?? null) ? [(val as { expr: unknown }).expr] : [];
  return values.flatMap((value) => (value instanceof SymExpr ? [...freeSymbols(value).values()] : []));
};

const isSymbolic = (val: MetaValue | undefined): boolean => symbolsOf(val).length > 0;

class DynamoRun {
  readonly #trace: Tracer;
  readonly #env: ShapeEnv;
  /** The layouts that were asked about. */
  readonly #seen = new Set<string>();
  /** Integers around the branches, by the names of their symbols here. */
  readonly #integers = new Map<string, SymExpr>();
  /** Symbols of sizes in which branches differ. */
  readonly #merged = new Set<string>();
  /** Symbols of inputs of the branches by name, in the order of their first use. */
  readonly #symbols = new Map<string, SymExpr>();

  constructor(trace: Tracer) {
    this.#trace = trace;
    const { hints, keepsMin } = trace.env;
    this.#env = new ShapeEnv({ hints, keepsMin });
  }

  /**
   * Returns what TorchDynamo knows of an operand: integers have other symbols, without a range,
   * which are not those of tensors.
   */
  operand({ val }: TraceNode): MetaValue {
    if (val === undefined || !isSymScalar(val) || val.kind !== "SymInt") return val ?? null;
    const hint = this.#trace.env.hint(val.expr);
    if (!(val.expr instanceof SymExpr) || hint === undefined) return val;
    const own = symbol(`d${this.#integers.size}`, { positive: false, integer: true });
    this.#env.setHint(own.name, Number(hint));
    this.#integers.set(own.name, val.expr);
    return symInt(own);
  }

  /** Runs the branches of a call, and gives its results. */
  branches(
    operator: MergePlace["operator"],
    branches: readonly TracedBranch[],
    operands: readonly MetaValue[],
  ): readonly MetaValue[] {
    const results = branches.map((branch) => this.#branch(branch, operands));
    const place = { operator, env: this.#env, made: (merged: SymExpr) => void this.#merged.add(merged.name) };
    return results[0]!.map((_, i) =>
      mergeOutputs(
        place,
        results.map((values) => values[i]!),
      ),
    );
  }

  /** Returns the sizes of results that represent two different ones. */
  sizesOf(results: readonly MetaValue[]): MergedSize[] {
    return results.flatMap((result, at) => {
      if (!(result instanceof FakeTensor)) return [];
      return result.shape.flatMap((size, dim) => {
        if (!(size instanceof SymExpr) || !this.#merged.has(size.name)) return [];
        return [{ at, dim, name: size.name, least: Math.max(0, this.#env.rangeOf(size).min) }];
      });
    });
  }

  #branch(
    { inputs, nodes, results, keyOf = () => undefined }: TracedBranch,
    operands: readonly MetaValue[],
  ): readonly MetaValue[] {
    const values = new Map<TraceNode, MetaValue>(inputs.map((input, i) => [input, operands[i] ?? null]));
    for (const operand of operands) if (operand instanceof FakeTensor) this.#use(operand);
    for (const node of nodes) {
      if (node.op === "placeholder") continue;
      this.#useOperands(node, values, keyOf);
      values.set(node, this.#valueOf(node, values) ?? null);
    }
    return results.map((result) =>
      result instanceof TraceNode
        ? (values.get(result) ?? null)
        : { kind: "constant", value: result as Argument },
    );
  }

  #use(val: MetaValue | undefined): void {
    for (const own of symbolsOf(val)) {
      if (this.#symbols.has(own.name) || this.#merged.has(own.name)) continue;
      if (isUnbacked(own)) this.#env.setRange(own, this.#trace.env.rangeOf(own));
      else this.#symbols.set(own.name, own);
    }
  }

  /** Functions that a call is given close over values in the order of their names. */
  #useOperands(
    node: TraceNode,
    values: ReadonlyMap<TraceNode, MetaValue>,
    keyOf: (node: TraceNode) => string | undefined,
  ): void {
    const operands: TraceNode[] = [];
    visitOperands(node, (operand) => {
      if (operand.op === "placeholder") operands.push(operand);
    });
    if (isGraphCall(node)) operands.sort((a, b) => ((keyOf(a) ?? "") < (keyOf(b) ?? "") ? -1 : 1));
    for (const operand of operands) this.#use(values.get(operand));
  }

  #valueOf(node: TraceNode, values: ReadonlyMap<TraceNode, MetaValue>): MetaValue | undefined {
    const { op, target, args, kwargs, val } = node;
    if (op !== "call_function") return val;
    if (target === "higher_order.cond" || target === "higher_order.switch") {
      const operator = target === "higher_order.cond" ? "cond" : "switch";
      const reads = operator === "cond" ? args.slice(1, 3) : (args[1] as readonly TraceNode[]);
      const graphs = reads.map((graph) => (graph as TraceNode).body!);
      const operands = (args.at(-1) as TraceTuple).items;
      return this.branches(
        operator,
        graphs,
        operands.map((operand) => values.get(operand as TraceNode) ?? null),
      );
    }
    if (target === "operator.getitem") {
      const items = values.get(args[0] as TraceNode);
      return Array.isArray(items) ? (items as readonly MetaValue[])[args[1] as number] : val;
    }
    const known = (arg: TraceArgument): MetaValue =>
      arg instanceof TraceNode ? (values.get(arg) ?? null) : (arg as MetaValue);
    if (isScalarFunction(target))
      return evaluateScalarFunction(target, args.map(known) as readonly SymScalar[]);
    if (target === "aten.sym_size.int") {
      const tensor = known(args[0]!);
      return tensor instanceof FakeTensor ? symInt(tensor.shape.at(args[1] as number)!) : val;
    }
    const row = this.#trace.operators.get(target);
    if (row === undefined || !(val instanceof FakeTensor || Array.isArray(val))) return val;
    const given = (arg: TraceArgument): UnboundArg => {
      if (Array.isArray(arg)) return (arg as readonly TraceArgument[]).map(given);
      if (isTraceTuple(arg)) return arg.items.map(given);
      if (!(arg instanceof TraceNode)) return arg as UnboundArg;
      const value = known(arg);
      return isSymScalar(value) && value.kind === "SymInt"
        ? (value.expr as UnboundArg)
        : (value as UnboundArg);
    };
    const positional = args.map(given);
    const named = Object.fromEntries(Object.entries(kwargs).map(([key, arg]) => [key, given(arg)]));
    if (row.tags.includes("pointwise")) this.#askElementwise(target, positional);
    return metaOfBound(this.#trace.operators, row, bindArgs(row.schema, positional, named), this.#env);
  }

  /**
   * Elementwise operators look at the layout of their operands. Where tensors are traced, all
   * layouts are known.
   */
  #askElementwise(target: string, args: readonly UnboundArg[]): void {
    const operands = args.filter((arg) => arg instanceof FakeTensor);
    if (FAST.test(target) && operands.length === 2) this.#askBroadcast(operands.map(({ shape }) => shape));
    for (const operand of operands) guardContiguity(this.#env, operand, this.#seen);
  }

  #askBroadcast(shapes: readonly (readonly IntLike[])[]): void {
    const rank = Math.max(...shapes.map(({ length }) => length));
    for (let fromEnd = 1; fromEnd <= rank; fromEnd++)
      for (const shape of shapes) {
        const size = shape.at(-fromEnd);
        if (fromEnd <= shape.length && this.#env.orFalse(eq(size!, 1))) break;
      }
  }

  /**
   * Returns what is checked of the sizes of the export: the guards that ranges do not say, then
   * ranges.
   */
  conditions(): BoolLike[] {
    const env = this.#env;
    const guards = env.guards
      .filter((guard) => env.knownByRange(guard) === undefined)
      .map((guard) => env.simplify(guard))
      .filter((guard) => guard instanceof SymExpr && ![...freeSymbols(guard).values()].some(isUnbacked));
    const ranges = [...this.#symbols.values()].flatMap((own) => {
      const { min, max } = env.rangeOf(own);
      return [...(min === -Infinity ? [] : [ge(own, min)]), ...(max === Infinity ? [] : [le(own, max)])];
    });
    return [...guards, ...ranges].map((condition) => substitute(condition, this.#integers) as BoolLike);
  }
}

/** Operators whose results PyTorch computes in its fast way. */
const FAST = /^aten\.(add|sub|mul|div)\.Tensor$/;

const isGraphCall = ({ target }: TraceNode): boolean => target.startsWith("higher_order.");
