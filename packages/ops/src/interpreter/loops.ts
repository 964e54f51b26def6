/** @file Branches and loops. */
import { internalError } from "@sconce/errors";
import type { MetaValue, Node } from "@sconce/ir";
import { invalidArgument } from "../rows/errors.js";
import { type GraphRunner, type HigherOrder, orNone, type Values, valuesOf } from "./higher-order-call.js";
import type { CallKwargs, NestedGraph, NodeArgument, RuntimeValue, Steps } from "./values.js";

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
  const count = lengthOf(runner, mapped);
  const rows: Values<T>[] = [];
  for (let i = 0; i < count; i++) {
    const inputs = [...mapped.map((x) => runner.tensors.select(x, 0, i)), ...orNone(operands)];
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

/** Runs a loop; `passed` receives the carried values after each round. */
function* looped<T>(
  runner: GraphRunner<T>,
  [condition, body, carried, additional]: readonly NodeArgument<T>[],
  passed: (carry: Values<T>) => void,
): Steps<Values<T>> {
  let carry = valuesOf(carried);
  const rest = orNone(additional);
  for (;;) {
    const proceed = only(yield* runner.runGraph(condition as NestedGraph, [...carry, ...rest]));
    if (!runner.tensors.isTrue(proceed)) return carry;
    runner.countIteration();
    carry = valuesOf(yield* runner.runGraph(body as NestedGraph, [...carry, ...rest]));
    passed(carry);
  }
}

export const whileLoop: HigherOrder = (runner, args) => looped(runner, args, () => undefined);

/** The values of all rounds, stacked; those that the loop begins with if there is no round. */
export const whileLoopStackOutput: HigherOrder = function* <T>(
  runner: GraphRunner<T>,
  args: readonly NodeArgument<T>[],
) {
  const rows: Values<T>[] = [];
  const last = yield* looped(runner, args, (carry) => void rows.push(carry));
  return stackedColumns(runner, rows.length === 0 ? [last] : rows, undefined);
};

export const scan: HigherOrder = function* <T>(
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

export const associativeScan: HigherOrder = function* <T>(
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
