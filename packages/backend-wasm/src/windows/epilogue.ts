/** @file The rest of a nest around its window, on four channels at once. */
import type { LoopNest, ReduceScalar, Scalar } from "@sconce/codegen";
import type { FunctionBuilder, Local } from "@sconce/wasm";
import { type Roles, type Steps, stepsOf } from "./plan.js";

/** Functions that have an instruction. */
const BINARY = { add: "f32x4.add", sub: "f32x4.sub", mul: "f32x4.mul", div: "f32x4.div" } as const;
const UNARY = { neg: "f32x4.neg", abs: "f32x4.abs", sqrt: "f32x4.sqrt" } as const;
/** The greater or smaller of a value and a number, NaN of the value kept. */
const BOUND = { max: "f32x4.pmax", min: "f32x4.pmin" } as const;

/** What is computed from a window, by instructions of vectors. */
export interface WindowEpilogue {
  /** Loads besides the window, each once. */
  readonly loads: readonly Steps[];
  /** Numbers, each once; locals hold them. */
  readonly constants: readonly number[];
  /** Pushes the value of four channels. */
  readonly push: (f: FunctionBuilder, at: EpilogueAt) => void;
}
/** Where the parts of a value are. */
interface EpilogueAt {
  readonly window: Local<"v128">;
  /** Pushes four channels of a load. */
  readonly load: (at: number) => void;
  readonly constants: readonly Local<"v128">[];
  /** A free local for each part that is used twice. */
  readonly shared: () => Local<"v128">;
}

/** The sums alone. */
export const SUMS: WindowEpilogue = { loads: [], constants: [], push: (f, { window }) => f.get(window) };

/** The epilogue of a nest; undefined if its value needs more than vectors of float32. */
export function windowEpilogue(
  { value }: LoopNest,
  reduce: ReduceScalar,
  roles: Roles,
): WindowEpilogue | undefined {
  const loads = new Map<Scalar, number>();
  const all: Steps[] = [];
  const constants: number[] = [];
  let isPlain = true;
  const seen = new Set<Scalar>([reduce]);
  const check = (scalar: Scalar): void => {
    if (seen.has(scalar)) return;
    seen.add(scalar);
    isPlain &&= scalar.dtype === "float32";
    if (scalar.kind === "load") {
      const steps = stepsOf(scalar, roles);
      isPlain &&= steps !== undefined && steps.channel <= 1 && steps.channel >= 0 && steps.column >= 0;
      if (steps !== undefined) loads.set(scalar, all.push(steps) - 1);
    } else if (scalar.kind === "constant") {
      const number = Number(scalar.value);
      if (!constants.some((one) => Object.is(one, number))) constants.push(number);
    } else if (scalar.kind === "call" && (scalar.fn in BINARY || scalar.fn in UNARY || isBound(scalar))) {
      scalar.args.forEach(check);
    } else isPlain = false;
  };
  check(value);
  if (!isPlain) return undefined;
  return {
    loads: all,
    constants,
    push: (f, at) => new ValueWriter(f, at, { reduce, loads, constants }).push(value),
  };
}

/** Whether a call compares a value with a number behind it. */
const isBound = ({ fn, args }: Extract<Scalar, { kind: "call" }>): boolean =>
  fn in BOUND && args[1]?.kind === "constant" && !Number.isNaN(Number(args[1].value));

interface Parts {
  readonly reduce: ReduceScalar;
  readonly loads: ReadonlyMap<Scalar, number>;
  readonly constants: readonly number[];
}

class ValueWriter {
  readonly #f: FunctionBuilder;
  readonly #at: EpilogueAt;
  readonly #parts: Parts;
  readonly #known = new Map<Scalar, Local<"v128">>();

  constructor(f: FunctionBuilder, at: EpilogueAt, parts: Parts) {
    this.#f = f;
    this.#at = at;
    this.#parts = parts;
  }

  push(scalar: Scalar): void {
    const known = this.#known.get(scalar);
    if (known !== undefined) this.#f.get(known);
    else if (scalar === this.#parts.reduce) this.#f.get(this.#at.window);
    else if (scalar.kind === "constant") this.#constant(Number(scalar.value));
    else if (scalar.kind === "load") this.#at.load(this.#parts.loads.get(scalar)!);
    else if (scalar.kind === "call") {
      this.#call(scalar.fn, scalar.args);
      const local = this.#at.shared();
      this.#known.set(scalar, local);
      this.#f.tee(local);
    }
  }

  #constant(value: number): void {
    this.#f.get(this.#at.constants[this.#parts.constants.findIndex((one) => Object.is(one, value))]!);
  }

  #call(fn: string, args: readonly Scalar[]): void {
    if (fn in UNARY) {
      this.push(args[0]!);
      this.#f.op(UNARY[fn as keyof typeof UNARY]);
      return;
    }
    if (fn === "max" || fn === "min") {
      this.#bound(fn, args);
      return;
    }
    for (const arg of args) this.push(arg);
    this.#f.op(BINARY[fn as keyof typeof BINARY]);
  }

  /** The first of equal ones stays, as do NaN: `pmax` and `pmin` with the number behind. */
  #bound(fn: "max" | "min", [value, bound]: readonly Scalar[]): void {
    this.push(value!);
    this.push(bound!);
    this.#f.op(BOUND[fn]);
  }
}
