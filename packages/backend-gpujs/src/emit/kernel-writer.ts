/**
 * @file Loop nests as gpu.js kernels: the source of a function in gpu.js's part of JavaScript, of
 * numbers and own names only.
 */
import {
  bindIndex,
  bindNest,
  extentOf,
  type Index,
  type LoopNest,
  type LoopProgram,
  planThreads,
  type Scalar,
  withSumGroups,
} from "@sconce/codegen";
import { internalError } from "@sconce/errors";
import type { Bindings } from "@sconce/symbolic";
import { isFloatDType } from "@sconce/tensor";
import { WgslModule } from "../webgpu/wgsl-text.js";
import { conditionSource, isLogic } from "./conditions.js";
import type { Dialect } from "./dialect.js";
import { lengthsOf, ScalarFacts } from "./facts.js";
import { callSource, narrowed, numberSource, readsTwice } from "./functions.js";
import { indexSource } from "./index-writer.js";
import { writeReduction } from "./reductions.js";
import { unrounded } from "./rounding.js";
import { Scope } from "./scope.js";
import type { SourceWriter } from "./source-writer.js";
import { isWideProduct, knownZero } from "./zeros.js";

/** A nest for fixed sizes as source. */
export interface KernelSource {
  readonly source: string;
  /** Ids of the buffers that the parameters are, in order. */
  readonly reads: readonly number[];
  /** Elements along x, y and z. */
  readonly output: readonly number[];
  /** Functions of our own that it calls. */
  readonly functions: WgslModule;
}

const THREADS = ["this.thread.x", "this.thread.y", "this.thread.z"];
/**
 * Functions that end up at the same bound for all that float32 does not hold, so that their
 * arguments need no rounding.
 */
const SATURATING: ReadonlySet<string> = new Set(["exp", "sigmoid", "tanh", "erf"]);
const NAME = /^\w+$/;

/** Writes the kernel of a nest. Nothing but numbers reaches the source from outside. */
export function writeKernel(
  nest: LoopNest,
  program: LoopProgram,
  sizes: Bindings,
  dialect: Dialect,
): KernelSource {
  const { axes, value: whole } = planThreads(bindNest(nest, sizes), dialect.maxSide);
  // Doubles have digits to spare.
  const value = dialect.isDouble ? whole : withSumGroups(whole);
  const lengths = lengthsOf(program, (index) => bindIndex(index, sizes));
  const writer = new KernelWriter(dialect, new ScalarFacts(value, lengths));
  axes.forEach(({ name }, at) => {
    writer.nameAxis(name, THREADS[at]!);
  });
  const lines = writer.write(value);
  const parameters = writer.reads.map((_, at) => `b${at}`).join(", ");
  const output = axes.length === 0 ? [1] : axes.map(extentOf);
  const source = `function (${parameters}) {\n${lines.join("\n")}\n}`;
  return { source, reads: writer.reads, output, functions: writer.functions };
}

/** Writes one kernel. */
class KernelWriter implements SourceWriter {
  readonly reads: number[] = [];
  readonly dialect: Dialect;
  readonly functions = new WgslModule();
  readonly #facts: ScalarFacts;
  readonly #axes = new Map<string, string>();
  #scope = new Scope();
  #names = 0;

  constructor(dialect: Dialect, facts: ScalarFacts) {
    this.dialect = dialect;
    this.#facts = facts;
  }

  write(value: Scalar): readonly string[] {
    // A local is a float whatever it is made from, and so is the result.
    const result = this.local(unrounded(this.number(value)));
    this.line(`return ${result};`);
    return this.#scope.lines.map((text) => `  ${text}`);
  }

  axesOf(scalar: Scalar): ReadonlySet<string> {
    return this.#facts.axesOf(scalar);
  }
  nameAxis(name: string, source: string): void {
    this.#axes.set(name, source);
  }
  fresh(letter: string): string {
    return `${letter}${this.#names++}`;
  }
  line(text: string): void {
    this.#scope.lines.push(text);
  }
  /** A name for the expression, unless it is one or a number. */
  readonly local = (expression: string): string => {
    if (NAME.test(expression)) return expression;
    const name = this.fresh("t");
    this.line(`const ${name} = ${expression};`);
    return name;
  };
  readonly own = (name: string, ...args: readonly string[]): string => this.functions.call(name, ...args);

  /** Writes a block; `axis` when it is a loop's, which always runs. */
  block(head: string, body: () => void, axis?: string): void {
    const outer = this.#scope;
    this.#scope = new Scope(outer, axis);
    body();
    const { lines } = this.#scope;
    this.#scope = outer;
    outer.lines.push(`${head} {`, ...lines.map((text) => `  ${text}`), "}");
  }

  /** The text of an index; \`isWide\` when it counts more elements than floats can. */
  index(index: Index, isWide = false): string {
    const names = {
      axis: (name: string) => this.#axes.get(name) ?? internal(`the axis ${name} has no loop`),
      // gpu.js takes what an index of a texture reads out of it, as a float whatever is made of it:
      // only names stay.
      value: (scalar: Scalar) =>
        this.dialect.isStrict ? this.number(scalar) : this.local(this.number(scalar)),
    };
    return indexSource(index, names, this.dialect, isWide);
  }

