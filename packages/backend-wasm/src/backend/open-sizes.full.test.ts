/** @file Random programs of a symbolic batch, in several sizes, against the interpreter. */
import { cpuBackend } from "@sconce/backend-cpu";
import type { Executable, ExportedProgram } from "@sconce/ir";
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

/** What writers of programs leave: calls, the shapes of weights, and the name of the result. */
interface Written {
  readonly lines: readonly string[];
  readonly weights: readonly (readonly number[])[];
  readonly last: string;
}

/** The program of an input of this type. */
function programOf({ lines, weights, last }: Written, input: string): ExportedProgram {
  const names = weights.map((_, i) => `w${i}`);
  const specs = names.map((name) => `input %${name}: PARAMETER "${name}"`).join(" ");
  const inputs = weights.map((shape, i) => `%w${i}: f32[${shape.join(", ")}]`);
  return parseIr(`sconce-ir 1
symbol s0 integer positive
symbol s1 integer positive
program "ATEN" { ${specs} input %x: USER_INPUT output %${last}: USER_OUTPUT }
graph(${[...inputs, `%x: ${input}`].join(", ")}) {
  ${lines.join("\n  ")}
  return (%${last})
}`).with({ stateDict: new Map(names.map((name, i) => [name, noise(weights[i]!, 1.1 + i)])) });
}

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
    return programOf(this, "f32[s0, 4, 6]");
  }
}

/**
 * Writes a program whose values all have a batch and a number of rows in front of their columns.
 */
class Rows {
  readonly lines: string[] = [];
  readonly weights: (readonly number[])[] = [];
  last = "x";
  columns = 6;
  /** Rows for each one of the input. */
  #times = 1;
  #count = 0;

  get #rows(): string {
    return this.#times === 1 ? "s1" : `${this.#times}*s1`;
  }
  #all(columns: number): string {
    return `f32[${this.#times === 1 ? "" : `${this.#times}*`}s0*s1, ${columns}]`;
  }
  #type(columns = this.columns, rows = this.#rows): string {
    return `f32[s0, ${rows}, ${columns}]`;
  }
  #weight(shape: readonly number[]): string {
    this.weights.push(shape);
    return `%w${this.weights.length - 1}`;
  }
  #line(type: string, call: string): string {
    const name = `v${this.#count++}`;
    this.lines.push(`%${name}: ${type} = ${call}`);
    return name;
  }
  #put(call: string): void {
    this.last = this.#line(this.#type(), call);
  }
  /** Products of rows with all rows, their softmax, and products with the rows. */
  #attention(): void {
    const { columns, last } = this;
    const [rows, area] = [this.#rows, this.#times === 1 ? `${columns}*s1` : `${columns * this.#times}*s1`];
    const turned = this.#line(
      `f32[s0, ${columns}, ${rows}]{${area}, 1, ${columns}}`,
      `aten.permute.default(%${last}, [0, 2, 1])`,
    );
    const square = `f32[s0, ${rows}, ${rows}]`;
    const scores = this.#line(square, `aten.bmm.default(%${last}, %${turned})`);
    const weights = this.#line(square, `aten._softmax.default(%${scores}, 2, false)`);
    this.#put(`aten.bmm.default(%${weights}, %${last})`);
  }
  #product(results: number): void {
    const { columns, last } = this;
    const flat = this.#line(this.#all(columns), `aten.reshape.default(%${last}, [-1, ${columns}])`);
    const weight = this.#weight([columns, results]);
    const product = this.#line(this.#all(results), `aten.mm.default(%${flat}, ${weight})`);
    const batch = this.#line("int(s0)", "aten.sym_size.int(%x, 0)");
    this.columns = results;
    this.#put(`aten.reshape.default(%${product}, [%${batch}, -1, ${results}])`);
  }

  /** One of the operators, by numbers below a bound. */
  step(random: (below: number) => number): void {
    const { last } = this;
    const over = (call: string): string => this.#line(this.#type(this.columns, "1"), call);
    const steps = [
      () => this.#put(`aten.gelu.default(%${last})`),
      () => this.#put(`aten.mul.Tensor(%${last}, ${this.#weight([this.columns])})`),
      () => this.#put(`aten._softmax.default(%${last}, ${1 + random(2)}, false)`),
      () => this.#put(`aten.sub.Tensor(%${last}, %${over(`aten.mean.dim(%${last}, [1], true)`)})`),
      () => this.#put(`aten.sub.Tensor(%${last}, %${over(`aten.amax.default(%${last}, [1], true)`)})`),
      () => this.#put(`aten.cumsum.default(%${last}, ${1 + random(2)})`),
      () => this.#put(`aten.flip.default(%${last}, [${random(3)}])`),
      () => {
        this.#times = Math.min(4, this.#times * 2);
        if (this.#times < 4) this.#put(`aten.cat.default([%${last}, %${last}], 1)`);
        else this.#times = 2;
      },
      () => this.#attention(),
      () => this.#product(3 + random(30)),
      () => {
        const isLarge = this.#line(this.#type().replace("f32", "b8"), `aten.gt.Scalar(%${last}, 0.1)`);
        const other = this.#line(this.#type(), `aten.neg.default(%${last})`);
        this.#put(`aten.where.self(%${isLarge}, %${last}, %${other})`);
      },
    ];
    steps[random(steps.length)]!();
  }

  program(): ExportedProgram {
    return programOf(this, "f32[s0, s1, 6]");
  }
}

test("random programs of a batch and a length", async () => {
  for (let seed = 0; seed < 80; seed++) {
    const random = randomOf(seed);
    const rows = new Rows();
    for (let i = 0; i < 5; i++) rows.step(random);
    const program = rows.program();
    const reference = await cpuBackend().compile(program);
    const executable = await wasmBackend({ threads: 1 + (seed % 2) }).compile(program);
    for (const [batch, length] of [
      [3, 4],
      [1, 1],
      [7, 5],
      [2, 130],
      [9, 33],
    ] as const) {
      const inputs = [noise([batch, length, 6], 1.3)];
      const what = `seed ${seed}, ${batch} x ${length}`;
      expect(await errorOf(reference, executable, inputs), what).toBeLessThan(5e-5);
    }
    expect(executable.executionPlan!().kernels.flatMap(({ perSizes }) => perSizes ?? [])).toEqual([]);
    reference.dispose();
    executable.dispose();
  }
}, 120_000);

async function errorOf(
  reference: Executable,
  executable: Executable,
  inputs: readonly Tensor[],
): Promise<number> {
  const [expected, actual] = (await Promise.all(
    [reference, executable].map(async (one) => ((await one.run(inputs)) as Tensor[])[0]!.toFloat64Array()),
  )) as [Float64Array, Float64Array];
  const most = expected.reduce((a, b) => Math.max(a, Math.abs(b)), 1);
  return expected.reduce((a, value, i) => Math.max(a, Math.abs(value - actual[i]!)), 0) / most;
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
      const what = `seed ${seed}, size ${size}`;
      expect(await errorOf(reference, executable, inputs), what).toBeLessThan(2e-5);
    }
    reference.dispose();
    executable.dispose();
  }
}, 120_000);
