/**
 * @file Runs functions of the user's on tensors without values: their operators go to an emitter,
 * which computes fake results, adds nodes to a graph, or runs kernels.
 */

import { type Argument, FakeTensor, isSymScalar } from "@sconce/ir";
import type { Emit, EmitArg } from "@sconce/ops";
import { ShapeEnv, type SymEnv, SymExpr } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import {
  isSym,
  type OperatorArgument,
  type OperatorKeywords,
  type OperatorResult,
  type Recorder,
  type Sym,
  SymInt,
  scalarValue,
  symbolsIn,
  TracedTensor,
  withTrace,
  wrapScalar,
} from "@sconce/torch";

/** What a tensor with values becomes. */
export type Lift = (value: Tensor) => FakeTensor;

/** Returns the environment of a trace; a world of numbers gets a new one. */
export const shapeEnvOf = (env: SymEnv): ShapeEnv => (env instanceof ShapeEnv ? env : new ShapeEnv());

/** Takes the operators that a function calls. */
export class EmitRecorder implements Recorder {
  readonly env: ShapeEnv;
  /** Symbols that only the data decide, of the results of the calls. */
  readonly symbols = new Set<string>();
  readonly #emit: Emit;
  readonly #lift: Lift;
  /** Tensors of the function by their fake tensors: an operand that is returned stays itself. */
  readonly #tensors = new Map<FakeTensor, TracedTensor>();

  constructor(emit: Emit, env: ShapeEnv, lift: Lift) {
    this.#emit = emit;
    this.env = env;
    this.#lift = lift;
  }

  /** Takes note of symbols that a value has; those of arguments are known before. */
  noteSymbols(value: unknown, into: Set<string>): void {
    for (const [name, symbol] of symbolsIn(value)) if (this.env.hint(symbol) === undefined) into.add(name);
  }

  /** Runs a function whose operators this takes. */
  run<T>(body: () => T): T {
    return withTrace(this, body);
  }

  call(target: string, args: readonly OperatorArgument[], kwargs: OperatorKeywords): OperatorResult {
    const named: Record<string, EmitArg> = {};
    for (const key in kwargs) if (kwargs[key] !== undefined) named[key] = this.#given(kwargs[key]);
    const given = args.map((arg) => this.#given(arg));
    const result = this.#emit.value(target, given, named);
    this.noteSymbols(result, this.symbols);
    return this.toUser(result) as OperatorResult;
  }

  arithmetic(target: string, args: readonly (Sym | Argument)[], result: Sym): void {
    if (!(result instanceof SymInt)) return;
    const operands = args.map((arg) => (isSym(arg) ? arg.expr : (arg as number)));
    this.#emit.arithmetic?.(target, operands, result.expr);
  }

  /** Nodes have their names from the emitter. */
  discarded(): void {}

  freshConstant(value: Tensor): Tensor {
    return this.#tensorOf(this.#lift(value));
  }

  inFunction<T>(_name: string, _kind: string, run: () => T): T {
    return run();
  }

  #tensorOf(fake: FakeTensor): TracedTensor {
    let tensor = this.#tensors.get(fake);
    if (tensor === undefined) {
      tensor = new TracedTensor(fake);
      this.#tensors.set(fake, tensor);
    }
    return tensor;
  }

  #given(value: OperatorArgument): EmitArg {
    if (value instanceof TracedTensor) return value.fake;
    if (value instanceof Tensor) return this.#lift(value);
    if (isSym(value)) return value instanceof SymInt ? value.expr : scalarValue(value);
    if (Array.isArray(value)) return (value as readonly OperatorArgument[]).map((item) => this.#given(item));
    return value as EmitArg;
  }

  /** Returns a value of a rule as the function takes it. */
  toUser(value: unknown): unknown {
    if (value instanceof FakeTensor) return this.#tensorOf(value);
    if (Array.isArray(value)) return value.map((item) => this.toUser(item));
    if (value instanceof SymExpr) return new SymInt(value);
    if (!isSymScalar(value)) return value;
    return value.expr instanceof SymExpr ? wrapScalar(value.kind, value.expr) : value.expr;
  }

  /** Returns a result of the function as rules return it. */
  toMeta(value: unknown): unknown {
    if (value instanceof TracedTensor) return value.fake;
    if (value instanceof Tensor) return this.#lift(value);
    if (Array.isArray(value)) return value.map((item) => this.toMeta(item));
    if (isSym(value)) return scalarValue(value);
    return value ?? null;
  }
}
