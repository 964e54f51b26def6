/** @file Compiles and runs programs on any backend, and holds the backend to its contract. */

import {
  checkOptions,
  finishWithPauses,
  type LongWorkOptions,
  ProgressReport,
  throwIfAborted,
  userCallback,
} from "@sconce/errors";
import {
  type Backend,
  COMPILE_OPTIONS,
  type CompileOptions,
  type Executable,
  type ExportedProgram,
  lineOf,
  type MemoryUse,
  RUN_OPTIONS,
  type RunOptions,
  sealProgram,
  type Value,
  withLine,
} from "@sconce/ir";
import { decomposes, disposed, inputCheck, keptResults, MUTATIONS, type OperatorTable } from "@sconce/ops";
import { type UnsupportedNode, unsupportedNodesError, unsupportedNodesSteps } from "@sconce/passes";
import type { Tensor } from "@sconce/tensor";
import {
  type BackendLabel,
  backendFault,
  backendThrew,
  described,
  labelOf,
  requireInputs,
  requireTensor,
  wrongOutput,
} from "./errors.js";
import {
  type LiveExecutables,
  type OutputMemoryCheck,
  outputMemoryCheck,
  usedBy,
} from "./live-executables.js";
import { type OutputCheck, outputCheck } from "./output-check.js";
import { WriteCheck } from "./write-check.js";

/** How far a backend is trusted. */
export interface CompileContext {
  readonly operators: OperatorTable;
  /** The plugin that the backend is of. */
  readonly plugin: string | undefined;
  /**
   * The session's own interpreter, which checks inputs itself and is known to leave them and
   * weights alone.
   */
  readonly isInterpreter: boolean;
  /**
   * Whether it is that, or the default that uses it: where a program differs, the program is wrong.
   */
  readonly isOwn: boolean;
  /** Most bytes that the values of a run may take. */
  readonly maxBytes: number;
  /** Counts the executables. */
  readonly live: LiveExecutables;
}

/**
 * Compiles a program on a backend. Before anything else the backend is asked for every call, nested
 * graphs included; the executable checks what the backend returns.
 *
 * @throws SconceError `UNSUPPORTED_NODES` with all nodes and reasons; `PLUGIN_FAILED` when the
 * backend breaks its contract
 */
export async function compileOn(
  backend: Backend,
  program: ExportedProgram,
  options: CompileOptions | undefined,
  context: CompileContext,
): Promise<Executable> {
  checkOptions("compile", options, COMPILE_OPTIONS);
  const { plugin, isOwn } = context;
  const label: BackendLabel = { name: backend.name, plugin, isOwn };
  const asking = unsupportedNodesSteps(backend, program, context.plugin);
  const unsupported = await finishWithPauses(asking, "compilation", options?.signal);
  if (unsupported.length > 0)
    throw unsupportedNodesError(labelOf(label), unsupported, adviceFor(unsupported, context));
  if (context.plugin !== undefined) sealProgram(program);
  const isSafe = context.isInterpreter || backend.leavesTensors === true;
  const writes = isSafe ? undefined : new WriteCheck(program, label, context.operators);
  const unchanged = writes?.watch([]);
  let executable: unknown;
  try {
    const progress = new ProgressReport("compile", userCallback("compile", options?.onProgress));
    executable = await backend.compile(program, watched(options, progress));
    progress.end(backend.name);
  } catch (error) {
    throwIfAborted(options?.signal, "compilation");
    throw backendThrew(label, error);
  }
  unchanged?.();
  requireExecutable(executable, label);
  if (options?.signal?.aborted) disposeQuietly(executable);
  throwIfAborted(options?.signal, "compilation");
  const checked: CheckedExecutable = new CheckedExecutable(executable, {
    label,
    memory: context.isInterpreter ? undefined : outputMemoryCheck(program, context.maxBytes),
    program,
    outputs: outputCheck(program, label),
    inputs: context.isInterpreter ? undefined : inputCheck(program),
    writes,
  });
  checked.forget = context.live.add(backend.name, checked);
  return checked;
}

/** Returns what helps against these nodes: lowering is named only where a decomposition exists. */
function adviceFor(nodes: readonly UnsupportedNode[], { operators, isOwn }: CompileContext): string {
  if (isOwn)
    return "give the backend a kernel for it (`cpuBackend({ kernels })` or a plugin's `kernels`): it has no decomposition";
  const lowering = nodes.some(({ target }) => decomposes(operators, target))
    ? "lower the program first (`runDecompositions`), "
    : "";
  return `${lowering}give these nodes to the interpreter with the \`partition\` pass, or use another backend`;
}

/** Disposes of what nothing gets: the error that is thrown then is more important than its own. */
function disposeQuietly(executable: Executable): void {
  try {
    executable.dispose();
  } catch {
    // The caller throws.
  }
}

function requireExecutable(value: unknown, label: BackendLabel): asserts value is Executable {
  const { run, dispose, state } = (value ?? {}) as Partial<Record<string, unknown>>;
  const missing = [
    ...(typeof run === "function" ? [] : ["no run"]),
    ...(typeof dispose === "function" ? [] : ["no dispose"]),
    ...(typeof (state as Partial<Executable["state"]> | undefined)?.get === "function"
      ? []
      : ["no state (a Map of tensors by name)"]),
  ];
  if (missing.length === 0) return;
  throw backendFault(label, `compiled to what cannot be run: ${described(value)} with ${missing.join(", ")}`);
}

