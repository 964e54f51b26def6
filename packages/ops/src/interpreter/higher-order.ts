/** @file Higher-order operators: those whose arguments are graphs. */
import { internalError } from "@sconce/errors";
import type { MetaValue, Node, OperatorLiteral } from "@sconce/ir";
import type { DType } from "@sconce/tensor";
import type { OperatorTable } from "../table/table.js";
import type { TensorAccess } from "./tensor-access.js";
import {
  type CallArgument,
  type CallKwargs,
  type NestedGraph,
  type NodeArgument,
  type NodeResult,
  Running,
  type RuntimeValue,
  type Steps,
} from "./values.js";

/** What a higher-order operator may ask of the interpreter. */
export interface GraphRunner<T> {
  readonly tensors: TensorAccess<T>;
  readonly operators: OperatorTable;
  /** Runs a nested graph; a graph that returns a tuple gives a list. */
  runGraph(graph: NestedGraph, inputs: readonly RuntimeValue<T>[]): Steps<RuntimeValue<T>>;
  /** Runs with an autocast dtype (null for none) in force. */
  withAutocast(dtype: DType | null, body: Steps<RuntimeValue<T>>): Steps<RuntimeValue<T>>;
  /** Counts an iteration of a loop. @throws SconceError `LOOP_LIMIT` */
  countIteration(): void;
  callOperator(
    target: string,
    args: readonly CallArgument<T>[],
    kwargs: CallKwargs<T>,
    node: Node,
  ): NodeResult<T>;
}

/** Runs one higher-order call. */
export type HigherOrder = <T>(
  runner: GraphRunner<T>,
  args: readonly NodeArgument<T>[],
  kwargs: CallKwargs<T>,
  node: Node,
) => Steps<RuntimeValue<T>>;

type Values<T> = readonly RuntimeValue<T>[];

/** Resolves the value of a node, waiting for it if needed. */
export function* resolved<V>(value: V | Promise<V> | Running<V>): Steps<V> {
  if (value instanceof Running) return yield* value.steps;
  return value instanceof Promise ? ((yield value) as V) : value;
}

const valuesOf = <T>(value: NodeArgument<T>): Values<T> =>
  Array.isArray(value) ? (value as Values<T>) : [value as RuntimeValue<T>];
const orNone = <T>(value: NodeArgument<T>): Values<T> => valuesOf(value ?? ([] as NodeArgument<T>));

const cond: HigherOrder = (runner, [predicate, whenTrue, whenFalse, operands]) =>
  runner.runGraph(
    (runner.tensors.isTrue(predicate as RuntimeValue<never>) ? whenTrue : whenFalse) as NestedGraph,
    orNone(operands),
  );

const mapImpl: HigherOrder = function* <T>(
  runner: GraphRunner<T>,
  [body, xs, operands]: readonly NodeArgument<T>[],
  _kwargs: CallKwargs<T>,
  node: Node,
) {
  const mapped = xs as readonly T[];
  const count = lengthOf(runner, mapped);
  const rows: Values<T>[] = [];
  for (let i = 0; i < count; i++) {
    const inputs = [...mapped.map((x) => runner.tensors.select(x, 0, i)), ...orNone(operands)];
    rows.push(valuesOf(yield* runner.runGraph(body as NestedGraph, inputs)));
  }
  return stackedColumns(runner, rows, node.meta.val);
};

const whileLoop: HigherOrder = function* <T>(
  runner: GraphRunner<T>,
  [condition, body, carried, additional]: readonly NodeArgument<T>[],
) {
  let carry = valuesOf(carried);
  const rest = orNone(additional);
  for (;;) {
    const proceed = only(yield* runner.runGraph(condition as NestedGraph, [...carry, ...rest]));
    if (!runner.tensors.isTrue(proceed)) return carry;
    runner.countIteration();
    carry = valuesOf(yield* runner.runGraph(body as NestedGraph, [...carry, ...rest]));
  }
};

const scan: HigherOrder = function* <T>(
  runner: GraphRunner<T>,
  [combine, init, xs, additional]: readonly NodeArgument<T>[],
  _kwargs: CallKwargs<T>,
  node: Node,
) {
  let carry = init as Values<T>;
  const scanned = xs as readonly T[];
  const rows: Values<T>[] = [];
  for (let i = 0; i < lengthOf(runner, scanned); i++) {
    const row = scanned.map((x) => runner.tensors.select(x, 0, i));
    const inputs = [...carry, ...row, ...orNone(additional)];
    const results = valuesOf(yield* runner.runGraph(combine as NestedGraph, inputs));
    carry = results.slice(0, carry.length);
    rows.push(results.slice(carry.length));
  }
  const outputs = Array.isArray(node.meta.val)
    ? (node.meta.val as readonly MetaValue[]).slice(carry.length)
    : undefined;
  return [...carry, ...stackedColumns(runner, rows, outputs)];
};

const associativeScan: HigherOrder = function* <T>(
  runner: GraphRunner<T>,
  [combine, xs, additional]: readonly NodeArgument<T>[],
) {
  const scanned = xs as readonly T[];
  const count = lengthOf(runner, scanned);
  if (count === 0) return scanned;
  const rowAt = (i: number): T[] => scanned.map((x) => runner.tensors.select(x, 0, i));
  const rows: Values<T>[] = [rowAt(0)];
  for (let i = 1; i < count; i++) {
    const inputs = [...rows[i - 1]!, ...rowAt(i), ...orNone(additional)];
    rows.push(valuesOf(yield* runner.runGraph(combine as NestedGraph, inputs)));
  }
  return stackedColumns(runner, rows, undefined);
};

