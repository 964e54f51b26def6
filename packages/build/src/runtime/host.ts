/** @file Runs programs of which some steps are not kernels. */
import type { Engine } from "./engine.js";
import { ModelError } from "./error.js";
import { type Given, resultData } from "./inputs.js";
import { placeBytes, placeValues } from "./memory.js";
import type { HostHelpers, HostPlan, HostResult, HostTensor, ModulePlan, RunSizes, Segment } from "./plan.js";
import { HELPERS } from "./sizes.js";

/** What a run leaves: places and sizes of all values, and the results of the host. */
export interface HostedRun {
  readonly sizes: RunSizes;
  readonly places: readonly number[];
  /** Results of the host that are results of the program, by their numbers. */
  readonly shown: ReadonlyMap<number, unknown>;
}

/** Returns a result of the host as callers get it: numbers as they are. */
const resultOf = (value: HostResult): unknown =>
  typeof value === "object"
    ? { dtype: value.dtype, shape: [...value.shape], data: resultData(value.data, value.dtype) }
    : value;

/** What a model gives of itself. */
export interface HostedModel {
  readonly plan: ModulePlan;
  readonly engine: Engine;
  /** Addresses of constants, and where they end. */
  readonly constants: { readonly places: readonly number[]; readonly end: number };
  /** Runs kernels of the interpreter; undefined where no step calls one. */
  readonly kernels: unknown;
}

/**
 * Runs a program with steps of the host, which are all on this thread. Returns what `done` makes of
 * the run; a promise where threads share kernels.
 */
export function runHosted<T>(
  model: HostedModel,
  given: readonly Given[],
  done: (ran: HostedRun) => T,
): T | Promise<T> {
  const { threads } = model.engine;
  const run = new HostRun(model, model.plan.host!, given).run();
  const finish = (): T | Promise<T> => {
    for (;;) {
      const next = run.next();
      if (next.done) return done(next.value);
      if (next.value !== undefined) return next.value.then(finish);
    }
  };
  return threads === undefined ? finish() : threads.during(async () => finish());
}

/** Runs the segments of a program one after another. */
class HostRun {
  readonly #model: HostedModel;
  readonly #host: HostPlan;
  readonly #given: readonly Given[];
  readonly #places: number[];
  readonly #bytes: number[];
  readonly #units: number[] = [];
  readonly #hosted: HostResult[] = [];
  #heap: Uint8Array<ArrayBuffer>;
  #kernel = 0;
  #step = 0;
  #end: number;

  constructor(model: HostedModel, host: HostPlan, given: readonly Given[]) {
    const { plan, constants } = model;
    this.#model = model;
    this.#host = host;
    this.#given = given;
    this.#places = [...constants.places, ...plan.values.map(() => 0)];
    this.#bytes = plan.values.map(() => 0);
    this.#end = constants.end;
    this.#heap = new Uint8Array(model.engine.buffer);
  }

