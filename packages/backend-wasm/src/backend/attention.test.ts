import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { MemoryOwner } from "../device/wasm-memory.js";
import { wasmBackend } from "./backend.js";
import { backendOn } from "./open.js";

interface Sizes {
  readonly batch: number;
  readonly heads: number;
  readonly queries: number;
  readonly keys: number;
  readonly width: number;
}
/** `softmax(Q K^T + mask) V`; with the scores as a result, too, they need memory. */
function attention({ batch, heads, queries, keys, width }: Sizes, hasScores: boolean, hasMask = true) {
  const [bh, q] = [`${batch}, ${heads}`, `${batch * heads}, ${queries}`];
  const scores = `f32[${bh}, ${queries}, ${keys}]`;
  const results = hasScores ? "%o, %s" : "%o";
  return parseIr(`sconce-ir 1
program "ATEN" {
  input %q: USER_INPUT input %k: USER_INPUT input %v: USER_INPUT input %m: USER_INPUT
  output %o: USER_OUTPUT ${hasScores ? "output %s: USER_OUTPUT" : ""}
}
graph(%q: f32[${q}, ${width}], %k: f32[${batch * heads}, ${keys}, ${width}],
    %v: f32[${batch * heads}, ${keys}, ${width}], %m: f32[${queries}, ${keys}]) {
  %t: f32[${batch * heads}, ${width}, ${keys}] = aten.permute.default(%k, [0, 2, 1])
  %p: f32[${q}, ${keys}] = aten.bmm.default(%q, %t)
  %u: ${scores} = aten.view.default(%p, [${bh}, ${queries}, ${keys}])
  %s: ${scores} = aten.${hasMask ? "add.Tensor(%u, %m)" : "mul.Tensor(%u, 0.25)"}
  %z: ${scores} = aten._softmax.default(%s, -1, false)
  %y: f32[${q}, ${keys}] = aten.view.default(%z, [${q}, ${keys}])
  %w: f32[${q}, ${width}] = aten.bmm.default(%y, %v)
  %x: f32[${bh}, ${queries}, ${width}] = aten.view.default(%w, [${bh}, ${queries}, ${width}])
  %r: f32[${batch}, ${queries}, ${heads}, ${width}] = aten.permute.default(%x, [0, 2, 1, 3])
  %o: f32[${batch}, ${queries}, ${heads}, ${width}] = aten.clone.default(%r)
  return (${results})
}`);
}
const wave = (shape: readonly number[], step: number, curve = Math.sin): Tensor => {
  const length = shape.reduce((product, size) => product * size, 1);
  return Tensor.fromData(
    Float32Array.from({ length }, (_, i) => curve(i * step)),
    "float32",
    shape,
  );
};
function inputsOf({ batch, heads, queries, keys, width }: Sizes): Tensor[] {
  const mask = wave([queries, keys], 0.7);
  const elements = mask.data as Float32Array;
  for (let at = 0; at < elements.length; at++)
    if (elements[at]! > 0.5) elements[at] = Number.NEGATIVE_INFINITY;
  // A row that looks at nothing, and one that has a NaN.
  elements.fill(Number.NEGATIVE_INFINITY, keys, 2 * keys);
  elements[3 * keys] = Number.NaN;
  return [
    wave([batch * heads, queries, width], 0.31),
    wave([batch * heads, keys, width], 0.17),
    wave([batch * heads, keys, width], 0.23),
    mask,
  ];
}
const bits = (tensor: unknown): string => Buffer.from((tensor as Tensor).storage.bytes).toString("base64");

test.each<Sizes & { threads: number; relaxed: boolean }>([
  { batch: 2, heads: 3, queries: 50, keys: 70, width: 20, threads: 1, relaxed: true },
  { batch: 1, heads: 1, queries: 40, keys: 9, width: 8, threads: 1, relaxed: false },
  { batch: 2, heads: 2, queries: 301, keys: 450, width: 36, threads: 1, relaxed: false },
  { batch: 2, heads: 2, queries: 301, keys: 450, width: 36, threads: 3, relaxed: true },
])("one kernel gives the bits of three: %o", async ({ threads, relaxed, ...sizes }) => {
  const inputs = inputsOf(sizes);
  const backend = wasmBackend({ threads, relaxed });
  const joined = await backend.compile(attention(sizes, false));
  const separate = await backend.compile(attention(sizes, true));
  expect([joined, separate].map((one) => one.placement!().kernels)).toEqual([1, 3]);
  for (let run = 0; run < (threads === 1 ? 1 : 5); run++) {
    const [one, two] = [await joined.run(inputs), await separate.run(inputs)];
    expect(bits(one[0])).toBe(bits(two[0]));
    const rows = (one[0] as Tensor).data as Float32Array;
    const rowLength = sizes.heads * sizes.width;
    const isLost = (row: number): boolean =>
      rows.subarray(row * rowLength, (row + 1) * rowLength).every(Number.isNaN);
    expect([0, 1, 2, 3].map(isLost)).toEqual([false, true, false, true]);
  }
  joined.dispose();
  separate.dispose();
});

