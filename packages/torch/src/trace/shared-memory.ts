/** @file Which calls of a trace share the memory of their operands: views, and writes in place. */

import { FakeTensor, isSymScalar, type MetaValue, type OpSchema } from "@sconce/ir";
import {
  type BoundArgs,
  bindArgs,
  emitFrom,
  metaOfBound,
  type OpDefinition,
  type OperatorTable,
} from "@sconce/ops";
import type { ShapeEnv } from "@sconce/symbolic";
import { isTraceTuple } from "@sconce/trace";
import { fakesIn } from "./operands.js";
import { bringsSymbols } from "./symbols-in.js";
import { type TraceArgument, TraceNode } from "./trace-node.js";

/** What is needed to look at calls. */
export interface CallPlace {
  readonly operators: OperatorTable;
  readonly env: ShapeEnv;
}

/**
 * Returns the operand whose memory a node has; undefined where it has new memory. Composite
 * operators, such as `reshape` and `contiguous`, return a view or a copy: their decomposition
 * decides.
 */
export function sharedOperandOf(node: TraceNode, place: CallPlace): TraceNode | undefined {
  if (node.target === "operator.getitem") {
    const [call, at] = node.args;
    return call instanceof TraceNode ? sharedResult(call, at as number, place) : undefined;
  }
  return sharedResult(node, 0, place);
}

function sharedResult(node: TraceNode, at: number, place: CallPlace): TraceNode | undefined {
  const row = node.op === "call_function" ? place.operators.get(node.target) : undefined;
  if (row === undefined) return undefined;
  const operands = new Map<FakeTensor, TraceNode>();
  const args = node.args.map((arg) => known(arg, operands));
  const kwargs = Object.fromEntries(
    Object.entries(node.kwargs).map(([key, arg]) => [key, known(arg, operands)]),
  );
  if (operands.size === 0 || bringsSymbols(node.val ?? null, [...operands.keys()])) return undefined;
  const bound = bindArgs(row.schema, args, kwargs);
  const memories = new Memories(place);
  const result = memories.call(row, bound);
  const tensor = Array.isArray(result) ? (result as readonly MetaValue[])[at] : result;
  return tensor instanceof FakeTensor ? operands.get(memories.of(tensor)) : undefined;
}

/** Returns an argument as shape rules take it. */
function known(value: TraceArgument, operands: Map<FakeTensor, TraceNode>): unknown {
  if (value instanceof TraceNode) {
    const { val } = value;
    if (val instanceof FakeTensor && !operands.has(val)) operands.set(val, value);
    return isSymScalar(val) && val.kind === "SymInt" ? val.expr : val;
  }
  if (isTraceTuple(value)) return value.items.map((item) => known(item, operands));
  return Array.isArray(value)
    ? (value as readonly TraceArgument[]).map((item) => known(item, operands))
    : value;
}

/** The memory of the tensors of a call and of the calls that it decomposes to. */
class Memories {
  readonly #place: CallPlace;
  readonly #memory = new Map<FakeTensor, FakeTensor>();

  constructor(place: CallPlace) {
    this.#place = place;
  }

  of(tensor: FakeTensor): FakeTensor {
    return this.#memory.get(tensor) ?? tensor;
  }

  call(row: OpDefinition, bound: BoundArgs): MetaValue {
    const { operators, env } = this.#place;
    if (row.decompose !== undefined && row.tags.includes("composite")) {
      const emit = emitFrom(env, (target, args, kwargs) => {
        const inner = operators.require(target);
        return this.call(inner, bindArgs(inner.schema, args, kwargs));
      });
      return row.decompose(emit, bound);
    }
    const result = metaOfBound(operators, row, bound, env);
    this.#note(row.schema, bound, result);
    return result;
  }

  #note({ args, returns }: OpSchema, bound: BoundArgs, result: MetaValue): void {
    const results = returns.length === 1 ? [result] : (result as readonly MetaValue[]);
    returns.forEach(({ alias }, i) => {
      if (alias === undefined || alias === null) return;
      const source = args.find((parameter) => parameter.alias?.set === alias.set);
      const [operand] =
        source === undefined ? [] : fakesIn([(bound as Record<string, unknown>)[source.name]]);
      if (operand === undefined) return;
      for (const tensor of fakesIn([results[i]]))
        if (tensor !== operand) this.#memory.set(tensor, this.of(operand));
    });
  }
}
