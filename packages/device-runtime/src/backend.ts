/** @file A backend that divides programs between a device and the host. */
import { cpuBackend, createEvaluator } from "@sconce/backend-cpu";
import { LOWERINGS, whyNotLowered } from "@sconce/codegen";
import { checkOptions, type OptionNames } from "@sconce/errors";
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
import type { DType } from "@sconce/tensor";
import { planPrepared } from "./compile/planned.js";
import type { Device, Unavailable } from "./device/device.js";
import { excludedCall } from "./errors.js";
import { limitOf } from "./plan/work.js";
import { Pacer } from "./prepare/pacer.js";
import { prepare } from "./prepare/prepare.js";
import { CHECKS_VALUES, SIZES, whyNotHeldBy } from "./prepare/support.js";
import { withRecordedValues } from "./prepare/trusted.js";
import { DeviceExecutable } from "./run/executable.js";

/** Options that the backends of all devices have. */
export interface DeviceBackendOptions {
  /** Name of the backend. Default: that of the device's kind. */
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
   * device. Default: a limit measured for the device.
   */
  readonly iterationsPerElement?: number;
  /**
   * Most bytes that the values of a run may take together, inputs and weights not counted. What
   * needs more is refused (`OUT_OF_MEMORY`). 4 GiB when left out.
   */
  readonly maxBytes?: number;
}

/** The names of {@link DeviceBackendOptions}, for checks of options. */
export const DEVICE_OPTIONS: OptionNames<DeviceBackendOptions> = {
  name: true,
  operators: true,
  decompositions: true,
  evaluate: true,
  host: true,
  iterationsPerElement: true,
  maxBytes: true,
};

/** A backend that also reports which nodes its device takes. */
export interface DeviceBackend extends SessionBackend {
  /**
   * Returns true if a device of the chosen kind computes the node, or the reason why the host runs
   * it.
   */
  takes(node: Node, graph: Graph): true | Reason;
}

/** What is special about the backend of a kind of devices. */
export interface DeviceKind {
  /** The default name of the backend, and the start of the names of its regions. */
  readonly name: string;
  /** The name of the function that takes the options, for errors. */
  readonly madeBy: string;
  /** Why devices of the kind cannot hold a dtype, or undefined. */
  readonly whyNotHeld: (dtype: DType) => string | undefined;
  /** Opens a device for one executable, which disposes of it. */
  readonly open: () => Promise<Device | Unavailable>;
  /** The same backend with other options in place of those that it was not given. */
  readonly withDefaults: (defaults: DeviceBackendOptions) => DeviceBackend;
}

/** What compiles programs. */
interface Parts {
  readonly kind: DeviceKind;
  readonly options: DeviceBackendOptions;
  readonly operators: OperatorTable;
  readonly evaluate: Evaluator;
  readonly host: Backend;
  readonly maxBytes: number;
}

/**
 * Returns a backend that runs what lowers to loops in kernels of a device, and the rest on the
 * host. The executable reports the placement of each node.
 */
export function deviceBackend(kind: DeviceKind, options: DeviceBackendOptions): DeviceBackend {
  const operators = options.operators ?? defaultOperators();
  const maxBytes = memoryLimit(kind.madeBy, options.maxBytes);
  const host = options.host ?? cpuBackend({ operators, maxBytes });
  const evaluate = options.evaluate ?? (createEvaluator({ operators, maxBytes }) as Evaluator);
  const takes = (node: Node, graph: Graph): true | Reason => {
    const reason = whyNotHeldBy(node, graph, kind) ?? whyNotLowered(node, graph, { operators });
    return reason === undefined || { reason };
  };
  const parts = { kind, options, operators, evaluate, host, maxBytes };
  return {
    name: options.name ?? kind.name,
    leavesTensors: host.leavesTensors === true,
    inSession: (session, interpreter) => kind.withDefaults({ ...partsOf(session), host: interpreter }),
    takes,
    supports: (node, graph) => {
      // The host answers from a table, the device lowers the call.
      const hosted = host.supports(node, graph);
      return hosted === true || takes(node, graph) === true || hosted;
    },
    describeSupport: (target) => {
      if (CHECKS_VALUES.has(target)) return "on the host";
      if (Object.hasOwn(LOWERINGS, target)) return "loops";
      if (SIZES.has(target)) return "sizes";
      if (host.describeSupport?.(target) === undefined) return undefined;
      // What a table leaves is decomposed when it is made loops.
      return operators.get(target)?.decompose !== undefined ? "decomposition" : "on the host";
    },
    compile: (program, compileOptions = {}) => compile(program, compileOptions, parts),
  };
}

async function compile(
  given: ExportedProgram,
  compileOptions: CompileOptions,
  { kind, options, operators, evaluate, host, maxBytes }: Parts,
): Promise<Executable> {
  checkOptions("compile", compileOptions, COMPILE_OPTIONS);
  const original = withRecordedValues(given, operators);
  refuseExcluded(original, compileOptions.exclude ?? [], operators);
  requireValues(original);
  const { decompositions, iterationsPerElement } = options;
  const { signal, onProgress } = compileOptions;
  const pacer = new Pacer("compilation", signal);
  await pacer.step();
  const prepared = await prepare(original, { operators, evaluate, decompositions }, signal);
  await pacer.step();
  const device = await kind.open();
  if ("unavailable" in device)
    return hostOnly(await host.compile(original, compileOptions), original, "none", device.unavailable);
  try {
    if (prepared.program === undefined) {
      await device.dispose();
      const name = `${device.mode}: ${device.description}`;
      return hostOnly(await host.compile(original, compileOptions), original, name, prepared.reason);
    }
    const limit = limitOf(device, iterationsPerElement);
    const target = { name: kind.name, device, limit, operators };
    const { program, plan } = await planPrepared(original, prepared, target, signal);
    await pacer.step();
    const executable = new DeviceExecutable({
      original,
      program,
      decisions: prepared.decisions,
      leastSizes: prepared.leastSizes,
      needsRecordedLayouts: prepared.needsRecordedLayouts,
      plan,
      device,
      host,
      operators,
      limit,
      maxBytes,
    });
    await pacer.step();
    await executable.prepare(pacer, onProgress);
    return executable;
  } catch (error) {
    await device.dispose();
    throw error;
  }
}

function partsOf({ operators, evaluate, decompositions, maxBytes }: PassContext): DeviceBackendOptions {
  return {
    operators,
    evaluate,
    ...(decompositions && { decompositions }),
    ...(maxBytes !== undefined && { maxBytes }),
  };
}

/** Returns a program that the host runs as it is. */
function hostOnly(
  executable: Executable,
  { graph }: ExportedProgram,
  device: string,
  reason: string,
): Executable {
  const calls = graph.calls();
  const placement: Placement = {
    device,
    nodes: calls.map(({ name, target }) => ({ node: name, target, source: name, place: "host", reason })),
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
