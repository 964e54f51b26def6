/**
 * @file Opaque calls in a retrace: they stay as they are, with the results that the program
 * records.
 */
import {
  type Argument,
  FakeTensor,
  forEachInput,
  type Graph,
  type MetaValue,
  type Node,
  opaqueCalls,
  ref,
} from "@sconce/ir";
import type { EmitArg, OperatorTable } from "@sconce/ops";
import type { Dispatcher } from "../functionalize/dispatcher.js";
import { unwrap, wrap } from "../functionalize/wrapping.js";
import { signOfEffects } from "../opaque/effects.js";
import { opaqueEffects, opaqueInputs } from "../opaque/errors.js";
import { changeOf } from "../opaque/inputs.js";

type Kwargs = Readonly<Record<string, EmitArg>>;

/** The run of a source graph that a call belongs to. */
interface SourceRun {
  readonly dispatcher: Dispatcher;
  readonly graph: Graph;
  /** Returns an argument with values in place of references. */
  resolve(argument: Argument): EmitArg;
}

/**
 * Keeps the call of an operator that nothing defines.
 *
 * @throws SconceError `OPAQUE_INPUTS` when an argument has another dtype or shape than the recorded
 * one
 */
export function keepOpaque(
  interpreter: SourceRun,
  node: Node,
  args: readonly EmitArg[],
  kwargs: Kwargs,
): MetaValue {
  const { tracer } = interpreter.dispatcher;
  forEachInput(node, (input) => {
    const recorded = interpreter.graph.node(input).meta.val;
    const now = interpreter.resolve(ref(input)) as MetaValue;
    const change = changeOf(recorded, now, tracer.env);
    if (change !== undefined) throw opaqueInputs(node, input, change);
  });
  return keepCall(interpreter, node, args, kwargs);
}

/** Records a call on the lowered level with the source program's results. */
export function keepCall(
  { dispatcher }: Pick<SourceRun, "dispatcher">,
  node: Node,
  args: readonly EmitArg[],
  kwargs: Kwargs,
): MetaValue {
  const plain: Record<string, EmitArg> = {};
  for (const key in kwargs) plain[key] = unwrap(kwargs[key]);
  const result = dispatcher.tracer.record(
    node.target,
    args.map(unwrap) as never,
    plain as never,
    recordedResult(node),
    node.meta.callForm,
  );
  return wrap(result);
}

/** Returns a copy of the recorded value of a node. */
export function recordedResult(node: Node): MetaValue {
  const clone = (val: MetaValue): MetaValue => {
    if (val instanceof FakeTensor) return new FakeTensor(val);
    return Array.isArray(val) ? (val as readonly MetaValue[]).map(clone) : val;
  };
  return clone(node.meta.val ?? null);
}

/**
 * Refuses opaque calls that show signs of writing to their arguments: the training dialect allows
 * it, and nothing says which argument is written to. Of others it is assumed that they only
 * compute, as PyTorch assumes of an operator whose schema has no alias annotations.
 *
 * @throws SconceError `OPAQUE_EFFECTS`
 */
export function refuseOpaqueEffects(graph: Graph, operators: OperatorTable): void {
  for (const { node } of opaqueCalls(graph, operators)) {
    const sign = signOfEffects(node);
    if (sign !== undefined) throw opaqueEffects(node, sign);
  }
}
