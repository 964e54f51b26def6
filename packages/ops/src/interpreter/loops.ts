/** @file Branches and loops. */
import { internalError } from "@sconce/errors";
import type { MetaValue, Node } from "@sconce/ir";
import { invalidArgument } from "../rows/errors.js";
import {
  type GraphRunner,
  type HigherOrder,
  orNone,
  resolved,
  type Values,
  valuesOf,
} from "./higher-order-call.js";
import type { CallArgument, CallKwargs, NestedGraph, NodeArgument, RuntimeValue, Steps } from "./values.js";

export const cond: HigherOrder = (runner, [predicate, whenTrue, whenFalse, operands]) =>
  runner.runGraph(
    (runner.tensors.isTrue(predicate as RuntimeValue<never>) ? whenTrue : whenFalse) as NestedGraph,
    orNone(operands),
  );

export const mapImpl: HigherOrder = function* <T>(
  runner: GraphRunner<T>,
  [body, xs, operands]: readonly NodeArgument<T>[],
  _kwargs: CallKwargs<T>,
  node: Node,
) {
  const mapped = xs as readonly T[];
  // All before the first round: a body may change the layout of a tensor that is also an operand.
  const given = Array.from({ length: lengthOf(runner, mapped) }, (_, i) => rowsAt(runner, mapped, i));
  const rows: Values<T>[] = [];
  for (const row of given) {
    const inputs = [...row, ...orNone(operands)];
    rows.push(valuesOf(yield* runner.runGraph(body as NestedGraph, inputs)));
  }
  return stackedColumns(runner, rows, node.meta.val);
};

/** The branch of an index in range; `torch.switch` clamps it in the program. */
export const switchBranches: HigherOrder = (runner, [index, branches, operands]) => {
  const at = runner.tensors.integerOf(index as RuntimeValue<never>);
  const graphs = branches as unknown as readonly NestedGraph[];
  const branch = graphs[at];
  if (branch === undefined)
    throw invalidArgument(`switch index ${at} out of range for ${graphs.length} branches`);
  return runner.runGraph(branch, orNone(operands));
};

/**
 * Runs a loop; `passed` receives the carried values after each round. If there is no
 * round, the results are copies.
 */
function* looped<T>(
  runner: GraphRunner<T>,
  [condition, body, carried, additional]: readonly NodeArgument<T>[],
  node: Node,
  passed: (carry: Values<T>) => void,
): Steps<Values<T>> {
  let carry = valuesOf(carried);
  const rest = orNone(additional);
  for (let rounds = 0; ; rounds++) {
    const proceed = only(yield* runner.runGraph(condition as NestedGraph, [...carry, ...rest]));
    if (!runner.tensors.isTrue(proceed)) return rounds > 0 ? carry : yield* copied(runner, carry, node);
    runner.countIteration();
    carry = valuesOf(yield* runner.runGraph(body as NestedGraph, [...carry, ...rest]));
    passed(carry);
  }
}

/** Returns values with copies of the tensors among them, as PyTorch's loop without rounds gives. */
function* copied<T>(runner: GraphRunner<T>, values: Values<T>, node: Node): Steps<Values<T>> {
  const copies: RuntimeValue<T>[] = [];
  for (const value of values) {
    if (!runner.tensors.isTensor(value)) copies.push(value);
    else copies.push(yield* called(runner, "aten.clone.default", [value], node));
  }
  return copies;
}

/** Runs an operator with a single result. */
function* called<T>(
  runner: GraphRunner<T>,
  target: string,
  args: readonly CallArgument<T>[],
  node: Node,
): Steps<RuntimeValue<T>> {
  return (yield* resolved(runner.callOperator(target, args, {}, node))) as RuntimeValue<T>;
}

export const whileLoop: HigherOrder = (runner, args, _kwargs, node) =>
  looped(runner, args, node, () => undefined);

/** The values of all rounds, stacked; those that the loop begins with if there is no round. */
export const whileLoopStackOutput: HigherOrder = function* <T>(
  runner: GraphRunner<T>,
  args: readonly NodeArgument<T>[],
  _kwargs: CallKwargs<T>,
  node: Node,
) {
  const rows: Values<T>[] = [];
  const last = yield* looped(runner, args, node, (carry) => void rows.push(carry));
  return stackedColumns(runner, rows.length === 0 ? [last] : rows, undefined);
};

export const scan: HigherOrder = function* <T>(
  runner: GraphRunner<T>,
  [combine, init, xs, additional]: readonly NodeArgument<T>[],
  _kwargs: CallKwargs<T>,
  node: Node,
) {
  const started = init as Values<T>;
  const scanned = xs as readonly T[];
  const count = lengthOf(runner, scanned);
  if (scanned.length === 0) return started;
  let carry = started;
  const rows: Values<T>[] = [];
  for (let i = 0; i < Math.max(count, 1); i++) {
    const row = i > 0 ? rowsAt(runner, scanned, i) : yield* firstRow(runner, scanned, count, node);
    const inputs = [...carry, ...row, ...orNone(additional)];
    const results = valuesOf(yield* runner.runGraph(combine as NestedGraph, inputs));
    carry = results.slice(0, carry.length);
    rows.push(results.slice(carry.length));
  }
  if (count > 0) return [...carry, ...stackedColumns(runner, rows, undefined)];
  return [...started, ...(yield* withoutRows(runner, rows[0]!, node))];
};

/**
 * Returns what a scan begins with: copies, whatever the body writes to, and zeros if there is no
 * row, from which PyTorch learns the sizes of the results.
 */
function* firstRow<T>(
  runner: GraphRunner<T>,
  scanned: readonly T[],
  count: number,
  node: Node,
): Steps<Values<T>> {
  if (count > 0) return yield* copied(runner, rowsAt(runner, scanned, 0), node);
  const zeros: RuntimeValue<T>[] = [];
  for (const x of scanned) {
    const shape = runner.tensors.layoutOf(x).shape.slice(1);
    zeros.push(yield* called(runner, "aten.new_zeros.default", [x, shape], node));
  }
  return zeros;
}

/** Returns results without rows, whose other sizes are those of this row. */
function* withoutRows<T>(runner: GraphRunner<T>, row: Values<T>, node: Node): Steps<Values<T>> {
  const columns: RuntimeValue<T>[] = [];
  for (const value of row) {
    const shape = [0, ...runner.tensors.layoutOf(value as T).shape];
    columns.push(yield* called(runner, "aten.new_empty.default", [value as T, shape], node));
  }
  return columns;
}

export const associativeScan: HigherOrder = function* <T>(
  runner: GraphRunner<T>,
  [combine, xs, additional]: readonly NodeArgument<T>[],
) {
  const scanned = xs as readonly T[];
  const count = lengthOf(runner, scanned);
  if (count < 2) return scanned;
  const rows: Values<T>[] = [rowsAt(runner, scanned, 0)];
  for (let i = 1; i < count; i++) {
    const inputs = [...rows[i - 1]!, ...rowsAt(runner, scanned, i), ...orNone(additional)];
    rows.push(valuesOf(yield* runner.runGraph(combine as NestedGraph, inputs)));
  }
  return stackedColumns(runner, rows, undefined);
};

const lengthOf = <T>({ tensors }: GraphRunner<T>, scanned: readonly T[]): number =>
  scanned.length === 0 ? 0 : tensors.sizeOf(scanned[0]!, 0);

const rowsAt = <T>({ tensors }: GraphRunner<T>, scanned: readonly T[], i: number): readonly T[] =>
  scanned.map((x) => tensors.select(x, 0, i));

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
