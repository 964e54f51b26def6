/**
 * @file `npm run bench -w @sconce/backend-gpujs`: compares generated kernels with gpu.js code
 * written by hand, alternately.
 */
import { gpujsBackend, type Mode } from "@sconce/backend-gpujs";
import { FakeTensor } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { readArguments } from "./arguments.js";
import { HAND_WRITTEN, type HandWritten } from "./hand-kernels.js";

const USAGE = `usage: npm run bench -w @sconce/backend-gpujs [-- [--mode webasm|cpu|webgpu] [--runs N] [--filter TEXT] [--clock wall|cpu] [--json]]
  --mode    gpu.js's mode for both sides (default webasm)
  --runs    runs of each side, alternately; reports medians (default 9)
  --filter  only operations whose name contains TEXT
  --clock   what is measured: time, or time of the processor, which other work on the machine hardly touches (default wall)
  --json    for machines`;

/** Both sides of one operation. */
interface Comparison {
  readonly name: string;
  readonly generated: number;
  readonly byHand: number;
  readonly gflops: number;
}

/** A side made ready: a run gives the elements of the result. */
interface Side {
  readonly run: () => Promise<ArrayLike<number>>;
  readonly dispose: () => Promise<void>;
}
type Nested = Float32Array | Nested[];

/** The parts of gpu.js that code by hand uses. */
interface HandGpu {
  createKernel(source: string, settings: object): (...values: readonly unknown[]) => unknown;
  destroy(): unknown;
}

async function byHand(one: HandWritten, mode: Mode, inputs: readonly Tensor[]): Promise<Side> {
  const { GPU, input } = (await import("gpu.js")) as unknown as {
    GPU: new (settings: object) => HandGpu;
    input: (data: Float32Array, size: readonly number[]) => unknown;
  };
  const gpu = new GPU({ mode });
  const kernels = one.kernels.map(({ source, output }) =>
    gpu.createKernel(source, { output, loopMaxIterations: 1e6 }),
  );
  const given = inputs.map((tensor, i) => {
    const shape = one.shapes[i]!;
    const data = tensor.data as Float32Array;
    return shape.length === 1 ? data : input(data, [...shape].reverse());
  });
  const run = async (): Promise<ArrayLike<number>> => {
    const values: unknown[] = [...given];
    for (const [i, kernel] of kernels.entries())
      values.push(await kernel(...one.kernels[i]!.takes.map((at) => values[at])));
    return flat(values.at(-1) as Nested);
  };
  return { run, dispose: async () => void (await gpu.destroy()) };
}
/** Rows of a result are parts of one array or separate arrays, by the mode. */
function flat(value: Nested): Float32Array {
  if (value instanceof Float32Array) return value;
  const parts = value.map(flat);
  const whole = new Float32Array(parts.reduce((total, part) => total + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

async function generated(one: HandWritten, mode: Mode, inputs: readonly Tensor[]): Promise<Side> {
  const executable = await gpujsBackend({ mode, operators: defaultOperators() }).compile(
    parseIr(one.program),
  );
  return {
    run: async () => ((await executable.run(inputs))[0] as Tensor).data as Float32Array,
    dispose: async () => executable.dispose(),
  };
}

function inputsOf(one: HandWritten): Tensor[] {
  const shapes = parseIr(one.program)
    .graph.placeholders()
    .flatMap(({ meta: { val } }) => (val instanceof FakeTensor ? [val.shape.map(Number)] : []));
  let state = 1;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state / 2 ** 31;
  };
  return shapes.map((shape) => {
    const count = shape.reduce((product, size) => product * size, 1);
    return Tensor.from(Float32Array.from({ length: count }, random), shape, "float32");
  });
}

const median = (times: number[]): number => times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!;

/** Milliseconds. */
type Clock = () => number;
const wall: Clock = () => performance.now();
const processor: Clock = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

async function compare(one: HandWritten, mode: Mode, runs: number, now: Clock): Promise<Comparison> {
  const inputs = inputsOf(one);
  const sides = [await generated(one, mode, inputs), await byHand(one, mode, inputs)];
  const [first, second] = [await sides[0]!.run(), await sides[1]!.run()];
  for (let i = 0; i < first.length; i++) {
    // A benchmark of two things that compute something else says nothing.
    if (Math.abs(first[i]! - second[i]!) > 1e-3 * (1 + Math.abs(second[i]!)))
      throw new Error(`${one.name}: element ${i} is ${first[i]} generated and ${second[i]} by hand`);
  }
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < runs; round++) {
    for (const [side, list] of times.entries()) {
      const start = now();
      await sides[side]!.run();
      list.push(now() - start);
    }
  }
  for (const side of sides) await side.dispose();
  const [ours, theirs] = times.map(median) as [number, number];
  return { name: one.name, generated: ours, byHand: theirs, gflops: one.flops / ours / 1e6 };
}

const shown = ({ name, generated: ours, byHand: theirs, gflops }: Comparison): string =>
  [
    name.padEnd(26),
    `${ours.toFixed(2)} ms`.padStart(13),
    `${theirs.toFixed(2)} ms`.padStart(13),
    `${(theirs / ours).toFixed(2)}x`.padStart(9),
    `${gflops.toFixed(2)} GFLOP/s`.padStart(16),
  ].join("");

const options = readArguments(
  {
    mode: { type: "string", default: "webasm" },
    runs: { type: "string", default: "9" },
    filter: { type: "string", default: "" },
    clock: { type: "string", default: "wall" },
    json: { type: "boolean", default: false },
  },
  USAGE,
);
if (!options.json)
  console.log(
    `${options.mode}${"".padEnd(26 - options.mode.length)}${"generated".padStart(13)}${"by hand".padStart(13)}${"faster".padStart(9)}${"generated".padStart(16)}`,
  );
const rows: Comparison[] = [];
for (const one of HAND_WRITTEN.filter(({ name }) => name.includes(options.filter))) {
  const row = await compare(
    one,
    options.mode as Mode,
    Number(options.runs),
    options.clock === "cpu" ? processor : wall,
  );
  rows.push(row);
  if (!options.json) console.log(shown(row));
}
if (options.json) console.log(JSON.stringify(rows, undefined, 2));
