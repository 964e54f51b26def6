/// <reference lib="esnext.disposable" preserve="true" />
/** @file The contract between programs and backends. */
import { LONG_WORK, type LongWorkOptions, type OptionNames } from "@sconce/errors";
import type { Tensor } from "@sconce/tensor";
import type { Graph } from "../graph/graph.js";
import type { Node } from "../graph/node.js";
import type { ExportedProgram } from "./program.js";

/** A run-time value: a tensor, a Python scalar, or None. */
export type Value = Tensor | number | bigint | boolean | string | null;

/** Why a backend does not support a node, and what to do. */
export interface Reason {
  /** The reason, as a clause. */
  readonly reason: string;
}

/** How a program is compiled. Progress counts the parts that are made ready. */
export interface CompileOptions extends LongWorkOptions {
  /** Names of operators to refuse, for tests of partitioning. */
  readonly exclude?: readonly string[];
}

/** The names of {@link CompileOptions}: a backend refuses others with `checkOptions`. */
export const COMPILE_OPTIONS: OptionNames<CompileOptions> = { exclude: true, ...LONG_WORK };

/** How a compiled program runs. Progress counts nodes; the signal stops a run between calls. */
export interface RunOptions extends LongWorkOptions {
  /**
   * Waits for an asynchronous device after each kernel, so that the profile reports the time of
   * each kernel. The whole run takes longer. Without it, the profile of such a device reports the
   * time to submit the work.
   */
  readonly profile?: boolean;
  /**
   * Results that stay in the memory of the backend's device: all of them (`"device"`), or those
   * with these positions or names among the outputs. A later run of the same backend reads them
   * there, without a copy. Reading their elements moves them to the host, after `tensor.load()`
   * where the device is asynchronous; `tensor.dispose()` frees them. Backends without a device
   * ignore it. Default: the host has all results.
   */
  readonly results?: "device" | readonly (number | string)[];
  /** Receives the lines that the program prints (`higher_order.print`). Default: `console.log`. */
  readonly onPrint?: ((text: string) => void) | undefined;
}

/** The names of {@link RunOptions}: an executable refuses others with `checkOptions`. */
export const RUN_OPTIONS: OptionNames<RunOptions> = {
  ...LONG_WORK,
  profile: true,
  results: true,
  onPrint: true,
};

/** The time of a node, or of a kernel that computes several nodes. */
export interface NodeProfile {
  /** Names of the nodes, with commas between them. */
  readonly node: string;
  /** Operator of the last of them. */
  readonly target: string;
  /** Time that they took. */
  readonly milliseconds: number;
  /** Where the node ran, for backends with a device and a host. */
  readonly place?: "device" | "host";
}

/**
 * Where one node of a program, as prepared for the backend, runs, and why not on the backend's
 * device where it does not.
 */
export interface NodePlacement {
  /** The name of the node. */
  readonly node: string;
  /** What it calls. */
  readonly target: string;
  /**
   * The call of the given program that it comes from. Left out where the backend does not know it.
   */
  readonly source?: string | undefined;
  /** Whether the backend runs it, or the interpreter on the host. */
  readonly place: "device" | "host";
  /** Why it runs on the host. */
  readonly reason?: string | undefined;
  /**
   * What has to hold in a run for the device to run it; `when integers computed from %x stay below
   * 2^24`. Nothing when left out.
   */
  readonly condition?: string | undefined;
}

/** Tensors that a run copied between the host and a device. */
export interface Copies {
  /** How many went to the device. */
  readonly toDevice: number;
  /** How many came back. */
  readonly toHost: number;
  /** Bytes of those that went to the device, for backends that count them. */
  readonly bytesToDevice?: number;
  /** Bytes of those that came back, for backends that count them. */
  readonly bytesToHost?: number;
}

/** Which parts of a program a backend with a device runs there. */
export interface Placement {
  /** Description of the device; informational. */
  readonly device: string;
  /**
   * Every call of the program as prepared for the backend, with its place in the last run, if any.
   */
  readonly nodes: readonly NodePlacement[];
  /** Number of regions of the program that run on the device; those of the last run, if any. */
  readonly regions: number;
  /** Number of kernels in a run with the sizes of the last run. */
  readonly kernels: number;
  /** What was copied in the last run, without weights. */
  readonly copies: Copies;
  /**
   * Nodes that ran on the host because of the values or sizes of the last run; `nodes` has the
   * reasons.
   */
  readonly fallbacks: readonly string[];
}

/** One kernel that a backend made, with what it costs for the sizes that it was made for. */
export interface KernelReport {
  /** Names of the nodes that it computes, of the program as prepared for the backend. */
  readonly nodes: readonly string[];
  /** The language of `source`: `wgsl`, `gpu.js`, or `kernel` for the text of the kernel IR. */
  readonly language: string;
  /** The source, to be read by people. */
  readonly source: string;
  /** The loop nests that it computes, as text. */
  readonly loops: string;
  /** Why it is made for each set of symbolic sizes. Absent for kernels that serve all sizes. */
  readonly perSizes?: string;
  /** Arithmetic operations on elements; multiplication and addition of a product are two. */
  readonly flops: number;
  /** Bytes of the buffers that it reads and writes, each buffer once. */
  readonly bytes: number;
}

