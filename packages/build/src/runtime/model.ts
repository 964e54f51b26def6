/** @file Loads a module's kernels and weights, and runs them. */
import { type Engine, noMemory, type Opening, openWasm } from "./engine.js";
import { ModelError } from "./error.js";
import type { HostedModel, HostedRun } from "./host.js";
import { type Given, readInputs, resultData } from "./inputs.js";
import { type Layout, layoutOf, placeConstants } from "./layout.js";
import { placeBytes } from "./memory.js";
import type { HostResult, ModulePlan, Template } from "./plan.js";
import type { ScriptKernels, scriptEngine } from "./script-engine.js";
import { HELPERS } from "./sizes.js";
import { type FetchOptions, readParts, type Source } from "./sources.js";
import { joined, weightBytes, weightReader } from "./weights.js";

/** Options of `load`. */
interface LoadOptions extends FetchOptions {
  /** The weights: bytes, a response or an address of a safetensors file. */
  readonly weights?: Source | undefined;
  /** The kernels: a compiled module, bytes, a response or an address. */
  readonly wasm?: Source | WebAssembly.Module | undefined;
}

/** Kernels of WebAssembly, and how they run. */
interface WasmFiles {
  readonly plan: ModulePlan;
  /** Functions of float64 that kernels call. */
  readonly functions: Readonly<Record<string, (...args: number[]) => number>>;
  /** The kernels, where the caller gives none. */
  readonly kernels: () => Source;
}
/** Kernels of JavaScript, and how they run. */
interface ScriptFiles {
  readonly plan: ModulePlan;
  readonly kernels: ScriptKernels;
  readonly scriptEngine: typeof scriptEngine;
}
/** What a module brings: the first kernels that the engine takes are used. */
interface ModuleFiles {
  readonly wasm?: WasmFiles;
  readonly js?: ScriptFiles;
  /** Runs programs with steps of the host. */
  readonly host?: HostPart;
  /** The weights, where the caller gives none. */
  readonly weights?: () => Source;
}

/** What runs the steps of the host. */
interface HostPart {
  readonly runHosted: (model: HostedModel, given: readonly Given[]) => HostedRun;
  /** Makes the kernels of the interpreter for one model: they have its random numbers. */
  readonly makeKernels?: () => { reset(): void };
}

/** A loaded program. */
interface Model {
  readonly target: "wasm" | "js";
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
  return new LoadedModel(plan, constants, engine, files.host);
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
async function chosen({ wasm, js }: ModuleFiles, options: LoadOptions): Promise<Chosen> {
  const scripts = js && {
    plan: js.plan,
    open(bytes: number) {
      const engine = js.scriptEngine(js.kernels, bytes, noMemory);
      return { buffer: engine.buffer, engine };
    },
  };
  if (wasm === undefined) return scripts!;
  const { plan, functions, kernels } = wasm;
  if (typeof WebAssembly === "undefined") {
    if (scripts !== undefined) return scripts;
    throw new ModelError("FILE", "the engine has no WebAssembly: build the module for the target js, too");
  }
  const source = options.wasm ?? besideModule("wasm", kernels);
  const module = source instanceof WebAssembly.Module ? source : compiled(source as Source, options);
  if (scripts !== undefined)
    try {
      await module;
    } catch (error) {
      if (error instanceof WebAssembly.CompileError) return scripts;
      throw error;
    }
  return { plan, open: (bytes) => openWasm(module, functions, bytes) };
}

async function compiled(source: Source, options: LoadOptions): Promise<WebAssembly.Module> {
  const parts: Uint8Array[] = [];
  await readParts(source, "wasm", options, (bytes) => parts.push(bytes));
  return WebAssembly.compile(joined(parts) as Uint8Array<ArrayBuffer>);
}

/** Where the values of a run lie. */
type Ran = Pick<Layout, "places" | "sizes"> & { readonly hosted?: readonly HostResult[] };

/** Returns a result of the host as callers get it: numbers as they are. */
const resultOf = (value: HostResult): unknown =>
  typeof value === "object"
    ? { dtype: value.dtype, shape: [...value.shape], data: resultData(value.data, value.dtype) }
    : value;

/** The kernels of a program on one memory. */
class LoadedModel implements Model {
  readonly target: "wasm" | "js";
  readonly #plan: ModulePlan;
  readonly #constants: ReturnType<typeof placeConstants>;
  readonly #layouts = new Map<string, Layout>();
  /** State as it was when the module was loaded. */
  readonly #initial: readonly (readonly [address: number, bytes: Uint8Array])[];
  readonly #host: HostPart | undefined;
  readonly #hostKernels: { reset(): void } | undefined;
  #engine: Engine | undefined;

