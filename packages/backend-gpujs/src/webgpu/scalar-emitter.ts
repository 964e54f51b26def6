/**
 * @file Scalars as WGSL statements. A subtree that is one object becomes one variable; what does
 * not change in a loop is computed before it, index arithmetic term by term.
 */
import {
  boundsOf,
  fixedValue,
  forEachAtom,
  type Index,
  type IndexAtom,
  type IndexTerm,
  indicesOf,
  partsOf,
  type ReduceScalar,
  type Scalar,
} from "@sconce/codegen";
import { internalError } from "@sconce/errors";
import { extremeOf } from "../emit/extremes.js";
import { type CallScalar, isWideProduct, knownZero } from "../emit/zeros.js";
import { foldText } from "./wgsl-fold.js";
import { callText, castText } from "./wgsl-functions.js";
import { intLiteral, type WgslModule, type WgslType, wgslType } from "./wgsl-text.js";

/** Statements between braces. */
interface Block {
  readonly kind: "root" | "loop" | "branch";
  readonly lines: string[];
  /** Axes that run here. */
  readonly axes: Set<string>;
  readonly scalars: Map<Scalar, string>;
  readonly named: Map<string, string>;
}
const block = (kind: Block["kind"], axes: readonly string[] = []): Block => ({
  kind,
  lines: [],
  axes: new Set(axes),
  scalars: new Map(),
  named: new Map(),
});

export interface ScalarEmitterInit {
  readonly module: WgslModule;
  /** The variable that holds a program's buffer. */
  readonly bufferName: (id: number) => string;
  /** Whether elements of the buffer are bools. */
  readonly isBool: (id: number) => boolean;
  /** Whether the variable of the buffer holds vectors of four elements. */
  readonly isFours?: (id: number) => boolean;
}

/** Writes the body of one shader. */
export class ScalarEmitter {
  readonly module: WgslModule;
  readonly #init: ScalarEmitterInit;
  readonly #axisNames = new Map<string, string>();
  /** Axes whose variable is written when it is first needed. */
  readonly #lazyAxes = new Map<string, () => string>();
  readonly #axesOf = new Map<Scalar, ReadonlySet<string>>();
  readonly #followers = new Map<Scalar, (name: string) => void>();
  #stack: Block[] = [block("root")];
  #next = 0;

  constructor(init: ScalarEmitterInit) {
    this.#init = init;
    this.module = init.module;
  }

