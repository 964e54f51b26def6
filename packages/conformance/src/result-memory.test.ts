/**
 * @file Results whose memory a later call reads by strides, and sizes of 0 and 1 where a program
 * has dynamic ones: all backends give what PyTorch gives.
 */
import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { type Element, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";

const session = createSconce({
  backends: [await loadBackend("wasm", { threads: 1 }), await loadBackend("gpujs:cpu")],
});
const range = (shape: readonly number[], dtype: "float32" | "int64" = "float32"): Tensor => {
  const count = shape.reduce((a, b) => a * b, 1);
  const values = Array.from({ length: count }, (_, i) => (dtype === "int64" ? i : Math.sin(i + 1)));
  return Tensor.from(values as Element[], shape, dtype);
};
const program = (inputs: string, body: string, head = ""): string => `sconce-ir 1
program "TRAINING" {
  ${head}
  ${[...inputs.matchAll(/%\w+/g)].map(([name]) => `input ${name}: USER_INPUT`).join("\n  ")}
  output %out: USER_OUTPUT
}
graph(${inputs}) {
  ${body}
  return (%out)
}`;

async function run(backend: string, text: string, inputs: readonly Tensor[]): Promise<Tensor> {
  using executable = await session.compile(session.parseIr(text), backend);
  const [out] = await executable.run(inputs);
  return out as Tensor;
}

describe.each(["cpu", "wasm", "gpujs:cpu"])("on %s", (backend) => {
  test.each(["2, 3, 4", "2, 2, 3, 4"])("attention of [%s] lies in rows", async (sizes) => {
    const shape = sizes.split(", ").map(Number);
    const count = shape.reduce((a, b) => a * b, 1);
    const inputs = `%q: f32[${sizes}], %k: f32[${sizes}], %v: f32[${sizes}]`;
    const call = "aten.scaled_dot_product_attention.default(%q, %k, %v)";
    const given = [range(shape), range(shape), range(shape)];
    const plain = await run(backend, program(inputs, `%out: f32[${sizes}] = ${call}`), given);
    const strided = `%a: f32[${sizes}] = ${call}\n  %out: f32[${count}] = aten.as_strided.default(%a, [${count}], [1])`;
    const read = await run(backend, program(inputs, strided), given);
    expect(plain.isContiguous).toBe(true);
    expect(read.toArray()).toEqual(plain.toArray());
  });

  test("losses of images lie in rows, whatever the targets", async () => {
    const inputs = "%x: f32[2, 3, 2, 4], %t: i64[2, 2, 4]{8, 1, 2}";
    const loss = "aten.nll_loss_nd.default(%x, %t, none, 0)";
    const target = Tensor.from([0, 1, 2, 0, 1, 2, 2, 1, 0, 0, 1, 1, 2, 2, 0, 1], [16], "int64").asStrided(
      [2, 2, 4],
      [8, 1, 2],
    );
    const given = [range([2, 3, 2, 4]), target];
    const plain = await run(backend, program(inputs, `%out: f32[2, 2, 4]{8, 1, 2} = ${loss}`), given);
    const read = await run(
      backend,
      program(
        inputs,
        `%l: f32[2, 2, 4]{8, 1, 2} = ${loss}\n  %out: f32[16] = aten.as_strided.default(%l, [16], [1])`,
      ),
      given,
    );
    expect(plain.strides).toEqual([8, 4, 1]);
    expect(read.toArray()).toEqual(plain.toArray());
  });

  test.each([
    ["select_scatter.default(%x, %y, 0, 1)", "2"],
    ["slice_scatter.default(%x, %z, 0, 1, 2)", "1, 2"],
    ["diagonal_scatter.default(%x, %y)", "2"],
  ])("%s keeps what lies between the elements", async (call) => {
    const inputs = "%x: f32[2, 2]{4, 2}, %y: f32[2], %z: f32[1, 2]";
    const x = range([8]).asStrided([2, 2], [4, 2]);
    const given = [x, Tensor.from([10, 20], [2], "float32"), Tensor.from([10, 20], [1, 2], "float32")];
    const plain = await run(backend, program(inputs, `%out: f32[2, 2]{4, 2} = aten.${call}`), given);
    expect(plain.strides).toEqual([4, 2]);
    const read = await run(
      backend,
      program(
        inputs,
        `%s: f32[2, 2]{4, 2} = aten.${call}\n  %out: f32[7] = aten.as_strided.default(%s, [7], [1])`,
      ),
      given,
    );
    const memory = range([8]).toArray();
    const [a, b, c, d] = plain.toArray();
    expect(read.toArray()).toEqual([a, memory[1], b, memory[3], c, memory[5], d]);
  });

  const DYNAMIC = 'range "s9" [2, inf]\n  hint "s9" 5';

  test.each(["squeeze", "squeeze_"])("%s takes a dynamic size of 1 away", async (name) => {
    const text = program("%x: f32[s9, 1, 5]", `%out: f32[s9, 5] = aten.${name}.default(%x)`, DYNAMIC);
    for (const [size, shape] of [
      [1, [5]],
      [3, [3, 5]],
    ] as const)
      expect((await run(backend, text, [range([size, 1, 5])])).shape).toEqual(shape);
  });

  test("combinations of another number of elements than the example has", async () => {
    const text = program("%x: i64[s9]", "%out: i64[u0, 2] = aten.combinations.default(%x)", DYNAMIC);
    for (const size of [2, 3, 5, 7]) {
      const wanted = Array.from({ length: size }, (_, i) =>
        Array.from({ length: size - i - 1 }, (_, k) => [BigInt(i), BigInt(i + k + 1)]),
      ).flat(2);
      expect((await run(backend, text, [range([size], "int64")])).toArray()).toEqual(wanted);
    }
  });

  test("a write to an expanded tensor without elements is none", async () => {
    const text = program(
      "%x: f32[4, s9]{s9, 1}",
      "%out: f32[4, s9]{s9, 1} = aten.add_.Tensor(%x, 1)",
      DYNAMIC,
    );
    const empty = Tensor.empty([0], "float32").asStrided([4, 0], [0, 0]);
    expect((await run(backend, text, [empty])).shape).toEqual([4, 0]);
  });
});

/** The statement of docs/concepts/backends.md about the memory of results. */
test.each([
  ["cpu", true],
  ["wasm", false],
  ["gpujs:cpu", false],
])("on %s, results that are views share memory: %s", async (backend, shares) => {
  const views = session.parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %v: USER_OUTPUT output %y: USER_OUTPUT output %z: USER_OUTPUT }
graph(%x: f32[4]) {
  %v: f32[2, 2] = aten.view.default(%x, [2, 2])
  %y: f32[4] = aten.neg.default(%x)
  %z: f32[2] = aten.slice.Tensor(%y, 0, 2, 4)
  return (%v, %y, %z)
}`);
  using executable = await session.compile(views, backend);
  const x = Tensor.from([1, 2, 3, 4], [4], "float32");
  const [v, y, z] = (await executable.run([x])) as Tensor[];
  expect([v, y, z].map((one) => one!.toArray())).toEqual([
    [1, 2, 3, 4],
    [-1, -2, -3, -4],
    [-3, -4],
  ]);
  expect([v!.storage === x.storage, y!.storage === z!.storage]).toEqual([shares, shares]);
});
