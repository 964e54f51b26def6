import type { DeviceExecutable } from "@sconce/device-runtime";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { gpujsBackend } from "./backend.js";
import { ints, program } from "./programs.fixture.js";

test("elements beyond 2^24 are found, where gpu.js counts in float32", async () => {
  const [rows, columns] = [4099, 4099];
  const far = program(
    `%x: f32[${rows}, ${columns}], %i: i64[1]`,
    [
      `%row: f32[${columns}] = aten.select.int(%x, 0, ${rows - 1})`,
      `%neg: f32[${columns}] = aten.neg.default(%row)`,
      `%sum: f32[${rows}] = aten.sum.dim_IntList(%x, [1])`,
      `%embedding: f32[1, ${columns}] = aten.embedding.default(%x, %i)`,
    ].join("\n"),
    "neg, sum, embedding",
  );
  const elements = Float32Array.from({ length: rows * columns }, (_, at) => at % 3);
  const x = Tensor.from(elements, [rows, columns], "float32");
  using executable = (await gpujsBackend({ mode: "webasm" }).compile(far)) as DeviceExecutable;
  const results = (await executable.run([x, ints([rows - 1])])) as Tensor[];
  const last = elements.subarray(-columns);
  expect(results[0]!.data).toEqual(last.map((element) => -element));
  expect((results[1]!.data as Float32Array).at(-1)).toBe(last.reduce((sum, element) => sum + element, 0));
  expect(results[2]!.data).toEqual(last);
  expect(executable.placement().fallbacks).toEqual([]);
}, 30_000);