  /** Everything that was written. */
  get lines(): readonly string[] {
    return this.#stack[0]!.lines;
  }
  get #block(): Block {
    return this.#stack.at(-1)!;
  }
  name(prefix: string): string {
    return `${prefix}${this.#next++}`;
  }
  line(text: string): void {
    this.#block.lines.push(text);
  }

  /**
   * An axis that has one value in the whole shader; the text is asked for when the axis is needed.
   */
  defineAxis(name: string, text: () => string): void {
    this.#lazyAxes.set(name, text);
  }
  /**
   * The value of a scalar is already in a variable, which may change with each loop that is open.
   */
  known(scalar: Scalar, name: string): void {
    this.#axesOf.set(scalar, new Set(this.#stack.flatMap(({ axes }) => [...axes])));
    this.#block.scalars.set(scalar, name);
  }

  /** Writes something more wherever the scalar has been computed. */
  after(scalar: Scalar, write: (name: string) => void): void {
    this.#followers.set(scalar, write);
  }

  /** Statements in their own block. */
  nested(kind: "loop" | "branch", head: string, axes: ReadonlyMap<string, string>, write: () => void): void {
    this.#braces(head, this.#inner(block(kind, [...axes.keys()]), axes, write));
  }
  #inner(inner: Block, axes: ReadonlyMap<string, string>, write: () => void): readonly string[] {
    for (const [axis, name] of axes) this.#axisNames.set(axis, name);
    this.#stack.push(inner);
    write();
    this.#stack.pop();
    return inner.lines;
  }
  #braces(head: string, lines: readonly string[]): void {
    this.line(`${head} {`);
    for (const text of lines) this.line(`  ${text}`);
    this.line("}");
  }
  /** Writes to an outer block; the statement that is being written there comes after. */
  #at<T>(level: number, write: () => T): T {
    const saved = this.#stack;
    this.#stack = saved.slice(0, level + 1);
    const result = write();
    this.#stack = saved;
    return result;
  }

  // --- indices

  index(index: Index): string {
    if (index.terms.length === 0) return intLiteral(index.constant);
    const byLevel = new Map<number, IndexTerm[]>();
    for (const term of index.terms) {
      const level = this.#levelOf(term);
      byLevel.set(level, [...(byLevel.get(level) ?? []), term]);
    }
    const levels = [...byLevel.keys()].sort((a, b) => a - b);
    let text = "";
    for (const level of levels) {
      text = this.#at(level, () => {
        const terms = byLevel.get(level)!.map((term) => this.#term(term));
        return this.#named([...terms, ...(text === "" ? [] : [text])].join(" + "));
      });
    }
    // The constant comes last, so that indices which differ in it alone have the rest in common.
    return index.constant === 0 ? text : `(${text} + ${intLiteral(index.constant)})`;
  }
  /** Four elements at once, from a buffer that is held in fours; `quarter` counts fours. */
  four(buffer: number, quarter: Index): string {
    return this.#named(`${this.#init.bufferName(buffer)}[${this.index(quarter)}]`);
  }

  /** The outermost block in which all of a term is known. */
  #levelOf({ atoms }: IndexTerm): number {
    let level = 0;
    const visit = (item: IndexAtom): void => {
      if (item.kind === "axis") level = Math.max(level, this.#axisLevel(item.name));
      else if (item.kind === "value") level = this.#stack.length - 1;
      else if (item.kind !== "size")
        for (const part of [item.numerator, item.denominator]) forEachAtom(part, visit);
    };
    for (const item of atoms) visit(item);
    return level;
  }
  #axisLevel(name: string): number {
    return Math.max(
      0,
      this.#stack.findLastIndex(({ axes }) => axes.has(name)),
    );
  }

  #term({ coefficient, atoms }: IndexTerm): string {
    const factors = atoms.map((item) => this.#atom(item));
    if (coefficient !== 1 || factors.length === 0) factors.push(intLiteral(coefficient));
    return factors.length === 1 ? factors[0]! : `(${factors.join(" * ")})`;
  }

  #atom(item: IndexAtom): string {
    switch (item.kind) {
      case "axis":
        return this.#axis(item.name);
      case "value":
        return this.scalar(item.scalar);
      case "size":
        throw internalError("a size is not bound");
      default:
        return this.#division(item.kind, item.numerator, item.denominator);
    }
  }
  #axis(name: string): string {
    const known = this.#axisNames.get(name);
    if (known !== undefined) return known;
    const text = this.#lazyAxes.get(name);
    if (text === undefined) throw internalError(`axis ${name} is nowhere`);
    const made = this.#at(0, () => this.#named(text()));
    this.#axisNames.set(name, made);
    return made;
  }

  /** Floor division; plain where the numerator is never negative. */
  #division(kind: "quotient" | "remainder", numerator: Index, denominator: Index): string {
    const by = fixedValue(denominator);
    const { min } = boundsOf(numerator);
    const isPlain = by !== undefined && min !== undefined && min >= 0;
    const [n, d] = [this.index(numerator), this.index(denominator)];
    if (isPlain) return this.#named(`i32(u32(${n}) ${kind === "quotient" ? "/" : "%"} ${by}u)`);
    return this.#named(this.module.call(kind === "quotient" ? "i_floordiv" : "i_remainder", n, d));
  }

  /** A variable of an integer expression, one for each text. */
  #named(text: string): string {
    if (/^\w+$/.test(text)) return text;
    for (const { named } of this.#stack) {
      const known = named.get(text);
      if (known !== undefined) return known;
    }
    const name = this.name("k");
    this.line(`let ${name} = ${text};`);
    this.#block.named.set(text, name);
    return name;
  }

  // --- scalars

  /** The variable or literal that holds a scalar's value. */
  scalar(scalar: Scalar): string {
    if (scalar.kind === "constant") return this.#constant(scalar.value, wgslType(scalar.dtype)!);
    if (scalar.kind === "index") return this.index(scalar.index);
    for (const { scalars } of this.#stack) {
      const known = scalars.get(scalar);
      if (known !== undefined) return known;
    }
    return this.#at(this.#home(scalar), () => {
      const name = this.#write(scalar);
      this.#block.scalars.set(scalar, name);
      this.#followers.get(scalar)?.(name);
      return name;
    });
  }

  /**
   * The outermost block, out of loops but not out of branches, in which the scalar does not change.
   */
  #home(scalar: Scalar): number {
    const axes = this.#dependencies(scalar);
    let level = this.#stack.length - 1;
    while (level > 0 && this.#stack[level]!.kind === "loop") {
      if ([...this.#stack[level]!.axes].some((axis) => axes.has(axis))) break;
      level--;
    }
    return level;
  }
  /** The axes that a scalar's value depends on. */
  #dependencies(scalar: Scalar): ReadonlySet<string> {
    const known = this.#axesOf.get(scalar);
    if (known !== undefined) return known;
    const axes = new Set<string>();
    for (const part of partsOf(scalar)) for (const axis of this.#dependencies(part)) axes.add(axis);
    for (const index of indicesOf(scalar))
      forEachAtom(index, (item) => {
        if (item.kind === "axis") axes.add(item.name);
        if (item.kind === "value") for (const axis of this.#dependencies(item.scalar)) axes.add(axis);
      });
    if (scalar.kind === "reduce") for (const { name } of scalar.axes) axes.delete(name);
    this.#axesOf.set(scalar, axes);
    return axes;
  }

  #constant(value: number | bigint | boolean, type: WgslType): string {
    if (type === "bool") return String(Boolean(value));
    return type === "i32" ? intLiteral(Number(value)) : this.module.float(Number(value));
  }
  #let(text: string): string {
    const name = this.name("v");
    this.line(`let ${name} = ${text};`);
    return name;
  }

  #write(scalar: Scalar): string {
    switch (scalar.kind) {
      case "load": {
        const [name, index] = [this.#init.bufferName(scalar.buffer), this.index(scalar.index)];
        const isFours = this.#init.isFours?.(scalar.buffer) === true;
        const text = isFours ? `${name}[${index} >> 2u][${index} & 3i]` : `${name}[${index}]`;
        return this.#let(this.#init.isBool(scalar.buffer) ? `${text} != 0i` : text);
      }
      case "call": {
        const operand = scalar.args[0]!.dtype;
        const zeroProduct = this.#timesZero(scalar);
        if (zeroProduct !== undefined) return zeroProduct;
        // Of constants alone WGSL would make a constant expression, which must be finite and not
        // divide by zero.
        const isFixed = scalar.args.every(({ kind }) => kind === "constant");
        const args = scalar.args.map((arg) => (isFixed ? this.#let(this.scalar(arg)) : this.scalar(arg)));
        if (this.#isWideProduct(scalar)) return this.#let(this.module.call("f_mul", ...args));
        return this.#let(callText(this.module, scalar.fn, operand, scalar.dtype, args));
      }
      case "cast": {
        const { value } = scalar;
        const text = value.kind === "constant" ? this.#let(this.scalar(value)) : this.scalar(value);
        return this.#let(castText(this.module, text, value.dtype, scalar.dtype));
      }
      case "select":
        return this.#select(scalar);
      case "reduce":
        return this.#reduce(scalar);
      default:
        throw internalError(`${scalar.kind} needs no statement`);
    }
  }

  /** A sum or product of floats with a zero that is known. */
  #timesZero(call: CallScalar): string | undefined {
    if (wgslType(call.args[0]!.dtype) !== "f32") return undefined;
    const emit = (name: string, ...args: readonly string[]): string => this.module.call(name, ...args);
    const text = knownZero(call, (scalar) => this.scalar(scalar), emit);
    return text && this.#let(text);
  }
  /**
   * Whether one factor may be infinite and the other subnormal; sums of products are spared what
   * that takes.
   */
  #isWideProduct(call: CallScalar): boolean {
    const isFloat = wgslType(call.args[0]!.dtype) === "f32";
    return isFloat && isWideProduct(call) && !this.#stack.some(({ kind }) => kind === "loop");
  }

  #select(scalar: Extract<Scalar, { kind: "select" }>): string {
    const { condition, then, otherwise } = scalar;
    const test = this.scalar(condition);
    const extreme = wgslType(scalar.dtype) === "f32" ? extremeOf(scalar) : undefined;
    if (extreme !== undefined) {
      const tests = extreme.operands.map((operand) => this.module.call("f_isnan", this.scalar(operand)));
      const plain = `select(${this.scalar(otherwise)}, ${this.scalar(then)}, ${test})`;
      return this.#let(`select(${plain}, ${this.scalar(extreme.ofNan)}, ${tests.join(" || ")})`);
    }
    if (this.#isFree(then) && this.#isFree(otherwise))
      return this.#let(`select(${this.scalar(otherwise)}, ${this.scalar(then)}, ${test})`);
    const name = this.name("v");
    this.line(`var ${name}: ${wgslType(then.dtype)!};`);
    // Both are written before either is put down, since what moves out of them comes before the
    // whole.
    const [first, second] = [then, otherwise].map((part) =>
      this.#inner(block("branch"), new Map(), () => this.line(`${name} = ${this.scalar(part)};`)),
    );
    this.#braces(`if (${test})`, first!);
    this.#braces("else", second!);
    return name;
  }
  /** Whether a value is at hand, so that nothing is won by not computing it. */
  #isFree(scalar: Scalar): boolean {
    if (scalar.kind === "constant" || this.#stack.some(({ scalars }) => scalars.has(scalar))) return true;
    if (scalar.kind === "index") return scalar.index.terms.length <= 1;
    return scalar.kind === "call" && CHEAP.has(scalar.fn) && scalar.args.every((arg) => this.#isFree(arg));
  }

  #reduce(scalar: ReduceScalar): string {
    const fold = foldText(this, scalar);
    const counters = new Map(scalar.axes.map(({ name }) => [name, this.name("r")]));
    const places = scalar.axes.map(({ name }) => counters.get(name)!);
    const extents = scalar.axes.map(({ extent }) => fixedValue(extent)!);
    const take = (): void => {
      const element = (): void => fold.take(this.scalar(scalar.body), () => placeText(places, extents));
      if (scalar.when === undefined) element();
      else this.nested("branch", `if (${this.scalar(scalar.when)})`, new Map(), element);
    };
    const loop = (depth: number): void => {
      if (depth === scalar.axes.length) {
        take();
        return;
      }
      const [{ name }, counter] = [scalar.axes[depth]!, places[depth]!];
      const head = `for (var ${counter} = 0i; ${counter} < ${extents[depth]}i; ${counter}++)`;
      this.nested("loop", head, new Map([[name, counter]]), () => loop(depth + 1));
    };
    loop(0);
    return fold.result();
  }
}
const CHEAP: ReadonlySet<string> = new Set(["add", "sub", "mul", "neg", "and", "or", "not"]);

/** The row-major place of the counters. */
const placeText = (counters: readonly string[], extents: readonly number[]): string =>
  counters.reduce(
    (text, counter, d) => (d === 0 ? counter : `(${text} * ${extents[d]}i + ${counter})`),
    "0i",
  );
