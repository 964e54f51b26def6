/** @file Known vectors. Engines make a constant again wherever it stands, loops included. */
import type { FunctionBuilder, Local } from "@sconce/wasm";

type Numbers = Float32Array | Float64Array | Int32Array | BigInt64Array;
/** Puts a known vector of 16 bytes on the stack. */
export type Constants = (numbers: Numbers) => void;

const bytesOf = ({ buffer, byteOffset, byteLength }: Numbers): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Equal vectors have equal keys. */
const keyOf = ({ buffer, byteOffset }: Uint8Array | Numbers): string =>
  new BigUint64Array(buffer, byteOffset, 2).join();

/** Constants where they stand: in functions without loops. */
export const constantsInPlace =
  (f: FunctionBuilder): Constants =>
  (numbers) =>
    void f.v128(bytesOf(numbers));

/** Constants in locals, which are set before the loops. */
export class HoistedConstants {
  readonly #f: FunctionBuilder;
  readonly #locals = new Map<string, Local>();
  /** Those that were asked for, by their bytes; they are to be given to the constructor. */
  readonly missing = new Map<string, Uint8Array>();

  constructor(f: FunctionBuilder, wanted: ReadonlyMap<string, Uint8Array>) {
    this.#f = f;
    for (const [key, bytes] of wanted) {
      const local = f.local("v128");
      f.v128(bytes).set(local);
      this.#locals.set(key, local);
    }
  }
  /** Known float32, each in all lanes. */
  static of(f: FunctionBuilder, values: readonly number[]): HoistedConstants {
    const vectors = values.map((value) => bytesOf(new Float32Array(4).fill(value)));
    return new HoistedConstants(f, new Map(vectors.map((bytes) => [keyOf(bytes), bytes])));
  }
  readonly get: Constants = (numbers) => {
    const key = keyOf(numbers);
    const local = this.#locals.get(key);
    if (local !== undefined) this.#f.get(local);
    else {
      const bytes = bytesOf(numbers);
      this.missing.set(key, bytes);
      this.#f.v128(bytes);
    }
  };
}
