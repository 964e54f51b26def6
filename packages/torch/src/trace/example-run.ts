/**
 * @file The example inputs' values behind a trace, as PyTorch's fake tensors have them with
 * `fake_tensor_propagate_real_tensors`. A draft of a program takes decisions on data by them.
 */
import { isSconceError } from "@sconce/errors";
import { type Argument, FakeTensor, float, isSymScalar, type MetaValue, unwrapFloat } from "@sconce/ir";
import type { UnboundArg } from "@sconce/ops";
import { freeSymbols, type ShapeEnv, SymExpr } from "@sconce/symbolic";
import { Storage, Tensor } from "@sconce/tensor";
import { customOperator } from "./custom-operators.js";
import type { OperatorResult } from "./dispatch.js";
import type { DraftRecorder } from "./draft-recorder.js";
import { evaluateEagerly } from "./eager.js";
import { inferredResult, reconciled } from "./kernel-shapes.js";

/** A call of an operator, with fake tensors and symbols for what is traced. */
export interface ExampleCall {
  readonly target: string;
  readonly args: readonly UnboundArg[];
  readonly kwargs: Readonly<Record<string, UnboundArg>>;
}

/** Represents a value that the run does not have. */
const UNKNOWN = Symbol("unknown");
type Known = OperatorResult | Argument | readonly Known[];

/** The parameters of an {@link ExampleRun}. */
export interface ExampleRunInit {
  readonly env: ShapeEnv;
  readonly draft: DraftRecorder;
  /** The run of the enclosing graph. */
  readonly outer?: ExampleRun | undefined;
}

/** Runs each traced operator on the values of the example inputs. */
export class ExampleRun {
  readonly #env: ShapeEnv;
  readonly #draft: DraftRecorder;
  /** Whether the graph is nested: the example need not run it. */
  readonly #isNested: boolean;
  readonly #values: WeakMap<FakeTensor, Tensor>;
  readonly #copies: Map<Storage, Storage>;

  constructor({ env, draft, outer }: ExampleRunInit) {
    this.#env = env;
    this.#draft = draft;
    this.#isNested = outer !== undefined;
    this.#values = outer === undefined ? new WeakMap() : outer.#values;
    this.#copies = outer === undefined ? new Map() : outer.#copies;
  }

  /** Returns the run of a nested graph; the values of the example decide there, too. */
  nested(): ExampleRun {
    return new ExampleRun({ env: this.#env, draft: this.#draft, outer: this });
  }

  /** Gives an input or constant its value. The run has its own copy, which it may write to. */
  begin(fake: FakeTensor, value: Tensor): void {
    if (!value.hasValues) return;
    const { dtype, shape, strides, storageOffset, storage } = value;
    const copy = this.#copies.get(storage) ?? new Storage(storage.bytes.slice());
    this.#copies.set(storage, copy);
    this.#values.set(fake, new Tensor({ dtype, shape, strides, storageOffset, storage: copy }));
  }

  /** Returns the value of a traced tensor; undefined where the run does not have it. */
  valueOf(fake: FakeTensor): Tensor | undefined {
    return this.#values.get(fake);
  }

  /**
   * Runs an operator; undefined where an operand has no value, or nothing computes the operator.
   *
   * @throws SconceError what the operator refuses
   */
  run({ target, args, kwargs }: ExampleCall): OperatorResult | undefined {
    const given = args.map((arg) => this.#known(arg));
    const named: Record<string, Known> = {};
    for (const key in kwargs) {
      const value = this.#known(kwargs[key]!);
      if (value === UNKNOWN) return undefined;
      named[key] = value;
    }
    if (given.includes(UNKNOWN)) return undefined;
    try {
      return evaluateEagerly(target, given, named) as OperatorResult;
    } catch (error) {
      // In a branch that the example does not take, an operator may refuse the values.
      if (this.#isNested || (isSconceError(error) && error.code === "NO_KERNEL")) return undefined;
      throw error;
    }
  }

  #known(value: UnboundArg): Known | typeof UNKNOWN {
    if (value instanceof FakeTensor) return this.#values.get(value) ?? UNKNOWN;
    if (value instanceof SymExpr) return this.#env.observed(value) ?? UNKNOWN;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      const items = (value as readonly UnboundArg[]).map((item) => this.#known(item));
      return items.includes(UNKNOWN) ? UNKNOWN : (items as readonly Known[]);
    }
    if (!isSymScalar(value)) return value as Argument;
    const known = value.expr instanceof SymExpr ? this.#env.observed(value.expr) : value.expr;
    if (known === undefined) return UNKNOWN;
    return value.kind === "SymFloat" ? float(Number(known)) : known;
  }

  /**
   * Returns what is known of the results of a call: for an operator of the user's, what its kernel
   * gives, where its fake is missing or gives something else.
   *
   * @param rule what the shape rule gives
   */
  resultOf(target: string, real: OperatorResult | undefined, rule: () => MetaValue): MetaValue {
    if (real === undefined || customOperator(target) === undefined) return rule();
    let fake: MetaValue;
    try {
      fake = rule();
    } catch (error) {
      if (!isSconceError(error) || error.code !== "NO_FAKE") throw error;
      this.#draft.missingFake(target);
      return inferredResult(target, real, this.#env);
    }
    const report = (reason: string): void => this.#draft.mismatchedFake(target, reason);
    return reconciled(fake, real, this.#env, { target, report });
  }

  /** Gives the results of a call their values. */
  finish(result: MetaValue, real: OperatorResult | undefined): void {
    if (real === undefined || real === null) return;
    if (Array.isArray(result)) {
      const items = real as readonly OperatorResult[];
      (result as readonly MetaValue[]).forEach((item, i) => {
        this.finish(item, items[i]);
      });
    } else if (result instanceof FakeTensor) {
      if (!(real instanceof Tensor)) return;
      this.#values.set(result, real);
      result.shape.forEach((size, dim) => {
        this.#observe(size, real.shape[dim]!);
      });
    } else if (isSymScalar(result)) this.#observe(result.expr, scalarOf(real));
  }

  #observe(expr: unknown, value: number): void {
    if (!(expr instanceof SymExpr)) return;
    // A condition that is read is `Eq(u0, 1)`: its symbol is 1 or 0.
    const [symbol, ...others] = freeSymbols(expr).values();
    if (symbol === undefined || others.length > 0) return;
    const isSymbol = expr.op === "Symbol" || (expr.op === "Equality" && expr.args[1]?.op === "Integer");
    if (isSymbol && this.#env.hint(symbol) === undefined) this.#env.observe(symbol.name, value);
  }
}

/** Returns the number of a scalar that an operator gives. */
const scalarOf = (real: OperatorResult): number => Number(unwrapFloat(real as Argument));