  constructor(
    plan: ModulePlan,
    constants: ReturnType<typeof placeConstants>,
    engine: Engine,
    host: HostPart | undefined,
  ) {
    this.target = engine.target;
    this.#plan = plan;
    this.#host = plan.host && host;
    this.#hostKernels = this.#host?.makeKernels?.();
    this.#engine = engine;
    this.#constants = constants;
    this.#initial = plan.constants.flatMap(([, bytes, , , , isChanged], at) => {
      const address = constants.places[at]!;
      return isChanged === 1
        ? [[address, new Uint8Array(engine.buffer.slice(address, address + bytes))] as const]
        : [];
    });
  }

  async run(inputs: Readonly<Record<string, unknown>>): Promise<unknown> {
    const engine = this.#open();
    const given = readInputs(this.#plan, inputs);
    const plan = this.#plan;
    const grown = (bytes: number): Uint8Array<ArrayBuffer> => {
      engine.grow(bytes);
      return new Uint8Array(engine.buffer);
    };
    const model = { plan, exports: engine.exports, constants: this.#constants, grow: grown };
    const ran =
      this.#host?.runHosted({ ...model, kernels: this.#hostKernels }, given) ??
      this.#kernels(given, engine, grown);
    const heap = new Uint8Array(engine.buffer);
    const results = this.#results(given, ran, heap);
    this.#write(given, ran, heap);
    return filled(plan.output, results);
  }

  /** Runs a program that is all kernels. */
  #kernels(given: readonly Given[], engine: Engine, grown: HostedModel["grow"]): Ran {
    const layout = this.#layout(given, engine);
    const heap = grown(layout.end);
    this.#plan.inputs.forEach(({ place }, at) => {
      const { data } = given[at]!;
      if (place === undefined || data === undefined) return;
      heap.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), layout.places[place]!);
    });
    for (const { entry, parameters, clears } of layout.calls) {
      for (const [address, bytes] of clears) heap.fill(0, address, address + bytes);
      entry(...parameters);
    }
    return layout;
  }

  /** Returns the layout for the sizes of a call. */
  #layout(given: readonly Given[], { exports }: Engine): Layout {
    const { sizes } = this.#plan;
    const key = typeof sizes === "function" ? given.map(({ size }) => String(size)).join(";") : "";
    let layout = this.#layouts.get(key);
    if (layout === undefined) {
      const now =
        typeof sizes === "function"
          ? sizes(
              given.map(({ size }) => size),
              HELPERS,
            )
          : sizes;
      layout = layoutOf(this.#plan, now, this.#constants, exports);
      if (this.#layouts.size >= KEPT) this.#layouts.clear();
      this.#layouts.set(key, layout);
    }
    return layout;
  }

  #results(given: readonly Given[], layout: Ran, heap: Uint8Array): readonly unknown[] {
    const known = new Map<string, unknown>();
    return this.#plan.results.map((result, index): unknown => {
      if ("scalar" in result) return result.scalar;
      const shape = layout.sizes.results[index]!;
      if ("isSize" in result) return shape;
      if ("input" in result) {
        const { data, shape: sizes, value } = given[result.input]!;
        return data === undefined
          ? value
          : { dtype: this.#plan.inputs[result.input]!.dtype, shape: sizes, data };
      }
      if ("host" in result) {
        const made = known.get(`host ${result.host}`) ?? resultOf(layout.hosted![result.host]!);
        known.set(`host ${result.host}`, made);
        return made;
      }
      const { at, dtype } = result;
      // Results of one place share their elements, as views do.
      const key = `${at} ${String(shape)}`;
      const data = known.get(String(at)) ?? resultData(this.#bytes(at, layout, heap), dtype);
      known.set(String(at), data);
      const made = known.get(key) ?? { dtype, shape: [...(shape as readonly number[])], data };
      known.set(key, made);
      return made;
    });
  }
  /** Returns a copy of what is at a place. */
  #bytes(at: number, { places, sizes }: Ran, heap: Uint8Array): Uint8Array {
    const { constants } = this.#plan;
    const bytes = at < constants.length ? constants[at]![1] : sizes.bytes[at - constants.length]!;
    return heap.slice(places[at]!, places[at]! + bytes);
  }

  /** Leaves what the program writes to its state and to its inputs; all is read before. */
  #write(given: readonly Given[], layout: Ran, heap: Uint8Array): void {
    const values = this.#plan.writes.map(({ from }) => this.#bytes(from, layout, heap));
    this.#plan.writes.forEach((write, at) => {
      if ("state" in write) heap.set(values[at]!, layout.places[write.state]!);
      else {
        const { buffer, byteOffset, byteLength } = given[write.input]!.data!;
        new Uint8Array(buffer, byteOffset, byteLength).set(values[at]!);
      }
    });
  }

  reset(): void {
    const heap = new Uint8Array(this.#open().buffer);
    for (const [address, bytes] of this.#initial) heap.set(bytes, address);
    this.#hostKernels?.reset();
  }

  dispose(): void {
    this.#engine = undefined;
    this.#layouts.clear();
  }

  #open(): Engine {
    if (this.#engine === undefined) throw new ModelError("DISPOSED", "the model was disposed");
    return this.#engine;
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
