/** @file Known vectors. Engines make a constant again wherever it stands, loops included. */
import type { FunctionBuilder, Local } from "@sconce/wasm";

/** Puts vectors of one number in all lanes on the stack. */
export interface Constants {
  f32(value: number): void;
  i32(value: number): void;
}

/** Constants where they stand: in functions without loops. */
export const constantsInPlace = (f: FunctionBuilder): Constants => ({
  f32: (value) => void f.f32x4(value),
  i32: (value) => void f.i32x4(value),
});

const bits = new DataView(new ArrayBuffer(4));
/** Constants in locals, which are set before the loops. */
export class HoistedConstants implements Constants {
  readonly #f: FunctionBuilder;
  readonly #locals = new Map<number, Local>();
  /** Those that were asked for, by their bits; they are to be given to the constructor. */
  readonly missing = new Set<number>();

  constructor(f: FunctionBuilder, wanted: Iterable<number>) {
    this.#f = f;
    for (const one of wanted) {
      const local = f.local("v128");
      f.i32x4(one).set(local);
      this.#locals.set(one, local);
    }
  }
  f32(value: number): void {
    bits.setFloat32(0, value);
    this.i32(bits.getInt32(0));
  }
  i32(value: number): void {
    const local = this.#locals.get(value);
    if (local !== undefined) this.#f.get(local);
    else {
      this.missing.add(value);
      this.#f.i32x4(value);
    }
  }
}