/** Calls the graph at an argument with the arguments after the first `skip + 1`. */
const wrap =
  (at: number, skip: number): HigherOrder =>
  <T>(runner: GraphRunner<T>, args: readonly NodeArgument<T>[]) =>
    runner.runGraph(args[at] as NestedGraph, args.slice(skip + 1) as Values<T>);

/** Calls a graph with one list of operands. */
const applied: HigherOrder = (runner, [body, operands]) =>
  runner.runGraph(body as NestedGraph, orNone(operands));

const wrapWithAutocast: HigherOrder = <T>(
  runner: GraphRunner<T>,
  [, dtype, enabled, , body, ...operands]: readonly NodeArgument<T>[],
) => {
  const name = (dtype as { dtype?: DType } | null)?.dtype ?? "bfloat16";
  const steps = runner.runGraph(body as NestedGraph, operands as Values<T>);
  return runner.withAutocast(enabled === true ? name : null, steps);
};

/** An operator with an ordering token: the token passes through, results follow. */
const withEffects: HigherOrder = function* <T>(
  runner: GraphRunner<T>,
  [token, operator, ...args]: readonly NodeArgument<T>[],
  kwargs: CallKwargs<T>,
  node: Node,
) {
  const { target } = operator as OperatorLiteral;
  const result = yield* resolved(runner.callOperator(target, args as CallArgument<T>[], kwargs, node));
  return [token as RuntimeValue<T>, ...valuesOf<T>(result)];
};

/** A mutating operator on copies of its bases: its results, then the bases' new values. */
const autoFunctionalized: HigherOrder = function* <T>(
  runner: GraphRunner<T>,
  [operator]: readonly NodeArgument<T>[],
  kwargs: CallKwargs<T>,
  node: Node,
) {
  const { target } = operator as OperatorLiteral;
  const { schema } = runner.operators.require(target);
  const bases = ((kwargs["_all_bases"] ?? []) as readonly (T | null)[]).map((base) =>
    base === null ? base : runner.tensors.clone(base),
  );
  const view = (name: string): CallArgument<T> => mutatedView(runner.tensors, name, kwargs, bases);
  const given: Record<string, CallArgument<T>> = {};
  for (const { name } of schema.args) {
    if (Object.hasOwn(kwargs, name)) given[name] = kwargs[name];
    else if (Object.hasOwn(kwargs, `_${name}_length`)) {
      const length = kwargs[`_${name}_length`] ?? null;
      given[name] =
        length === null ? null : Array.from({ length: Number(length) }, (_, i) => view(`${name}_${i}`));
    } else if (Object.hasOwn(kwargs, `_${name}_base_index`)) given[name] = view(name);
  }
  const result = yield* resolved(runner.callOperator(target, [], given, node));
  return [...(schema.returns.length === 0 ? [null] : valuesOf<T>(result)), ...bases];
};

function mutatedView<T>(
  tensors: TensorAccess<T>,
  name: string,
  kwargs: CallKwargs<T>,
  bases: readonly (T | null)[],
): CallArgument<T> {
  const index = kwargs[`_${name}_base_index`];
  if (index === null || index === undefined) return null;
  const base = bases[Number(index)] as T;
  const part = (what: string): CallArgument<T> => kwargs[`_${name}_${what}`];
  if (part("size") !== undefined) {
    const [size, stride] = [part("size") as number[], part("stride") as number[]];
    return tensors.asStrided(base, size, stride, Number(part("storage_offset")));
  }
  if (part("slice_dim") === undefined) return base;
  const [dim, start] = [Number(part("slice_dim")), Number(part("slice_start"))];
  const { shape, strides, storageOffset } = tensors.layoutOf(base);
  const end = Math.min(Number(part("slice_end")), shape[dim]!);
  return tensors.asStrided(
    base,
    shape.with(dim, end - start),
    strides,
    storageOffset + start * strides[dim]!,
  );
}

/** Higher-order operators by target. */
export const HIGHER_ORDER: ReadonlyMap<string, HigherOrder> = new Map([
  ["higher_order.cond", cond],
  ["higher_order.map_impl", mapImpl],
  ["higher_order.while_loop", whileLoop],
  ["higher_order.scan", scan],
  ["higher_order.associative_scan", associativeScan],
  ["higher_order.wrap_with_set_grad_enabled", wrap(1, 1)],
  ["higher_order.wrap_with_autocast", wrapWithAutocast],
  ["higher_order.strict_mode", applied],
  ["higher_order.invoke_subgraph", wrap(0, 1)],
  ["higher_order.hints_wrapper", applied],
  ["higher_order.with_effects", withEffects],
  ["higher_order.auto_functionalized_v2", autoFunctionalized],
]);

const lengthOf = <T>({ tensors }: GraphRunner<T>, scanned: readonly T[]): number =>
  scanned.length === 0 ? 0 : tensors.sizeOf(scanned[0]!, 0);

function stackedColumns<T>(
  { tensors }: GraphRunner<T>,
  rows: readonly Values<T>[],
  meta: MetaValue | undefined,
): T[] {
  const metas = Array.isArray(meta) ? (meta as readonly MetaValue[]) : [];
  if (rows.length === 0) return metas.map((value) => tensors.empty(value, 0));
  return rows[0]!.map((_, column) =>
    tensors.stack(
      rows.map((row) => row[column] as T),
      0,
    ),
  );
}

function only<T>(value: RuntimeValue<T>): RuntimeValue<T> {
  const values = valuesOf(value);
  if (values.length !== 1) throw internalError("a loop condition gave several values");
  return values[0]!;
}
