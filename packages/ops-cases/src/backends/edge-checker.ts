/**
 * @file What a device makes of values at the edges, against the interpreter: signs of zeros,
 * infinities and NaN have to be the same.
 */
import type { Backend } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { castTensor, isFloatDType, Tensor } from "@sconce/tensor";
import type { BuiltValue } from "../recorded/build.js";
import { numberText } from "../recorded/numbers.js";
import { CallProgram } from "./call-program.js";
import type { EdgeCall } from "./edge-calls.js";

/** How the results of a call compare. */
export interface EdgeReport {
  /** Calls that ran on the device. */
  readonly ran: boolean;
  /** One line for each element that differs. */
  readonly differences: readonly string[];
}

/** Runs calls on two backends. */
export class EdgeChecker {
  readonly #device: Backend;
  readonly #interpreter: Backend;
  readonly #operators: OperatorTable;
  /** Whether the device may take subnormal numbers for zeros, and give zeros in their place. */
  readonly #mayFlush: boolean;

  constructor(device: Backend, interpreter: Backend, operators: OperatorTable, mayFlush: boolean) {
    this.#device = device;
    this.#interpreter = interpreter;
    this.#operators = operators;
    this.#mayFlush = mayFlush;
  }

  /** Runs a call on the device and on the interpreter, and compares the elements. */
  async check(call: EdgeCall): Promise<EdgeReport> {
    const want = await this.#run(this.#interpreter, call, call.args);
    const got = await this.#run(this.#device, call, call.args);
    const flushed = this.#mayFlush ? await this.#flushed(call) : [];
    const isSame = sameness(call, this.#mayFlush);
    const differences: string[] = [];
    for (const [i, x] of got.elements.entries()) {
      const y = want.elements[i]!;
      if (isSame(x, y)) continue;
      // No flush excuses a NaN that should not be.
      const isExcused =
        (Number.isNaN(y) || !Number.isNaN(x)) && flushed.some((elements) => isSame(flush(x), elements[i]!));
      if (!isExcused) differences.push(`${operandsAt(call, i)}: ${numberText(x)}, not ${numberText(y)}`);
    }
    return { ran: got.kernels > 0, differences };
  }

  /**
   * Returns what the interpreter makes of zeros in place of subnormal operands: of all, or of one.
   */
  async #flushed(call: EdgeCall): Promise<number[][]> {
    const results: number[][] = [];
    for (let which = 1; which < 2 ** call.args.length; which++) {
      const args = call.args.map((arg, at) => (((which >> at) & 1) === 1 ? withoutSubnormals(arg) : arg));
      results.push((await this.#run(this.#interpreter, call, args)).elements);
    }
    return results;
  }

  async #run(
    backend: Backend,
    call: EdgeCall,
    args: readonly BuiltValue[],
  ): Promise<{ readonly elements: number[]; readonly kernels: number }> {
    const made = new CallProgram(call.target, args, call.kwargs, this.#operators);
    using executable = await backend.compile(made.program);
    const [result] = await executable.run(made.inputs);
    const { kernels = 0, fallbacks = [] } = executable.placement?.() ?? {};
    return {
      elements: [...(result as Tensor).toFloat64Array()],
      kernels: fallbacks.length === 0 ? kernels : 0,
    };
  }
}

const NORMAL = 2 ** -126;
const flush = (x: number): number => (Math.abs(x) < NORMAL ? x * 0 : x);
function withoutSubnormals(arg: BuiltValue): BuiltValue {
  if (typeof arg === "number") return flush(arg);
  if (!(arg instanceof Tensor) || !isFloatDType(arg.dtype)) return arg;
  return castTensor(Tensor.from([...arg.toFloat64Array()].map(flush), arg.shape, "float32"), arg.dtype);
}

/**
 * Returns whether results are the same: but for a few units of the last place, and for what is too
 * small for a normal float32 where that may be lost: in functions, whose steps may be small before
 * their result is, and where subnormal numbers count as zeros.
 */
function sameness(
  { isExact, hasAnyZero, slack }: EdgeCall,
  mayFlush: boolean,
): (x: number, y: number) => boolean {
  const lost = isExact ? (mayFlush ? NORMAL : 0) : mayFlush ? NORMAL * 256 : NORMAL;
  return (x, y) => {
    if (Object.is(x, y) || (x === y && (x !== 0 || hasAnyZero))) return true;
    if (!Number.isFinite(x) || !Number.isFinite(y)) return false;
    if (Math.abs(y) < lost && (isSigned(x) === isSigned(y) || (mayFlush && x === 0 && y !== 0)))
      return Math.abs(x) < lost * 1.01;
    return y !== 0 && x !== 0 && Math.abs(x - y) <= Math.abs(y) * (isExact ? 3e-7 : 3e-6) + slack;
  };
}
const isSigned = (x: number): boolean => x < 0 || Object.is(x, -0);
function operandsAt({ args }: EdgeCall, i: number): string {
  const tensors = args.filter((arg): arg is Tensor => arg instanceof Tensor);
  return tensors.map((tensor) => numberText(tensor.toFloat64Array()[i]!)).join(", ");
}
