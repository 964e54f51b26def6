/** @file Writes a program as a module with its own kernels. */
import { CPU_KERNELS, CPU_REFUSALS, createEvaluator } from "@sconce/backend-cpu";
import { entriesOf, kernelsFor, moduleOf, WASM } from "@sconce/backend-wasm/build";
import { moduleDeclarations } from "@sconce/capture/typescript";
import { compilePlan } from "@sconce/device-runtime";
import { checkOptions, type OptionNames, optionValue } from "@sconce/errors";
import { type ExportedProgram, type NodePlacement, requireValues } from "@sconce/ir";
import { defaultOperators, type OperatorTable } from "@sconce/ops";
import type { Decompositions, Evaluator } from "@sconce/passes";
import { writeSafetensors } from "@sconce/tensor";
import { notBuilt, notLowered, type Unbuilt } from "./code/errors.js";
import { bundledKernels } from "./emit/bundle.js";
import { kernelFile, moduleText, type ScriptPart, type WasmPart, workerText } from "./emit/module-text.js";
import { dividesIntegers } from "./plan/divisions.js";
import { hostSteps, type WrittenSteps } from "./plan/host-plan.js";
import { codesOf, modulePlan, neededNames } from "./plan/module-plan.js";
import { packedTimeline } from "./plan/packed.js";
import { BuildDevice } from "./plan/recording-device.js";
import { SCRIPT, ScriptKernels } from "./plan/script-kernels.js";
import { type Timeline, timelineOf } from "./plan/timeline.js";
import { unbuiltCalls, unheldValues } from "./plan/unbuilt.js";
import { type ValueRange, valueRanges, withoutPlaces } from "./plan/value-ranges.js";
import { joinedWeights } from "./plan/weights.js";
import { type BuildReport, reportOf } from "./report.js";

/** What kernels of a module are written in. */
export type BuildTarget = "wasm" | "js";

/** Options of {@link buildModule}. */
export interface BuildOptions {
  /** The name of the files, without an ending. @defaultValue `"model"` */
  readonly name?: string;
  /**
   * What kernels are written in: WebAssembly, or plain JavaScript for pages whose content policy
   * forbids WebAssembly. With both, JavaScript runs where WebAssembly does not.
   *
   * @defaultValue `["wasm"]`
   */
  readonly targets?: readonly BuildTarget[];
  /** Whether the module is one file that holds kernels and weights. @defaultValue `false` */
  readonly inline?: boolean;
  /**
   * Whether weights are written in the orders that kernels read them in: the module starts sooner,
   * and other weights cannot take their places. @defaultValue `false`
   */
  readonly packed?: boolean;
  /**
   * Whether there are kernels with relaxed SIMD besides, which engines that have it take: products
   * multiply and add in one rounding there. @defaultValue `false`
   */
  readonly relaxed?: boolean;
  /**
   * Whether there are kernels for several threads besides, and a worker (`NAME.worker.mjs`):
   * `load({ threads })` says how many. @defaultValue `false`
   */
  readonly threads?: boolean;
  /**
   * Side of the tiles of Winograd's algorithm for 3x3 convolutions, as in `wasmBackend`.
   * @defaultValue 2
   */
  readonly winograd?: 0 | 2 | 4;
  /** Operators that the program may use. @defaultValue Sconce's own */
  readonly operators?: OperatorTable;
  /** Decompositions that lower the program. @defaultValue PyTorch's table */
  readonly decompositions?: () => Decompositions;
  /** Stops the work. */
  readonly signal?: AbortSignal;
}
const OPTIONS: OptionNames<BuildOptions> = {
  name: true,
  targets: true,
  inline: true,
  packed: true,
  relaxed: true,
  threads: true,
  winograd: true,
  operators: true,
  decompositions: true,
  signal: true,
};

/** A program as files. */
export interface BuiltModule {
  /** The files by their names. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** What the module takes. */
  readonly report: BuildReport;
}

