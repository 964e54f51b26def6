import { checkOptions, describeValue, type OptionNames, requireWord } from "@sconce/errors";
import { FakeTensor, flattenValue, type MetaValue, treeSpecEquals, unflattenTree } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { callOperator, currentTrace } from "../trace/dispatch.js";
import type { TracedTensor } from "../trace/traced-tensor.js";
import { Tracer } from "../trace/tracer.js";
import { runAtOnceChecked } from "./at-once.js";
import { BodyTracer } from "./body-tracer.js";
import { controlFlowArguments, controlFlowResults } from "./errors.js";
import {
  bodyOf,
  COMBINE_PATH,
  checkedFunction,
  childName,
  cloneOf,
  type FlowFunction,
  firstItem,
  inputsOf,
  itemAt,
  knownOf,
  requireFunctions,
  requireSameFacts,
  requiresGrad,
  requireTensors,
  stackedItems,
  stackItems,
  tensorNode,
  traceFunction,
} from "./flow-call.js";
import { recordLanes } from "./lanes.js";
import { OperandNames } from "./operand-names.js";
import { dimensionOf, fromFront, toFront } from "./scanned-dim.js";

/** Options of {@link associativeScan}. */
export interface AssociativeScanOptions {
  /** The dimension along which items are combined. */
  readonly dim: number;
  /** Whether the last item comes first. @defaultValue false */
  readonly reverse?: boolean | undefined;
  /**
   * `pointwise` makes the function a graph of the program; it may only hold pointwise operators.
   * `generic` writes the calls of all rounds into the program.
   * @defaultValue `"pointwise"`
   */
  readonly combineMode?: "pointwise" | "generic" | undefined;
}

const OPTIONS: OptionNames<AssociativeScanOptions> = { dim: true, reverse: true, combineMode: true };

/**
 * Combines items along a dimension with an associative function, and gives the results of all
 * prefixes (`torch._higher_order_ops.associative_scan`).
 *
 * @param combineFn combines two items, tensors in containers at will
 * @param xs tensors of one size along the dimension
 * @throws SconceError `CONTROL_FLOW_ARGUMENTS`, `CONTROL_FLOW_RESULTS`, `CONTROL_FLOW_MUTATION`,
 *   `CONTROL_FLOW_ALIASING`, `CONTROL_FLOW_SIDE_EFFECT`
 * @example associativeScan((a, b) => a.mul(b), x, { dim: 0 });
 */
export function associativeScan<Xs>(
  combineFn: (a: Xs, b: Xs) => Xs,
  xs: Xs,
  options: AssociativeScanOptions,
): Xs {
  checkOptions("associativeScan", options, OPTIONS);
  if ((options as unknown) === undefined)
    throw controlFlowArguments("the dimension is missing", "pass `{ dim: 0 }`, or another dimension");
  const { dim, reverse = false, combineMode = "pointwise" } = options;
  requireWord(combineMode, ["pointwise", "generic"], {
    code: "CONTROL_FLOW_ARGUMENTS",
    message: `Combine_mode must either 'pointwise' or 'generic', but got ${describeValue(combineMode)}`,
  });
  requireFunctions("combine_fn", [combineFn]);
  const { leaves, spec } = flattenValue(xs);
  requireTensors(leaves, "xs leaves must be a Tensor, but got");
  if (leaves.length === 0)
    throw controlFlowArguments("Expected at least 1 xs leaf", "pass at least one tensor");
  const at = dimensionOf(leaves, dim);
  const moved = toFront(leaves, at, reverse, true);
  const trace = currentTrace();
  const run = checkedFunction(trace, "associative_scan", combineFn);
  const combine = (values: readonly unknown[]): readonly Tensor[] => {
    const half = values.length / 2;
    const result = run(
      unflattenTree(values.slice(0, half), spec) as Xs,
      unflattenTree(values.slice(half), spec) as Xs,
    );
    const given = flattenValue(result);
    requireTensors(given.leaves, "combine_fn must return tensors, but gave");
    if (treeSpecEquals(given.spec, spec)) return given.leaves;
    throw controlFlowResults(
      "associative_scan",
      "mismatched input/output tree structure. The tree structure of the xs and the outs of the combine_fn are expected to be identical.",
      "return the containers that the function takes",
    );
  };
  const results =
    trace instanceof Tracer
      ? combineMode === "pointwise"
        ? tracePointwise(trace, combineFn, combine, moved)
        : inRounds(moved, (pairs) => batched(trace, combine, pairs))
      : runAtOnceChecked(
          [xs] as const,
          ([all]) => associativeScan(combineFn, all, options),
          () =>
            inRounds(moved, (pairs) => eachItem(combine, pairs)).map((result, i) =>
              asLaidOut(result, moved[i]!),
            ),
        );
  return unflattenTree(fromFront(results, at, reverse, true), spec) as Xs;
}

type Combine = (values: readonly unknown[]) => readonly Tensor[];