/**
 * Returns the options with a progress that goes from 0 to the total, whatever the backend reports.
 */
const watched = <O extends LongWorkOptions>(
  options: O | undefined,
  progress: ProgressReport,
): O | undefined =>
  options?.onProgress === undefined ? options : { ...options, onProgress: progress.forward };

interface Checks {
  readonly label: BackendLabel;
  readonly program: ExportedProgram;
  readonly outputs: OutputCheck;
  readonly inputs: ((inputs: readonly Value[]) => void) | undefined;
  readonly writes: WriteCheck | undefined;
  readonly memory: OutputMemoryCheck | undefined;
}

/** An executable whose results are checked. */
class CheckedExecutable implements Executable {
  readonly #inner: Executable;
  readonly #checks: Checks;
  readonly #mutated: readonly string[];
  #isDisposed = false;
  /** Called when it is disposed of. */
  forget: () => void = () => {};
  readonly profile?: Executable["profile"] & {};
  readonly placement?: Executable["placement"] & {};
  readonly executionPlan?: Executable["executionPlan"] & {};

  constructor(inner: Executable, checks: Checks) {
    this.#inner = inner;
    this.#checks = checks;
    this.#mutated = checks.program.graphSignature.outputSpecs.flatMap(({ kind, target }) =>
      MUTATIONS.has(kind) && kind !== "USER_INPUT_MUTATION" && target !== null ? [target] : [],
    );
    if (typeof inner.profile === "function") this.profile = () => inner.profile!();
    if (typeof inner.placement === "function") this.placement = () => inner.placement!();
    if (typeof inner.executionPlan === "function") this.executionPlan = () => inner.executionPlan!();
  }

  get state(): ReadonlyMap<string, Tensor> {
    return this.#inner.state;
  }

  memory(): MemoryUse {
    return usedBy(this.#inner);
  }

  async toDevice(tensor: Tensor): Promise<Tensor> {
    const { label } = this.#checks;
    if (this.#isDisposed) throw disposed(`the executable of ${labelOf(label)}`);
    requireTensor(tensor);
    try {
      return (await this.#inner.toDevice?.(tensor)) ?? tensor;
    } catch (error) {
      throw backendThrew(label, error);
    }
  }

  async run(inputs: readonly Value[], options: RunOptions = {}): Promise<readonly Value[]> {
    const { label, program, inputs: checkInputs, writes } = this.#checks;
    if (this.#isDisposed) throw disposed(`the executable of ${labelOf(label)}`);
    requireInputs(inputs);
    checkOptions("run", options, RUN_OPTIONS);
    throwIfAborted(options.signal);
    if (options.results !== undefined) keptResults(program, options.results);
    checkInputs?.(inputs);
    this.#checks.memory?.(inputs);
    const unchanged = writes?.watch(inputs);
    const checkOutputs = this.#checks.outputs(inputs);
    const returned = await this.#call(inputs, options);
    unchanged?.();
    const outputs = checkOutputs(returned);
    this.#checkState();
    return outputs;
  }

  async #call(inputs: readonly Value[], options: RunOptions): Promise<unknown> {
    const { label } = this.#checks;
    let running: unknown;
    try {
      const progress = new ProgressReport("run", userCallback("run", options.onProgress));
      running = this.#inner.run(inputs, watched(options, progress) ?? {});
      if (typeof (running as Partial<Promise<unknown>> | null | undefined)?.then === "function") {
        const outputs = await running;
        throwIfAborted(options.signal);
        progress.end(label.name);
        return outputs;
      }
    } catch (error) {
      throwIfAborted(options.signal);
      throw backendThrew(label, error);
    }
    throw backendFault(label, `returned ${described(running)} from run, not a promise`);
  }

  /** Buffers and parameters that the program writes to keep shape and dtype. */
  #checkState(): void {
    const { label, program } = this.#checks;
    // A run that was asked for before `dispose()` ends without its state.
    if (this.#isDisposed) return;
    for (const name of this.#mutated) {
      const [had, has] = [program.tensor(name), this.#inner.state.get(name)];
      if (had === undefined) continue;
      if (has === undefined)
        throw wrongOutput(
          label,
          "no value of a buffer that the program writes to",
          statePlace(program, name),
        );
      if (has.dtype === had.dtype && sameSizes(has.shape, had.shape)) continue;
      const [got, want] = [has, had].map(({ dtype, shape }) => `${dtype}[${shape.join(", ")}]`);
      throw wrongOutput(
        label,
        `${got} as the new value of a buffer that is ${want}`,
        statePlace(program, name),
      );
    }
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.forget();
    try {
      this.#inner.dispose();
    } catch (error) {
      throw backendThrew(this.#checks.label, error);
    }
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** Returns the buffer, and the node whose value it is given. */
function statePlace({ graph, graphSignature }: ExportedProgram, name: string): string {
  const spec = graphSignature.outputSpecs.find(
    ({ kind, target }) => kind !== "USER_INPUT_MUTATION" && target === name,
  );
  return withLine(`state "${name}"`, spec && lineOf(graph, spec.arg.name));
}

const sameSizes = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((size, d) => size === b[d]);
