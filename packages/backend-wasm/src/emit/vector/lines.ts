/** @file Expressions of vectors: each puts one vector on the stack. */
import type { FunctionBuilder, Instruction } from "@sconce/wasm";
import type { SharedFunctions } from "../core/shared-functions.js";
import type { Constants } from "./constants.js";

/** Puts a vector on the stack. */
export type Vector = () => void;

/** A function of four float32, or of four pairs. */
export type MathFunction = (w: VectorWriter, x: Vector, y: Vector) => Vector;

/** Writes arithmetic on four float32 or int32. */
export class VectorWriter {
  readonly f: FunctionBuilder;
  readonly helpers: SharedFunctions;
  readonly #constants: Constants;

  constructor(f: FunctionBuilder, helpers: SharedFunctions, constants: Constants) {
    this.f = f;
    this.helpers = helpers;
    this.#constants = constants;
  }

  /** One float32 in all lanes. */
  number(value: number): Vector {
    return () => this.#constants(new Float32Array(4).fill(value));
  }
  /** One int32 in all lanes. */
  whole(value: number): Vector {
    return () => this.#constants(new Int32Array(4).fill(value));
  }
  /** Four int32, each a step more than the one before it. */
  ramp(step: number): Vector {
    return () => this.#constants(Int32Array.of(0, step, 2 * step, 3 * step));
  }
  /** One float64 in both lanes. */
  double(value: number): Vector {
    return () => this.#constants(new Float64Array(2).fill(value));
  }
  /** One int64 in both lanes. */
  long(value: bigint): Vector {
    return () => this.#constants(new BigInt64Array(2).fill(value));
  }
  /** Instructions on operands. */
  op(name: Instruction, ...operands: readonly Vector[]): Vector {
    return () => {
      for (const operand of operands) operand();
      this.f.op(name);
    };
  }
  /** Computes a vector now, so that it may be read several times. */
  let(value: Vector): Vector {
    const local = this.f.local("v128");
    value();
    this.f.set(local);
    return () => void this.f.get(local);
  }

  add(a: Vector, b: Vector): Vector {
    return this.op("f32x4.add", a, b);
  }
  sub(a: Vector, b: Vector): Vector {
    return this.op("f32x4.sub", a, b);
  }
  mul(a: Vector, b: Vector): Vector {
    return this.op("f32x4.mul", a, b);
  }
  /** `a * b + c`, in one rounding or two. */
  madd(a: Vector, b: Vector, c: Vector): Vector {
    return this.helpers.relaxed ? this.op("f32x4.relaxed_madd", a, b, c) : this.add(c, this.mul(a, b));
  }
  /** `c - a * b`, in one rounding or two. */
  nmadd(a: Vector, b: Vector, c: Vector): Vector {
    return this.helpers.relaxed ? this.op("f32x4.relaxed_nmadd", a, b, c) : this.sub(c, this.mul(a, b));
  }
  div(a: Vector, b: Vector): Vector {
    return this.op("f32x4.div", a, b);
  }
  /** Shifts the bits of each lane. */
  shift(name: "shl" | "shr_s" | "shr_u", value: Vector, by: number): Vector {
    return () => {
      value();
      this.f.i32(by).op(`i32x4.${name}`);
    };
  }
  /**
   * One of two vectors for each lane; the mask has all bits of a lane or none. So the relaxed
   * instruction, which may look at one bit of a lane, gives the same.
   */
  choose(mask: Vector, then: Vector, otherwise: Vector): Vector {
    const name = this.helpers.relaxed ? "i32x4.relaxed_laneselect" : "v128.bitselect";
    return this.op(name, then, otherwise, mask);
  }
  /**
   * Returns a polynomial; the coefficient of the highest power is first. Pairs of terms are added
   * up side by side (G. Estrin, 1960): a processor waits less than for one term after the other.
   */
  polynomial(x: Vector, coefficients: readonly number[]): Vector {
    let [terms, power] = [coefficients.map((one) => this.number(one)).reverse(), x];
    while (terms.length > 1) {
      const pairs: Vector[] = [];
      for (let at = 0; at < terms.length; at += 2) {
        const [low, high] = [terms[at]!, terms[at + 1]];
        pairs.push(high === undefined ? low : this.madd(high, power, low));
      }
      terms = pairs;
      if (terms.length > 1) power = this.let(this.mul(power, power));
    }
    return terms[0]!;
  }
}
