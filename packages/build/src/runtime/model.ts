/** @file Loads a module's kernels and weights, and runs them. */
import { type Engine, type Opening, openWasm, type Threads } from "./engine.js";
import { ModelError } from "./error.js";
import type { HostedModel, HostedRun } from "./host.js";
import { type Given, readInputs, resultData } from "./inputs.js";
import { type Layout, layoutOf, placeConstants } from "./layout.js";
import { placeBytes } from "./memory.js";
import type { ModulePlan, Template } from "./plan.js";
import { HELPERS } from "./sizes.js";
import { type FetchOptions, readParts, type Source } from "./sources.js";
import { joined, weightBytes, weightReader } from "./weights.js";

/** Options of `load`. */
export interface LoadOptions extends FetchOptions {
  /** The weights: bytes, a response or an address of a safetensors file. */
  readonly weights?: Source | undefined;
  /**
   * The kernels: a compiled module, bytes, a response or an address of `NAME.wasm`, or a function
   * that returns them for the name of a file.
   */
  readonly wasm?: Kernels | ((file: string) => Kernels) | undefined;
  /** How many threads compute kernels. */
  readonly threads?: number | "auto" | undefined;
}
type Kernels = Source | WebAssembly.Module;

/** Kernels of WebAssembly, and how they run. */
export interface WasmFiles {
  readonly plan: ModulePlan;
  /** Functions of float64 that kernels call. */
  readonly functions: Readonly<Record<string, (...args: number[]) => number>>;
  /** The name of the file. */
  readonly name: string;
  /** The kernels, where the caller gives none. */
  readonly kernels: () => Source;
}
/** Kernels, and the threads that compute them. */
export interface Choice {
  readonly part: WasmFiles;
  readonly threads?: Threads | undefined;
}
/** What a module brings: the first kernels that the engine takes are used. */
interface ModuleFiles {
  /** Kernels for all engines, on one thread. */
  readonly wasm?: WasmFiles;
  /** Chooses other kernels. */
  readonly choose?: (options: LoadOptions) => Choice | undefined;
  /** Kernels of JavaScript. */
  readonly js?: Chosen;
  /** Runs programs with steps of the host. */
  readonly host?: HostPart;
  /** The weights, where the caller gives none. */
  readonly weights?: () => Source;
}

/** What runs the steps of the host. */
interface HostPart {
  readonly runHosted: (
    model: HostedModel,
    given: readonly Given[],
    done: (ran: HostedRun) => unknown,
  ) => unknown;
  /** Makes the kernels of the interpreter for one model: they have its random numbers. */
  readonly makeKernels?: () => { reset(): void };
}

/** A loaded program. */
interface Model {
  readonly target: "wasm" | "js";
  readonly threads: number;
  run(inputs: Readonly<Record<string, unknown>>): Promise<unknown>;
  reset(): void;
  dispose(): void;
}

/** Sets of sizes whose layouts are kept. */
const KEPT = 64;

/** Loads a program. Weights go to the memory of kernels as they come. */
export async function loadModel(files: ModuleFiles, options: LoadOptions = {}): Promise<Model> {
  const { signal } = options;
  signal?.throwIfAborted();
  const { plan, open } = await chosen(files, options);
  const constants = placeConstants(plan);
  const isMade = (at: number): boolean =>
    plan.constants.some(([weight, , fill]) => weight === at && fill >= 0);
  const kept = plan.weights.map((_, at) => isMade(at));
  const staged = plan.weights.map((weight, at) => (kept[at]! ? placeBytes(weightBytes(weight)) : 0));
  const opening = open(constants.end + Math.max(0, ...staged));
  const heap = new Uint8Array(opening.buffer);
  const placesOf = (at: number): Uint8Array[] =>
    plan.constants.flatMap(([weight, bytes, fill], to) => {
      const place = constants.places[to]!;
      return weight === at && fill < 0 ? [heap.subarray(place, place + bytes)] : [];
    });
  const reader = weightReader(
    plan.weights,
    plan.weights.map((_, at) => placesOf(at)),
    kept,
  );
  const [engine] = await Promise.all([opening.engine, readWeights(files, options, reader)]);
  signal?.throwIfAborted();
  makeConstants(plan, reader.tensors, constants, engine);
  return new LoadedModel(plan, constants, engine, files);
}

async function readWeights(
  { weights }: ModuleFiles,
  options: LoadOptions,
  reader: ReturnType<typeof weightReader>,
): Promise<void> {
  if (weights === undefined) return;
  const source = options.weights ?? besideModule("weights", weights);
  await readParts(source, "weights", options, (bytes) => reader.push(bytes));
  reader.end();
}

