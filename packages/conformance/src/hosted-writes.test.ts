/**
 * @file Runs that compiled backends leave to the interpreter: PyTorch computes them, and lowering
 * refuses them.
 */
import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";

const session = createSconce({
  backends: [await loadBackend("wasm", { threads: 1 }), await loadBackend("gpujs:cpu")],
});

test("what PyTorch writes to an expanded or an empty input, all backends write", async () => {
  const programOf = (shape: string, call: string) =>
    session.parseIr(`sconce-ir 1
program "TRAINING" { input %x: USER_INPUT output %a: USER_OUTPUT }
graph(%x: f32[${shape}]) { %a: f32[${shape}] = ${call} return (%a) }`);
  const fill = "aten.fill_.Scalar(%x, 7)";
  const cases: readonly [shape: number[], strides: number[], call: string, after: number[]][] = [
    [[2, 2], [0, 1], fill, [7, 7, 3, 4]],
    [[2, 2], [0, 1], "aten.zero_.default(%x)", [0, 0, 3, 4]],
    [[1, 2], [0, 1], "aten.add_.Tensor(%x, 1)", [2, 3, 3, 4]],
    ...[fill, "aten.add_.Tensor(%x, 1)", "aten.neg_.default(%x)"].flatMap((call): (typeof cases)[number][] =>
      [
        [2, 0],
        [0, 2],
      ].map((shape) => [shape, [0, 1], call, [1, 2, 3, 4]]),
    ),
  ];
  for (const [shape, strides, call, after] of cases)
    for (const backend of ["wasm", "gpujs:cpu", "cpu"]) {
      using executable = await session.compile(programOf(shape.join(", "), call), backend);
      const whole = Tensor.from([1, 2, 3, 4], [4], "float32");
      const [result] = await executable.run([whole.asStrided(shape, strides)]);
      await whole.load();
      expect((result as Tensor).shape).toEqual(shape);
      expect(whole.toArray(), `${backend} ${call} ${shape}`).toEqual(after);
    }
});

test("a tensor that t_ transposes has its new sizes under all its names", async () => {
  const program = session.parseIr(`sconce-ir 1
program "TRAINING" { input %w: USER_INPUT input %m: USER_INPUT output %a: USER_OUTPUT }
graph(%w: f32[s0, s1], %m: b8[s1, s0]) {
  %filled: f32[s0, s1] = aten.fill_.Scalar(%w, 7)
  %turned: f32[s1, s0]{1, s1} = aten.t_.default(%filled)
  %copied: f32[s0, s1] = aten.copy_.default(%filled, %m)
  %back: f32[s0, s1] = aten.transpose_.default(%turned, 0, 1)
  %a: f32[s0, s1] = aten.mul.Tensor(%back, 3)
  return (%a)
}`);
  for (const backend of ["wasm", "gpujs:cpu", "cpu"]) {
    using executable = await session.compile(program, backend);
    const w = Tensor.from([1, 2], [1, 2], "float32");
    const m = Tensor.fromData(Uint8Array.of(1, 0), "bool", [2, 1]);
    const [result] = await executable.run([w, m]);
    expect(String(result), backend).toBe("tensor([[3., 0.]])");
  }
});

test("an assertion that lowering adds refuses no sizes that PyTorch broadcasts", async () => {
  const program = session.transform(
    session.parseIr(`sconce-ir 1
program "TRAINING" { input %z: USER_INPUT output %sum: USER_OUTPUT }
graph(%z: i64[s0]) {
  %places = aten.repeat_interleave.Tensor(%z)
  %sum = aten.add.Tensor(%z, %places)
  return (%sum)
}`),
    "propagate-shapes",
  );
  for (const backend of ["wasm", "gpujs:cpu", "cpu"]) {
    using executable = await session.compile(program, backend);
    const run = async (...counts: number[]): Promise<string> => {
      const [sum] = await executable.run([Tensor.from(counts, [counts.length], "int64")]);
      return String(sum);
    };
    expect(await run(0, 1, 0), backend).toBe("tensor([1, 2, 1])");
    expect(await run(1, 1, 1), backend).toBe("tensor([1, 2, 3])");
    await expect(run(2, 1), backend).rejects.toMatchObject({ code: "SHAPE_MISMATCH" });
  }
});
