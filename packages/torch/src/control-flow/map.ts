import { FakeTensor, flattenValue, type MetaValue, unflattenTree } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { torchSize } from "../torch-size.js";
import { currentTrace } from "../trace/dispatch.js";
import type { TraceNode } from "../trace/trace-node.js";
import { TracedTensor } from "../trace/traced-tensor.js";
import { Tracer } from "../trace/tracer.js";
import { runAtOnceChecked } from "./at-once.js";
import { BodyTracer } from "./body-tracer.js";
import { controlFlowArguments, controlFlowResults } from "./errors.js";
import { runOnFakes } from "./fake-runs.js";
import {
  bodyOf,
  checkedFunction,
  childName,
  type FlatFunction,
  firstItem,
  inputsOf,
  isOtherSize,
  isSameSize,
  itemAt,
  knownOf,
  requireFunctions,
  requireTensors,
  stackedItems,
  stackItems,
  tensorNode,
  traceFunction,
} from "./flow-call.js";
import { InputSizes } from "./input-sizes.js";
import { OperandNames } from "./operand-names.js";

/** The type of items along the first dimension: that of the container, which holds tensors. */
type Items = Tensor | readonly unknown[] | Readonly<Record<string, unknown>>;

/**
 * Applies a function to each item along the first dimension, and stacks the results
 * (`torch._higher_order_ops.map`). The function becomes a graph of the program.
 *
 * @param xs a tensor, or tensors in containers; all have the same first size
 * @param args tensors that each call takes. The function may close over others.
 * @throws SconceError `CONTROL_FLOW_ARGUMENTS`, `CONTROL_FLOW_RESULTS`, `CONTROL_FLOW_MUTATION`,
 *   `CONTROL_FLOW_ALIASING`, `CONTROL_FLOW_SIDE_EFFECT`; `DATA_DEPENDENT_GUARD` when only the data
 *   decide whether there are items. Require them: `torch.check(sym.gt(x.size(0), 0))`.
 * @example map((row) => row.softmax(0), x);
 */
export function map<Xs extends Items, Args extends readonly unknown[], Result>(
  fn: (x: Xs, ...args: Args) => Result,
  xs: Xs,
  ...args: Args
): Result {
  const { leaves: items, spec } = flattenValue(xs);
  const operands = flattenValue(args);
  requireFunctions("f", [fn]);
  requireTensors(items, "Mapped xs can only consist of tensors. Got xs");
  requireTensors(operands.leaves, "The arguments of map can only consist of tensors. Got");
  const trace = currentTrace();
  checkSizes(items);
  const run = checkedFunction(trace, "map", fn);
  const call = (values: readonly unknown[]): unknown => {
    const rest = unflattenTree(values.slice(items.length), operands.spec) as Args;
    return run(unflattenTree(values.slice(0, items.length), spec) as Xs, ...rest);
  };
  if (trace instanceof Tracer) return traceMap(trace, { fn, call }, items, operands.leaves) as Result;
  return runAtOnceChecked(
    [xs, args] as const,
    ([all, rest]) => map(fn, all, ...rest),
    () => mapEagerly(call, items, operands.leaves) as Result,
  );
}

function checkSizes(items: readonly Tensor[]): void {
  const shapes = items.map((item) => knownOf(item).shape);
  const shown = shapes.map(torchSize).join(", ");
  const first = shapes[0]?.[0];
  if (first === undefined || isSameSize(first, 0))
    throw controlFlowArguments(
      "Leading dimensions of mapped xs cannot be 0.",
      "pass tensors with at least one item along the first dimension",
    );
  for (const [size] of shapes) {
    if (!isOtherSize(size ?? 0, first)) continue;
    throw controlFlowArguments(
      `Leading dimensions of mapped xs must be consistent. Got shapes [${shown}].`,
      "pass tensors with one first size",
    );
  }
}

function mapEagerly(
  call: (values: readonly unknown[]) => unknown,
  items: readonly Tensor[],
  operands: readonly unknown[],
): unknown {
  const count = items[0]!.shape[0]!;
  const rows = Array.from({ length: count }, (_, i) =>
    flattenValue(call([...items.map((item) => itemAt(item, i)), ...operands])),
  );
  const columns = rows[0]!.leaves.map((leaf, column) =>
    leaf === null ? null : stackItems(rows.map(({ leaves }) => leaves[column] as Tensor)),
  );
  return unflattenTree(columns, rows[0]!.spec);
}

function traceMap(
  parent: Tracer,
  { fn, call }: FlatFunction,
  items: readonly Tensor[],
  operands: readonly Tensor[],
): unknown {
  const xs = items.map((item) => tensorNode(parent, item));
  const given = (i: number): TraceNode => tensorNode(parent, operands[i]!);
  const sizes = new InputSizes(parent);
  const names = new OperandNames(parent).argument("flat_xs", items).argument("flat_args", operands);
  names.closure("f", fn);
  const tracer = new BodyTracer({ parent, operator: "map", names, path: "f" });
  const values = [
    ...items.map((item, i) => tracer.tensorInput(firstItem(item, false), childName(i), () => xs[i]!)),
    ...operands.map((operand, i) =>
      tracer.tensorInput(new FakeTensor(knownOf(operand)), `l_flat_args_${i}_`, () => given(i)),
    ),
  ];
  const traced = traceFunction(tracer, () => call(values), checkResults);
  sizes.guard([...items, ...operands], [tracer]);
  const lifted = tracer.lifted.map(({ outer }) => outer);
  const rest = [...operands.map((_, i) => given(i)), ...lifted];
  const count = knownOf(items[0]!).shape[0]!;
  runOnFakes(parent, [traced]);
  const results = parent.callGraphs({
    name: "map_impl",
    kind: "MapImpl",
    bodies: [["body_graph_", bodyOf(traced, "tuple", inputsOf(tracer), [...xs, ...rest])]],
    argumentsOf: (graphs) => [...graphs, xs, rest],
    results: traced.leaves.map(
      (leaf): MetaValue => (leaf instanceof TracedTensor ? stackedItems(leaf.fake, count) : null),
    ),
  });
  return unflattenTree(results as unknown[], traced.spec);
}

function checkResults(leaves: readonly unknown[]): void {
  for (const leaf of leaves)
    if (!(leaf instanceof TracedTensor || leaf === null))
      throw controlFlowResults(
        "map",
        "HOP: non torch.Tensor leaf. Expected all leaves to be of torch.Tensor type.",
        "return tensors",
      );
}