/** Returns where a file is by default. Not all hosts give a module its address. */
function besideModule(file: "wasm" | "weights", place: () => Source): Source {
  try {
    return place();
  } catch (cause) {
    throw new ModelError(
      "FILE",
      `the module has no address to find its files by: pass "${file}" to load`,
      cause,
    );
  }
}

/** A plan, and what makes a memory and the kernels that run it. */
interface Chosen {
  readonly plan: ModulePlan;
  readonly open: (bytes: number) => Opening;
}

/** Kernels of JavaScript take the place of those that a policy or an engine refuses. */
async function chosen(files: ModuleFiles, options: LoadOptions): Promise<Chosen> {
  const { wasm, js } = files;
  if (typeof WebAssembly === "undefined" || wasm === undefined) {
    if (js !== undefined) return js;
    throw new ModelError("FILE", "the engine has no WebAssembly: build the module for the target js, too");
  }
  const { part, threads } = files.choose?.(options) ?? { part: wasm, threads: undefined };
  const { plan, functions, kernels, name } = part;
  const given = options.wasm;
  const source = typeof given === "function" ? given(name) : (given ?? besideModule("wasm", kernels));
  const module = source instanceof WebAssembly.Module ? source : compiled(source, options);
  try {
    // What may fail is known before weights are read.
    if (js !== undefined) await module;
  } catch (error) {
    if (error instanceof WebAssembly.CompileError) return js!;
    throw error;
  }
  return { plan, open: (bytes) => openWasm(module, functions, bytes, threads) };
}

async function compiled(source: Source, options: LoadOptions): Promise<WebAssembly.Module> {
  const parts: Uint8Array[] = [];
  await readParts(source, "wasm", options, (bytes) => parts.push(bytes));
  return WebAssembly.compile(joined(parts) as Uint8Array<ArrayBuffer>);
}

/** Where the values of a run lie. */
type Ran = Pick<Layout, "places" | "sizes"> & { readonly shown?: ReadonlyMap<number, unknown> };

/** The kernels of a program on one memory. */
class LoadedModel implements Model {
  readonly target: "wasm" | "js";
  readonly threads: number;
  readonly #plan: ModulePlan;
  readonly #constants: ReturnType<typeof placeConstants>;
  readonly #layouts = new Map<string, Layout>();
  /** State as it was when the module was loaded. */
  readonly #initial: readonly (readonly [address: number, bytes: Uint8Array])[];
  readonly #host: HostPart | undefined;
  readonly #kernels: { reset(): void } | undefined;
  /** Calls work when no other works: only threads leave a run unfinished. */
  readonly #next: Threads["next"];
  #engine: Engine | undefined;

  constructor(
    plan: ModulePlan,
    constants: ReturnType<typeof placeConstants>,
    engine: Engine,
    { host }: ModuleFiles,
  ) {
    const { target, threads } = engine;
    this.target = target;
    this.threads = threads?.count ?? 1;
    this.#next = threads?.next ?? ((work) => work());
    this.#plan = plan;
    this.#host = plan.host && host;
    this.#kernels = this.#host?.makeKernels?.();
    this.#engine = engine;
    this.#constants = constants;
    this.#initial = plan.constants.flatMap(([, bytes, , , , isChanged], at) => {
      const address = constants.places[at]!;
      return isChanged === 1 ? [[address, this.#copy(address, bytes)] as const] : [];
    });
  }

