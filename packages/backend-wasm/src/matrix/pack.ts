/** @file Copies elements of a factor into panels, in the order in which microkernels read them. */
import { type Axis, fixedValue, type Index } from "@sconce/codegen";
import { type FunctionBuilder, i32, type ModuleBuilder } from "@sconce/wasm";
import type { SharedFunctions } from "../emit/core/shared-functions.js";
import { loadElement } from "../emit/elements.js";
import { Helpers } from "../emit/helpers.js";
import { constantsInPlace } from "../emit/vector/constants.js";
import { loadFour } from "../emit/vector/four-elements.js";
import { VectorWriter } from "../emit/vector/lines.js";
import { type Address, indexAt, type Places, unflatten } from "./index-code.js";
import { bytesOfFactor, type FactorType, type Numbers } from "./numbers.js";
import { ELEMENT } from "./product-plan.js";

/** What panels are made from. */
export interface PanelSource {
  /** Rows or columns side by side in a panel. */
  readonly lanes: number;
  /** Axes of the rows or columns. */
  readonly axes: readonly Axis[];
  /** Byte offset of a row or column. */
  readonly index: Index;
  readonly name: string;
  /** What the factor holds, and what the panels hold. */
  readonly type: FactorType;
  readonly numbers: Numbers;
  /** Bytes from one inner place to the next, where there is one number for all. */
  readonly innerStep?: number | undefined;
  /** Texts of the sizes that the function gets besides. Default: none. */
  readonly sizes?: readonly string[] | undefined;
}

/** Adds code that writes the byte offset of each inner place to a table. */
export function writeTable(
  f: FunctionBuilder,
  table: Address,
  offset: number,
  inner: readonly Axis[],
  index: Index,
  sizes: Places = new Map(),
): void {
  const axes = inner.filter(isLong);
  const places = new Map(sizes);
  const at = f.let(table);
  const walk = (depth: number): void => {
    const one = axes[depth];
    if (one === undefined) {
      f.put(at, indexAt(index, places)).memory("i32.store", offset);
      f.increase(at, 4);
      return;
    }
    const place = f.let(0);
    places.set(one.name, place);
    f.countUp(place, fixedValue(one.extent)!, () => walk(depth + 1));
  };
  walk(0);
}

/** Returns whether there may be more than one place. */
const isLong = ({ extent }: Axis): boolean => fixedValue(extent) !== 1;

/**
 * Adds a function `(base, table, steps, first, end, target, ...sizes)`: packs the lanes from
 * `first` to `end` for the inner places of the table. Missing lanes of the last panel repeat its
 * last one.
 */
export function packKernel(module: ModuleBuilder, source: PanelSource): number {
  const { lanes, numbers, sizes = [] } = source;
  const helpers = new Helpers(module, new Map());
  const more = sizes.map(() => "i32" as const);
  const params = ["i32", "i32", "i32", "i32", "i32", "i32", ...more] as const;
  const init = { params, name: source.name };
  return module.func(init, (f, base, table, steps, first, end, target, ...given) => {
    const lane = f.local("i32");
    const pointers = f.locals("i32", lanes);
    const own = new Map(sizes.map((text, at) => [text, given[at]!]));
    const used = source.axes.filter(isLong);
    const locals: Places = new Map(used.map((one) => [one.name, f.local("i32")]));
    const nextPanel = (): void => {
      pointers.forEach((pointer, l) => {
        // The last lane there is, for those beyond it.
        f.assign(lane, i32(first).plus(l).least(i32(end).minus(1)));
        const places = unflatten(f, lane, used, { locals, sizes: own });
        f.assign(pointer, i32(base).plus(indexAt(source.index, places)));
      });
      panel(f, source, { pointers, table, steps, target, helpers });
      f.increase(target, i32(steps).times(lanes * numbers.bytes));
    };
    f.countUp(first, end, nextPanel, lanes);
  });
}

interface PanelLocals {
  readonly pointers: readonly Address[];
  readonly table: Address;
  readonly steps: Address;
  readonly target: Address;
  readonly helpers: SharedFunctions;
}

/** One panel, by vectors where its lanes lie side by side. */
function panel(f: FunctionBuilder, source: PanelSource, locals: PanelLocals): void {
  const { pointers } = locals;
  const bytes = bytesOfFactor(source.type);
  if (source.innerStep === bytes) alongSteps(f, source, locals);
  else if (pointers.length % 4 === 0 && mayBeDense(source)) {
    const areDense = pointers
      .slice(1)
      .map((pointer, l) => i32(pointer).minus(pointers[l]!).is("eq", bytes))
      .reduce((all, one) => all.and(one));
    f.put(areDense).if(
      () => eachStep(f, source, locals, (offset) => denseStep(f, source, locals, offset)),
      () => eachStep(f, source, locals, (offset) => scalarStep(f, source, locals, offset)),
    );
  } else eachStep(f, source, locals, (offset) => scalarStep(f, source, locals, offset));
}

const mayBeDense = ({ index, axes, type }: PanelSource): boolean =>
  axes.some(isLong) &&
  index.terms.some(
    ({ coefficient, atoms }) => coefficient === bytesOfFactor(type) && atoms[0]?.kind === "axis",
  );