/** A value between kernels, with its place in the planned memory. */
export interface PlannedValue {
  /** The node whose value it is. */
  readonly node: string;
  /** The piece of memory, by its position in {@link ExecutionPlan.pieces}. */
  readonly piece: number;
  /** Bytes before it in the piece. */
  readonly offset: number;
  /** Bytes that it takes. */
  readonly bytes: number;
  /** The kernel that writes it, by its position in {@link ExecutionPlan.kernels}. */
  readonly from: number;
  /** The last kernel that needs it. A result is needed to the last kernel of its region. */
  readonly to: number;
}

/** The kernels of a program on a device, and the memory for the values between them. */
export interface ExecutionPlan {
  /** In the order of a run. */
  readonly kernels: readonly KernelReport[];
  /** Values that kernels write. */
  readonly values: readonly PlannedValue[];
  /** Bytes of each piece of memory. */
  readonly pieces: readonly number[];
}

/** Memory that is in use. */
export interface MemoryUse {
  /**
   * Bytes of tensors in the memory of JavaScript: the state of programs, and the values of runs in
   * progress. Weights that several executables share count for each.
   */
  readonly hostBytes: number;
  /** How many tensors that is. */
  readonly tensors: number;
  /** Bytes of device memory in use. */
  readonly deviceBytes: number;
  /** How many buffers that is. */
  readonly deviceBuffers: number;
  /** Bytes of free device memory that is kept for later runs. */
  readonly keptBytes: number;
}

/** A program made ready to run. */
export interface Executable {
  /**
   * Runs once. `inputs` are the user inputs, flattened in `inSpec` order; results are the user
   * outputs, flattened. Mutated buffers live in the executable and carry over to the next run.
   */
  run(inputs: readonly Value[], options?: RunOptions): Promise<readonly Value[]>;
  /** Current values of parameters, buffers and constants by fully qualified name. */
  readonly state: ReadonlyMap<string, Tensor>;
  /** Returns the times of the last run, in execution order. */
  profile?(): readonly NodeProfile[];
  /** Where nodes run, for backends with a device and a host. */
  placement?(): Placement;
  /**
   * Returns the kernels and their memory, for backends that make kernels: those for the sizes of
   * the last run. Kernels whose sizes are known only in a run are missing before the first one.
   */
  executionPlan?(): ExecutionPlan;
  /**
   * Returns a copy of a tensor in the memory of the device, for runs of the same backend: they do
   * not copy it. Where the backend has no device, or none that holds the dtype, it is the tensor
   * itself. Sessions give it to the executables of all backends.
   */
  toDevice?(tensor: Tensor): Promise<Tensor>;
  /** Returns the memory that it holds now, for backends that count it. */
  memory?(): MemoryUse;
  /** Frees what it holds; it cannot run afterwards. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/** What one run of a program leaves behind. */
export interface ProgramRun {
  /** The results, in the order of the graph's outputs. */
  readonly outputs: readonly Value[];
  /** Parameters, buffers and constants by name; those that the program writes to are copies. */
  readonly state: ReadonlyMap<string, Tensor>;
  /** Iterations of all `while_loop`s together. */
  readonly iterations?: number;
}

/** Bounds of one run. */
export interface RunLimits {
  /**
   * Most iterations of all `while_loop`s together; a run that needs more fails with `LOOP_LIMIT`.
   * Unlimited when left out.
   */
  readonly maxIterations?: number | undefined;
}

/**
 * Runs a program once, on flat user inputs, from its own state and with the same random numbers
 * each time. `see` is given each node of the program's own graph with its value, which later nodes
 * may write to.
 */
export type ProgramRunner = (
  program: ExportedProgram,
  inputs: readonly Value[],
  see?: (node: Node, value: unknown) => void,
  limits?: RunLimits,
) => ProgramRun;

/** Runs programs: says what it supports, and compiles. */
export interface Backend {
  /** The name that users choose it by. */
  readonly name: string;
  /**
   * Whether it is certain that it writes to no input or weight but those that the program writes
   * to: it works on copies, say. Sessions compare those of other backends before and after runs,
   * which takes time. Default: no.
   */
  readonly leavesTensors?: boolean;
  /** Returns whether the backend can run this node, asked before anything runs. */
  supports(node: Node, graph: Graph): true | Reason;
  /**
   * Returns how the backend executes an operator (`kernel`, `decomposition`, ...); informational.
   * Undefined when it does not support the operator.
   */
  describeSupport?(target: string): string | undefined;
  /**
   * Compiles a program; values that it does not support are errors or run elsewhere, as its options
   * say.
   */
  compile(program: ExportedProgram, options?: CompileOptions): Promise<Executable>;
}
