/**
 * @file The end of a run: what the program writes to gets its values, and the caller the results.
 */
import {
  type ExportedProgram,
  FakeTensor,
  type MetaValue,
  type OutputSpec,
  unwrapFloat,
  type Value,
} from "@sconce/ir";
import { MUTATIONS, type StaysOnDevice, type Write, writeBack } from "@sconce/ops";
import type { Bindings } from "@sconce/symbolic";
import { contiguousStrides, dtypeInfo, Tensor } from "@sconce/tensor";
import type { Device } from "../device/device.js";
import { DeviceStorage, type Layout } from "./device-storage.js";
import type { Held } from "./held.js";
import { inMemory } from "./region-memory.js";
import { knownSize } from "./sizes.js";
import { DeviceValue, heldBy, type RunValue } from "./values.js";

/** What a run leaves behind. */
export interface RunEnd {
  readonly values: { get(name: string): RunValue | undefined };
  readonly sizes: Bindings;
  /** The program's tensors. */
  readonly own: ReadonlyMap<string, Tensor>;
  readonly stays: StaysOnDevice;
  /** Values that lie in another way than the program records, because its inputs do. */
  readonly others: ReadonlyMap<string, MetaValue | undefined> | undefined;
  /** Copies a value to the host. */
  readonly toHost: (value: DeviceValue) => Promise<Tensor> | Tensor;
}

/** A value that takes the place of another on the device. */
interface Swap {
  readonly name: string;
  readonly place: Tensor;
  readonly storage: DeviceStorage;
  readonly held: Held;
}
/** A write, wherever its value is. */
interface Mutation {
  readonly name: string;
  readonly place: Tensor;
  readonly value: Tensor | DeviceValue;
}

/** The results of a program. */
export class Results {
  readonly #program: ExportedProgram;
  readonly #device: Device;
  readonly #writes: readonly OutputSpec[];
  /** Those that the user gets. */
  readonly #outputs: readonly OutputSpec[];
  /** Whether nothing is written, and the outputs are different values. */
  readonly #isPlain: boolean;

  constructor(program: ExportedProgram, device: Device) {
    const { outputSpecs } = program.graphSignature;
    this.#program = program;
    this.#device = device;
    this.#writes = outputSpecs.filter(({ kind }) => MUTATIONS.has(kind));
    this.#outputs = outputSpecs.filter(({ kind }) => !MUTATIONS.has(kind) && kind !== "TOKEN");
    const names = this.#outputs.flatMap(({ arg }) => (arg.kind === "constant" ? [] : [arg.name]));
    this.#isPlain = this.#writes.length === 0 && new Set(names).size === this.#outputs.length;
  }

