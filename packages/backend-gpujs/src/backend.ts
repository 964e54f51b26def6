import { cpuBackend, createEvaluator } from "@sconce/backend-cpu";
import { LOWERINGS, whyNotLowered } from "@sconce/codegen";
import { checkOptions, finishWithPauses, type OptionNames } from "@sconce/errors";
import {
  type Backend,
  COMPILE_OPTIONS,
  type CompileOptions,
  type Executable,
  type ExportedProgram,
  type Graph,
  type Node,
  type Placement,
  type Reason,
  requireValues,
} from "@sconce/ir";
import { decomposes, defaultOperators, memoryLimit, type OperatorTable } from "@sconce/ops";
import type { Decompositions, Evaluator, PassContext, SessionBackend } from "@sconce/passes";
import type { Mode } from "./device/device.js";
import { excludedCall, unknownMode } from "./device/errors.js";
import { whyNotHeld } from "./emit/refusals.js";
import { MODES, type OpenOptions, openDevice } from "./modes.js";
import { GpujsExecutable } from "./runtime/executable.js";
import { Pacer } from "./runtime/pacer.js";
import { planSteps } from "./runtime/plan.js";
import { prepare } from "./runtime/prepare.js";
import { SIZES, whyNotHeldBy } from "./runtime/support.js";
import { limitOf } from "./runtime/work.js";
import { whyNoLane } from "./webgpu/support.js";

/** Options of {@link gpujsBackend}. */
export interface GpujsBackendOptions extends OpenOptions {
  /** Name of the backend. Default: `gpujs`. */
  readonly name?: string;
  /** Operators that programs may use. Default: Sconce's own. */
  readonly operators?: OperatorTable;
  /** Decompositions that lower programs which are not lowered. Default: PyTorch's table. */
  readonly decompositions?: () => Decompositions;
  /** Computes folded weights. Default: the interpreter's kernels. */
  readonly evaluate?: Evaluator | undefined;
  /** Runs the nodes that the device does not take. Default: the interpreter. */
  readonly host?: Backend;
  /**
   * Iterations of inner loops that a kernel may take for each element that the host would compute
   * instead. Long sorts and scatters take more and run on the host. `Infinity` keeps them on the
   * device. Default: a limit measured for the mode.
   */
  readonly iterationsPerElement?: number;
  /**
   * Most bytes that the values of a run may take together, inputs and weights not counted. What
   * needs more is refused (`OUT_OF_MEMORY`). 4 GiB when left out.
   */
  readonly maxBytes?: number;
}

const OPTIONS: OptionNames<GpujsBackendOptions> = {
  name: true,
  operators: true,
  decompositions: true,
  evaluate: true,
  host: true,
  iterationsPerElement: true,
  maxBytes: true,
  mode: true,
  allowSoftware: true,
  gpujs: true,
  pointwise: true,
  devices: true,
};

/** A backend that also reports which nodes its device takes. */
export interface GpujsBackend extends SessionBackend {
  /**
   * Returns true if a device of the chosen mode (of any mode by default) computes the node, or the
   * reason why the host runs it.
   */
  takes(node: Node, graph: Graph): true | Reason;
}

/**
 * Runs programs on gpu.js. Nodes that lower to loops run in kernels, the others run on the host;
 * the executable reports the placement of each node. Results agree with the interpreter's within
 * float32 rounding; integers are exact or go to the host.
 */
