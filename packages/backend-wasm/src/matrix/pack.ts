/** @file Copies elements of a factor into panels, in the order in which microkernels read them. */
import { type Axis, extentOf, type Index, volumeOf } from "@sconce/codegen";
import type { FunctionBuilder, ModuleBuilder } from "@sconce/wasm";
import { type Address, countUp, type Places, pushIndex, unflatten } from "./index-code.js";
import { ELEMENT } from "./plan.js";

/** What panels are made from. */
export interface PanelSource {
  /** Rows or columns side by side in a panel. */
  readonly lanes: number;
  /** Axes of the rows or columns. */
  readonly axes: readonly Axis[];
  /** Byte offset of a row or column. */
  readonly index: Index;
  readonly name: string;
  /** Bytes from one inner place to the next, where there is one number for all. */
  readonly innerStep?: number | undefined;
}

/** Adds code that writes the byte offset of each inner place to a table. */
export function writeTable(
  f: FunctionBuilder,
  table: Address,
  offset: number,
  inner: readonly Axis[],
  index: Index,
): void {
  const axes = inner.filter((one) => extentOf(one) > 1);
  const at = f.local("i32");
  const places = new Map<string, Address>();
  f.copy(table, at);
  const walk = (depth: number): void => {
    const one = axes[depth];
    if (one === undefined) {
      f.get(at);
      pushIndex(f, index, places);
      f.memory("i32.store", offset);
      f.increase(at, 4);
      return;
    }
    const place = f.local("i32");
    places.set(one.name, place);
    f.i32(0).set(place);
    countUp(f, place, 1, extentOf(one), () => walk(depth + 1));
  };
  walk(0);
}

/**
 * Adds a function `(base, table, steps, first, end, target)`: packs the lanes from `first` to
 * `end` for the inner places of the table. Missing lanes of the last panel repeat its last one.
 */
export function packKernel(module: ModuleBuilder, source: PanelSource): number {
  const { lanes } = source;
  const params = ["i32", "i32", "i32", "i32", "i32", "i32"] as const;
  return module.func({ params, name: source.name }, (f, base, table, steps, first, end, target) => {
    const lane = f.local("i32");
    const pointers = f.locals("i32", lanes);
    const places = placesOf(f, lane, source);
    f.loop((nextPanel) => {
      pointers.forEach((pointer, l) => {
        // The last lane there is, for those beyond it.
        f.get(first).i32(l).op("i32.add").get(end).i32(1).op("i32.sub");
        f.get(first).i32(l).op("i32.add").get(end).op("i32.lt_s", "select").set(lane);
        f.get(base);
        places(() => f.op("i32.add").set(pointer));
      });
      panel(f, source, { pointers, table, steps, target });
      f.get(target, steps)
        .i32(lanes * ELEMENT)
        .op("i32.mul", "i32.add")
        .set(target);
      f.get(first).i32(lanes).op("i32.add").tee(first).get(end).op("i32.lt_s").brIf(nextPanel);
    });
  });
}

/** Code that pushes the byte offset of a lane; the locals of its coordinates are shared. */
function placesOf(
  f: FunctionBuilder,
  lane: Address,
  { axes, index }: PanelSource,
): (then: () => void) => void {
  const used = axes.filter((one) => extentOf(one) > 1);
  const locals: Places = new Map(used.map((one) => [one.name, f.local("i32")]));
  return (then) => {
    const fresh = unflatten(f, lane, used, locals);
    pushIndex(f, index, fresh);
    then();
  };
}

interface PanelLocals {
  readonly pointers: readonly Address[];
  readonly table: Address;
  readonly steps: Address;
  readonly target: Address;
}

/** One panel, by vectors where its lanes lie side by side. */
function panel(f: FunctionBuilder, source: PanelSource, locals: PanelLocals): void {
  const { pointers } = locals;
  if (source.innerStep === ELEMENT) alongSteps(f, locals);
  else if (pointers.length % 4 === 0 && mayBeDense(source)) {
    pointers.slice(1).forEach((pointer, l) => {
      f.get(pointer, pointers[l]!).op("i32.sub").i32(ELEMENT).op("i32.eq");
      if (l > 0) f.op("i32.and");
    });
    f.if(
      () => eachStep(f, locals, (offset) => denseStep(f, locals, offset)),
      () => eachStep(f, locals, (offset) => scalarStep(f, locals, offset)),
    );
  } else eachStep(f, locals, (offset) => scalarStep(f, locals, offset));
}

