/** @file Calls of operators: recorded while a program is traced, run at once otherwise. */

import type { Argument, FloatLiteral, Node } from "@sconce/ir";
import type { AnyFunction } from "@sconce/source-check";
import type { ShapeEnv } from "@sconce/symbolic";
import type { Tensor } from "@sconce/tensor";
import type { AutocastRegion } from "./autocast-mode.js";
import { evaluateEagerly } from "./eager.js";
import type { Sym, SymBool } from "./sym-int.js";

/** An argument of an operator: a tensor, a size, or a literal as graphs hold it. */
export type OperatorArgument = Tensor | Sym | Argument | undefined | readonly OperatorArgument[];
/** The result of an operator. */
export type OperatorResult =
  | Tensor
  | Sym
  | number
  | bigint
  | boolean
  | FloatLiteral
  | null
  | readonly OperatorResult[];
/** Keyword arguments of an operator, by the names of its schema. */
export type OperatorKeywords = Readonly<Record<string, OperatorArgument>>;

/** Records what a program does while it is traced. */
export interface Recorder {
  /** What is known of dynamic sizes; decides conditions on them. */
  readonly env: ShapeEnv;
  /** Whether the trace is that of a function of control flow. */
  readonly isNested?: boolean;
  /** Whether the export is strict. */
  readonly isStrict?: boolean;
  /** Takes note of a condition that the model decides by. */
  decided?(condition: SymBool): void;
  /** Takes note of a tensor whose dynamic sizes are read. */
  readsSizes?(tensor: Tensor): void;
  /** Records a call of an operator. */
  call(target: string, args: readonly OperatorArgument[], kwargs: OperatorKeywords): OperatorResult;
  /**
   * Records arithmetic on sizes, such as `operator.mul`, with its result. A result that is no
   * longer symbolic is not recorded.
   */
  arithmetic(target: string, args: readonly (Sym | Argument)[], result: Sym): void;
  /**
   * Records what PyTorch computes of sizes and keeps out of the program: the sizes are read, and
   * the functions take names, so that later nodes have the numbers that PyTorch gives them.
   */
  discarded(functions: readonly string[], sizes: readonly unknown[]): void;
  /**
   * Returns a tensor of values that the program writes down (`torch.tensor`): a constant, copied.
   */
  freshConstant(value: Tensor): Tensor;
  /**
   * Runs a function of the API and returns its result; its calls have the name in `torch_fn`, and
   * the stack of this call: `run` calls no code of the user's. `source` is the function as
   * torch.export saves it.
   */
  inFunction<T>(name: string, kind: string, run: () => T, source?: string): T;
  /** Runs a function of the API whose calls a trace names one by one. */
  inSource?<T>(name: string, source: string, run: () => T): T;
  /** Sets whether gradients are recorded, and returns whether they were. */
  setGradEnabled?(enabled: boolean): boolean;
  /** Runs something in a mixed precision region. */
  inAutocast?<T>(region: AutocastRegion, run: () => T): T;
  /** Checks the source of a function that a module calls where its own source does not show it. */
  checkFunction?(fn: AnyFunction, args: readonly unknown[], thisValue?: object): void;
  /** Runs a module's `forward`; its calls have the module in `nn_module_stack`. */
  inModule?<T>(module: object, args: readonly unknown[], run: () => T): T;
  /** Runs a node of a module that is a graph; its calls have the node's metadata. */
  ofNode?<T>(module: object, node: Node, run: () => T): T;
}

let current: Recorder | undefined;

/** Returns the running trace; undefined when operators run at once. */
export const currentTrace = (): Recorder | undefined => current;

/** Runs a function, and lets a recorder take its operator calls. */
export function withTrace<T>(recorder: Recorder | undefined, run: () => T): T {
  const outer = current;
  current = recorder;
  try {
    return run();
  } finally {
    current = outer;
  }
}

/**
 * Calls one overload, such as `aten.add.Tensor`, with arguments in the order of its schema;
 * `undefined` represents a default.
 *
 * @throws SconceError `UNKNOWN_OPERATOR`, and what the operator refuses
 */
export function callOperator(
  target: string,
  args: readonly OperatorArgument[],
  kwargs: OperatorKeywords = {},
): OperatorResult {
  const recorder = current;
  if (recorder === undefined) return evaluateEagerly(target, args, kwargs) as OperatorResult;
  // The program does not include what the recorder itself computes.
  current = undefined;
  try {
    return recorder.call(target, args, kwargs);
  } finally {
    current = recorder;
  }
}