/** Copies one number: the address in the panel and that in the factor are on the stack. */
function copyOne(
  f: FunctionBuilder,
  { type, numbers }: PanelSource,
  helpers: SharedFunctions,
  offset: number,
): void {
  loadElement(f, helpers, type, 0);
  f.memory(numbers.bytes === 8 ? "f64.store" : "f32.store", offset);
}
/** Reads four float32 or halves as float32, from the address on the stack. */
function pushFour(
  f: FunctionBuilder,
  { type }: PanelSource,
  helpers: SharedFunctions,
  offset: number,
): FunctionBuilder {
  loadFour(f, new VectorWriter(f, helpers, constantsInPlace(f)), type, offset);
  return f;
}

/** Runs a body for each step of the table; `offset` holds the byte offset of the step. */
function eachStep(
  f: FunctionBuilder,
  { numbers }: PanelSource,
  { table, steps, target, pointers }: PanelLocals,
  body: (at: { readonly offset: Address; readonly to: Address }) => void,
): void {
  const offset = f.local("i32");
  const [to, from] = [f.let(target), f.let(table)];
  const end = f.let(i32(table).plus(i32(steps).shl(2)));
  f.loop((again) => {
    f.get(from).memory("i32.load").set(offset);
    body({ offset, to });
    f.increase(to, pointers.length * numbers.bytes);
    // Addresses may be greater than those that have a sign.
    f.increase(from, 4).put(i32(from).is("lt_u", end)).brIf(again);
  });
}

type Step = { readonly offset: Address; readonly to: Address };

function denseStep(
  f: FunctionBuilder,
  source: PanelSource,
  { pointers, helpers }: PanelLocals,
  { offset, to }: Step,
): void {
  f.increase(offset, pointers[0]!);
  const { numbers, type } = source;
  // Four numbers at a time, or two of float64.
  const some = 16 / numbers.bytes;
  for (let lane = 0; lane < pointers.length; lane += some) {
    f.get(to, offset);
    if (numbers.bytes === 8) f.memory("v128.load", 8 * lane);
    else pushFour(f, source, helpers, bytesOfFactor(type) * lane);
    f.memory("v128.store", numbers.bytes * lane);
  }
}

function scalarStep(
  f: FunctionBuilder,
  source: PanelSource,
  { pointers, helpers }: PanelLocals,
  { offset, to }: Step,
): void {
  pointers.forEach((pointer, l) => {
    f.put(to, i32(pointer).plus(offset));
    copyOne(f, source, helpers, l * source.numbers.bytes);
  });
}

/** Inner places side by side: four steps of a lane are one vector. */
function alongSteps(f: FunctionBuilder, source: PanelSource, locals: PanelLocals): void {
  const { pointers, table, steps, target, helpers } = locals;
  const first = f.local("i32");
  const element = bytesOfFactor(source.type);
  const bytes = pointers.length * source.numbers.bytes;
  f.get(table).memory("i32.load").set(first);
  for (const pointer of pointers) f.increase(pointer, first);
  const [left, to] = [f.let(steps), f.let(target)];
  if (source.numbers.type === "float32")
    f.while(i32(left).is("ge_s", 4), () => {
      fourSteps(f, source, locals, to);
      f.increase(to, 4 * bytes).increase(left, -4);
    });
  f.while(left, () => {
    pointers.forEach((pointer, l) => {
      f.get(to, pointer);
      copyOne(f, source, helpers, l * source.numbers.bytes);
      f.increase(pointer, element);
    });
    f.increase(to, bytes).increase(left, -1);
  });
}

/** Four steps of all lanes. */
function fourSteps(
  f: FunctionBuilder,
  source: PanelSource,
  { pointers, helpers }: PanelLocals,
  to: Address,
): void {
  const four = f.local("v128");
  const bytes = pointers.length * ELEMENT;
  const push = (pointer: Address): FunctionBuilder => pushFour(f.get(pointer), source, helpers, 0);
  const whole = pointers.length - (pointers.length % 4);
  for (let l = 0; l < whole; l += 4) {
    const rows = pointers.slice(l, l + 4).map((pointer) => () => push(pointer));
    transposed(f, rows, { to, offset: l * ELEMENT, bytes });
  }
  pointers.forEach((pointer, l) => {
    if (l >= whole) {
      push(pointer).set(four);
      for (let step = 0; step < 4; step++)
        f.get(to, four).memoryLane("v128.store32_lane", step, step * bytes + l * ELEMENT);
    }
    f.increase(pointer, 4 * bytesOfFactor(source.type));
  });
}

/** Lanes of two vectors. */
const LOW = [0, 4, 1, 5];
const HIGH = [2, 6, 3, 7];
const FIRST = [0, 1, 4, 5];
const SECOND = [2, 3, 6, 7];

/** Stores four steps of four lanes, each step as one vector. */
function transposed(
  f: FunctionBuilder,
  pushed: readonly (() => FunctionBuilder)[],
  { to, offset, bytes }: { readonly to: Address; readonly offset: number; readonly bytes: number },
): void {
  const rows = f.locals("v128", 4);
  const halves = f.locals("v128", 4);
  pushed.forEach((push, l) => void push().set(rows[l]!));
  [LOW, HIGH].forEach((lanes, i) => {
    f.get(rows[0]!, rows[1]!).shuffle(lanes).set(halves[i]!);
    f.get(rows[2]!, rows[3]!)
      .shuffle(lanes)
      .set(halves[i + 2]!);
  });
  for (let step = 0; step < 4; step++) {
    const half = step >> 1;
    f.get(to, halves[half]!, halves[half + 2]!).shuffle(step % 2 === 0 ? FIRST : SECOND);
    f.memory("v128.store", offset + step * bytes);
  }
}
