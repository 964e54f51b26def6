import { checkOptions, describeValue, type OptionNames } from "@sconce/errors";
import { FakeTensor, flattenValue, isTuple, type MetaValue, pythonTuple, unflattenTree } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { currentTrace } from "../trace/dispatch.js";
import { TracedTensor } from "../trace/traced-tensor.js";
import { Tracer } from "../trace/tracer.js";
import { runAtOnceChecked } from "./at-once.js";
import { BodyTracer } from "./body-tracer.js";
import { controlFlowArguments, controlFlowResults } from "./errors.js";
import {
  bodyOf,
  COMBINE_PATH,
  checkedFunction,
  childName,
  type FlatFunction,
  firstItem,
  inputsOf,
  isSameSize,
  itemAt,
  knownOf,
  requireFunctions,
  requireSameFacts,
  requireTensors,
  sameFacts,
  stackedItems,
  stackItems,
  tensorNode,
  traceFunction,
} from "./flow-call.js";
import { InputSizes } from "./input-sizes.js";
import { OperandNames } from "./operand-names.js";
import { dimensionOf, fromFront, toFront } from "./scanned-dim.js";

/** Options of {@link scan}. */
export interface ScanOptions {
  /** The dimension along which items are taken. @defaultValue 0 */
  readonly dim?: number | undefined;
  /** Whether the last item comes first. @defaultValue false */
  readonly reverse?: boolean | undefined;
}

const OPTIONS: OptionNames<ScanOptions> = { dim: true, reverse: true };

/**
 * Carries values along a dimension, and collects a result for each item
 * (`torch._higher_order_ops.scan`). The function becomes a graph of the program.
 *
 * @param combineFn takes what is carried and an item, and gives `[carry, result]`
 * @param init the first carry: tensors in containers at will
 * @param xs tensors of one size along the dimension
 * @returns the last carry, and the results behind each other along the dimension
 * @throws SconceError `CONTROL_FLOW_ARGUMENTS`, `CONTROL_FLOW_RESULTS`, `CONTROL_FLOW_MUTATION`,
 *   `CONTROL_FLOW_ALIASING`, `CONTROL_FLOW_SIDE_EFFECT`; `DATA_DEPENDENT_GUARD` when only the data
 *   decide whether there are items. Require them: `torch.check(sym.gt(xs.size(0), 0))`.
 * @example scan((sum, x) => [sum.add(x), sum.mul(2)], torch.zeros(3), xs);
 */
export function scan<Carry, Xs, Result>(
  combineFn: (carry: Carry, x: Xs) => readonly [Carry, Result],
  init: Carry,
  xs: Xs,
  options: ScanOptions = {},
): [Carry, Result] {
  checkOptions("scan", options, OPTIONS);
  const { dim = 0, reverse = false } = options;
  const carry = flattenValue(init);
  const items = flattenValue(xs);
  if (items.leaves.length === 0) return pythonTuple(init, []) as [Carry, Result];
  requireFunctions("combine_fn", [combineFn]);
  if (carry.leaves.length === 0)
    throw controlFlowArguments("scan() operator requires init leaves.", "carry at least one tensor");
  requireTensors(carry.leaves, "All init leaves must be a Tensor but got");
  requireTensors(items.leaves, "All xs leaves must be a Tensor but got");
  const at = dimensionOf(items.leaves, dim);
  requireItems(items.leaves, at);
  const first = carry.leaves;
  const moved = toFront(items.leaves, at, reverse, at !== 0);
  const trace = currentTrace();
  const run = checkedFunction(trace, "scan", combineFn);
  const call = (values: readonly unknown[]): unknown => {
    const state = unflattenTree(values.slice(0, carry.leaves.length), carry.spec) as Carry;
    return run(state, unflattenTree(values.slice(carry.leaves.length), items.spec) as Xs);
  };
  const { last, results, spec } =
    trace instanceof Tracer
      ? traceScan(trace, { fn: combineFn, call }, carry.leaves, moved)
      : runAtOnceChecked(
          [init, xs] as const,
          ([state, all]) => scan(combineFn, state, all, options),
          () => scanEagerly(call, first, moved),
        );
  const back = fromFront(results, at, reverse, at !== 0);
  return pythonTuple(unflattenTree(last, carry.spec), unflattenTree(back, spec)) as [Carry, Result];
}

