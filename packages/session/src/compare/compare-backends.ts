/** @file Two backends side by side: the values of all nodes, and the first that differ. */
import {
  checkOptions,
  LONG_WORK,
  type LongWorkOptions,
  type OptionNames,
  ProgressReport,
  throwIfAborted,
  userCallback,
} from "@sconce/errors";
import {
  type Backend,
  type CompileOptions,
  type Executable,
  type ExportedProgram,
  type Node,
  type NodePlacement,
  type RunOptions,
  sourceLine,
  type Value,
} from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import {
  type CallSources,
  callSources,
  copyTensor,
  functionalized,
  isFunctional,
  returning,
} from "@sconce/passes";
import { type DType, Tensor } from "@sconce/tensor";
import {
  backendTolerance,
  measureError,
  type Tolerance,
  type UlpMeasure,
  ulpDistance,
} from "@sconce/tensor/compare";
import { RunSizes } from "../backends/sizes.js";
import { batches, tensorCalls } from "./intermediates.js";

/** How two backends are compared. Progress counts the nodes that were compared. */
export interface CompareBackendsOptions extends LongWorkOptions {
  /**
   * Relative tolerance, of the first backend's value.
   * @defaultValue 1e-4; more for float16, bfloat16 and float8
   */
  readonly rtol?: number | undefined;
  /** Absolute tolerance. @defaultValue 1e-5; more for float16 and bfloat16 */
  readonly atol?: number | undefined;
  /** The seed of the session's random numbers for each run. @defaultValue 0 */
  readonly seed?: number | undefined;
}

const OPTIONS: OptionNames<CompareBackendsOptions> = {
  rtol: true,
  atol: true,
  seed: true,
  ...LONG_WORK,
};

/** The values of one node, or of one result of the program, on two backends. */
export interface NodeComparison {
  /** The name of the node. */
  readonly node: string;
  /**
   * The call of the given program that it comes from. Programs that write to tensors are compared
   * after functionalization, which names calls anew. Left out where no call is known.
   */
  readonly source?: string | undefined;
  /** What it calls; for an item of a list, what made the list. */
  readonly target: string;
  /** Element type, on the first backend. */
  readonly dtype: DType;
  /** Sizes, on the first backend. */
  readonly shape: readonly number[];
  /** The largest distance of two elements. */
  readonly maxAbsolute: number;
  /** The largest distance as a part of the first backend's element. */
  readonly maxRelative: number;
  /**
   * Distances in units in the last place; left out for integers and bools, and where elements were
   * not compared.
   */
  readonly ulp?: UlpMeasure | undefined;
  /** How many elements differ by more than the tolerance. */
  readonly differing: number;
  /** The index of the first of them. */
  readonly first: readonly number[] | undefined;
  /** Whether the values differ: in an element, in the shape or in the dtype. */
  readonly differs: boolean;
  /** Why the elements were not compared: another dtype or shape. */
  readonly problem?: string | undefined;
  /** Whether the second backend ran the node on its device or on the host, where it says so. */
  readonly place?: "device" | "host" | undefined;
  /** The user's line that the node comes from, where the program has stack traces. */
  readonly line?: string | undefined;
}

/** What the comparison of two backends found. */
export interface BackendComparison {
  /** Names of the backends; the first is the expected one. */
  readonly backends: readonly [string, string];
  /** All calls of the program's own graph whose results are tensors, in the order of the graph. */
  readonly nodes: readonly NodeComparison[];
  /**
   * The results of the program as it runs without its intermediate values: a backend may then fuse
   * other nodes into one kernel.
   */
  readonly outputs: readonly NodeComparison[];
  /**
   * The first node whose values differ. Where results differ and no node does, the first node that
   * differs when it is the only result; undefined when nothing differs.
   */
  readonly first: NodeComparison | undefined;
  /** Whether any node or result differs. */
  readonly differs: boolean;
}

