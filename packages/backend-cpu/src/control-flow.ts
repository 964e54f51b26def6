/** @file Higher-order operators: those whose arguments are graphs. */
import { internalError } from "@sconce/errors";
import { FakeTensor, isFloat, type MetaValue, type Node, type OperatorLiteral } from "@sconce/ir";
import { contiguousStrides, type DType, dtypeInfo, Tensor } from "@sconce/tensor";
import { copyInto, detached } from "./copy.js";
import { readNumbers } from "./dense.js";
import type { CallKwargs, Dispatcher } from "./dispatch.js";
import { invalidArgument, noKernel } from "./errors.js";
import { type CallArgument, emptyStrided, type RuntimeValue } from "./kernel.js";
import type { GraphPlan } from "./plan.js";

/** A run under way: yields where it may pause, and returns its value. */
export type Running = Generator<void, RuntimeValue, void>;

/** What a higher-order operator may ask of the interpreter. */
export interface GraphRunner {
  readonly dispatcher: Dispatcher;
  /** Runs a nested graph; a graph that returns a tuple gives a list. */
  run(graph: GraphPlan, inputs: readonly RuntimeValue[]): Running;
  /** Runs with an autocast dtype (null for none) in force. */
  withAutocast(dtype: DType | null, body: () => Running): Running;
}

/** Runs one higher-order call; one that runs no graph has its results at once. */
export type HigherOrder = (
  runner: GraphRunner,
  args: readonly unknown[],
  kwargs: CallKwargs,
  node: Node,
) => Running | readonly RuntimeValue[];

type Values = readonly RuntimeValue[];

const cond: HigherOrder = (runner, [predicate, whenTrue, whenFalse, operands]) =>
  runner.run(
    (truth(predicate as RuntimeValue) ? whenTrue : whenFalse) as GraphPlan,
    (operands ?? []) as Values,
  );

const mapImpl: HigherOrder = function* (runner, [body, xs, operands], _kwargs, node) {
  const mapped = xs as readonly Tensor[];
  const count = mapped[0]?.shape[0] ?? 0;
  const rows: Values[] = [];
  for (let i = 0; i < count; i++) {
    rows.push(
      list(
        yield* runner.run(body as GraphPlan, [
          ...mapped.map((x) => selected(x, 0, i)),
          ...(operands as Values),
        ]),
      ),
    );
  }
  return stackedColumns(rows, node.meta.val);
};

const whileLoop: HigherOrder = function* (runner, [condition, body, carried, additional]) {
  let carry = list(carried as RuntimeValue);
  const rest = list((additional ?? []) as RuntimeValue);
  while (truth(only(yield* runner.run(condition as GraphPlan, [...carry, ...rest])))) {
    carry = list(yield* runner.run(body as GraphPlan, [...carry, ...rest]));
  }
  return carry;
};

const scan: HigherOrder = function* (runner, [combine, init, xs, additional], _kwargs, node) {
  let carry = init as Values;
  const scanned = xs as readonly Tensor[];
  const rest = list((additional ?? []) as RuntimeValue);
  const rows: Values[] = [];
  for (let i = 0; i < (scanned[0]?.shape[0] ?? 0); i++) {
    const inputs = [...carry, ...scanned.map((x) => selected(x, 0, i)), ...rest];
    const results = list(yield* runner.run(combine as GraphPlan, inputs));
    carry = results.slice(0, carry.length);
    rows.push(results.slice(carry.length));
  }
  const outputs = Array.isArray(node.meta.val)
    ? (node.meta.val as readonly MetaValue[]).slice(carry.length)
    : undefined;
  return [...carry, ...stackedColumns(rows, outputs)];
};

const associativeScan: HigherOrder = function* (runner, [combine, xs, additional]) {
  const scanned = xs as readonly Tensor[];
  const rest = list((additional ?? []) as RuntimeValue);
  const count = scanned[0]?.shape[0] ?? 0;
  if (count === 0) return scanned;
  const rows: Values[] = [scanned.map((x) => selected(x, 0, 0))];
  for (let i = 1; i < count; i++) {
    const inputs = [...rows[i - 1]!, ...scanned.map((x) => selected(x, 0, i)), ...rest];
    rows.push(list(yield* runner.run(combine as GraphPlan, inputs)));
  }
  return stackedColumns(rows, undefined);
};

const wrap =
  (skip: number): HigherOrder =>
  (runner, args) =>
    runner.run(args[skip] as GraphPlan, args.slice(skip + 1) as Values);

const wrapWithAutocast: HigherOrder = (runner, [, dtype, enabled, , body, ...operands]) => {
  const name = (dtype as { dtype?: DType } | null)?.dtype ?? "bfloat16";
  return runner.withAutocast(enabled === true ? name : null, () =>
    runner.run(body as GraphPlan, operands as Values),
  );
};

/** An operator with an ordering token: the token passes through, results follow. */
const withEffects: HigherOrder = (runner, [token, operator, ...args], kwargs) => {
  const { target } = operator as OperatorLiteral;
  const result = runner.dispatcher.call(target, args as readonly CallArgument[], kwargs);
  return [token as RuntimeValue, ...(Array.isArray(result) ? (result as Values) : [result])];
};