  /** Yields what has to be waited for. */
  *run(): Generator<void | Promise<void>, HostedRun> {
    let sizes: RunSizes = { bytes: [], units: [], given: [], results: [] };
    for (const segment of this.#host.segments) sizes = yield* this.#segment(segment);
    return {
      sizes: { ...sizes, bytes: this.#bytes, units: this.#units },
      places: this.#places,
      shown: new Map(
        this.#model.plan.results.flatMap((one) =>
          "host" in one ? [[one.host, resultOf(this.#hosted[one.host]!)] as const] : [],
        ),
      ),
    };
  }

  #sizesNow(): readonly unknown[] {
    return [
      ...this.#given.map(({ size }) => size),
      ...this.#hosted.map((value) => (typeof value === "object" ? value.shape : value)),
    ];
  }

  *#segment(segment: Segment): Generator<void | Promise<void>, RunSizes> {
    const { plan, engine } = this.#model;
    const sizes =
      typeof segment.sizes === "function" ? segment.sizes(this.#sizesNow(), HELPERS) : segment.sizes;
    const first = this.#model.constants.places.length;
    const arena = placeValues(segment.values.map((value, at) => [sizes.bytes[at]!, ...plan.values[value]!]));
    segment.values.forEach((value, at) => {
      this.#places[first + value] = this.#end + arena.offsets[at]!;
      this.#bytes[value] = sizes.bytes[at]!;
    });
    this.#end += arena.end;
    engine.grow(this.#end + placeBytes(plan.scratch) * (engine.threads?.count ?? 1));
    this.#heap = new Uint8Array(engine.buffer);
    const placed = new Set(segment.values);
    this.#takeInputs(placed, first);
    this.#load(placed, 0, this.#hosted.length);
    const start = this.#kernel;
    for (;;) {
      while (this.#step < segment.hosts && this.#host.steps[this.#step]![0] === this.#kernel)
        this.#runStep(placed);
      if (this.#kernel === segment.kernels) return sizes;
      yield this.#runKernel(sizes, this.#kernel - start, first);
    }
  }
  #takeInputs(placed: ReadonlySet<number>, first: number): void {
    this.#model.plan.inputs.forEach(({ place }, at) => {
      const { data } = this.#given[at]!;
      if (place === undefined || data === undefined || !placed.has(place - first)) return;
      this.#heap.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), this.#places[place]!);
    });
  }
  /** Copies results of the host to the values of this segment. */
  #load(placed: ReadonlySet<number>, from: number, to: number): void {
    const first = this.#model.constants.places.length;
    for (const [result, value] of this.#host.loads)
      if (result >= from && result < to && placed.has(value))
        this.#heap.set((this.#hosted[result] as HostTensor).data, this.#places[first + value]!);
  }

  #runStep(placed: ReadonlySet<number>): void {
    const [, run] = this.#host.steps[this.#step++]!;
    const { plan, kernels } = this.#model;
    const input = (at: number): HostTensor => {
      const { data, shape } = this.#given[at]!;
      const { buffer, byteOffset, byteLength } = data!;
      const bytes = new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
      return { dtype: plan.inputs[at]!.dtype!, shape, data: bytes };
    };
    const read = (place: number, dtype: string, shape: readonly number[], itemSize: number): HostTensor => {
      const bytes = shape.reduce((product, size) => product * size, itemSize);
      return { dtype, shape, data: this.#heap.slice(this.#places[place]!, this.#places[place]! + bytes) };
    };
    const from = this.#hosted.length;
    try {
      this.#hosted.push(...run(this.#sizesNow(), this.#hosted, HOST_HELPERS, input, read, kernels));
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (error instanceof ModelError || typeof code !== "string") throw error;
      throw new ModelError(code, (error as Error).message, error);
    }
    this.#load(placed, from, this.#hosted.length);
  }

  #runKernel({ units, given, work }: RunSizes, at: number, first: number): void | Promise<void> {
    const { plan, engine } = this.#model;
    const { exports, threads } = engine;
    const [kernel, operands, clears = []] = plan.steps[this.#kernel++]!;
    this.#units.push(units[at]!);
    if (units[at] === 0) return;
    for (const place of clears) {
      const address = this.#places[place]!;
      this.#heap.fill(0, address, address + this.#bytes[place - first]!);
    }
    const entry = exports[`k${kernel}`] as (...parameters: number[]) => void;
    const places = operands.map((place) => this.#places[place]!);
    const parameters = [...places, ...(given[at] ?? []), this.#end, 0, units[at]!];
    if (threads === undefined) return entry(...parameters);
    return threads.kernel({
      kernel,
      entry,
      parameters,
      work: work![at]!,
      scratchBytes: placeBytes(plan.scratch),
    });
  }
}

/** Reads the only element of a tensor as a number, a part of a complex one. */
function element({ dtype, shape, data }: HostTensor, part: 0 | 1 = 0): number | bigint {
  if (shape.some((size) => size !== 1))
    throw new ModelError(
      "INVALID_ARGUMENT",
      `a condition has to be a single element, got shape [${shape.join(", ")}]`,
    );
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (dtype === "complex64") return view.getFloat32(4 * part, true);
  if (dtype === "complex128") return view.getFloat64(8 * part, true);
  const method = READERS[dtype];
  if (method !== undefined) return view[method](0, true);
  const bits = view.getUint16(0, true);
  return dtype === "bfloat16" ? bfloat16(bits) : float16(bits);
}
type Reader =
  | "Float32"
  | "Float64"
  | "BigInt64"
  | "BigUint64"
  | "Int32"
  | "Uint32"
  | "Int16"
  | "Uint16"
  | "Int8"
  | "Uint8";
const READERS: Readonly<Record<string, `get${Reader}`>> = {
  float32: "getFloat32",
  float64: "getFloat64",
  int64: "getBigInt64",
  uint64: "getBigUint64",
  int32: "getInt32",
  uint32: "getUint32",
  int16: "getInt16",
  uint16: "getUint16",
  int8: "getInt8",
  uint8: "getUint8",
  bool: "getUint8",
};
function bfloat16(bits: number): number {
  return new Float32Array(new Uint32Array([bits * 65_536]).buffer)[0]!;
}
function float16(bits: number): number {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const size =
    exponent === 31
      ? fraction === 0
        ? Number.POSITIVE_INFINITY
        : Number.NaN
      : exponent === 0
        ? fraction * 2 ** -24
        : (1024 + fraction) * 2 ** (exponent - 25);
  return bits >= 0x8000 ? -size : size;
}

const HOST_HELPERS: HostHelpers = {
  ...HELPERS,
  item: (tensor) => {
    const value = element(tensor);
    if (tensor.dtype === "bool") return value !== 0;
    return typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value;
  },
  truth: (tensor) =>
    Number(element(tensor)) !== 0 || (tensor.dtype.startsWith("complex") && element(tensor, 1) !== 0),
  check: (holds, message) => {
    if (!holds) throw new ModelError("ASSERTION_FAILED", message);
  },
  domain: (value, argument) => {
    if (Number.isNaN(value) && !Number.isNaN(argument))
      throw new ModelError("SCALAR_DOMAIN", "math domain error");
    return value;
  },
};