/** What the comparison needs of a session. */
export interface ComparisonSession {
  readonly operators: OperatorTable;
  compile(program: ExportedProgram, backend: Backend, options: CompileOptions): Promise<Executable>;
  /** Sets the random numbers back to the start of a seed's. */
  seed(seed: number): void;
}

/** Bytes of values that a backend returns from one run. */
const BATCH_BYTES = 2 ** 28;

/** Compares the backends; see `Sconce.compareBackends`. */
export async function compareBackends(
  program: ExportedProgram,
  inputs: readonly Value[],
  backends: readonly [Backend, Backend],
  session: ComparisonSession,
  options: CompareBackendsOptions = {},
): Promise<BackendComparison> {
  checkOptions("compareBackends", options, OPTIONS);
  const functional = isFunctional(program, session.operators)
    ? program
    : functionalized(program, session.operators);
  const sources = functional === program ? undefined : callSources(program, functional);
  const comparison = new Comparison({ program: functional, sources, inputs, backends, session, options });
  const progress = new ProgressReport("compare", userCallback("compareBackends", options.onProgress));
  const nodes = await comparison.nodes(progress);
  const outputs = await comparison.outputs();
  const differs = (row: NodeComparison): boolean => row.differs;
  const isHidden = outputs.some(differs) && !nodes.some(differs);
  const first = nodes.find(differs) ?? (isHidden ? await comparison.alone() : undefined);
  progress.end();
  return {
    backends: [backends[0].name, backends[1].name],
    nodes,
    outputs,
    first: first ?? outputs.find(differs),
    differs: nodes.some(differs) || outputs.some(differs),
  };
}

/** The results of one run, and where its nodes ran. */
interface Finished {
  readonly values: readonly Value[];
  readonly places: ReadonlyMap<string, "device" | "host">;
}

interface ComparisonInit {
  /** A functional program. */
  readonly program: ExportedProgram;
  /** The calls of the given program; undefined where it is that one. */
  readonly sources: CallSources | undefined;
  readonly inputs: readonly Value[];
  readonly backends: readonly [Backend, Backend];
  readonly session: ComparisonSession;
  readonly options: CompareBackendsOptions;
}

class Comparison {
  readonly #program: ExportedProgram;
  readonly #sources: CallSources | undefined;
  readonly #inputs: readonly Value[];
  readonly #backends: readonly [Backend, Backend];
  readonly #session: ComparisonSession;
  readonly #options: CompareBackendsOptions;
  readonly #calls: readonly Node[];

  constructor({ program, sources, inputs, backends, session, options }: ComparisonInit) {
    this.#program = program;
    this.#sources = sources;
    this.#inputs = inputs;
    this.#backends = backends;
    this.#session = session;
    this.#options = options;
    this.#calls = tensorCalls(program);
  }

