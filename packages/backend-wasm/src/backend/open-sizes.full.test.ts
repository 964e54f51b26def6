/** @file Random programs of a symbolic batch, in several sizes, against the interpreter. */
import { cpuBackend } from "@sconce/backend-cpu";
import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { randomOf } from "../random-nests.fixture.js";
import { wasmBackend } from "./backend.js";

const volume = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);
const noise = (shape: readonly number[], step: number): Tensor =>
  Tensor.fromData(
    Float32Array.from({ length: volume(shape) }, (_, i) => Math.sin((i + 1) * step)),
    "float32",
    shape,
  );
const typeOf = (shape: readonly number[]): string => `f32[s0, ${shape.join(", ")}]`;

/** Writes a program whose values all have the batch in front of these sizes. */
class Batch {
  readonly lines: string[] = [];
  readonly weights: (readonly number[])[] = [];
  last = "x";
  shape: readonly number[] = [4, 6];
  #count = 0;

  weight(shape: readonly number[]): string {
    this.weights.push(shape);
    return `%w${this.weights.length - 1}`;
  }
  line(type: string, call: string): string {
    const name = `v${this.#count++}`;
    this.lines.push(`%${name}: ${type} = ${call}`);
    return name;
  }
  put(call: string, shape = this.shape): void {
    this.last = this.line(typeOf(shape), call);
    this.shape = shape;
  }
  /** The shape with another size of a dimension. */
  resized(dim: number, size: number): readonly number[] {
    return this.shape.map((one, d) => (d === dim ? size : one));
  }

  /** One of the operators, by numbers below a bound. */
  step(random: (below: number) => number): void {
    const { last, shape } = this;
    const dim = random(2);
    const [rows, columns] = shape as readonly [number, number];
    const steps = [
      () => this.put(`aten.tanh.default(%${last})`),
      () => this.put(`aten.gelu.default(%${last})`),
      () => this.put(`aten.mul.Tensor(%${last}, ${this.weight(shape.slice(dim))})`),
      () => this.put(`aten._softmax.default(%${last}, ${dim + 1}, false)`),
      () => this.put(`aten.sum.dim_IntList(%${last}, [${dim + 1}], true)`, this.resized(dim, 1)),
      () => this.put(`aten.amax.default(%${last}, [${dim + 1}], true)`, this.resized(dim, 1)),
      () =>
        this.put(`aten.cat.default([%${last}, %${last}], ${dim + 1})`, this.resized(dim, 2 * shape[dim]!)),
      () => {
        const results = 3 + random(30);
        const weight = this.weight([columns, results]);
        const flat = this.line(
          `f32[s0*${rows}, ${columns}]`,
          `aten.reshape.default(%${last}, [-1, ${columns}])`,
        );
        const product = this.line(`f32[s0*${rows}, ${results}]`, `aten.mm.default(%${flat}, ${weight})`);
        this.put(`aten.reshape.default(%${product}, [-1, ${rows}, ${results}])`, [rows, results]);
      },
      () => {
        const type = `f32[s0, ${columns}, ${rows}]{${rows * columns}, 1, ${columns}}`;
        const turned = this.line(type, `aten.permute.default(%${last}, [0, 2, 1])`);
        const weight = this.weight([columns, rows]);
        this.put(`aten.add.Tensor(%${turned}, ${weight})`, [columns, rows]);
        this.put(`aten.bmm.default(%${last}, %${this.last})`, [rows, rows]);
      },
      () => {
        const isLarge = this.line(`b8[s0, ${shape.join(", ")}]`, `aten.gt.Scalar(%${last}, 0.1)`);
        const other = this.line(typeOf(shape), `aten.neg.default(%${last})`);
        this.put(`aten.where.self(%${isLarge}, %${last}, %${other})`);
      },
    ];
    steps[random(steps.length)]!();
  }

  program(): ExportedProgram {
    const names = this.weights.map((_, i) => `w${i}`);
    const specs = names.map((name) => `input %${name}: PARAMETER "${name}"`).join(" ");
    const inputs = this.weights.map((shape, i) => `%w${i}: f32[${shape.join(", ")}]`);
    return parseIr(`sconce-ir 1
symbol s0 integer positive
program "ATEN" { ${specs} input %x: USER_INPUT output %${this.last}: USER_OUTPUT }
graph(${[...inputs, "%x: f32[s0, 4, 6]"].join(", ")}) {
  ${this.lines.join("\n  ")}
  return (%${this.last})
}`).with({ stateDict: new Map(names.map((name, i) => [name, noise(this.weights[i]!, 1.1 + i)])) });
  }
}

test("random programs of a batch", async () => {
  for (let seed = 0; seed < 200; seed++) {
    const random = randomOf(seed);
    const batch = new Batch();
    for (let i = 0; i < 6; i++) batch.step(random);
    const program = batch.program();
    const reference = await cpuBackend().compile(program);
    const executable = await wasmBackend({ threads: 1 + (seed % 2) }).compile(program);
    for (const size of [3, 1, 7, 513, 40]) {
      const inputs = [noise([size, 4, 6], 1.3)];
      const [expected, actual] = (await Promise.all(
        [reference, executable].map(async (one) =>
          ((await one.run(inputs)) as Tensor[])[0]!.toFloat64Array(),
        ),
      )) as [Float64Array, Float64Array];
      const most = expected.reduce((a, b) => Math.max(a, Math.abs(b)), 1);
      const error = expected.reduce((a, value, i) => Math.max(a, Math.abs(value - actual[i]!)), 0);
      expect(error / most, `seed ${seed}, size ${size}`).toBeLessThan(2e-5);
    }
    reference.dispose();
    executable.dispose();
  }
}, 120_000);
