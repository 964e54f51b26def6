/** @file Factors that are constants: packed once, in the order in which blocks read them. */
import {
  type Axis,
  atom,
  boundsOf,
  constant,
  fixedValue,
  type Index,
  product,
  scale,
  volumeOf,
  ZERO,
} from "@sconce/codegen";
import { type FunctionBuilder, i32, type ModuleBuilder } from "@sconce/wasm";
import type { PreparedBuffer } from "../kernel-code.js";
import type { Blocks } from "./blocks.js";
import { coefficientOf } from "./image.js";
import { type Address, indexAt, unflatten } from "./index-code.js";
import { bytesOfFactor } from "./numbers.js";
import { type PanelSource, packKernel, writeTable } from "./pack.js";
import type { MatrixPlan, Operand } from "./product-plan.js";

/** Bytes from one inner place of a factor to the next, where there is one number for all. */
export const innerStepOf = ({ inner }: MatrixPlan, { inner: index }: Operand): number | undefined =>
  stepOf(inner, index);

/** Bytes from one row to the next of a factor whose rows lie side by side, each of them one run. */
export function rowStepOf(plan: MatrixPlan): Index | undefined {
  const { rows, a } = plan;
  if (a.padding !== undefined || innerStepOf(plan, a) !== plan.numbers.bytes) return undefined;
  // Halves are converted as they are packed.
  if (a.type !== plan.numbers.type) return undefined;
  if (plan.m === 1) return ZERO;
  const known = stepOf(rows, a.lanes);
  return known === undefined ? oneStepOf(rows, a.lanes) : constant(known);
}

/** Bytes from one place of a single axis to the next, where they are known when a kernel runs. */
export function oneStepOf(all: readonly Axis[], index: Index): Index | undefined {
  const [one, ...more] = all.filter(({ extent }) => fixedValue(extent) !== 1);
  const [term, ...others] = index.terms;
  if (one === undefined || term === undefined || more.length + others.length > 0) return undefined;
  const rest = term.atoms.filter((item) => item.kind !== "axis" || item.name !== one.name);
  const isLinear = rest.length === term.atoms.length - 1 && rest.every(({ kind }) => kind === "size");
  return isLinear && index.constant === 0 ? scale(product(rest.map(atom)), term.coefficient) : undefined;
}

/** Bytes from one place of axes to the next, where there is one number for all. */
function stepOf(all: readonly Axis[], index: Operand["inner"]): number | undefined {
  const axes = all.filter(({ extent }) => fixedValue(extent) !== 1);
  // Axes that are one run: the step of each is that of the next times its extent.
  let step: number | undefined;
  let below = 1;
  for (const one of [...axes].reverse()) {
    const own = coefficientOf(index, one);
    if (own === 0) return undefined;
    step ??= own;
    if (own !== step * below) return undefined;
    // What is not known is of no use to another axis.
    below *= fixedValue(one.extent) ?? Number.NaN;
  }
  const isLinear = index.terms.every(({ atoms }) => atoms.length === 1 && atoms[0]!.kind === "axis");
  return isLinear ? step : undefined;
}

/** The panels of a constant factor. */
interface Panels {
  readonly plan: MatrixPlan;
  readonly operand: Operand;
  readonly source: PanelSource;
  /** Steps that lie together. */
  readonly steps: number;
  /** Rows or columns of the factor. */
  readonly count: number;
  /** Panels of all of them. */
  readonly panels: number;
  /** Bytes of the panels of all places of the outer axes, before the table. */
  readonly bytes: number;
}

/** Returns the packed form of a constant factor; undefined where it is read from a padded copy. */
export function preparedOf(plan: MatrixPlan, operand: Operand, blocks: Blocks): PreparedBuffer | undefined {
  if (operand.padding !== undefined) return undefined;
  const isA = operand === plan.a;
  const [lanes, axes, count] = isA
    ? [blocks.lanes, plan.rows, plan.m]
    : [plan.numbers.columns, plan.columns, plan.n];
  const panels = Math.ceil(count / lanes);
  const bytes = volumeOf(operand.outerAxes) * panels * lanes * plan.k * plan.numbers.bytes;
  const name = isA ? "prepare_a" : "prepare_b";
  const source = {
    lanes,
    axes,
    index: operand.lanes,
    innerStep: innerStepOf(plan, operand),
    name,
    type: operand.type,
    numbers: plan.numbers,
  };
  const describe = (list: readonly Axis[]): string =>
    list.map(({ name, extent }) => `${name}<${fixedValue(extent)}`).join();
  const places = `${operand.outer.text} ${operand.lanes.text} ${operand.inner.text}`;
  const over = [operand.outerAxes, axes, plan.inner].map(describe).join(" ");
  const all = { plan, operand, source, steps: blocks.steps, count, panels, bytes };
  const partBytes = bytesOfPanel(all);
  return {
    buffer: operand.buffer,
    bytes: bytes + plan.k * 4 + 16,
    key: `panels of ${lanes}, ${blocks.steps} steps: ${places} over ${over}`,
    emit: (module) => {
      const pack = packPanels(module, all);
      return module.func({ params: ["i32", "i32"], name: "prepare" }, (f, from, to) => {
        f.put(from, to, 0, panels).call(pack);
      });
    },
    parts:
      partBytes === undefined
        ? undefined
        : { count: panels, bytes: partBytes, emit: (module) => packPanels(module, all) },
  };
}

/** Bytes of the factor that a panel is made from, where those of the next one follow them. */
function bytesOfPanel({ plan, operand, source }: Panels): number | undefined {
  const { axes, index, lanes } = source;
  const step = stepOf(axes, index);
  const { min, max } = boundsOf(operand.inner);
  const isOne = operand.outerAxes.length === 0 && fixedValue(operand.outer) === 0;
  const isRun =
    step !== undefined && index.constant === 0 && min === 0 && max! + bytesOfFactor(operand.type) <= step;
  return isOne && isRun && plan.k > 1 ? lanes * step : undefined;
}

/** Adds a function `(from, to, first, end)` that packs some panels. */
function packPanels(module: ModuleBuilder, { plan, operand, source, steps, ...all }: Panels): number {
  const pack = packKernel(module, source);
  const { lanes } = source;
  const params = ["i32", "i32", "i32", "i32"] as const;
  return module.func({ params, name: "prepare_panels" }, (f, from, to, first, end) => {
    const lane = f.let(i32(first).times(lanes));
    const until = f.let(i32(end).times(lanes));
    f.assign(until, i32(until).least(all.count));
    const table = f.let(i32(to).plus(all.bytes));
    f.put(i32(first).not()).if(() => writeTable(f, table, 0, plan.inner, operand.inner));
    const target = f.let(to);
    eachCopy(f, operand, from, (base) => {
      for (let at = 0; at < plan.k; at += steps) {
        const some = Math.min(steps, plan.k - at);
        const panel = some * lanes * plan.numbers.bytes;
        f.put(base, i32(table).plus(4 * at), some, lane, until, i32(target).plus(i32(first).times(panel)));
        f.call(pack).increase(target, all.panels * panel);
      }
    });
  });
}

/** Runs a body for each place of the outer axes, with the address of the factor there. */
function eachCopy(
  f: FunctionBuilder,
  { outerAxes, outer }: Operand,
  from: Address,
  body: (base: Address) => void,
): void {
  const base = f.local("i32");
  const place = f.let(0);
  f.countUp(place, volumeOf(outerAxes), () => {
    const places = unflatten(f, place, outerAxes);
    f.assign(base, i32(from).plus(indexAt(outer, places)));
    body(base);
  });
}