  async run(inputs: Readonly<Record<string, unknown>>): Promise<unknown> {
    this.#open();
    const given = readInputs(this.#plan, inputs);
    const host = this.#host;
    return this.#next(() =>
      host === undefined
        ? this.#runKernels(given)
        : host.runHosted(this.#hosted(), given, (ran) => this.#ended(given, ran)),
    );
  }
  async #runKernels(given: readonly Given[]): Promise<unknown> {
    const plan = this.#plan;
    const engine = this.#open();
    const layout = this.#layout(given);
    engine.grow(layout.end);
    const heap = this.#heap();
    plan.inputs.forEach(({ place }, at) => {
      const { data } = given[at]!;
      if (place === undefined || data === undefined) return;
      heap.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), layout.places[place]!);
    });
    if (engine.threads === undefined) compute(layout, heap);
    else await engine.threads.compute(plan, layout, heap);
    return this.#ended(given, layout);
  }
  /** Returns what steps of the host see of the model. */
  #hosted(): HostedModel {
    return {
      plan: this.#plan,
      engine: this.#open(),
      constants: this.#constants,
      kernels: this.#kernels,
    };
  }
  #ended(given: readonly Given[], ran: Ran): unknown {
    const results = this.#results(given, ran);
    this.#write(given, ran);
    return filled(this.#plan.output, results);
  }

  /** Returns the layout for the sizes of a call. */
  #layout(given: readonly Given[]): Layout {
    const { sizes } = this.#plan;
    const shown = given.map(({ size }) => size);
    const key = typeof sizes === "function" ? shown.map(String).join(";") : "";
    let layout = this.#layouts.get(key);
    if (layout === undefined) {
      const now = typeof sizes === "function" ? sizes(shown, HELPERS) : sizes;
      layout = layoutOf(this.#plan, now, this.#constants, this.#open());
      if (this.#layouts.size >= KEPT) this.#layouts.clear();
      this.#layouts.set(key, layout);
    }
    return layout;
  }

  #results(given: readonly Given[], ran: Ran): readonly unknown[] {
    const known = new Map<string, unknown>();
    return this.#plan.results.map((result, index): unknown => {
      if ("scalar" in result) return result.scalar;
      const shape = ran.sizes.results[index]!;
      if ("isSize" in result) return shape;
      if ("input" in result) {
        const { data, shape: sizes, value } = given[result.input]!;
        return data === undefined
          ? value
          : { dtype: this.#plan.inputs[result.input]!.dtype, shape: sizes, data };
      }
      if ("host" in result) return ran.shown!.get(result.host);
      const { at, dtype } = result;
      // Results of one place share their elements, as views do.
      const key = `${at} ${String(shape)}`;
      const data = known.get(String(at)) ?? resultData(this.#bytes(at, ran), dtype);
      known.set(String(at), data);
      const made = known.get(key) ?? { dtype, shape: [...(shape as readonly number[])], data };
      known.set(key, made);
      return made;
    });
  }
  /** Returns a copy of what is at a place. */
  #bytes(at: number, { places, sizes }: Ran): Uint8Array<ArrayBuffer> {
    const { constants } = this.#plan;
    const bytes = at < constants.length ? constants[at]![1] : sizes.bytes[at - constants.length]!;
    return this.#copy(places[at]!, bytes);
  }
  /** Returns a copy of bytes, which no thread shares. */
  #copy(address: number, bytes: number): Uint8Array<ArrayBuffer> {
    return this.#heap().slice(address, address + bytes);
  }

  /** Leaves what the program writes to its state and to its inputs; all is read before. */
  #write(given: readonly Given[], ran: Ran): void {
    const values = this.#plan.writes.map(({ from }) => this.#bytes(from, ran));
    this.#plan.writes.forEach((write, at) => {
      if ("state" in write) this.#heap().set(values[at]!, ran.places[write.state]!);
      else {
        const { buffer, byteOffset, byteLength } = given[write.input]!.data!;
        new Uint8Array(buffer, byteOffset, byteLength).set(values[at]!);
      }
    });
  }

  reset(): void {
    this.#open();
    // Runs that were asked for end first.
    void this.#next(async () => {
      const heap = this.#heap();
      for (const [address, bytes] of this.#initial) heap.set(bytes, address);
      this.#kernels?.reset();
    });
  }

  dispose(): void {
    this.#engine?.threads?.dispose();
    this.#engine = undefined;
    this.#layouts.clear();
  }

  #open(): Engine {
    if (this.#engine === undefined) throw new ModelError("DISPOSED", "the model was disposed");
    return this.#engine;
  }
  #heap(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#open().buffer);
  }
}

/** Computes kernels, one behind the other. */
function compute({ calls }: Layout, heap: Uint8Array): void {
  for (const { entry, parameters, clears } of calls) {
    for (const [address, bytes] of clears) heap.fill(0, address, address + bytes);
    entry(...parameters);
  }
}

/** Puts weights in the orders that kernels want. Others are in their places. */
function makeConstants(
  { constants }: ModulePlan,
  tensors: readonly (Uint8Array | undefined)[],
  { places, end: free }: ReturnType<typeof placeConstants>,
  { buffer, exports }: Engine,
): void {
  const heap = new Uint8Array(buffer);
  constants.forEach(([weight, , fill, parts, partBytes], at) => {
    if (fill < 0) return;
    const make = exports[`p${fill}`] as (from: number, to: number, first?: number, end?: number) => void;
    // What has no elements never came.
    heap.set(tensors[weight] ?? [], free);
    if (partBytes === 0) make(free, places[at]!);
    else make(free, places[at]!, 0, parts);
  });
}

/** Puts results in the containers of the program. */
function filled(template: Template, results: readonly unknown[]): unknown {
  if (typeof template === "number") return results[template];
  if ("list" in template) return template.list.map((one) => filled(one, results));
  if ("object" in template)
    return Object.fromEntries(template.object.map(([key, one]) => [key, filled(one, results)]));
  return new Map(template.map.map(([key, one]) => [key, filled(one, results)]));
}