interface Scanned {
  readonly last: readonly unknown[];
  readonly results: readonly unknown[];
  readonly spec: ReturnType<typeof flattenValue>["spec"];
}

/** Returns the parts of what the function gives: `[carry, result]`. */
function partsOf(result: unknown): readonly [unknown, unknown] {
  const parts = isTuple(result) ? result.items : result;
  if (Array.isArray(parts) && parts.length === 2)
    return parts as readonly unknown[] as readonly [unknown, unknown];
  throw controlFlowResults(
    "scan",
    `improper combine_fn number of returns. Expect combine_fn to return a tuple (next_carry, y) but got ${describeValue(result)}.`,
    "return `[carry, result]`",
  );
}

function requireItems([first]: readonly Tensor[], dim: number): void {
  if (isSameSize(knownOf(first!).shape[dim]!, 0))
    throw controlFlowArguments("scan() has no items", "pass tensors with at least one item");
}

function scanEagerly(
  call: (values: readonly unknown[]) => unknown,
  init: readonly Tensor[],
  items: readonly Tensor[],
): Scanned {
  let last: readonly unknown[] = init;
  const rows: ReturnType<typeof flattenValue>[] = [];
  for (let i = 0; i < items[0]!.shape[0]!; i++) {
    const [carry, result] = partsOf(call([...last, ...items.map((item) => itemAt(item, i, true))]));
    last = flattenValue(carry).leaves;
    requireSameFacts("scan", ["init", "carry"], init, last);
    rows.push(flattenValue(result));
  }
  const { leaves, spec } = rows[0]!;
  const results = leaves.map((leaf, column) =>
    leaf === null ? null : stackItems(rows.map((row) => row.leaves[column] as Tensor)),
  );
  return { last, results, spec };
}

function traceScan(
  parent: Tracer,
  { fn, call }: FlatFunction,
  init: readonly Tensor[],
  items: readonly Tensor[],
): Scanned {
  const first = init.map((leaf) => tensorNode(parent, leaf));
  const xs = items.map((item) => tensorNode(parent, item));
  const sizes = new InputSizes(parent);
  const names = new OperandNames(parent).argument("leaves_init", init).argument("leaves_xs", items);
  names.closure(COMBINE_PATH, fn);
  const tracer = new BodyTracer({ parent, operator: "scan", names, path: COMBINE_PATH });
  const values = [
    ...init.map((leaf, i) => tracer.tensorInput(new FakeTensor(knownOf(leaf)), childName(i))),
    ...items.map((item, i) => tracer.tensorInput(firstItem(item, true), childName(init.length + i))),
  ];
  let spec: Scanned["spec"] | undefined;
  const traced = traceFunction(
    tracer,
    () => call(values),
    (_, result) => {
      const [carry, rest] = partsOf(result);
      spec = flattenValue(rest).spec;
      requireSameFacts("scan", ["init", "carry"], values.slice(0, init.length), flattenValue(carry).leaves);
    },
  );
  sizes.guard([...init, ...items], [tracer]);
  const count = knownOf(items[0]!).shape[0]!;
  const results = parent.callGraphs({
    name: "scan",
    kind: "ScanOp",
    bodies: [["scan_combine_graph_", bodyOf(traced, "list", inputsOf(tracer))]],
    argumentsOf: (graphs) => [
      ...graphs,
      first,
      xs,
      { kind: "tuple", items: tracer.lifted.map(({ outer }) => outer) },
    ],
    results: traced.leaves.map((leaf, i): MetaValue => {
      if (!(leaf instanceof TracedTensor)) return null;
      return i < init.length ? sameFacts(leaf.fake) : stackedItems(leaf.fake, count);
    }),
  });
  return { last: results.slice(0, init.length), results: results.slice(init.length), spec: spec! };
}
