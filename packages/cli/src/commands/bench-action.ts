import { countText } from "@sconce/errors";
import type { Executable, ExportedProgram, RunOptions, Value } from "@sconce/ir";
import type { Sconce } from "@sconce/session";
import { isKnownBackend } from "@sconce/session/backends";
import { Tensor } from "@sconce/tensor";
import { usage } from "../errors.js";
import { json, type SafeIo } from "../io.js";
import { kernelCache } from "../kernel-cache.js";
import { openWithWeights } from "../open.js";
import { openSession } from "../session.js";
import { columns, linesText } from "../text.js";
import { type InputOptions, readInputs } from "./inputs.js";

export interface BenchOptions extends InputOptions {
  readonly weights?: string;
  readonly backend: string;
  readonly threads?: string;
  readonly resident?: boolean;
  readonly cache?: string;
  readonly rounds: string;
  readonly milliseconds: string;
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

/** What one backend took, in milliseconds. */
interface Measured {
  readonly backend: string;
  /** What it computed on, where it says so. */
  readonly device?: string;
  readonly compile: number;
  /** The first run, which may compile what it needs. */
  readonly first: number;
  /** Of the times of all runs. */
  readonly median: number;
  readonly least: number;
  /** The least CPU time of a run, of all threads together, as the mean of a burst. */
  readonly cpu: number;
  readonly runs: number;
}

export async function bench(file: string, options: BenchOptions, io: SafeIo): Promise<void> {
  const names = backendsOf(options.backend);
  const threads = options.threads === undefined ? 1 : countOf(options.threads, "--threads");
  const [rounds, milliseconds] = [
    countOf(options.rounds, "--rounds"),
    countOf(options.milliseconds, "--milliseconds"),
  ];
  const session = await openSession(io, options.plugin ?? [], names, [file], {
    threads,
    ...(await kernelCache(options.cache, names)),
  });
  if (threads > 1) requireBuiltin(names);
  const program = await openWithWeights(file, session, options.weights);
  const inputs = await readInputs(program, options);
  const entries: Entry[] = [];
  try {
    for (const name of names)
      entries.push(await Entry.open(session, program, name, inputs, options.resident));
    // Alternately, so that a slow moment of the machine falls on all of them.
    for (let round = 0; round < rounds; round++) for (const entry of entries) await entry.burst(milliseconds);
    const results = entries.map((entry) => entry.measured());
    io.out(options.json ? json({ file, threads, results }) : textOf(file, results));
  } finally {
    for (const entry of entries) entry.dispose();
  }
}

/** One backend with the compiled program. */
class Entry {
  readonly #backend: string;
  readonly #executable: Executable;
  readonly #inputs: readonly Value[];
  readonly #options: RunOptions;
  readonly #compile: number;
  readonly #first: number;
  readonly #times: number[] = [];
  #cpu = Number.POSITIVE_INFINITY;

  private constructor(
    backend: string,
    { executable, inputs, options }: Runs,
    compile: number,
    first: number,
  ) {
    this.#backend = backend;
    this.#executable = executable;
    this.#inputs = inputs;
    this.#options = options;
    this.#compile = compile;
    this.#first = first;
  }

  static async open(
    session: Sconce,
    program: ExportedProgram,
    backend: string,
    given: readonly Value[],
    isResident = false,
  ): Promise<Entry> {
    const start = performance.now();
    const executable = await session.compile(program, backend);
    const compile = performance.now() - start;
    const there = async (value: Value): Promise<Value> =>
      isResident && value instanceof Tensor ? ((await executable.toDevice?.(value)) ?? value) : value;
    const inputs = await Promise.all(given.map(there));
    const options: RunOptions = isResident ? { results: "device" } : {};
    const before = performance.now();
    dispose(await executable.run(inputs, options), inputs);
    return new Entry(backend, { executable, inputs, options }, compile, performance.now() - before);
  }

  /** Runs until so much time is over, once at least. */
  async burst(milliseconds: number): Promise<void> {
    const before = process.cpuUsage();
    const begin = performance.now();
    let runs = 0;
    do {
      const start = performance.now();
      dispose(await this.#executable.run(this.#inputs, this.#options), this.#inputs);
      this.#times.push(performance.now() - start);
      runs++;
    } while (performance.now() - begin < milliseconds);
    const { user, system } = process.cpuUsage(before);
    this.#cpu = Math.min(this.#cpu, (user + system) / 1000 / runs);
  }

  measured(): Measured {
    const sorted = this.#times.toSorted((a, b) => a - b);
    const half = sorted.length >> 1;
    const median = sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
    const device = this.#executable.placement?.().device;
    return {
      backend: this.#backend,
      ...(device !== undefined && { device }),
      compile: this.#compile,
      first: this.#first,
      median,
      least: sorted[0]!,
      cpu: this.#cpu,
      runs: sorted.length,
    };
  }

  dispose(): void {
    this.#executable.dispose();
  }
}

/** What is run, and how. */
interface Runs {
  readonly executable: Executable;
  readonly inputs: readonly Value[];
  readonly options: RunOptions;
}

/** Frees results, but for those that are inputs. */
function dispose(results: readonly Value[], inputs: readonly Value[]): void {
  for (const result of results) if (result instanceof Tensor && !inputs.includes(result)) result.dispose();
}

/** Returns the backends of `--backend cpu,wasm`. @throws SconceError `USAGE` */
function backendsOf(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined && twice !== "")
    throw usage(`--backend names ${JSON.stringify(twice)} twice`, "name each backend once");
  if (!names.includes("")) return names;
  throw usage(
    `--backend takes names of backends, got ${JSON.stringify(text)}`,
    "separate the names by commas: --backend cpu,wasm",
  );
}

/** Refuses threads for backends of plugins, which take no options. @throws SconceError `USAGE` */
function requireBuiltin(names: readonly string[]): void {
  const other = names.find((name) => !isKnownBackend(name));
  if (other === undefined) return;
  throw usage(
    `--threads has no effect on the backend ${JSON.stringify(other)} of a plugin`,
    "leave --threads out, or leave the backend out",
  );
}

/** @throws SconceError `USAGE` */
function countOf(text: string, option: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw usage(`${option}: ${JSON.stringify(text)} is not a count`, "give a whole number from 1 to 999999");
}

const HEADER = [
  "backend",
  "compile",
  "first run",
  "median",
  "least",
  "CPU",
  "CPU / least CPU",
  "runs",
] as const;

function textOf(file: string, results: readonly Measured[]): string {
  const best = Math.min(...results.map(({ cpu }) => cpu));
  const rows = results.map(({ backend, compile, first, median, least, cpu, runs }) => [
    backend,
    ...[compile, first, median, least, cpu].map(timeText),
    (cpu / best).toFixed(2),
    String(runs),
  ]);
  const lines = columns([HEADER, ...rows], (column) => column > 0);
  const head = `${file}: ${countText(results.length, "backend")}, times in milliseconds`;
  return linesText([head, ...lines]);
}

/** Three digits. */
const timeText = (milliseconds: number): string =>
  milliseconds.toFixed(milliseconds >= 100 ? 0 : milliseconds >= 10 ? 1 : milliseconds >= 1 ? 2 : 3);
