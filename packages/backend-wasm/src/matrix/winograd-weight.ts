/** @file The transformed weights of Winograd's algorithm, in panels. */
import type { FunctionBuilder } from "@sconce/wasm";
import type { PreparedBuffer } from "../kernel-code.js";
import { type Address, countUp } from "./index-code.js";
import { COLUMNS } from "./micro.js";
import { ELEMENT } from "./plan.js";
import { constantsOf, pushSum, TRANSFORMS } from "./transforms.js";
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
        const four = fourKernels(f, plan, tiles);
        // Results that fill the last panel are zero.
        if (padded > results)
          f.get(to)
            .i32(0)
            .i32(reads * reads * plane)
            .memoryFill();
        f.i32(0).set(o);
        countUp(f, o, LANES, results, () => {
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
            four(source, target);
            f.increase(source, steps.c * ELEMENT).increase(target, COLUMNS * ELEMENT);
          });
        });
      }),
  };
}

/** Output channels that are transformed at once; their count is a multiple of it. */
const LANES = 4;

/** Code that transforms the nine elements of the kernels of four output channels. */
function fourKernels(
  f: FunctionBuilder,
  { weightSteps, channels }: WinogradPlan,
  { side, reads, padded }: WinogradTiles,
): (source: Address, target: Address) => void {
  const { weight } = TRANSFORMS[side]!;
  const given = Array.from({ length: 3 }, () => f.locals("v128", 3));
  const line = f.locals("v128", 3);
  const constants = constantsOf(f, weight);
  return (source, target) => {
    for (const [i, row] of given.entries())
      for (const [j, local] of row.entries()) {
        const at = (i * weightSteps.h + j * weightSteps.w) * ELEMENT;
        f.get(source).memory("v128.load32_zero", at).set(local);
        for (let lane = 1; lane < LANES; lane++)
          f.get(source, local)
            .memoryLane("v128.load32_lane", lane, at + lane * weightSteps.o * ELEMENT)
            .set(local);
      }
    for (const [i, factors] of weight.entries()) {
      for (const [j, local] of line.entries()) {
        pushSum(f, factors, constants, (r) => f.get(given[r]![j]!));
        f.set(local);
      }
      for (const [q, others] of weight.entries()) {
        f.get(target);
        pushSum(f, others, constants, (j) => f.get(line[j]!));
        f.memory("v128.store", (i * reads + q) * channels * padded * ELEMENT);
      }
    }
  };
}