  /**
   * Returns the outputs of a program that writes to nothing, where all are different values that
   * stay on the device; undefined for others.
   */
  onDevice(end: RunEnd): Value[] | undefined {
    if (!this.#isPlain) return undefined;
    const { values, stays } = end;
    const found: DeviceValue[] = [];
    for (const [at, { arg }] of this.#outputs.entries()) {
      const value = values.get(arg.name as string);
      if (!stays(at) || !(value instanceof DeviceValue)) return undefined;
      found.push(value);
    }
    return this.#outputs.map(({ arg }, at) => this.#tensor(arg.name as string, found[at]!, end));
  }

  /**
   * Writes mutations back, and returns the user's outputs, with the strides of the program; one
   * that is a mutated value is the mutated tensor.
   */
  async of(end: RunEnd): Promise<Value[]> {
    const mutations = this.#mutations(end);
    const swaps = this.#swaps(mutations);
    for (const { held } of swaps) held.retain();
    try {
      const swapped = new Set(swaps.map(({ name }) => name));
      const copied = mutations.filter(({ name }) => !swapped.has(name));
      const hosts = await this.#copies(end, swapped, copied);
      // All are read before one is written.
      const writes = copied.map(
        ({ name, place }): Write => ({ name, place, value: hosts.get(name) as Tensor }),
      );
      const written = writes.length === 0 ? new Map<string, Tensor>() : writeBack(writes);
      const kept = this.#kept(end, swapped);
      for (const { name, place, storage, held } of swaps) {
        storage.take(held, place);
        written.set(name, place);
      }
      return this.#outputs.map(({ arg }, at) => {
        if (arg.kind === "constant") return unwrapFloat(arg.value) as Value;
        const { name } = arg;
        return written.get(name) ?? (end.stays(at) ? kept.get(name) : undefined) ?? hosts.get(name) ?? null;
      });
    } finally {
      for (const { held } of swaps) held.release();
    }
  }

  #mutations({ values, own }: RunEnd): readonly Mutation[] {
    if (this.#writes.length === 0) return [];
    return this.#writes.flatMap(({ kind, target, arg: { name } }): Mutation[] => {
      const value = values.get(name);
      const place = kind === "USER_INPUT_MUTATION" ? values.get(target ?? "") : own.get(target ?? "");
      const isTensors = (value instanceof Tensor || value instanceof DeviceValue) && place instanceof Tensor;
      return isTensors ? [{ name, place, value }] : [];
    });
  }

  /** Returns the writes that only give a storage another buffer. */
  #swaps(mutations: readonly Mutation[]): readonly Swap[] {
    return mutations.flatMap(({ name, place, value }): Swap[] => {
      const { storage } = place;
      if (!(storage instanceof DeviceStorage) || !storage.canTake || !isWhole(place)) return [];
      if (mutations.filter((one) => one.place.storage === storage).length > 1) return [];
      if (value.dtype !== place.dtype || value.shape.join() !== place.shape.join()) return [];
      const held = value instanceof DeviceValue ? value.held : heldBy(value, this.#device);
      return held === undefined ? [] : [{ name, place, storage, held }];
    });
  }

  /** Values that the host needs, by their names. */
  async #copies(
    end: RunEnd,
    swapped: ReadonlySet<string>,
    copied: readonly Mutation[],
  ): Promise<ReadonlyMap<string, Value>> {
    const { values, stays, toHost } = end;
    const names = new Set(copied.map(({ name }) => name));
    this.#outputs.forEach(({ arg }, at) => {
      if (arg.kind === "constant" || swapped.has(arg.name)) return;
      if (!stays(at) || !(values.get(arg.name) instanceof DeviceValue)) names.add(arg.name);
    });
    const hosts = new Map<string, Value>();
    const waiting: Promise<void>[] = [];
    // All are asked for before one is waited for.
    for (const name of names) {
      const value = values.get(name) ?? null;
      if (!(value instanceof DeviceValue)) {
        hosts.set(name, value);
        continue;
      }
      const { strides } = this.#layout(name, value, end);
      const put = (copy: Tensor): void => {
        hosts.set(
          name,
          inMemory(`%${name}`, () => copy.withLayout(strides, 0)),
        );
      };
      const copy = toHost(value);
      if (copy instanceof Promise) waiting.push(copy.then(put));
      else put(copy);
    }
    if (waiting.length > 0) await Promise.all(waiting);
    return hosts;
  }

  /** Tensors of the results that stay on the device. */
  #kept(end: RunEnd, swapped: ReadonlySet<string>): ReadonlyMap<string, Tensor> {
    const { values, stays } = end;
    const kept = new Map<string, Tensor>();
    this.#outputs.forEach(({ arg }, at) => {
      if (arg.kind === "constant" || !stays(at) || swapped.has(arg.name) || kept.has(arg.name)) return;
      const value = values.get(arg.name);
      if (!(value instanceof DeviceValue)) return;
      kept.set(arg.name, this.#tensor(arg.name, value, end));
    });
    return kept;
  }

  #tensor(name: string, value: DeviceValue, end: RunEnd): Tensor {
    return DeviceStorage.tensor(value.held, this.#layout(name, value, end), value.range);
  }

  /**
   * Returns how PyTorch's result lies in memory. Where that is not known, each element has a
   * separate place: recorded strides may be those of an expanded example.
   */
  #layout(name: string, { dtype, shape }: DeviceValue, { sizes, others }: RunEnd): Layout {
    const { val } = this.#program.graph.node(name).meta;
    const value = others?.has(name) === true ? others.get(name) : val;
    const strides = value instanceof FakeTensor ? knownStrides(value, sizes) : undefined;
    return { dtype, shape, strides: strides ?? contiguousStrides(shape) };
  }
}

/** Undefined where a stride is not known. */
function knownStrides({ strides }: FakeTensor, sizes: Bindings): number[] | undefined {
  const known: number[] = [];
  for (const stride of strides) {
    const number = knownSize(stride, sizes);
    if (number === undefined) return undefined;
    known.push(number);
  }
  return known;
}

/** Returns whether a tensor has all elements of its storage, in row-major order. */
const isWhole = ({ dtype, isContiguous, storageOffset, numel, storage }: Tensor): boolean =>
  isContiguous && storageOffset === 0 && numel * dtypeInfo(dtype).itemSize === storage.byteLength;
