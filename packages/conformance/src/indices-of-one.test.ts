/** @file Indices into dimensions of one element, and into 0-d tensors: there is one place only. */
import { cpuBackend } from "@sconce/backend-cpu";
import { gpujsBackend } from "@sconce/backend-gpujs";
import { wasmBackend } from "@sconce/backend-wasm";
import { isSconceError } from "@sconce/errors";
import type { Backend } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { sampled } from "../../../.config/sampled.js";

/** Calls on %x by the places %k along dimension D, with the values %v. */
const CALLS = [
  "aten.scatter.value(%x, D, %k, 9.0)",
  "aten.scatter.src(%x, D, %k, %v)",
  'aten.scatter.reduce(%x, D, %k, %v, reduce="add")',
  'aten.scatter.value_reduce(%x, D, %k, 9.0, reduce="multiply")',
  "aten.scatter_add.default(%x, D, %k, %v)",
  'aten.scatter_reduce.two(%x, D, %k, %v, "amax")',
  "aten.gather.default(%x, D, %k)",
];
/** Calls whose places are a list. */
const LISTED = [
  "aten.index_add.default(%x, D, %k, %v)",
  "aten.index_copy.default(%x, D, %k, %v)",
  'aten.index_reduce.default(%x, D, %k, %v, "prod")',
  "aten.index_fill.int_Scalar(%x, D, %k, 9.0)",
  "aten.index_select.default(%x, D, %k)",
];
const PUT = [
  "aten.index_put.default(%x, [%k], %v)",
  "aten.index_put.default(%x, [%k], %v, true)",
  "aten.index.Tensor(%x, [%k])",
];

interface Place {
  readonly call: string;
  /** The sizes that the program records of %x; a letter is dynamic. */
  readonly recorded: string;
  readonly shape: readonly number[];
  readonly places: readonly number[];
  readonly values: readonly number[];
}
const along = (calls: readonly string[], dim: number, rest: Omit<Place, "call">): Place[] =>
  calls.map((call) => ({ call: call.replace("D", String(dim)), ...rest }));

const PLACES: readonly Place[] = [
  ...along([...CALLS, ...LISTED, ...PUT], 0, { recorded: "1", shape: [1], places: [1], values: [1] }),
  ...along([...CALLS, ...LISTED, ...PUT], 0, { recorded: "s0", shape: [1], places: [1], values: [1] }),
  ...along(CALLS, 1, { recorded: "3, 1", shape: [3, 1], places: [3, 1], values: [3, 1] }),
  ...along(LISTED, 1, { recorded: "3, 1", shape: [3, 1], places: [1], values: [3, 1] }),
  ...along(PUT, 0, { recorded: "1, 3", shape: [1, 3], places: [1], values: [1, 3] }),
  ...along([...CALLS, ...LISTED], 0, { recorded: "", shape: [], places: [], values: [] }),
];
const WRONG = [1n, 7n, -2n, 2n ** 31n, 2n ** 32n, -(2n ** 63n)];

const BACKENDS: readonly (readonly [string, Backend])[] = [
  ["wasm", wasmBackend({ threads: 1 })],
  ["gpujs", gpujsBackend({ mode: "cpu" })],
];
const filled = (shape: readonly number[], value: number): Tensor =>
  Tensor.from(Array(shape.reduce((count, size) => count * size, 1)).fill(value), shape, "float32");
const chosen = (shape: readonly number[], place: bigint): Tensor =>
  Tensor.from(Array(shape.reduce((count, size) => count * size, 1)).fill(place), shape, "int64");

const cpu = cpuBackend();

test.each(sampled(PLACES, 3))("$call on [$recorded]", async ({ call, recorded, shape, places, values }) => {
  const read = /gather|select|index\.Tensor/.test(call);
  const typeOf = (sizes: readonly number[]): string => `f32[${sizes.join(", ")}]`;
  const result =
    call.includes("gather") || call.includes("index.Tensor") ? typeOf(values) : `f32[${recorded}]`;
  const program = parseIr(`sconce-ir 1
program "TRAINING" {
  input %x: USER_INPUT
  input %k: USER_INPUT
  input %v: USER_INPUT
  output %y: USER_OUTPUT
}
graph(%x: f32[${recorded}], %k: i64[${places.join(", ")}], %v: ${typeOf(values)}) {
  %y: ${read ? typeOf(values) : result} = ${call}
  return (%y)
}`);
  const inputs = (place: bigint): Tensor[] => [filled(shape, 2), chosen(places, place), filled(values, 5)];
  const reference = await cpu.compile(program);
  const outcome = async (executable: typeof reference, place: bigint): Promise<string> => {
    try {
      return String((await executable.run(inputs(place)))[0]);
    } catch (error) {
      if (!isSconceError(error)) throw error;
      return error.code;
    }
  };
  for (const [name, backend] of BACKENDS) {
    const executable = await backend.compile(program);
    for (const place of [0n, -1n, ...WRONG]) {
      const want = await outcome(reference, place);
      if (WRONG.includes(place)) expect(want, `cpu at ${place}`).toBe("INDEX_OUT_OF_RANGE");
      expect(await outcome(executable, place), `${name} at ${place}`).toBe(want);
    }
    executable.dispose();
  }
});
