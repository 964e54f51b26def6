/**
 * @file Products of floats in the order of PyTorch's kernel (`binary_kernel_reduce_vec` of
 * `Reduce.h`), so that they have its bits: by the strides of the tensor, in 32 lanes of float32 or
 * 16 of float64 where elements lie side by side. Products of 32,768 elements and more are divided
 * among PyTorch's threads; these are not.
 */
import type { Tensor } from "@sconce/tensor";
import { scratchLike } from "../kernel/scratch.js";
import { type Axis, type Dims, forPlanes } from "./reduction-axes.js";
import type { Floats } from "./reduction-cascade.js";

/** Bytes of the four vectors that are multiplied beside each other. */
const BYTES = 128;

/** Returns the products over some dimensions, in row-major order of the others. */
export function productsInOrder(self: Tensor, dims: Dims, count: number): Floats {
  const data = self.data as Floats;
  const out = scratchLike(data, count).fill(1);
  if (self.numel === 0) return out;
  const product = new Product(data, out);
  forPlanes(self, dims, (...plane) => product.plane(...plane));
  return out;
}

class Product {
  readonly #data: Floats;
  readonly #out: Floats;
  /** The products of all lanes. */
  readonly #lanes: Floats;
  readonly #single: boolean;

  constructor(data: Floats, out: Floats) {
    this.#data = data;
    this.#out = out;
    this.#lanes = scratchLike(data, BYTES / data.BYTES_PER_ELEMENT);
    this.#single = data instanceof Float32Array;
  }

  /** Multiplies the results by the elements of two dimensions. */
  plane(inner: Axis, outer: Axis, from: number, to: number): void {
    const lanes = this.#lanes.length;
    let first = 0;
    if (inner.to === 0 && inner.from === 1) {
      for (let j = 0; j < outer.size; j++) this.#row(from + j * outer.from, inner.size, to + j * outer.to);
      return;
    }
    if (inner.to === 0 && outer.to === 1 && outer.from === 1)
      for (; first + lanes <= outer.size; first += lanes) {
        this.#multiply(from + first, inner.from, inner.size);
        for (let k = 0; k < lanes; k++) this.#out[to + first + k]! *= this.#lanes[k]!;
      }
    for (let j = first; j < outer.size; j++)
      if (inner.to === 0) this.#chain(from + j * outer.from, inner.from, inner.size, to + j * outer.to);
      else
        for (let i = 0; i < inner.size; i++)
          this.#out[to + j * outer.to + i * inner.to]! *= this.#data[from + j * outer.from + i * inner.from]!;
  }

  /** Elements that lie side by side: the lanes, then the rest in order. */
  #row(from: number, size: number, to: number): void {
    const lanes = this.#lanes;
    const whole = size - (size % lanes.length);
    if (whole > 0) {
      this.#multiply(from, lanes.length, whole / lanes.length);
      const quarter = lanes.length / 4;
      for (let k = 0; k < quarter; k++) lanes[k]! *= lanes[k + quarter]!;
      for (let k = 2 * quarter; k < 3 * quarter; k++) lanes[k]! *= lanes[k + quarter]!;
      for (let k = 0; k < quarter; k++) lanes[k]! *= lanes[k + 2 * quarter]!;
      for (let k = 1; k < quarter; k++) lanes[0]! *= lanes[k]!;
      this.#out[to]! *= lanes[0]!;
    }
    this.#chain(from + whole, 1, size - whole, to);
  }

  /** Multiplies a result by elements, one after the other. */
  #chain(from: number, step: number, size: number, to: number): void {
    const data = this.#data;
    const { fround } = Math;
    let product = this.#out[to]!;
    if (this.#single)
      for (let i = 0, at = from; i < size; i++, at += step) product = fround(product * data[at]!);
    else for (let i = 0, at = from; i < size; i++, at += step) product *= data[at]!;
    this.#out[to] = product;
  }

  /** The products of vectors, in each lane. */
  #multiply(from: number, step: number, size: number): void {
    const multiply = this.#single ? multiplySingles : multiplyDoubles;
    for (let k = 0; k < this.#lanes.length; k += 4)
      multiply(this.#data, from + k, step, size, this.#lanes, k);
  }
}

/** Four products beside each other. */
function multiplySingles(
  data: Floats,
  from: number,
  step: number,
  size: number,
  out: Floats,
  k: number,
): void {
  const { fround } = Math;
  let a = data[from]!;
  let b = data[from + 1]!;
  let c = data[from + 2]!;
  let d = data[from + 3]!;
  for (let i = 1, at = from + step; i < size; i++, at += step) {
    a = fround(a * data[at]!);
    b = fround(b * data[at + 1]!);
    c = fround(c * data[at + 2]!);
    d = fround(d * data[at + 3]!);
  }
  out[k] = a;
  out[k + 1] = b;
  out[k + 2] = c;
  out[k + 3] = d;
}

function multiplyDoubles(
  data: Floats,
  from: number,
  step: number,
  size: number,
  out: Floats,
  k: number,
): void {
  let a = data[from]!;
  let b = data[from + 1]!;
  let c = data[from + 2]!;
  let d = data[from + 3]!;
  for (let i = 1, at = from + step; i < size; i++, at += step) {
    a *= data[at]!;
    b *= data[at + 1]!;
    c *= data[at + 2]!;
    d *= data[at + 3]!;
  }
  out[k] = a;
  out[k + 1] = b;
  out[k + 2] = c;
  out[k + 3] = d;
}
