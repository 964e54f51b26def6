/** @file Factors that are constants: packed once, in the order in which blocks read them. */
import { type Axis, extentOf, fixedValue, volumeOf } from "@sconce/codegen";
import type { FunctionBuilder } from "@sconce/wasm";
import type { PreparedBuffer } from "../kernel-code.js";
import type { Blocks } from "./blocks.js";
import { type Address, countUp, pushIndex, unflatten } from "./index-code.js";
import { COLUMNS } from "./micro.js";
import { packKernel, writeTable } from "./pack.js";
import { ELEMENT, type MatrixPlan, type Operand } from "./plan.js";

/** Bytes from one inner place of a factor to the next, where there is one number for all. */
export const innerStepOf = ({ inner }: MatrixPlan, { inner: index }: Operand): number | undefined =>
  stepOf(inner, index);

/** Bytes from one row to the next of a factor whose rows lie side by side, each of them one run. */
export function rowStepOf(plan: MatrixPlan): number | undefined {
  const { rows, a } = plan;
  if (a.padding !== undefined || innerStepOf(plan, a) !== ELEMENT) return undefined;
  return plan.m === 1 ? 0 : stepOf(rows, a.lanes);
}

/** Bytes from one place of axes to the next, where there is one number for all. */
function stepOf(all: readonly Axis[], index: Operand["inner"]): number | undefined {
  const axes = all.filter((one) => extentOf(one) > 1);
  // Axes that are one run: the step of each is that of the next times its extent.
  let step: number | undefined;
  let below = 1;
  for (const one of [...axes].reverse()) {
    const own = coefficientOf(index, one);
    if (own === undefined) return undefined;
    step ??= own;
    if (own !== step * below) return undefined;
    below *= extentOf(one);
  }
  const isLinear = index.terms.every(({ atoms }) => atoms.length === 1 && atoms[0]!.kind === "axis");
  return isLinear ? step : undefined;
}
function coefficientOf(index: Operand["inner"], { name }: Axis): number | undefined {
  const term = index.terms.find(
    ({ atoms }) => atoms.length === 1 && atoms[0]!.kind === "axis" && atoms[0]!.name === name,
  );
  return term?.coefficient;
}

/** The packed form of a constant factor; undefined where it is read from a padded copy. */
export function preparedOf(plan: MatrixPlan, operand: Operand, blocks: Blocks): PreparedBuffer | undefined {
  if (operand.padding !== undefined) return undefined;
  const isA = operand === plan.a;
  const [lanes, axes, count] = isA ? [blocks.lanes, plan.rows, plan.m] : [COLUMNS, plan.columns, plan.n];
  const padded = Math.ceil(count / lanes) * lanes;
  const one = padded * plan.k * ELEMENT;
  const copies = volumeOf(operand.outerAxes);
  const tableBytes = plan.k * 4;
  const source = {
    lanes,
    axes,
    index: operand.lanes,
    innerStep: innerStepOf(plan, operand),
    name: isA ? "prepare_a" : "prepare_b",
  };
  const describe = (list: readonly Axis[]): string =>
    list.map(({ name, extent }) => `${name}<${fixedValue(extent)}`).join();
  const places = `${operand.outer.text} ${operand.lanes.text} ${operand.inner.text}`;
  const over = [operand.outerAxes, axes, plan.inner].map(describe).join(" ");
  return {
    buffer: operand.buffer,
    bytes: copies * one + tableBytes + 16,
    key: `panels of ${lanes}, ${blocks.steps} steps: ${places} over ${over}`,
    emit: (module) => {
      const pack = packKernel(module, source);
      return module.func({ params: ["i32", "i32"], name: "prepare" }, (f, from, to) => {
        const [table, target] = f.locals("i32", 2) as readonly [Address, Address];
        f.get(to)
          .i32(copies * one)
          .op("i32.add")
          .set(table);
        writeTable(f, table, 0, plan.inner, operand.inner);
        f.copy(to, target);
        eachCopy(f, operand, from, (base) => {
          for (let first = 0; first < plan.k; first += blocks.steps) {
            const steps = Math.min(blocks.steps, plan.k - first);
            f.get(base, table)
              .i32(4 * first)
              .op("i32.add")
              .i32(steps)
              .i32(0)
              .i32(count)
              .get(target);
            f.call(pack).increase(target, padded * steps * ELEMENT);
          }
        });
      });
    },
  };
}

/** Runs a body for each place of the outer axes, with the address of the factor there. */
function eachCopy(
  f: FunctionBuilder,
  { outerAxes, outer }: Operand,
  from: Address,
  body: (base: Address) => void,
): void {
  const [base, place] = f.locals("i32", 2) as readonly [Address, Address];
  f.i32(0).set(place);
  countUp(f, place, 1, volumeOf(outerAxes), () => {
    const places = unflatten(f, place, outerAxes);
    f.get(from);
    pushIndex(f, outer, places);
    f.op("i32.add").set(base);
    body(base);
  });
}
