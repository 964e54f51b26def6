/** @file Reductions as loops. */
import {
  atom,
  conjunctsOf,
  extentOf,
  flatIndex,
  forEachAtom,
  indicesOf,
  type ReduceScalar,
  type Scalar,
} from "@sconce/codegen";
import { isFloatDType } from "@sconce/tensor";
import { callSource } from "./functions.js";
import { unrounded } from "./rounding.js";
import type { SourceWriter } from "./source-writer.js";

/** Terms that one iteration of a loop over products adds. */
const UNROLLED = 4;

/** Writes the loops and gives the name of the result. */
export function writeReduction(scalar: ReduceScalar, writer: SourceWriter): string {
  const { reduce, initial } = scalar;
  if (reduce === "argmax" || reduce === "argmin") return place(scalar, writer);
  if ((reduce === "max" || reduce === "min") && initial === undefined && !holdsInfinity(writer))
    return shaderExtreme(scalar, writer);
  const name = writer.fresh("a");
  writer.line(`let ${name} = ${startOf(scalar, writer)};`);
  if (canUnroll(scalar)) unrolledSum(scalar, writer, name);
  else loops(scalar, writer, () => take(scalar, writer, name));
  return name;
}

const holdsInfinity = ({ dialect }: SourceWriter): boolean => dialect.isStrict || dialect.hasOwnFunctions;

function startOf({ reduce, initial }: ReduceScalar, writer: SourceWriter): string {
  if (initial !== undefined) return writer.number(initial);
  if (reduce === "max" || reduce === "min")
    return writer.constant(reduce === "max" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);
  return reduce === "prod" || reduce === "all" ? "1" : "0";
}

/** Takes one value into the result so far. */
function take({ reduce, body }: ReduceScalar, writer: SourceWriter, into: string): void {
  if (reduce === "any" || reduce === "all") {
    const isAny = reduce === "any";
    const test = isAny ? writer.condition(body) : `!${writer.condition(body)}`;
    writer.block(`if (${test})`, () => writer.line(`${into} = ${isAny ? 1 : 0};`));
    return;
  }
  const text = writer.number(body);
  const value = writer.local(reduce === "sum" && isFloatDType(body.dtype) ? unrounded(text) : text);
  const next: Partial<Record<typeof reduce, string>> = {
    max: extremeSource("max", into, value, writer),
    min: extremeSource("min", into, value, writer),
    prod: `${into} * ${value}`,
    last: value,
  };
  writer.line(`${into} = ${next[reduce] ?? `${into} + ${value}`};`);
}

/**
 * Loops over the axes around `inner`, which runs where the condition holds. Each part of the
 * condition is tested as soon as its axes are there: what fails for a whole row is not tested for
 * each of its elements.
 */
function loops({ axes, when }: ReduceScalar, writer: SourceWriter, inner: () => void): void {
  let open: readonly Scalar[] = when === undefined ? [] : conjunctsOf(when);
  const descend = (at: number): void => {
    const later = new Set(axes.slice(at).map(({ name }) => name));
    const isReady = (part: Scalar): boolean => [...writer.axesOf(part)].every((name) => !later.has(name));
    const tests = open.filter(isReady);
    open = open.filter((part) => !tests.includes(part));
    const axis = axes[at];
    const body = (): void => {
      if (axis === undefined) {
        inner();
        return;
      }
      const counter = writer.fresh("k");
      writer.nameAxis(axis.name, counter);
      writer.block(loopHead(counter, extentOf(axis)), () => descend(at + 1), axis.name);
    };
    if (tests.length === 0) body();
    else writer.block(`if (${tests.map((part) => writer.condition(part)).join(" && ")})`, body);
  };
  descend(0);
}
const loopHead = (counter: string, extent: number): string =>
  `for (let ${counter} = 0; ${counter} < ${extent}; ${counter}++)`;

/**
 * Whether it sums products of two elements, as matrix products do, over as many as come out even. A
 * square reads one element, whose name would be that of the first iteration; so would a place that
 * is read from a tensor.
 */
function canUnroll({ reduce, body, axes, when }: ReduceScalar): boolean {
  const isProduct =
    body.kind === "call" &&
    body.fn === "mul" &&
    body.args[0] !== body.args[1] &&
    body.args.every(isPlainLoad);
  const extent = axes.length === 0 ? 0 : extentOf(axes.at(-1)!);
  return reduce === "sum" && isProduct && when === undefined && extent >= 16 && extent % UNROLLED === 0;
}
function isPlainLoad(scalar: Scalar): boolean {
  let isPlain = scalar.kind === "load";
  for (const index of indicesOf(scalar))
    forEachAtom(index, ({ kind }) => {
      isPlain &&= kind !== "value";
    });
  return isPlain;
}
/**
 * Several products in each iteration of the innermost loop: as fast as what gpu.js makes of nested
 * arrays.
 */
function unrolledSum(scalar: ReduceScalar, writer: SourceWriter, into: string): void {
  const last = scalar.axes.at(-1)!;
  loops({ ...scalar, axes: scalar.axes.slice(0, -1) }, writer, () => {
    const step = writer.fresh("k");
    const terms = (): string[] =>
      Array.from({ length: UNROLLED }, (_, i) => {
        writer.nameAxis(last.name, `(${step} * ${UNROLLED} + ${i})`);
        return writer.number(scalar.body);
      });
    writer.block(
      loopHead(step, extentOf(last) / UNROLLED),
      () => writer.line(`${into} = ${into} + (${terms().join(" + ")});`),
      last.name,
    );
  });
}

/** The first place of the greatest or least; NaN is before all. */
function place(scalar: ReduceScalar, writer: SourceWriter): string {
  const { axes } = scalar;
  const [best, at] = [writer.fresh("m"), writer.fresh("a")];
  writer.line(`let ${best} = 0;`);
  writer.line(`let ${at} = -1;`);
  loops(scalar, writer, () => {
    const value = writer.local(writer.number(scalar.body));
    const isBetter = `${value} ${scalar.reduce === "argmax" ? ">" : "<"} ${best}`;
    const isFirstNaN = `(${isNaNSource(value, writer)} && !${isNaNSource(best, writer)})`;
    writer.block(`if (${at} < 0 || ${isBetter} || ${isFirstNaN})`, () => {
      writer.line(`${best} = ${value};`);
      writer.line(
        `${at} = ${writer.index(
          flatIndex(
            axes.map(atom),
            axes.map(({ extent }) => extent),
          ),
        )};`,
      );
    });
  });
  return `Math.max(${at}, 0)`;
}
/** Shaders have no infinity to begin with: the first value is taken as it is. */
function shaderExtreme(scalar: ReduceScalar, writer: SourceWriter): string {
  const [best, seen] = [writer.fresh("m"), writer.fresh("n")];
  writer.line(`let ${best} = 0;`);
  writer.line(`let ${seen} = 0;`);
  loops(scalar, writer, () => {
    const value = writer.local(writer.number(scalar.body));
    const more = extremeSource(scalar.reduce as "max" | "min", best, value, writer);
    writer.line(`${best} = ${seen} < 0.5 ? ${value} : ${more};`);
    writer.line(`${seen} = 1;`);
  });
  return best;
}
const extremeSource = (fn: "max" | "min", a: string, b: string, writer: SourceWriter): string =>
  callSource(fn, [a, b], "float32", writer)!;
const isNaNSource = (name: string, { dialect, own }: SourceWriter): string =>
  dialect.hasOwnFunctions ? own("f_isnan", name) : `(!(${name} >= 0 || ${name} < 0))`;
