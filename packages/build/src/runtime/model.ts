/** @file Loads a module's kernels and weights, and runs them. */
import { ModelError } from "./error.js";
import { type Given, readInputs, resultData } from "./inputs.js";
import { type Layout, layoutOf, placeConstants } from "./layout.js";
import { placeBytes } from "./memory.js";
import type { ModulePlan, Template } from "./plan.js";
import { HELPERS } from "./sizes.js";
import { bytesFrom, type FetchOptions, type Source } from "./sources.js";
import { readWeights } from "./weights.js";

/** Options of `load`. */
interface LoadOptions extends FetchOptions {
  /** The weights: bytes, a response or an address of a safetensors file. */
  readonly weights?: Source | undefined;
  /** The kernels: a compiled module, bytes, a response or an address. */
  readonly wasm?: Source | WebAssembly.Module | undefined;
}

/** What a module brings. */
interface ModuleFiles {
  readonly plan: ModulePlan;
  /** Functions of float64 that kernels call. */
  readonly functions: Readonly<Record<string, (...args: number[]) => number>>;
  /** The kernels and the weights, where the caller gives none. */
  readonly wasm: () => Source;
  readonly weights: () => Source;
}

/** A loaded program. */
interface Model {
  run(inputs: Readonly<Record<string, unknown>>): Promise<unknown>;
  reset(): void;
  dispose(): void;
}

const PAGE = 65_536;
/** Sets of sizes whose layouts are kept. */
const KEPT = 64;

/** Loads a program. */
export async function loadModel(files: ModuleFiles, options: LoadOptions = {}): Promise<Model> {
  const { signal } = options;
  signal?.throwIfAborted();
  const [module, weights] = await Promise.all([
    compiled(options.wasm ?? besideModule(files, "wasm"), options),
    files.plan.weights.length === 0
      ? new Uint8Array()
      : bytesFrom(options.weights ?? besideModule(files, "weights"), "weights", options),
  ]);
  signal?.throwIfAborted();
  return new LoadedModel(files, module, weights);
}

/** Returns where a file is by default. Not all hosts give a module its address. */
function besideModule(files: ModuleFiles, file: "wasm" | "weights"): Source {
  try {
    return files[file]();
  } catch (cause) {
    throw new ModelError(
      "FILE",
      `the module has no address to find its files by: give \`${file}\` to load`,
      cause,
    );
  }
}

async function compiled(
  source: Source | WebAssembly.Module,
  options: FetchOptions,
): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  return WebAssembly.compile(await bytesFrom(source, "wasm", options));
}

/** The kernels of a program on one memory. */
class LoadedModel implements Model {
  readonly #plan: ModulePlan;
  readonly #exports: WebAssembly.Exports;
  readonly #constants: ReturnType<typeof placeConstants>;
  readonly #layouts = new Map<string, Layout>();
  /** State as it was when the module was loaded. */
  readonly #initial: readonly (readonly [address: number, bytes: Uint8Array])[];
  #memory: WebAssembly.Memory | undefined;

  constructor({ plan, functions }: ModuleFiles, module: WebAssembly.Module, weights: Uint8Array) {
    const tensors = readWeights(weights, plan.weights);
    const constants = placeConstants(plan);
    const staged = plan.constants.map(([weight, , fill]) =>
      fill < 0 ? 0 : placeBytes(tensors[weight]!.length),
    );
    const memory = newMemory(constants.end + Math.max(0, ...staged));
    const { exports } = new WebAssembly.Instance(module, { env: { memory }, js: { ...functions } });
    fillConstants(plan, tensors, constants, memory, exports);
    this.#plan = plan;
    this.#memory = memory;
    this.#exports = exports;
    this.#constants = constants;
    this.#initial = plan.constants.flatMap(([, bytes, , , , isChanged], at) => {
      const address = constants.places[at]!;
      return isChanged === 1
        ? [[address, new Uint8Array(memory.buffer.slice(address, address + bytes))] as const]
        : [];
    });
  }

  async run(inputs: Readonly<Record<string, unknown>>): Promise<unknown> {
    const memory = this.#open();
    const given = readInputs(this.#plan, inputs);
    const layout = this.#layout(given);
    grow(memory, layout.end);
    const heap = new Uint8Array(memory.buffer);
    this.#plan.inputs.forEach(({ place }, at) => {
      const { data } = given[at]!;
      if (place === undefined || data === undefined) return;
      heap.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), layout.places[place]!);
    });
    for (const { entry, parameters, clears } of layout.calls) {
      for (const [address, bytes] of clears) heap.fill(0, address, address + bytes);
      entry(...parameters);
    }
    const results = this.#results(given, layout, heap);
    this.#write(given, layout, heap);
    return filled(this.#plan.output, results);
  }

  /** Returns the layout for the sizes of a call. */
  #layout(given: readonly Given[]): Layout {
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
      layout = layoutOf(this.#plan, now, this.#constants, this.#exports);
      if (this.#layouts.size >= KEPT) this.#layouts.clear();
      this.#layouts.set(key, layout);
    }
    return layout;
  }

  #results(given: readonly Given[], layout: Layout, heap: Uint8Array): readonly unknown[] {
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
  #bytes(at: number, { places, sizes }: Layout, heap: Uint8Array): Uint8Array {
    const { constants } = this.#plan;
    const bytes = at < constants.length ? constants[at]![1] : sizes.bytes[at - constants.length]!;
    return heap.slice(places[at]!, places[at]! + bytes);
  }

  /** Leaves what the program writes to its state and to its inputs; all is read before. */
  #write(given: readonly Given[], layout: Layout, heap: Uint8Array): void {
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
  }

  dispose(): void {
    this.#memory = undefined;
    this.#layouts.clear();
  }

  #open(): WebAssembly.Memory {
    if (this.#memory === undefined) throw new ModelError("DISPOSED", "the model was disposed");
    return this.#memory;
  }
}

const noMemory = (bytes: number, cause: unknown): ModelError =>
  new ModelError("OUT_OF_MEMORY", `the engine has no memory of ${bytes} bytes`, cause);

function newMemory(bytes: number): WebAssembly.Memory {
  try {
    return new WebAssembly.Memory({ initial: Math.max(1, Math.ceil(bytes / PAGE)) });
  } catch (cause) {
    throw noMemory(bytes, cause);
  }
}
function grow(memory: WebAssembly.Memory, bytes: number): void {
  const missing = bytes - memory.buffer.byteLength;
  if (missing <= 0) return;
  try {
    memory.grow(Math.ceil(missing / PAGE));
  } catch (cause) {
    throw noMemory(bytes, cause);
  }
}

/** Copies weights to where kernels read them, in the orders that kernels want. */
function fillConstants(
  { constants }: ModulePlan,
  tensors: readonly Uint8Array[],
  { places, end: free }: ReturnType<typeof placeConstants>,
  memory: WebAssembly.Memory,
  exports: WebAssembly.Exports,
): void {
  const heap = new Uint8Array(memory.buffer);
  constants.forEach(([weight, , fill, parts, partBytes], at) => {
    const source = tensors[weight]!;
    if (fill < 0) {
      heap.set(source, places[at]!);
      return;
    }
    const make = exports[`p${fill}`] as (from: number, to: number, first?: number, end?: number) => void;
    heap.set(source, free);
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
