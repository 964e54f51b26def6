/** @file The transformed weights of Winograd's algorithm, in panels. */
import type { FunctionBuilder } from "@sconce/wasm";
import type { PreparedBuffer } from "../kernel-code.js";
import { type Address, countUp } from "./index-code.js";
import { COLUMNS } from "./micro.js";
import { ELEMENT } from "./plan.js";
import { TRANSFORMS } from "./transforms.js";
import type { WinogradPlan, WinogradTiles } from "./winograd-plan.js";

/** The weights of each place of a tile as panels of eight output channels. */
export function preparedWeight(plan: WinogradPlan, tiles: WinogradTiles): PreparedBuffer {
  const { channels, results, weightSteps: steps } = plan;
  const { reads, padded, side } = tiles;
  const plane = channels * padded * ELEMENT;
  return {
    buffer: plan.weight,
    bytes: reads * reads * plane,
    key: `winograd ${side} of ${results} x ${channels}: ${Object.values(steps).join()}`,
    emit: (module) =>
      module.func({ params: ["i32", "i32"], name: "winograd_weight" }, (f, from, to) => {
        const [o, c, source, target] = f.locals("i32", 4) as [Address, Address, Address, Address];
        // Results that fill the last panel are zero.
        f.get(to)
          .i32(0)
          .i32(reads * reads * plane)
          .memoryFill();
        f.i32(0).set(o);
        countUp(f, o, 1, results, () => {
          f.get(o)
            .i32(COLUMNS)
            .op("i32.div_u")
            .i32(channels * COLUMNS * ELEMENT)
            .op("i32.mul");
          f.get(o).i32(COLUMNS).op("i32.rem_u").i32(ELEMENT).op("i32.mul", "i32.add");
          f.get(to).op("i32.add").set(target);
          f.get(o)
            .i32(steps.o * ELEMENT)
            .op("i32.mul")
            .i32(steps.origin * ELEMENT)
            .op("i32.add");
          f.get(from).op("i32.add").set(source);
          f.i32(0).set(c);
          countUp(f, c, 1, channels, () => {
            oneKernel(f, plan, tiles, source, target);
            f.increase(source, steps.c * ELEMENT).increase(target, COLUMNS * ELEMENT);
          });
        });
      }),
  };
}

/** Transforms the nine elements of one kernel; in float64, since it happens once. */
function oneKernel(
  f: FunctionBuilder,
  { weightSteps: { h, w }, channels }: WinogradPlan,
  { side, reads, padded }: WinogradTiles,
  source: Address,
  target: Address,
): void {
  const { weight } = TRANSFORMS[side]!;
  const given = Array.from({ length: 3 }, () => f.locals("f64", 3));
  const line = f.locals("f64", 3);
  for (const [i, row] of given.entries())
    for (const [j, local] of row.entries())
      f.get(source)
        .memory("f32.load", (i * h + j * w) * ELEMENT)
        .op("f64.promote_f32")
        .set(local);
  const sum = (factors: readonly number[], push: (at: number) => void): void => {
    f.f64(0);
    for (const [at, factor] of factors.entries()) {
      if (factor === 0) continue;
      push(at);
      f.f64(factor).op("f64.mul", "f64.add");
    }
  };
  for (const [i, factors] of weight.entries()) {
    for (const [j, local] of line.entries()) {
      sum(factors, (r) => f.get(given[r]![j]!));
      f.set(local);
    }
    for (const [q, others] of weight.entries()) {
      f.get(target);
      sum(others, (j) => f.get(line[j]!));
      f.op("f32.demote_f64").memory("f32.store", (i * reads + q) * channels * padded * ELEMENT);
    }
  }
}