const mayBeDense = ({ index, axes }: PanelSource): boolean =>
  volumeOf(axes) > 1 &&
  index.terms.some(({ coefficient, atoms }) => coefficient === ELEMENT && atoms[0]?.kind === "axis");

/** Runs a body for each step of the table; `offset` holds the byte offset of the step. */
function eachStep(
  f: FunctionBuilder,
  { table, steps, target, pointers }: PanelLocals,
  body: (at: { readonly offset: Address; readonly to: Address }) => void,
): void {
  const [offset, to, from, end] = f.locals("i32", 4) as readonly [Address, Address, Address, Address];
  f.copy(target, to).copy(table, from);
  f.get(table, steps).i32(2).op("i32.shl", "i32.add").set(end);
  f.loop((again) => {
    f.get(from).memory("i32.load").set(offset);
    body({ offset, to });
    f.increase(to, pointers.length * ELEMENT);
    f.get(from).i32(4).op("i32.add").tee(from).get(end).op("i32.lt_u").brIf(again);
  });
}

type Step = { readonly offset: Address; readonly to: Address };

function denseStep(f: FunctionBuilder, { pointers }: PanelLocals, { offset, to }: Step): void {
  f.get(offset, pointers[0]!).op("i32.add").set(offset);
  for (let bytes = 0; bytes < pointers.length * ELEMENT; bytes += 16)
    f.get(to, offset).memory("v128.load", bytes).memory("v128.store", bytes);
}

function scalarStep(f: FunctionBuilder, { pointers }: PanelLocals, { offset, to }: Step): void {
  pointers.forEach((pointer, l) => {
    f.get(to)
      .get(pointer, offset)
      .op("i32.add")
      .memory("f32.load")
      .memory("f32.store", l * ELEMENT);
  });
}

/** Inner places side by side: four steps of a lane are one vector. */
function alongSteps(f: FunctionBuilder, { pointers, table, steps, target }: PanelLocals): void {
  const [left, to, first] = f.locals("i32", 3) as readonly [Address, Address, Address];
  const four = f.local("v128");
  const bytes = pointers.length * ELEMENT;
  f.get(table).memory("i32.load").set(first);
  for (const pointer of pointers) f.increase(pointer, first);
  f.copy(steps, left).copy(target, to);
  f.block((done) => {
    f.loop((again) => {
      f.get(left).i32(4).op("i32.lt_s").brIf(done);
      const whole = pointers.length - (pointers.length % 4);
      for (let l = 0; l < whole; l += 4) transposed(f, pointers.slice(l, l + 4), to, l * ELEMENT, bytes);
      pointers.forEach((pointer, l) => {
        if (l >= whole) {
          f.get(pointer).memory("v128.load").set(four);
          for (let step = 0; step < 4; step++)
            f.get(to, four).memoryLane("v128.store32_lane", step, step * bytes + l * ELEMENT);
        }
        f.increase(pointer, 16);
      });
      f.increase(to, 4 * bytes)
        .increase(left, -4)
        .br(again);
    });
  });
  f.block((done) => {
    f.loop((again) => {
      f.get(left).op("i32.eqz").brIf(done);
      pointers.forEach((pointer, l) => {
        f.get(to, pointer)
          .memory("f32.load")
          .memory("f32.store", l * ELEMENT);
        f.increase(pointer, ELEMENT);
      });
      f.increase(to, bytes).increase(left, -1).br(again);
    });
  });
}

/** Bytes of a vector that has lanes `a` and `b` of one, and of another. */
const lanesOf = (...lanes: readonly number[]): number[] =>
  lanes.flatMap((lane) => [0, 1, 2, 3].map((byte) => 4 * lane + byte));
const LOW = lanesOf(0, 4, 1, 5);
const HIGH = lanesOf(2, 6, 3, 7);
const FIRST = lanesOf(0, 1, 4, 5);
const SECOND = lanesOf(2, 3, 6, 7);

/** Stores four steps of four lanes, each step as one vector. */
function transposed(
  f: FunctionBuilder,
  pointers: readonly Address[],
  to: Address,
  offset: number,
  bytes: number,
): void {
  const rows = f.locals("v128", 4);
  const halves = f.locals("v128", 4);
  pointers.forEach((pointer, l) => {
    f.get(pointer).memory("v128.load").set(rows[l]!);
  });
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