  /** Returns all calls, in as few runs as the memory allows. */
  async nodes(progress: ProgressReport): Promise<NodeComparison[]> {
    const rows: NodeComparison[] = [];
    const total = this.#calls.length;
    const sizes = RunSizes.of(this.#program, this.#inputs);
    for (const batch of batches(this.#calls, BATCH_BYTES, sizes)) {
      progress.at(rows.length, batch[0]!.name, total);
      throwIfAborted(this.#options.signal, "comparison");
      rows.push(...(await this.#compare(batch)));
    }
    return rows;
  }

  /** Returns the results that are tensors, with the program as it is. */
  async outputs(): Promise<NodeComparison[]> {
    const { graph, userOutputs } = this.#program;
    const [want, got] = await this.#runBoth(this.#program);
    return userOutputs.flatMap((output, i) =>
      "name" in output && want.values[i] instanceof Tensor
        ? [this.#row(graph.node(output.name), want.values[i], got.values[i], got)]
        : [],
    );
  }

  /** Returns the first call that differs as the only result of a program. */
  async alone(): Promise<NodeComparison | undefined> {
    for (const node of this.#calls) {
      const [row] = await this.#compare([node]);
      if (row!.differs) return row;
    }
    return undefined;
  }

  async #compare(nodes: readonly Node[]): Promise<NodeComparison[]> {
    const names = nodes.map(({ name }) => name);
    const [want, got] = await this.#runBoth(returning(this.#program, names));
    return nodes.map((node, i) => this.#row(node, want.values[i], got.values[i], got));
  }

  async #runBoth(program: ExportedProgram): Promise<readonly [Finished, Finished]> {
    const [first, second] = this.#backends;
    return [await this.#run(program, first), await this.#run(program, second)];
  }

  /** Each run has its own inputs, to which it may write, and the same random numbers. */
  async #run(program: ExportedProgram, backend: Backend): Promise<Finished> {
    const { seed = 0, signal } = this.#options;
    // Not `using`: bundlers warn of what TypeScript makes of it.
    const executable = await this.#session.compile(program, backend, { signal });
    try {
      const inputs = this.#inputs.map((value) => (value instanceof Tensor ? copyTensor(value) : value));
      this.#session.seed(seed);
      const options: RunOptions = signal === undefined ? {} : { signal };
      const values = await executable.run(inputs, options);
      const nodes = executable.placement?.().nodes ?? [];
      return { values, places: placesOf(nodes) };
    } finally {
      executable.dispose();
    }
  }

  #row(node: Node, want: Value | undefined, got: Value | undefined, { places }: Finished): NodeComparison {
    const expected = want as Tensor;
    const { dtype, shape } = expected;
    const { rtol, atol } = this.#options;
    const byDType = backendTolerance(dtype);
    const tolerance = { rtol: rtol ?? byDType.rtol, atol: atol ?? byDType.atol };
    const found = difference(got, expected, tolerance);
    const { name, target } = node;
    const place = places.get(name);
    const line = sourceLine(node);
    const source = this.#sources === undefined ? name : this.#sources.get(name);
    return {
      node: name,
      ...(source !== undefined && { source }),
      target: this.#targetOf(node) ?? target,
      dtype,
      shape,
      ...found,
      ...(place && { place }),
      ...(line !== undefined && { line }),
    };
  }

  /** Returns what made the list that the node takes an item of. */
  #targetOf({ target, args }: Node): string | undefined {
    const source = args[0] as { readonly name?: string } | null | undefined;
    if (target !== "operator.getitem" || typeof source?.name !== "string") return undefined;
    return this.#program.graph.node(source.name).target;
  }
}

type Difference = Pick<
  NodeComparison,
  "maxAbsolute" | "maxRelative" | "ulp" | "differing" | "first" | "differs" | "problem"
>;

function difference(got: Value | undefined, want: Tensor, tolerance: Tolerance): Difference {
  const problem = mismatch(got, want);
  if (problem === undefined) {
    const measure = measureError(got as Tensor, want, tolerance);
    const ulp = ulpDistance(got as Tensor, want);
    return { ...measure, ...(ulp && { ulp }), differs: measure.differing > 0 };
  }
  const all = { maxAbsolute: Infinity, maxRelative: Infinity, differing: want.numel, first: undefined };
  return { ...all, differs: true, problem };
}

function mismatch(got: Value | undefined, want: Tensor): string | undefined {
  if (!(got instanceof Tensor)) return "is not a tensor";
  if (got.dtype !== want.dtype) return `dtype ${got.dtype}, expected ${want.dtype}`;
  if (got.shape.join() === want.shape.join()) return undefined;
  return `shape [${got.shape.join(", ")}], expected [${want.shape.join(", ")}]`;
}

/** Where calls of the program ran: on the host if a part of them did. */
function placesOf(nodes: readonly NodePlacement[]): Map<string, "device" | "host"> {
  const places = new Map<string, "device" | "host">();
  for (const { node, source = node, place } of nodes)
    places.set(source, places.get(source) === "host" ? "host" : place);
  return places;
}