/** Names of files, which are parts of addresses. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;

/**
 * Writes a program as an ES module that needs nothing of Sconce: `NAME.mjs`, its kernels
 * (`NAME.wasm`), its weights (`NAME.safetensors`) and its types (`NAME.d.ts`). The kernels are
 * those of the backend `wasm`, and so are the bits of results. The same program gives the same
 * bytes.
 *
 * @example
 * const { files } = await buildModule(program, { name: "digits" });
 * await saveFiles([...files].map(([name, bytes]) => [`dist/${name}`, bytes]));
 * @throws SconceError `BUILD_UNSUPPORTED` with all calls that no module can hold; `NO_VALUES` for
 * weights without values; `OPTION_VALUE`
 */
export async function buildModule(
  program: ExportedProgram,
  options: BuildOptions = {},
): Promise<BuiltModule> {
  checkOptions("buildModule", options, OPTIONS);
  const { name = "model", inline = false, targets = ["wasm"] } = options;
  if (!NAME.test(name))
    throw optionValue("buildModule", "name", name, "letters, digits, `.`, `_` and `-`, as in a file name");
  if (!isTargets(targets))
    throw optionValue("buildModule", "targets", targets, 'a list of `"wasm"`, `"js"` or both');
  for (const kind of ["relaxed", "threads"] as const)
    if (options[kind] === true && !targets.includes("wasm"))
      throw optionValue("buildModule", kind, true, 'it with `"wasm"` among `targets`');
  requireValues(program);
  const wasm = targets.includes("wasm") ? await wasmBuild(program, options) : undefined;
  const js = targets.includes("js") ? await scriptBuild(program, options) : undefined;
  const { timeline, plan } = (wasm ?? js)!;
  const tensors = joinedWeights([...(wasm?.weights ?? []), ...(js?.timeline.weights ?? [])]);
  const weights =
    tensors.length === 0
      ? undefined
      : writeSafetensors(tensors.map((one) => [one.name, one.tensor] as const));
  const interpreter = await interpreterOf([wasm, js]);
  const parts = {
    name,
    interpreter,
    wasm: wasm?.parts,
    js: js?.part,
    weights,
    divides: dividesIntegers(plan),
    inline,
  };
  const encode = (one: string): Uint8Array => new TextEncoder().encode(one);
  const files = new Map<string, Uint8Array>([
    [`${name}.mjs`, encode(moduleText(parts))],
    [`${name}.d.ts`, encode(moduleDeclarations(program))],
    // What imports NAME.mjs looks for these types.
    [`${name}.d.mts`, encode(`export * from "./${name}.js";\n`)],
  ]);
  if (!inline) {
    for (const part of wasm?.parts ?? []) files.set(kernelFile(name, part), part.wasm);
    if (wasm !== undefined && options.threads)
      files.set(`${name}.worker.mjs`, encode(workerText(wasm.parts)));
    if (weights !== undefined) files.set(`${name}.safetensors`, weights);
  }
  return {
    files,
    report: await reportOf(files, timeline, plan.nodes as readonly NodePlacement[], interpreter),
  };
}

const isTargets = (targets: unknown): boolean =>
  Array.isArray(targets) && targets.length > 0 && targets.every((one) => one === "wasm" || one === "js");

type Plan = Exclude<Awaited<ReturnType<typeof compilePlan>>, string>;
/** A program for one target. */
interface Build<Part> {
  readonly part: Part;
  readonly timeline: Timeline;
  readonly plan: Plan;
  readonly hosted: WrittenSteps;
}

/** Kernels of WebAssembly: those for all engines come last. */
interface WasmBuild extends Pick<Build<unknown>, "timeline" | "plan" | "hosted"> {
  readonly parts: readonly WasmPart[];
  readonly weights: Timeline["weights"];
}

/** Writes kernels as WebAssembly. */
async function wasmBuild(program: ExportedProgram, options: BuildOptions): Promise<WasmBuild> {
  const { relaxed = false } = options;
  const names = new Map<string, string>();
  const base = await wasmParts(program, options, false, names);
  if (!relaxed) return base;
  const more = await wasmParts(program, options, true, names);
  // Those with relaxed SIMD come before the others with as many threads.
  const parts = [...more.parts, ...base.parts].sort((a, b) => Number(b.isShared) - Number(a.isShared));
  return { ...base, parts, weights: [...base.weights, ...more.weights] };
}