  /** The expression of a value as a number; bools are 0 and 1. */
  number(scalar: Scalar): string {
    if (scalar.kind === "constant") return this.constant(scalar.value, isFloatDType(scalar.dtype));
    const known = this.#scope.nameOf(scalar);
    if (known !== undefined) return known;
    const place = this.#placeOf(scalar);
    if (place === this.#scope && !this.#facts.isShared(scalar)) return this.#expression(scalar);
    const inner = this.#scope;
    this.#scope = place;
    const name = this.local(this.#expression(scalar));
    if (NAME.test(name)) place.known.set(scalar, name);
    this.#scope = inner;
    return name;
  }
  /** A number as a literal, or by its bits where there is no literal for it. */
  constant(value: number | bigint | boolean, isFloat = true): string {
    const number = isFloat ? Math.fround(Number(value)) : Number(value);
    const needsBits = !Number.isFinite(number) || (isFloat && Object.is(number, -0));
    if (this.dialect.hasOwnFunctions && needsBits) return this.functions.float(number);
    return Number.isNaN(number) ? "(Infinity - Infinity)" : numberSource(number);
  }
  /** What holds, as an expression for tests. */
  condition(scalar: Scalar): string {
    const isNamed = this.#facts.isShared(scalar) && scalar.kind !== "constant";
    if (isNamed || this.#scope.nameOf(scalar) !== undefined) return `(${this.number(scalar)} > 0.5)`;
    return conditionSource(scalar, this);
  }

  /**
   * The outermost block that always runs before this one and has all axes that the value hangs on.
   */
  #placeOf(scalar: Scalar): Scope {
    const axes = this.#facts.axesOf(scalar);
    let place = this.#scope;
    while (place.parent !== undefined && place.axis !== undefined && !axes.has(place.axis))
      place = place.parent;
    return place;
  }

  #expression(scalar: Scalar): string {
    switch (scalar.kind) {
      case "constant":
        return this.constant(scalar.value, isFloatDType(scalar.dtype));
      case "index":
        return this.#place(scalar.index);
      case "load":
        return `b${this.#parameter(scalar.buffer)}[${this.index(scalar.index, this.#facts.isLong(scalar.buffer))}]`;
      case "reduce":
        return writeReduction(scalar, this);
      case "select":
        return this.#select(scalar);
      case "cast":
        return this.#cast(scalar);
      case "call":
        return this.#call(scalar);
    }
  }
  /**
   * A place as a value: counters of loops are integers in shaders, where nothing mixes with floats.
   */
  #place(index: Index): string {
    const text = this.index(index);
    if (this.dialect.isStrict) return this.local(text);
    const name = this.fresh("t");
    this.line(`const ${name} = ${text};`);
    return name;
  }
  #parameter(buffer: number): number {
    const at = this.reads.indexOf(buffer);
    return at >= 0 ? at : this.reads.push(buffer) - 1;
  }

  #cast(scalar: Extract<Scalar, { kind: "cast" }>): string {
    const { value, dtype } = scalar;
    if (dtype === "bool") return `(${conditionSource(scalar, this)} ? 1 : 0)`;
    const text = this.number(value);
    if (isFloatDType(dtype)) return text;
    if (isFloatDType(value.dtype)) return `Math.trunc(${text})`;
    return narrowed(text, value.dtype, dtype, this);
  }

  #call(scalar: Extract<Scalar, { kind: "call" }>): string {
    const { fn, args, dtype } = scalar;
    if (isLogic(fn)) return `(${conditionSource(scalar, this)} ? 1 : 0)`;
    if (this.dialect.hasOwnFunctions && isFloatDType(dtype)) {
      const zero = knownZero(scalar, (arg) => this.local(this.number(arg)), this.own);
      if (zero !== undefined) return zero;
      if (isWideProduct(scalar) && !this.#isInLoop())
        return this.own("f_mul", ...args.map((arg) => this.local(this.number(arg))));
    }
    const texts = args.map((arg) => (SATURATING.has(fn) ? unrounded(this.number(arg)) : this.number(arg)));
    const operands = readsTwice(fn) ? texts.map((text) => this.local(text)) : texts;
    return callSource(fn, operands, dtype, this) ?? internal(`no source for ${fn} of ${dtype}`);
  }

  #isInLoop(): boolean {
    let scope: Scope | undefined = this.#scope;
    while (scope !== undefined && scope.axis === undefined) scope = scope.parent;
    return scope !== undefined;
  }

  /** What is not chosen is not computed, unless that is harmless. */
  #select({ condition, then, otherwise }: Extract<Scalar, { kind: "select" }>): string {
    const test = this.condition(condition);
    if (this.#facts.isCheap(then) && this.#facts.isCheap(otherwise))
      return `(${test} ? ${this.number(then)} : ${this.number(otherwise)})`;
    const name = this.fresh("s");
    this.line(`let ${name} = 0;`);
    this.block(`if (${test})`, () => this.line(`${name} = ${this.number(then)};`));
    this.block("else", () => this.line(`${name} = ${this.number(otherwise)};`));
    return name;
  }
}

const internal = (message: string): never => {
  throw internalError(message);
};