export function gpujsBackend(options: GpujsBackendOptions = {}): GpujsBackend {
  checkOptions("gpujsBackend", options, OPTIONS);
  const operators = options.operators ?? defaultOperators();
  const maxBytes = memoryLimit("gpujsBackend", options.maxBytes);
  const host = options.host ?? cpuBackend({ operators, maxBytes });
  const evaluate = options.evaluate ?? (createEvaluator({ operators, maxBytes }) as Evaluator);
  const memory = { whyNotHeld: options.mode === "webgpu" ? whyNoLane : whyNotHeld };
  const takes = (node: Node, graph: Graph): true | Reason => {
    const reason = whyNotHeldBy(node, graph, memory) ?? whyNotLowered(node, graph, { operators });
    return reason === undefined || { reason };
  };
  return {
    name: options.name ?? "gpujs",
    // What was given by hand stays.
    inSession: (session, interpreter) => gpujsBackend({ ...partsOf(session), host: interpreter, ...options }),
    takes,
    supports: (node, graph) => takes(node, graph) === true || host.supports(node, graph),
    describeSupport: (target) => {
      if (Object.hasOwn(LOWERINGS, target)) return "loops";
      if (SIZES.has(target)) return "sizes";
      if (host.describeSupport?.(target) === undefined) return undefined;
      // What a table leaves is decomposed when it is made loops.
      return operators.get(target)?.decompose !== undefined ? "decomposition" : "on the host";
    },
    async compile(original: ExportedProgram, compileOptions: CompileOptions = {}): Promise<Executable> {
      checkOptions("compile", compileOptions, COMPILE_OPTIONS);
      refuseExcluded(original, compileOptions.exclude ?? [], operators);
      requireValues(original);
      const { decompositions } = options;
      const pacer = new Pacer("compilation", compileOptions.signal);
      await pacer.step();
      const parts = { operators, evaluate, decompositions };
      const prepared = await prepare(original, parts, compileOptions.signal);
      await pacer.step();
      const device = await openDevice(options);
      if ("unavailable" in device)
        return hostOnly(await host.compile(original, compileOptions), original, "none", device.unavailable);
      try {
        if (prepared.program === undefined) {
          await device.dispose();
          const name = `${device.mode}: ${device.description}`;
          return hostOnly(await host.compile(original, compileOptions), original, name, prepared.reason);
        }
        const { program } = prepared;
        const limit = limitOf(device, options.iterationsPerElement);
        const planning = planSteps(program, { device, limit, operators });
        const plan = await finishWithPauses(planning, "compilation", compileOptions.signal);
        const made = { original, program, plan, device, host, operators, limit, maxBytes };
        await pacer.step();
        const executable = new GpujsExecutable(made);
        await pacer.step();
        await executable.prepare(pacer, compileOptions.onProgress);
        return executable;
      } catch (error) {
        await device.dispose();
        throw error;
      }
    },
  };
}

function partsOf({ operators, evaluate, decompositions, maxBytes }: PassContext): GpujsBackendOptions {
  return {
    operators,
    evaluate,
    ...(decompositions && { decompositions }),
    ...(maxBytes !== undefined && { maxBytes }),
  };
}

/** A program that the host runs as it is. */
function hostOnly(
  executable: Executable,
  { graph }: ExportedProgram,
  device: string,
  reason: string,
): Executable {
  const calls = graph.nodes().filter(({ op }) => op === "call_function");
  const placement: Placement = {
    device,
    nodes: calls.map(({ name, target }) => ({ node: name, target, place: "host", reason })),
    regions: 0,
    kernels: 0,
    copies: { toDevice: 0, toHost: 0 },
    fallbacks: [],
  };
  return Object.assign(executable, { placement: () => placement });
}

function refuseExcluded(
  program: ExportedProgram,
  exclude: readonly string[],
  operators: OperatorTable,
): void {
  const node = program.graph.nodes().find(({ target }) => exclude.includes(target));
  if (node === undefined) return;
  throw excludedCall(node, decomposes(operators, node.target));
}

/**
 * The backend by a name as commands take it: `gpujs`, or `gpujs:webasm` for one mode; undefined for
 * other names.
 */
export function gpujsByName(name: string): GpujsBackend | undefined {
  const [kind, mode, ...rest] = name.split(":");
  if (kind !== "gpujs" || rest.length > 0) return undefined;
  if (mode === undefined) return gpujsBackend({ name });
  if (!MODES.some((known) => known === mode)) throw unknownMode(mode, MODES);
  return gpujsBackend({ name, mode: mode as Mode });
}