function tracePointwise(
  parent: Tracer,
  fn: FlowFunction,
  combine: Combine,
  items: readonly Tensor[],
): readonly unknown[] {
  // PyTorch's check of the results reads the first items.
  for (const item of items) callOperator("aten.select_copy.int", [item, 0, 0]);
  const tracer = new BodyTracer({
    parent,
    operator: "associative_scan",
    names: new OperandNames(parent).argument("leaves_xs", items).closure(COMBINE_PATH, fn),
    path: COMBINE_PATH,
  });
  const first = items.map((item) => firstItem(item, true));
  const values = [...first, ...first].map((fake, i) =>
    tracer.tensorInput(new FakeTensor(fake), childName(i)),
  );
  const traced = traceFunction(
    tracer,
    () => [...combine(values)],
    (results) =>
      requireSameFacts(
        "associative_scan",
        ["initial_xs", "combine_fn_output"],
        values.slice(0, items.length),
        results,
      ),
  );
  for (const { op, target } of traced.tracer.liveNodes(traced.outputs))
    if (op === "call_function" && !isPointwise(parent, target))
      throw controlFlowResults(
        "associative_scan",
        `For combine_mode='pointwise', the combine_fn needs to be pointwise, and \`${target}\` is not`,
        'use `combineMode: "generic"`',
      );
  if (parent.gradEnabled && tracer.lifted.some(({ outer: { val } }) => requiresGrad(val)))
    throw controlFlowArguments(
      "Associative_scan does currently not support gradients for lifted parameters!",
      "call `torch.associativeScan` in `torch.noGrad`, or pass the `detach()` of the parameter to the function",
    );
  const count = knownOf(items[0]!).shape[0]!;
  return parent.callGraphs({
    name: "associative_scan",
    kind: "AssociativeScanOp",
    bodies: [["associative_scan_combine_graph_", bodyOf(traced, "list", inputsOf(tracer))]],
    argumentsOf: (graphs) => [
      ...graphs,
      items.map((item) => tensorNode(parent, item)),
      { kind: "tuple", items: tracer.lifted.map(({ outer }) => outer) },
    ],
    results: traced.leaves.map((leaf, i): MetaValue => {
      const result = stackedItems((leaf as TracedTensor).fake, count);
      // The strides are those of a copy of the tensor that is scanned.
      return new FakeTensor({ ...result, strides: cloneOf(parent, knownOf(items[i]!)).strides });
    }),
  });
}

/** Views and reads of sizes change no values. */
const isPointwise = ({ operators }: Tracer, target: string): boolean => {
  const row = operators.get(target);
  return row === undefined || row.tags.includes("pointwise") || row.schema.isView;
};

const slice = (x: Tensor, start: number, end: number | null, step = 1): Tensor =>
  callOperator("aten.slice.Tensor", step === 1 ? [x, 0, start, end] : [x, 0, start, end, step]) as Tensor;

const lengthOf = (x: Tensor): number => {
  const [size] = knownOf(x).shape;
  if (typeof size === "number") return size;
  throw controlFlowArguments(
    "associative_scan with combine_mode='generic' needs a size that is known along the dimension",
    'use `combineMode: "pointwise"`, or make this size static',
  );
};

/** Combines neighbors, then what they give (`generic_associative_scan`). */
function inRounds(
  items: readonly Tensor[],
  combine: (pairs: readonly Tensor[]) => readonly Tensor[],
): readonly Tensor[] {
  const count = lengthOf(items[0]!);
  if (count < 2) return items;
  const reduced = combine([
    ...items.map((item) => slice(item, 0, -1, 2)),
    ...items.map((item) => slice(item, 1, null, 2)),
  ]);
  const odd = inRounds(reduced, combine);
  const left = count % 2 === 0 ? odd.map((item) => slice(item, 0, -1)) : odd;
  const even = combine([...left, ...items.map((item) => slice(item, 2, null, 2))]).map((result, i) => {
    const head = slice(items[i]!, 0, 1);
    if (knownOf(result).shape.includes(0)) return head;
    return callOperator("aten.cat.default", [[head, result]]) as Tensor;
  });
  return even.map((item, i) => interleave(item, odd[i]!));
}

function interleave(even: Tensor, odd: Tensor): Tensor {
  const isLonger = lengthOf(even) === lengthOf(odd) + 1;
  const pad = [...new Array<number>((odd.ndim - 1) * 2 + 1).fill(0), 1];
  const other = isLonger ? (callOperator("aten.pad.default", [odd, pad]) as Tensor) : odd;
  const stacked = callOperator("aten.stack.default", [[even, other], 1]) as Tensor;
  const flat = callOperator("aten.flatten.using_ints", [stacked, 0, 1]) as Tensor;
  return isLonger ? slice(flat, 0, lengthOf(other) + lengthOf(even) - 1) : flat;
}

/** Combines all pairs of items at once, as `torch.vmap` does. */
const batched = (trace: Tracer, combine: Combine, pairs: readonly Tensor[]): readonly Tensor[] =>
  recordLanes(trace, lengthOf(pairs[0]!), ({ item }) =>
    combine(pairs.map((pair) => item(pair, 0, firstItem(pair, false)))),
  );

/** Returns the values of a tensor in the layout of another one, as the traced program has them. */
function asLaidOut(values: Tensor, like: Tensor): Tensor {
  // The function of a generic scan may give another dtype.
  if (values.dtype !== like.dtype) return values;
  const copy = callOperator("aten.clone.default", [like]) as Tensor;
  return callOperator("aten.copy_.default", [copy, values]) as Tensor;
}

/** Combines pair by pair, where nothing is traced. */
function eachItem(combine: Combine, pairs: readonly Tensor[]): readonly Tensor[] {
  const half = pairs.length / 2;
  const count = lengthOf(pairs[0]!);
  if (count === 0) return pairs.slice(0, half);
  const rows = Array.from({ length: count }, (_, i) => combine(pairs.map((pair) => itemAt(pair, i))));
  return Array.from({ length: half }, (_, column) => stackItems(rows.map((row) => row[column]!)));
}