test("long sequences have no memory for all scores", async () => {
  const sizes = { batch: 1, heads: 8, queries: 2048, keys: 2048, width: 8 };
  const owner = new MemoryOwner(1);
  const { memory } = owner.open();
  const executable = await backendOn(owner).compile(attention(sizes, false, false));
  expect(executable.placement!().kernels).toBe(1);
  await executable.run(inputsOf(sizes));
  // The scores of all heads would be 134 MB.
  expect(memory.buffer.byteLength).toBeLessThan(48e6);
  executable.dispose();
  owner.close();
});

test.each(["TRAINING", "ATEN"])(
  "the logarithms of the sums of fused attention, and its gradient, are PyTorch's (%s)",
  async (dialect) => {
    const fused = "aten._scaled_dot_product_flash_attention_for_cpu";
    const [q, k] = ["f32[1, 2, 3, 4]", "f32[1, 2, 5, 4]"];
    const [rows, keyRows] = [`${q}{24, 4, 8, 1}`, `${k}{40, 4, 8, 1}`];
    const program = (results: string): ReturnType<typeof parseIr> =>
      parseIr(`sconce-ir 1
program "${dialect}" {
  input %q: USER_INPUT input %k: USER_INPUT
  ${results
    .split(", ")
    .map((name) => `output ${name}: USER_OUTPUT`)
    .join(" ")}
}
graph(%q: ${q}, %k: ${k}) {
  %f: (${q}{24, 12, 4, 1}, f32[1, 2, 3]{6, 1, 2}) = ${fused}.default(%q, %k, %k, 0.0, true)
  %out: ${q}{24, 12, 4, 1} = operator.getitem(%f, 0)
  %logs: f32[1, 2, 3]{6, 1, 2} = operator.getitem(%f, 1)
  %ones: ${q}{24, 12, 4, 1} = aten.ones_like.default(%out)
  %b: (${rows}, ${keyRows}, ${keyRows}) = ${fused}_backward.default(%ones, %q, %k, %k, %out, %logs, 0.0, true)
  %grad: ${rows} = operator.getitem(%b, 0)
  return (${results})
}`);
    // From PyTorch.
    const logs = [-0.30192, 0.8062, 1.25372, -0.96299, 1.10111, 1.09824];
    const grad = [
      ...[0, 0, 0, 0, -0.00524, -0.0023, 0.00238, 0.00526, -0.12468, 0.01293, 0.14076, 0.16206],
      ...[0, 0, 0, 0, 0.34951, 0.41286, 0.16377, -0.20926, 0.45802, 0.45997, 0.11382, -0.31846],
    ];
    const inputs = [Q, wave([1, 2, 5, 4], 0.9, Math.cos)];
    const run = async (results: string): Promise<number[][]> => {
      const executable = await wasmBackend({ threads: 1 }).compile(program(results));
      const values = (await executable.run(inputs)) as readonly Tensor[];
      executable.dispose?.();
      return values.map((tensor) => [...(tensor.contiguous().data as Float32Array)]);
    };
    const close = (got: readonly number[] | undefined, want: readonly number[]): void => {
      expect(got).toHaveLength(want.length);
      want.forEach((value, i) => {
        expect(got![i]).toBeCloseTo(value, 4);
      });
    };
    close((await run("%logs"))[0], logs);
    close((await run("%grad"))[0], grad);
    const both = await run("%out, %logs");
    close(both[1], logs);
    // Without the logarithms the attention is loops, as before.
    close((await run("%out"))[0], both[0]!);
  },
);
/** Queries of two heads. */
const Q = Tensor.fromData(
  Float32Array.from({ length: 24 }, (_, i) => Math.sin(0.7 * (i < 12 ? i : i + 12))),
  "float32",
  [1, 2, 3, 4],
);
