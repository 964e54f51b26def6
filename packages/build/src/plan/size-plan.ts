/** @file What the sizes of a run decide, as numbers or as a function of the inputs. */
import { type NestWork, TIME_OF_PRODUCT, totalWork } from "@sconce/backend-wasm/build";
import {
  type Axis,
  atom,
  elementsOf,
  fixedValue,
  type Index,
  type IndexAtom,
  product,
  type SizedLoad,
} from "@sconce/codegen";
import type { CompiledPlan, CompiledRegion, SizeBox } from "@sconce/device-runtime";
import { scriptString } from "@sconce/errors";
import { FakeTensor, isSymScalar, type MetaValue } from "@sconce/ir";
import { userLeaves } from "@sconce/ops";
import { freeSymbols, type IntLike, printExpr, SymExpr, type SymValue } from "@sconce/symbolic";
import { dtypeInfo } from "@sconce/tensor";
import { Code } from "../code/code.js";
import { loadCode } from "../code/load-code.js";
import { SizeCode } from "../code/size-code.js";
import { type ShownSize, Symbols } from "../code/symbols.js";
import type { RunSizes } from "../runtime/plan.js";
import type { Timeline } from "./timeline.js";

/** A result as its size says it: a shape, or a number. */
export type ResultSize = readonly IntLike[] | IntLike;

/** The most bytes of a value: places have 32 bits and a sign. */
const MOST_BYTES = 2 ** 31 - 64;
/** Kernels count places in integers of 32 bits with a sign. */
const MOST_PLACES = 2 ** 31 - 1;

/** A part of a timeline whose sizes are computed together. */
export interface SizedPart extends Pick<Timeline, "values" | "steps"> {
  /** The number of each value in the part, by its number in the timeline. */
  readonly valueAt: ReadonlyMap<number, number>;
  readonly regions: readonly CompiledRegion[];
  readonly results: readonly ResultSize[];
  /** Sizes that are known in front of it. */
  readonly shown: readonly ShownSize[];
  /** Whether no sizes become known after it. */
  readonly isLast: boolean;
  /** Whether threads may share kernels. */
  readonly isThreaded: boolean;
}

/** Returns all of a timeline as one part. */
export const wholeOf = (
  plan: CompiledPlan,
  { values, steps, regions }: Timeline,
  results: readonly ResultSize[],
  isThreaded: boolean,
): SizedPart => ({
  values,
  steps,
  valueAt: new Map(values.map((_, at) => [at, at])),
  regions: regions.map(([, region]) => region),
  results,
  shown: shownSizes(plan),
  isLast: true,
  isThreaded,
});

/** Returns the sizes of a part: numbers where all are the same in all runs. */
export const sizesOf = (plan: CompiledPlan, part: SizedPart): RunSizes | Code =>
  new SizesWriter(plan, part).sizes();

/** Returns the sizes that inputs show, as expressions over `g`. */
export const shownSizes = ({ original }: CompiledPlan): readonly ShownSize[] =>
  userLeaves(original).flatMap(({ name }, at) => shownBy(original.graph.node(name).meta.val, at));

/** Returns the sizes that a value at a place of `g` shows. */
export function shownBy(val: MetaValue | undefined, at: number): readonly ShownSize[] {
  if (val instanceof FakeTensor) return val.shape.map((size, d) => [size, `g[${at}][${d}]`] as const);
  return isSymScalar(val) && val.kind === "SymInt" ? [[val.expr, `Number(g[${at}])`]] : [];
}

function fixedSizes({ values, steps, results, valueAt, isThreaded }: SizedPart): RunSizes | undefined {
  const bytes = values.map(({ dtype, shape }) => fixedValue(product(shape))! * dtypeInfo(dtype).itemSize);
  const isFixed =
    bytes.every((one) => !Number.isNaN(one)) &&
    steps.every(({ units }) => typeof units === "number") &&
    results.every((one) =>
      Array.isArray(one) ? one.every((size) => typeof size === "number") : typeof one === "number",
    );
  if (!isFixed) return undefined;
  return {
    bytes,
    units: steps.map(({ units, writes }) =>
      writes.length > 0 && writes.every((at) => bytes[valueAt.get(at)!] === 0) ? 0 : (units as number),
    ),
    given: [],
    ...(isThreaded && { work: steps.map(({ work }) => totalWork(work, (index) => fixedValue(index)!)) }),
    results: results as readonly (readonly number[] | number)[],
  };
}

class SizesWriter {
  readonly #plan: CompiledPlan;
  readonly #part: SizedPart;
  readonly #lines: string[] = [];
  readonly #code: SizeCode;
  readonly #names: ReadonlyMap<string, string>;
  /** Conditions that are in the text already. */
  readonly #needed = new Set<string>();

  readonly #fixed: RunSizes | undefined;

  constructor(plan: CompiledPlan, part: SizedPart) {
    this.#plan = plan;
    this.#part = part;
    this.#fixed = fixedSizes(part);
    const symbols = new Symbols();
    this.#lines.push(...symbols.learn(part.shown));
    this.#names = symbols.names;
    this.#code = new SizeCode(this.#names);
  }

