/** @file Measures functions of four float32 against float64. */
import { functionOf, type ScalarFn } from "@sconce/codegen";
import { ModuleBuilder } from "@sconce/wasm";
import { Helpers } from "../helpers.js";
import { BINARY_MATH } from "./math.js";

/** Returns the function of float32, whose code is that of four. */
export function float32Function(op: string, relaxed: boolean): (x: number, y?: number) => number {
  const module = new ModuleBuilder({ relaxed });
  const host = module.importFunction("js", op, {
    params: BINARY_MATH.has(op) ? ["f64", "f64"] : ["f64"],
    results: ["f64"],
  });
  const helpers = new Helpers(module, new Map([[op, host]]));
  module.exportFunction("f", helpers.helper(`float32_${op}`));
  const exact = functionOf(op as ScalarFn, "float64", "float64")!;
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module.build()), {
    js: { [op]: exact },
  });
  return exports.f as (x: number, y?: number) => number;
}

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);
/** Returns the distance of a float32 from an exact value, in units of its last place there. */
export function ulpsBetween(found: number, exact: number): number {
  if (Object.is(found, Math.fround(exact))) return 0;
  if (Number.isNaN(exact) || Number.isNaN(found)) return Number.POSITIVE_INFINITY;
  if (found === Math.fround(exact)) return found === 0 ? Number.POSITIVE_INFINITY : 0;
  const unit = Math.max(2 ** -149, 2 ** (Math.floor(Math.log2(Math.abs(exact))) - 23));
  return Math.abs(found - exact) / unit;
}
/** Yields all float32 whose bits are multiples of a step, of both signs. */
export function* floats(step: number): Generator<number> {
  for (let pattern = 0; pattern <= 0x7f800000; pattern += step)
    for (const sign of [0, -0x80000000]) {
      bits[0] = pattern | sign;
      yield float[0]!;
    }
}