/** A mutating operator on copies of its bases: its results, then the bases' new values. */
const autoFunctionalized: HigherOrder = (runner, [operator], kwargs) => {
  const { target } = operator as OperatorLiteral;
  const definition = runner.dispatcher.definitionOf(target);
  const bases = ((kwargs["_all_bases"] ?? []) as readonly Tensor[]).map((base) =>
    base === null ? base : duplicate(base),
  );
  const given: Record<string, CallArgument> = {};
  for (const { name } of definition.schema.args) {
    if (Object.hasOwn(kwargs, name)) given[name] = kwargs[name];
    else if (Object.hasOwn(kwargs, `_${name}_length`)) {
      given[name] = Array.from({ length: Number(kwargs[`_${name}_length`]) }, (_, i) =>
        mutatedView(`${name}_${i}`, kwargs, bases),
      );
    } else if (Object.hasOwn(kwargs, `_${name}_base_index`)) given[name] = mutatedView(name, kwargs, bases);
  }
  const result = runner.dispatcher.call(target, [], given);
  const returned = definition.schema.returns.length === 0 ? [null] : list(result);
  return [...returned, ...bases];
};

function mutatedView(name: string, kwargs: CallKwargs, bases: readonly Tensor[]): CallArgument {
  const index = kwargs[`_${name}_base_index`];
  if (index === null || index === undefined) return null;
  const base = bases[Number(index)]!;
  const part = (what: string): CallArgument => kwargs[`_${name}_${what}`];
  if (part("size") !== undefined) {
    return base.asStrided(
      part("size") as number[],
      part("stride") as number[],
      Number(part("storage_offset")),
    );
  }
  if (part("slice_dim") === undefined) return base;
  const [dim, start] = [Number(part("slice_dim")), Number(part("slice_start"))];
  const end = Math.min(Number(part("slice_end")), base.shape[dim]!);
  const shape = base.shape.with(dim, end - start);
  return base.asStrided(shape, base.strides, base.storageOffset + start * base.strides[dim]!);
}

/** Higher-order operators by target. */
export const HIGHER_ORDER: ReadonlyMap<string, HigherOrder> = new Map([
  ["higher_order.cond", cond],
  ["higher_order.map_impl", mapImpl],
  ["higher_order.while_loop", whileLoop],
  ["higher_order.scan", scan],
  ["higher_order.associative_scan", associativeScan],
  ["higher_order.wrap_with_set_grad_enabled", wrap(1)],
  ["higher_order.wrap_with_autocast", wrapWithAutocast],
  [
    "higher_order.strict_mode",
    (runner, [body, operands]) => runner.run(body as GraphPlan, operands as Values),
  ],
  [
    "higher_order.invoke_subgraph",
    (runner, [body, , ...operands]) => runner.run(body as GraphPlan, operands as Values),
  ],
  [
    "higher_order.hints_wrapper",
    (runner, [body, operands]) => runner.run(body as GraphPlan, operands as Values),
  ],
  ["higher_order.with_effects", withEffects],
  ["higher_order.auto_functionalized_v2", autoFunctionalized],
]);

/** A single-element tensor or a bool as a condition. */
export function truth(value: RuntimeValue): boolean {
  if (!(value instanceof Tensor)) return isFloat(value) ? true : Boolean(value);
  if (value.numel !== 1)
    throw invalidArgument(`a condition has to be a single element, got shape [${value.shape.join(", ")}]`);
  return readNumbers(value)[0] !== 0;
}

/** Index `i` of a dimension, as a view. */
export function selected(tensor: Tensor, dim: number, i: number): Tensor {
  const d = dim < 0 ? dim + tensor.ndim : dim;
  return tensor.asStrided(
    tensor.shape.toSpliced(d, 1),
    tensor.strides.toSpliced(d, 1),
    tensor.storageOffset + i * tensor.strides[d]!,
  );
}

/** Tensors of one shape along a new dimension. */
export function stacked(rows: readonly Tensor[], dim: number): Tensor {
  const first = rows[0]!;
  const d = dim < 0 ? dim + first.ndim + 1 : dim;
  const shape = first.shape.toSpliced(d, 0, rows.length);
  const out = emptyStrided(shape, contiguousStrides(shape), first.dtype);
  for (const [i, row] of rows.entries()) copyInto(selected(out, d, i), row);
  return out;
}

/** The empty result of a loop that made no round, from what tracing knew of it. */
export function emptyResult(meta: MetaValue | undefined, dim = 0): Tensor {
  if (!(meta instanceof FakeTensor)) throw noKernel("a loop without rounds and without metadata");
  const shape = meta.shape.map((size, d) => (d === dim ? 0 : typeof size === "number" ? size : 0));
  return emptyStrided(shape, contiguousStrides(shape), meta.dtype);
}

function stackedColumns(rows: readonly Values[], meta: MetaValue | undefined): Tensor[] {
  if (rows.length === 0)
    return (Array.isArray(meta) ? (meta as readonly MetaValue[]) : []).map((value) => emptyResult(value));
  return rows[0]!.map((_, column) =>
    stacked(
      rows.map((row) => row[column] as Tensor),
      0,
    ),
  );
}

/** A copy of a tensor's whole storage, seen the same way. */
function duplicate(base: Tensor): Tensor {
  if (base.isContiguous && base.storage.byteLength === base.numel * dtypeInfo(base.dtype).itemSize)
    return detached(base);
  const copy = emptyStrided(base.shape, base.strides, base.dtype);
  copyInto(copy, base);
  return copy;
}

const list = (value: RuntimeValue): Values => (Array.isArray(value) ? (value as Values) : [value]);

function only(value: RuntimeValue): RuntimeValue {
  const values = list(value);
  if (values.length !== 1) throw internalError("a loop condition gave several values");
  return values[0]!;
}