  /** Conditions may hold for some runs only where the sizes are the same in all. */
  sizes(): RunSizes | Code {
    this.#conditions();
    return (this.#needed.size === 0 ? this.#fixed : undefined) ?? this.#written();
  }
  #written(): Code {
    const { values, steps, results: given } = this.#part;
    const bytes = values.map(
      ({ dtype, shape }) => `${this.#code.index(product(shape))}*${dtypeInfo(dtype).itemSize}`,
    );
    this.#lines.push(`const bytes=[${bytes.join(",")}]`);
    this.#lines.push(`for(const one of bytes)need(one<=${MOST_BYTES},"values of less than 2 GiB")`);
    const units = steps.map((step) => this.#unitsOf(step));
    this.#lines.push(`const units=[${units.join(",")}]`);
    const parameters = steps.map(
      ({ given: sizes }) => `[${sizes.map((size) => this.#code.index(size)).join(",")}]`,
    );
    const results = given.map((one) =>
      Array.isArray(one)
        ? `[${one.map((size: IntLike) => this.#code.of(size)).join(",")}]`
        : this.#code.of(one as IntLike),
    );
    const work = this.#part.isThreaded
      ? `work:[${steps.map((step) => this.#workOf(step.work)).join(",")}],`
      : "";
    this.#lines.push(
      `return {bytes,units,${work}given:[${parameters.join(",")}],results:[${results.join(",")}]}`,
    );
    return new Code(`(g,{$,div,mod,quotient,need})=>{${this.#lines.join(";\n")}}`);
  }

