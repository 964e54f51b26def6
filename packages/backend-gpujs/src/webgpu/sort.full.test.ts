import { cpuBackend } from "@sconce/backend-cpu";
import {
  type LoopNest,
  type LoopProgram,
  lowerToLoops,
  printKernel,
  scheduleNest,
  sortIterations,
} from "@sconce/codegen";
import { whyTooMuch } from "@sconce/device-runtime";
import type { ExportedProgram } from "@sconce/ir";
import { defaultOperators } from "@sconce/ops";
import { type DType, Tensor } from "@sconce/tensor";
import { afterAll, describe, expect, test } from "vitest";
import { program } from "../programs.fixture.js";
import { allOnDevice, openTestDevice } from "./device.fixture.js";
import { wgslTarget } from "./support.js";

const device = await openTestDevice(true);
afterAll(() => device?.dispose());

const operators = defaultOperators();
const host = cpuBackend({ operators });
const NAMES: Partial<Record<DType, string>> = { float32: "f32", int32: "i32", uint8: "u8", bool: "b8" };

function sorting(shape: readonly number[], dim: number, descending: boolean, dtype: DType = "float32") {
  const sizes = shape.join(", ");
  const type = `${NAMES[dtype]}[${sizes}]`;
  const body = [
    `%s: (${type}, i64[${sizes}]) = aten.sort.default(%x, ${dim}, ${descending})`,
    `%v: ${type} = operator.getitem(%s, 0)`,
    `%p: i64[${sizes}] = operator.getitem(%s, 1)`,
  ].join("\n");
  return program(`%x: ${type}`, body, "v, p");
}
const loopsOf = ({ graph }: ExportedProgram): LoopProgram => lowerToLoops(graph, { operators });

/** Few values, so that there are ties, and those that are hard to order. */
function elements(shape: readonly number[], dtype: DType): Tensor {
  const numel = shape.reduce((product, extent) => product * extent, 1);
  const few = dtype === "bool" ? 2 : 101;
  const values = Array.from(
    { length: numel },
    (_, i) => ((i * 7919 + (i >> 4)) % few) - (dtype === "uint8" ? 0 : few >> 1),
  );
  if (dtype === "float32")
    [Number.NaN, -0, 0, Infinity, Number.NaN, -Infinity, 1e-42, -1e-42, -0].forEach((value, at) => {
      values[(at * 31 + 5) % numel] = value;
    });
  if (dtype === "int32") values.splice(40, 2, 2 ** 31 - 1, -(2 ** 31));
  return Tensor.from(values, shape, dtype);
}

describe.skipIf(device === undefined)("sorting", () => {
  const agrees = async (program: ExportedProgram, input: Tensor): Promise<void> => {
    const made = await allOnDevice(loopsOf(program), [input], device!);
    using executable = await host.compile(program);
    const wanted = (await executable.run([input])) as Tensor[];
    expect(made.map((tensor) => tensor.toArray())).toEqual(wanted.map((tensor) => tensor.toArray()));
  };
  test.each([
    [[65], 0],
    [[3, 128], -1],
    [[130, 3], 0],
    [[2, 90, 3], -2],
  ] as const)("%o along %i, rising and falling", async (shape, dim) => {
    const input = elements(shape, "float32");
    await agrees(sorting(shape, dim, false), input);
    await agrees(sorting(shape, dim, true), input);
  });
  test("rows that fill a block, and those that take two", async () => {
    await agrees(sorting([1024], 0, false), elements([1024], "float32"));
    await agrees(sorting([2, 1025], 1, true), elements([2, 1025], "float32"));
    await agrees(sorting([1030, 2], 0, false), elements([1030, 2], "float32"));
  });
  test.each(["int32", "bool"] as const)("%s", async (dtype) => {
    await agrees(sorting([2, 150], 1, false, dtype), elements([2, 150], dtype));
    await agrees(sorting([2, 150], 1, true, dtype), elements([2, 150], dtype));
  });
  test("the greatest few", async () => {
    const body = [
      "%t: (f32[3, 7], i64[3, 7]) = aten.topk.default(%x, 7)",
      "%v: f32[3, 7] = operator.getitem(%t, 0)",
      "%p: i64[3, 7] = operator.getitem(%t, 1)",
    ].join("\n");
    await agrees(program("%x: f32[3, 300]", body, "v, p"), elements([3, 300], "float32"));
  });
  test("long rows are not compared with themselves element by element", async () => {
    const loops = loopsOf(sorting([5000], 0, false));
    const [rank, places] = loops.nests;
    const ranked = await device!.compile(rank!, loops, { sizes: new Map() });
    expect(ranked.source).toMatch(/binding\(2\).*read_write/);
    const placed = await device!.compile(places!, loops, { sizes: new Map() });
    expect(placed.source).not.toContain("for (");
    expect(device!.iterationsOf(rank!)).toBeLessThan(5000 * 5000 * 0.03);
    expect(device!.iterationsOf(places!)).toBe(5000);
  });
  test("a million elements are sorted on the device", () => {
    for (const nest of loopsOf(sorting([1_000_000], 0, false)).nests)
      expect(whyTooMuch(nest, device!)).toBeUndefined();
  });
  test("in software ranks are counted element by element, and placed", async () => {
    const loops = loopsOf(sorting([300], 0, false));
    const [rank, places] = loops.nests;
    const target = wgslTarget(false);
    const loopsIn = (nest: LoopNest): number => {
      const { kernel } = scheduleNest(nest, { program: loops, sizes: new Map(), target });
      return printKernel(kernel).split("for ").length - 1;
    };
    expect([loopsIn(rank!), loopsIn(places!)]).toEqual([1, 0]);
    expect([sortIterations(rank!, target), sortIterations(places!, target)]).toEqual([undefined, 300]);
  });
  test("what both passes share is given back", async () => {
    const before = device!.allocated;
    const loops = loopsOf(sorting([1030], 0, false));
    await allOnDevice(loops, [elements([1030], "float32")], device!);
    expect(device!.allocated).toBe(before);
  });
});
