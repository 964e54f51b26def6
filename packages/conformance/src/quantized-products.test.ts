/**
 * @file Products whose weights are computed from narrow integers: one kernel, small memory, and the
 * bits of the same product with weights that were computed in advance.
 */
import { cpuBackend } from "@sconce/backend-cpu";
import { wasmBackend } from "@sconce/backend-wasm";
import { Dim, exportProgram, nn, torch } from "@sconce/capture";
import type { ExportedProgram } from "@sconce/ir";
import { type DType, dtypeInfo, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { bitsOf, moduleTensor, withModule } from "./built-modules.fixture.js";

const { functional: F } = nn;
const quantized = torch.ops.quantized_decomposed;

/** Numbers between 0 and 1, the same for equal seeds. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
function tensorOf(
  shape: readonly number[],
  dtype: DType,
  make: (random: number) => number,
  seed = 1,
): Tensor {
  const next = numbers(seed);
  const length = shape.reduce((product, size) => product * size, 1);
  return Tensor.from(
    Array.from({ length }, () => make(next())),
    shape,
    dtype,
  );
}
const rowsOf = (rows: number, width: number): Tensor =>
  tensorOf([rows, width], "float32", (random) => random - 0.5, 9);
const scales = (shape: readonly number[]): Tensor =>
  tensorOf(shape, "float32", (random) => random * 0.02 + 0.001, 2);
const zeros = (shape: readonly number[], dtype: DType): Tensor =>
  tensorOf(shape, dtype, (random) => Math.floor(random * 16) - 4, 3);
const SIGNED = (random: number): number => Math.floor(random * 256) - 128;
const UNSIGNED = (random: number): number => Math.floor(random * 256);

/** A layer whose weight is computed from what it holds. */
abstract class Layer extends nn.Module {
  readonly width: number;

  constructor(width: number, held: Readonly<Record<string, Tensor>>) {
    super();
    this.width = width;
    for (const [name, tensor] of Object.entries(held)) this.registerBuffer(name, tensor);
  }
  abstract weight(): Tensor;
  override forward(x: Tensor): Tensor {
    return F.linear(x, this.weight());
  }
}
/** The same layer with a weight that was computed before. */
class Computed extends nn.Module {
  constructor(layer: Layer) {
    super();
    this.registerBuffer("w", layer.weight());
  }
  override forward(x: Tensor): Tensor {
    return F.linear(x, (this as unknown as { w: Tensor }).w);
  }
}

class Channels extends Layer {
  declare q: Tensor;
  declare s: Tensor;
  declare z: Tensor | undefined;
  readonly dtype: DType;

  constructor(columns: number, width: number, dtype: "int8" | "uint8", zero?: "int64" | "int32" | "int8") {
    const q = tensorOf([columns, width], dtype, dtype === "int8" ? SIGNED : UNSIGNED);
    const z = zero === undefined ? {} : { z: zeros([columns], zero) };
    super(width, { q, s: scales([columns]), ...z });
    this.dtype = dtype;
  }
  override weight(): Tensor {
    const [min, max] = this.dtype === "int8" ? [-128, 127] : [0, 255];
    return quantized.dequantize_per_channel.default(this.q, this.s, this.z ?? null, 0, min, max, this.dtype);
  }
}
class Tensors extends Layer {
  declare q: Tensor;

  constructor(columns: number, width: number) {
    super(width, { q: tensorOf([columns, width], "int8", SIGNED) });
  }
  override weight(): Tensor {
    return quantized.dequantize_per_tensor.default(this.q, 0.0123, -3, -128, 127, "int8");
  }
}
class Groups extends Layer {
  declare q: Tensor;
  declare s: Tensor;
  declare z: Tensor;
  readonly group: number;

  constructor(columns: number, width: number, group: number) {
    const sizes = [columns, width / group];
    const q = tensorOf([columns, width], "int8", SIGNED);
    super(width, { q, s: scales(sizes), z: zeros(sizes, "float32") });
    this.group = group;
  }
  override weight(): Tensor {
    const { q, s, z, group } = this;
    return quantized.dequantize_per_channel_group.default(q, s, z, -128, 127, "int8", group, "float32");
  }
}
/** Two integers of four bits in a byte. */
class Nibbles extends Layer {
  declare q: Tensor;
  declare s: Tensor;
  declare z: Tensor;
  readonly group: number;

  constructor(columns: number, width: number, group: number) {
    const sizes = [columns, width / group, 1];
    const q = tensorOf([columns, width / 2], "uint8", UNSIGNED);
    super(width, { q, s: scales(sizes), z: zeros(sizes, "float32") });
    this.group = group;
  }
  override weight(): Tensor {
    const { q, s, z, group, width } = this;
    const pair = torch.stack([torch.bitwiseAnd(q, 15), torch.bitwiseRightShift(q, 4)], -1);
    const whole = pair.view(q.shape[0]!, width / group, group).to("float32");
    return whole.sub(z).mul(s).view(q.shape[0]!, width);
  }
}
/** Four integers of two bits in a byte, with halves as scales. */
class Crumbs extends Layer {
  declare q: Tensor;
  declare s: Tensor;

  constructor(columns: number, width: number) {
    const q = tensorOf([columns, width / 4], "uint8", UNSIGNED);
    super(width, { q, s: scales([columns, 1]).to("float16") });
  }
  override weight(): Tensor {
    const { q, s, width } = this;
    const parts = [0, 2, 4, 6].map((bits) => torch.bitwiseAnd(torch.bitwiseRightShift(q, bits), 3));
    const whole = torch.stack(parts, -1).view(q.shape[0]!, width);
    return whole.to("float32").sub(2).mul(s.to("float32"));
  }
}

/** Layers whose weights products compute themselves. */
const LAYERS: readonly (readonly [string, () => Layer])[] = [
  ["int8, a scale for each column", () => new Channels(37, 200, "int8")],
  ["int8 with zero points of int64", () => new Channels(24, 800, "int8", "int64")],
  ["int8 with zero points of int32", () => new Channels(16, 164, "int8", "int32")],
  ["uint8 with zero points of int32", () => new Channels(40, 132, "uint8", "int32")],
  ["int8, one scale", () => new Tensors(33, 100)],
  ["int8 in groups of 32", () => new Groups(24, 768, 32)],
  ["int8 in groups of 128", () => new Groups(9, 1152, 128)],
  ["4 bits in groups of 32", () => new Nibbles(48, 512, 32)],
  ["4 bits in groups of 384", () => new Nibbles(17, 1536, 384)],
  ["4 bits, one group", () => new Nibbles(16, 180, 180)],
  ["2 bits", () => new Crumbs(20, 400)],
];

/** Bytes of panels of eight columns: integers as they are, and numbers as float32. */
function bytesOfPanels(layer: Layer): number {
  const columns = layer.weight().shape[0]!;
  let bytes = 0;
  for (const [name, { numel, dtype }] of layer.namedBuffers())
    bytes += numel * (name === "q" ? dtypeInfo(dtype).itemSize : 4);
  return (bytes * Math.ceil(columns / 8) * 8) / columns;
}

async function results(
  program: ExportedProgram,
  options: Parameters<typeof wasmBackend>[0],
  inputs: readonly Tensor[],
) {
  const executable = await wasmBackend({ threads: 1, ...options }).compile(program);
  const values: Tensor[] = [];
  for (const input of inputs) values.push(...((await executable.run([input])) as Tensor[]));
  const { kernels, nodes } = executable.placement!();
  const { deviceBytes } = executable.memory!();
  executable.dispose();
  return { values, kernels, hosts: nodes.filter(({ place }) => place !== "device"), deviceBytes };
}

describe("weights of", () => {
  describe.each(LAYERS)("%s", (_, make) => {
    const layer = make();
    test.each([1, 2, 3, 5, 6, 7, 50, 130])("%i rows have the bits of computed weights", async (rows) => {
      const x = rowsOf(rows, layer.width);
      const program = exportProgram(layer, [x]);
      const computed = exportProgram(new Computed(layer), [x]);
      for (const relaxed of [false, true]) {
        const ours = await results(program, { relaxed }, [x]);
        const theirs = await results(computed, { relaxed }, [x]);
        expect([ours.kernels, ours.hosts], `relaxed ${relaxed}`).toEqual([1, []]);
        expect(bitsOf(ours.values[0]!), `relaxed ${relaxed}`).toEqual(bitsOf(theirs.values[0]!));
        expect(ours.deviceBytes).toBeLessThan(bytesOfPanels(layer) + 256);
      }
    });
  });

  test.each(LAYERS)("%s serve any number of rows", async (_, make) => {
    const layer = make();
    const dynamicShapes = { x: { 0: Dim("rows", { min: 1, max: 4096 }) } };
    const inputs = [1, 4, 6, 31, 1].map((rows) => rowsOf(rows, layer.width));
    const program = exportProgram(layer, [inputs[1]!], { dynamicShapes });
    const computed = exportProgram(new Computed(layer), [inputs[1]!], { dynamicShapes });
    const ours = await results(program, {}, inputs);
    const theirs = await results(computed, {}, inputs);
    expect([ours.kernels, ours.hosts]).toEqual([1, []]);
    expect(ours.values.map(bitsOf)).toEqual(theirs.values.map(bitsOf));
  });

  test.each(LAYERS)("%s are computed in built modules", async (_, make) => {
    const layer = make();
    const x = rowsOf(3, layer.width);
    const program = exportProgram(layer, [x]);
    const { values } = await results(program, { relaxed: false }, [x]);
    await withModule(program, {}, async ({ load }) => {
      const model = await load();
      const result = (await model.run({ x: moduleTensor(x) })) as { readonly data: Float32Array };
      expect(bitsOf(Tensor.fromData(result.data, "float32", values[0]!.shape))).toEqual(bitsOf(values[0]!));
      model.dispose();
    });
  });
});

/** What products do not compute themselves: the weights get memory, and the results are right. */
class Given extends nn.Module {
  override forward(x: Tensor, q: Tensor, s: Tensor): Tensor {
    return F.linear(x, quantized.dequantize_per_channel.default(q, s, null, 0, -128, 127, "int8"));
  }
}
class Written extends Channels {
  override forward(x: Tensor): Tensor {
    this.q.add_(1);
    return F.linear(x, this.weight());
  }
}
class Wrapping extends Channels {
  override weight(): Tensor {
    // The shift loses bits of the sign.
    return torch.bitwiseLeftShift(this.q, 4).to("float32").mul(this.s.unsqueeze(1));
  }
}
class PerElement extends Layer {
  declare q: Tensor;
  declare s: Tensor;
  override weight(): Tensor {
    return this.q.to("float32").mul(this.s);
  }
}
class Doubles extends Channels {
  override forward(x: Tensor): Tensor {
    return F.linear(x.to("float64"), this.weight().to("float64"));
  }
}
class Columns extends Channels {
  override forward(x: Tensor): Tensor {
    return torch.mm(this.weight(), x.t());
  }
}
class Tied extends Groups {
  override forward(at: Tensor): Tensor {
    return F.linear(F.relu(F.embedding(at, this.weight())), this.weight());
  }
}

describe("are right where the weight", () => {
  const x = rowsOf(4, 64);
  const OTHERS: readonly (readonly [string, nn.Module, readonly Tensor[]])[] = [
    ["is an input", new Given(), [x, tensorOf([24, 64], "int8", SIGNED), scales([24])]],
    ["is written to", new Written(24, 64, "int8"), [x]],
    ["wraps", new Wrapping(24, 64, "int8"), [x]],
    [
      "has a scale for each element",
      new PerElement(64, { q: tensorOf([24, 64], "int8", SIGNED), s: scales([24, 64]) }),
      [x],
    ],
    ["has zero points that wrap", new Channels(24, 96, "int8", "int8"), [rowsOf(4, 96)]],
    ["becomes float64", new Doubles(24, 64, "int8"), [x]],
    ["is the first factor", new Columns(24, 64, "int8"), [x]],
    ["has one column", new Channels(1, 64, "int8"), [x]],
    ["has three steps", new Channels(24, 3, "int8"), [rowsOf(4, 3)]],
    ["is looked up too", new Tied(40, 256, 64), [Tensor.from([1, 39, 0, 7, 7, 2], [2, 3], "int64")]],
  ];
  test.each(OTHERS)("%s", async (_, layer, inputs) => {
    const program = exportProgram(layer, inputs);
    const [here, there] = [
      await wasmBackend({ threads: 1 }).compile(program),
      await cpuBackend().compile(program),
    ];
    for (let run = 0; run < 2; run++) {
      const [ours, theirs] = [await here.run([...inputs]), await there.run([...inputs])] as [
        Tensor[],
        Tensor[],
      ];
      const [a, b] = [ours[0]!.toFloat64Array(), theirs[0]!.toFloat64Array()];
      const largest = Math.max(...b.map(Math.abs));
      const worst = Math.max(...a.map((value, i) => Math.abs(value - b[i]!)));
      expect(worst).toBeLessThan(1e-5 * largest);
    }
  });

  test("is read by threads", async () => {
    const layer = new Nibbles(512, 512, 64);
    const input = rowsOf(64, 512);
    const program = exportProgram(layer, [input]);
    const one = await results(program, { threads: 1 }, [input]);
    const two = await results(program, { threads: 2 }, [input]);
    expect(bitsOf(two.values[0]!)).toEqual(bitsOf(one.values[0]!));
  });
});