  #workOf(work: readonly NestWork[]): string {
    const one = ({ elements, sums }: NestWork): string =>
      `${this.#code.index(elements)}*(1+(${["0", ...sums.map((sum) => this.#code.index(sum))].join("+")})*${TIME_OF_PRODUCT})`;
    return work.map(one).join("+") || "0";
  }
  #unitsOf({ units, writes, reductions }: Timeline["steps"][number]): string {
    const count = typeof units === "number" ? String(units) : this.#countOf(units);
    const isEmpty =
      writes.map((value) => `bytes[${this.#part.valueAt.get(value)!}]===0`).join("&&") || "false";
    for (const axes of reductions) {
      const places = elementsOf(axes);
      if (fixedValue(places) === undefined)
        this.#lines.push(
          `need(${this.#code.index(places)}>0||(${isEmpty}),${scriptString(`${places.text} is not 0`)})`,
        );
    }
    return `(${isEmpty})?0:${count}`;
  }

  /** Counts of places, `per` of which make one unit: numbers are computed here. */
  #countOf(units: Exclude<Timeline["steps"][number]["units"], number>): string {
    let known = 1;
    const open: string[] = [];
    for (const { count, per } of units) {
      const value = fixedValue(count);
      if (value !== undefined) known *= Math.ceil(value / per);
      else open.push(per === 1 ? this.#code.index(count) : `Math.ceil(${this.#code.index(count)}/${per})`);
    }
    return [...(known === 1 && open.length > 0 ? [] : [String(known)]), ...open].join("*");
  }

  /** What the kernels rely on. */
  #conditions(): void {
    const boxes = joinedBoxes(this.#plan.proved.boxes);
    const one = (box: SizeBox, symbolOf: (name: string) => string | undefined, and: string): string =>
      [...box]
        .flatMap(([name, { min, max }]) => {
          const symbol = symbolOf(name);
          if (symbol === undefined) return [];
          if (min === max) return `${symbol}${and === "&&" ? "===" : " = "}${min}`;
          return [
            ...(Number.isFinite(min) ? [`${symbol}>=${min}`] : []),
            ...(Number.isFinite(max) ? [`${symbol}<=${max}`] : []),
          ];
        })
        .join(and);
    const tests = boxes.map((box) => one(box, (name) => this.#names.get(name), "&&"));
    const texts = boxes.map((box) => one(box, (name) => (this.#names.has(name) ? name : undefined), " and "));
    if (tests.length > 0 && tests.every((test) => test !== "")) {
      this.#need(tests.map((test) => `(${test})`).join("||"), texts.join(", or "));
      // These boxes say it.
      for (const [name, symbol] of this.#names)
        if (boxes.every((box) => (box.get(name)?.min ?? -1) >= 0)) this.#needed.add(`${symbol}>=0`);
    }
    for (const { condition, truth } of [...this.#plan.decisions, ...this.#plan.proved.conditions])
      this.#whenKnown(condition, () =>
        this.#need(`${this.#code.of(condition)}===${truth}`, `${printExpr(condition)} is ${truth}`),
      );
    for (const { open } of this.#part.regions) {
      if (open === undefined) continue;
      const { requirements, needed } = open;
      for (const expr of requirements.sizes)
        this.#need(`${this.#code.of(expr)}>=0`, `${printExpr(expr)} >= 0`);
      this.#spaces(requirements.spaces);
      for (const index of requirements.narrow) this.#within(index, MOST_PLACES, "an integer of 32 bits");
      for (const index of requirements.exact) this.#within(index, Number.MAX_SAFE_INTEGER, "below 2^53");
      for (const load of requirements.loads) this.#load(load);
      for (const one of requirements.assumptions)
        if (one.kind === "index") this.#need(`${this.#code.index(one.index)}>=0`, `${one.index.text} >= 0`);
        else
          this.#need(
            `${this.#code.of(one.condition)}===${one.truth}`,
            `${printExpr(one.condition)} is ${one.truth}`,
          );
      for (const { size } of needed)
        if (typeof size !== "number") this.#need(`${this.#code.of(size)}>0`, `${printExpr(size)} > 0`);
    }
  }
  /**
   * Writes what reads only sizes that are known now. A later part has the others; the last one
   * cannot do without them, except that fixed sizes need none.
   */
  #whenKnown(condition: SymValue, write: () => void): void {
    const isKnown =
      !(condition instanceof SymExpr) ||
      [...freeSymbols(condition).keys()].every((name) => this.#names.has(name));
    if (isKnown || (this.#part.isLast && this.#fixed === undefined)) write();
  }
  #load(load: SizedLoad): void {
    const { index, axes, limit, guards } = load;
    if (guards.length > 0 || !hasBounds(index)) {
      this.#need(loadCode(load, this.#code), `${index.text} to be from 0 to ${limit.text} - 1`);
      return;
    }
    const open = axes.filter(({ extent }) => fixedValue(extent) === undefined);
    const isEmpty = open.map(({ extent }) => `${this.#code.index(extent)}===0`);
    const { low, high } = this.#code.bounds(index);
    const inside = `(${low}>=0&&${high}<${this.#code.index(limit)})`;
    this.#need([...isEmpty, inside].join("||"), `${index.text} to be from 0 to ${limit.text} - 1`);
  }
  #within(index: Index, limit: number, what: string): void {
    const most = this.#code.most(index);
    if (!(Number(most) <= limit)) this.#need(`${most}<=${limit}`, `${index.text} is ${what}`);
  }
  /** Of multiples of one product, the greatest is enough. */
  #spaces(spaces: readonly (readonly Axis[])[]): void {
    const greatest = new Map<string, Index>();
    for (const axes of spaces) {
      const places = elementsOf(axes);
      if (fixedValue(places) !== undefined) continue;
      for (const { extent } of axes)
        if (fixedValue(extent) === undefined)
          this.#need(`${this.#code.index(extent)}>=0`, `${extent.text} >= 0`);
      const [term, ...others] = places.terms;
      const isMultiple = others.length === 0 && places.constant === 0;
      const key = isMultiple ? product(term!.atoms.map(atom)).text : places.text;
      const known = greatest.get(key);
      if (known === undefined || known.terms[0]!.coefficient < term!.coefficient) greatest.set(key, places);
    }
    // The bytes of values are bounded, too.
    const values = new Set(this.#part.values.map(({ shape }) => product(shape).text));
    for (const places of greatest.values())
      if (!values.has(places.text))
        this.#need(`${this.#code.index(places)}<=${MOST_PLACES}`, `${places.text} < 2^31`);
  }
  #need(condition: string, text: string): void {
    if (this.#needed.has(condition)) return;
    this.#needed.add(condition);
    this.#lines.push(`need(${condition},${scriptString(text)})`);
  }
}

/** Returns whether the ends of an index are sums of those of its terms. */
const hasBounds = ({ terms }: Index): boolean =>
  terms.every(({ atoms }) => {
    const isPlain = atoms.length < 2 || atoms.every(({ kind }) => kind !== "quotient");
    return isPlain && atoms.every((item) => partsOf(item).every(hasBounds));
  });
function partsOf(item: IndexAtom): readonly Index[] {
  if (item.kind === "quotient") return [item.numerator, item.denominator];
  if (item.kind === "remainder") return [item.denominator];
  return item.kind === "value" ? [item.bound] : [];
}

/** Joins boxes that differ in one symbol, whose ranges follow each other. */
function joinedBoxes(boxes: readonly SizeBox[]): readonly SizeBox[] {
  const left = boxes.map((box) => new Map(box));
  for (let changed = true; changed; ) {
    changed = false;
    for (const [at, box] of left.entries()) {
      const next = left.findIndex((other, i) => i !== at && joinInto(box, other));
      if (next < 0) continue;
      left.splice(next, 1);
      changed = true;
      break;
    }
  }
  return left;
}
function joinInto(box: Map<string, { readonly min: number; readonly max: number }>, other: SizeBox): boolean {
  const differing = [...box].filter(
    ([name, { min, max }]) => other.get(name)?.min !== min || other.get(name)?.max !== max,
  );
  const [only, ...more] = differing;
  if (only === undefined || more.length > 0 || box.size !== other.size) return false;
  const [name, { min, max }] = only;
  const range = other.get(name)!;
  if (range.max + 1 !== min) return false;
  box.set(name, { min: range.min, max });
  return true;
}
