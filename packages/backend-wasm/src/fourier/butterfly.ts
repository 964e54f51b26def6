/** @file Transforms of few elements, each a vector of four lines. */
import type { FunctionBuilder, Instruction, Local } from "@sconce/wasm";

/** A complex number in each of four lanes. */
export interface Pair {
  readonly re: Local<"v128">;
  readonly im: Local<"v128">;
}

/** Writes arithmetic of complex vectors. Locals are reused by the butterflies of a kernel. */
export class Butterflies {
  readonly #f: FunctionBuilder;
  readonly #sign: 1 | -1;
  readonly #free: Pair[] = [];

  constructor(f: FunctionBuilder, sign: 1 | -1) {
    this.#f = f;
    this.#sign = sign;
  }

  /** Locals that the body may use. */
  with<T>(count: number, body: (pairs: readonly Pair[]) => T): T {
    while (this.#free.length < count)
      this.#free.push({ re: this.#f.local("v128"), im: this.#f.local("v128") });
    const pairs = this.#free.splice(0, count);
    const result = body(pairs);
    this.#free.unshift(...pairs);
    return result;
  }

  #write(op: Instruction, a: Local, b: Local, to: Local): void {
    this.#f.get(a, b).op(op).set(to);
  }
  add(a: Pair, b: Pair, to: Pair): void {
    this.#write("f32x4.add", a.re, b.re, to.re);
    this.#write("f32x4.add", a.im, b.im, to.im);
  }
  sub(a: Pair, b: Pair, to: Pair): void {
    this.#write("f32x4.sub", a.re, b.re, to.re);
    this.#write("f32x4.sub", a.im, b.im, to.im);
  }
  /** `a + sign i b`; with `isLess`, `a - sign i b`. */
  #turned(a: Pair, b: Pair, to: Pair, isLess = false): void {
    const isPlus = this.#sign > 0 !== isLess;
    this.#write(isPlus ? "f32x4.sub" : "f32x4.add", a.re, b.im, to.re);
    this.#write(isPlus ? "f32x4.add" : "f32x4.sub", a.im, b.re, to.im);
  }
  /** Multiplies by a complex number. */
  multiply(a: Pair, by: Pair, to: Pair): void {
    const f = this.#f;
    f.get(a.re, by.re).op("f32x4.mul").get(a.im, by.im).op("f32x4.mul", "f32x4.sub");
    f.get(a.re, by.im).op("f32x4.mul").get(a.im, by.re).op("f32x4.mul", "f32x4.add");
    f.set(to.im).set(to.re);
  }

  /** The transform of the elements; `store` takes each, whose local may then change. */
  transform(elements: readonly Pair[], store: (at: number, value: Pair) => void): void {
    if (elements.length === 2) this.#two(elements, store);
    else if (elements.length === 4) this.#four(elements, store);
    else this.#odd(elements, store);
  }
  #two([a, b]: readonly Pair[], store: (at: number, value: Pair) => void): void {
    this.with(1, ([sum]) => {
      this.add(a!, b!, sum!);
      store(0, sum!);
      this.sub(a!, b!, sum!);
      store(1, sum!);
    });
  }
  #four([a, b, c, d]: readonly Pair[], store: (at: number, value: Pair) => void): void {
    this.with(2, ([even, odd]) => {
      this.add(a!, c!, even!);
      this.add(b!, d!, odd!);
      this.sub(a!, c!, a!);
      this.sub(b!, d!, b!);
      this.add(even!, odd!, c!);
      store(0, c!);
      this.sub(even!, odd!, c!);
      store(2, c!);
      this.#turned(a!, b!, c!);
      store(1, c!);
      this.#turned(a!, b!, c!, true);
      store(3, c!);
    });
  }
  /** An odd number: the sums and differences of each element and its mirror. */
  #odd(elements: readonly Pair[], store: (at: number, value: Pair) => void): void {
    const [first] = elements;
    const count = elements.length;
    const half = (count - 1) / 2;
    this.with(3, ([c, s, out]) => {
      for (let j = 1; j <= half; j++) {
        const [a, b] = [elements[j]!, elements[count - j]!];
        this.sub(a, b, c!);
        this.add(a, b, a);
        this.#copy(c!, b);
      }
      this.#copy(first!, c!);
      for (let j = 1; j <= half; j++) this.add(c!, elements[j]!, c!);
      store(0, c!);
      for (let k = 1; k <= half; k++) {
        this.#copy(first!, c!);
        for (let j = 1; j <= half; j++) {
          const arc = (2 * Math.PI * ((j * k) % count)) / count;
          this.#addScaled(c!, elements[j]!, Math.cos(arc), false);
          this.#addScaled(s!, elements[count - j]!, Math.sin(arc), j === 1);
        }
        this.#turned(c!, s!, out!);
        store(k, out!);
        this.#turned(c!, s!, out!, true);
        store(count - k, out!);
      }
    });
  }
  #copy(from: Pair, to: Pair): void {
    this.#f.copy(from.re, to.re).copy(from.im, to.im);
  }
  #addScaled(total: Pair, value: Pair, by: number, isFirst: boolean): void {
    for (const part of ["re", "im"] as const) {
      if (!isFirst) this.#f.get(total[part]);
      this.#f.get(value[part]).f32x4(by).op("f32x4.mul");
      if (!isFirst) this.#f.op("f32x4.add");
      this.#f.set(total[part]);
    }
  }
}
