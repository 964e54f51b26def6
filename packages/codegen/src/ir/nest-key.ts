/** @file Keys of nests: nests that differ in their buffers alone have equal ones. */
import { forEachAtom, type Index } from "./index-expr.js";
import type { LoopNest } from "./loop-program.js";
import { partsOf, type ReduceScalar, type Scalar } from "./scalar.js";
import type { Axis } from "./terms.js";
import { indicesOf } from "./traverse.js";

/** A key, and the buffers in the order in which it counts them. */
export interface NestKey {
  /** Equal for nests that differ in their buffers alone. */
  readonly key: string;
  /** Ids of the buffers that the nests write and read. */
  readonly buffers: readonly number[];
}

/**
 * Returns the key of nests whose sizes are bound: everything that their code depends on.
 *
 * @param describe what the code depends on besides, for a buffer: its dtype, its shape
 */
export function nestKey(nests: readonly LoopNest[], describe: (buffer: number) => string): NestKey {
  const writer = new KeyWriter(describe);
  for (const nest of nests) writer.nest(nest);
  return { key: writer.lines.join("\n"), buffers: [...writer.buffers.keys()] };
}

const axesText = (axes: readonly Axis[]): string =>
  axes.map(({ name, extent }) => `${name}<${extent.text}`).join();

class KeyWriter {
  readonly lines: string[] = [];
  /** Numbers of buffers, in the order in which they are met. */
  readonly buffers = new Map<number, number>();
  readonly #describe: (buffer: number) => string;
  /** Numbers of scalars: what is shared is written once. */
  readonly #scalars = new Map<Scalar, number>();

  constructor(describe: (buffer: number) => string) {
    this.#describe = describe;
  }

  nest({ output, axes, value, hint }: LoopNest): void {
    const kind = hint === undefined ? "" : JSON.stringify(hint);
    this.lines.push(`nest ${this.#buffer(output)} ${axesText(axes)} ${kind} ${this.#scalar(value)}`);
  }

  #buffer(id: number): string {
    let number = this.buffers.get(id);
    if (number === undefined) {
      number = this.buffers.size;
      this.buffers.set(id, number);
      this.lines.push(`buffer ${number} ${this.#describe(id)}`);
    }
    return `b${number}`;
  }

  #scalar(scalar: Scalar): number {
    const known = this.#scalars.get(scalar);
    if (known !== undefined) return known;
    const parts = partsOf(scalar).map((part) => this.#scalar(part));
    const indices = indicesOf(scalar).map((index) => this.#index(index));
    const line = `${scalar.kind} ${scalar.dtype} ${this.#detail(scalar)} ${parts.join()} ${indices.join()}`;
    const number = this.#scalars.size;
    this.#scalars.set(scalar, number);
    this.lines.push(line);
    return number;
  }
  #detail(scalar: Scalar): string {
    switch (scalar.kind) {
      case "constant":
        return `${typeof scalar.value} ${Object.is(scalar.value, -0) ? "-0" : scalar.value}`;
      case "load":
        return this.#buffer(scalar.buffer);
      case "call":
        return scalar.fn;
      case "reduce":
        return reduceText(scalar);
      default:
        return "";
    }
  }

  /** Returns the text of an index, with numbers in place of what tensors hold. */
  #index(index: Index): string {
    let { text } = index;
    forEachAtom(index, (item) => {
      if (item.kind === "value")
        text = text.replaceAll(item.key, `[%${this.#scalar(item.scalar)}<${item.bound.text}]`);
    });
    return text;
  }
}

const reduceText = ({ reduce, axes, when, initial }: ReduceScalar): string =>
  `${reduce} ${axesText(axes)} ${when === undefined ? "" : "when"} ${initial === undefined ? "" : "from"}`;