/** Writes kernels of one kind: for threads, if they are asked for, then for one thread. */
async function wasmParts(
  program: ExportedProgram,
  { packed = false, threads = false, winograd = 2, ...options }: BuildOptions,
  relaxed: boolean,
  names: Map<string, string>,
): Promise<WasmBuild> {
  const device = new BuildDevice(kernelsFor({ relaxed, winograd, isOnly: true }), WASM);
  const { timeline, ranges, plan, hosted } = await timelineFor(program, options, device);
  const kept = packed ? packedTimeline(timeline, names) : timeline;
  const codes = codesOf(kept);
  const partOf = (isShared: boolean): WasmPart => ({
    plan: modulePlan(plan, kept, ranges, hosted.steps, isShared),
    wasm: moduleOf(codes, { isShared, relaxed }),
    callsFunctions: codes.some(({ imports }) => imports.length > 0),
    relaxed,
    isShared,
  });
  const parts = [...(threads ? [partOf(true)] : []), partOf(false)];
  return { parts, timeline: kept, weights: kept.weights, plan, hosted };
}

/** Writes kernels as JavaScript. */
async function scriptBuild(program: ExportedProgram, options: BuildOptions): Promise<Build<ScriptPart>> {
  const kernels = new ScriptKernels();
  const device = new BuildDevice(kernels, SCRIPT);
  const { timeline, ranges, plan, hosted } = await timelineFor(program, options, device);
  const codes = codesOf(timeline);
  const part = {
    plan: modulePlan(plan, timeline, ranges, hosted.steps),
    kernels: entriesOf(codes).map((emit) => codes.find((code) => code.emit === emit)!.text),
    functions: kernels.functions,
  };
  return { part, timeline, plan, hosted };
}

/** Plans a program. @throws SconceError `BUILD_UNSUPPORTED` */
async function timelineFor(
  program: ExportedProgram,
  { operators = defaultOperators(), decompositions, signal }: BuildOptions,
  device: BuildDevice,
): Promise<{
  readonly timeline: Timeline;
  readonly ranges: readonly ValueRange[];
  readonly plan: Plan;
  readonly hosted: WrittenSteps;
}> {
  const evaluate = createEvaluator({ operators }) as Evaluator;
  const planned = async (left: ReadonlyMap<string, string>): Promise<Planned> => {
    const plan = await compilePlan(program, device, { operators, evaluate, decompositions, left }, signal);
    if (typeof plan === "string") throw notLowered(plan);
    if (plan.unsure !== undefined) throw notLowered(plan.unsure);
    const calls = unbuiltCalls(plan);
    if (calls.length > 0) return { plan, ranges: [], calls };
    const { ranges, unbuilt } = valueRanges(plan);
    return { plan: withoutPlaces(plan, ranges), ranges, calls: unbuilt };
  };
  // The interpreter computes what no kernels for all sizes do.
  const left = new Map<string, string>();
  let { plan, ranges, calls } = await planned(left);
  const unheld = unheldValues(plan);
  if (unheld.length > 0) throw notBuilt(unheld);
  while (calls.length > 0) {
    const more = calls.filter(({ node }) => !left.has(node));
    if (more.length === 0) throw notBuilt(calls);
    for (const { node, reason } of more) left.set(node, reason);
    ({ plan, ranges, calls } = await planned(left));
  }
  const timeline = timelineOf(plan, device, neededNames(plan));
  const hosted = hostSteps(plan, timeline, operators, {
    hasKernel: (target) => Object.hasOwn(CPU_KERNELS, target),
    hasRefusal: (target) => CPU_REFUSALS.has(target),
  });
  if (hosted.unbuilt.length > 0) throw notBuilt(hosted.unbuilt);
  return { timeline, ranges, plan, hosted };
}

/** A plan, and the calls of it that have no kernels. */
interface Planned {
  readonly plan: Plan;
  readonly ranges: readonly ValueRange[];
  readonly calls: readonly Unbuilt[];
}

/** Bundles the kernels of the interpreter that targets call; undefined where none is called. */
async function interpreterOf(
  builds: readonly (Pick<Build<unknown>, "hosted"> | undefined)[],
): Promise<string | undefined> {
  const called = builds.flatMap((build) =>
    build?.hosted.targets === undefined ? [] : [build.hosted.targets],
  );
  const refuses = builds.some((build) => build?.hosted.refuses);
  return called.length === 0 ? undefined : bundledKernels([...new Set(called.flat())].sort(), refuses);
}
