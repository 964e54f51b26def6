/**
 * @file Weights and constants: one entry for each storage, and the configuration that names them.
 */
import { CPU, type DeviceLiteral, device, FakeTensor } from "@sconce/ir";
import type { Storage, Tensor } from "@sconce/tensor";
import { jsonDumps, type PythonJson } from "../../json/python-json.js";
import { textEntry, type ZipContent } from "../../zip/write.js";
import type { ValueWriter } from "./values.js";

const META = /* @__PURE__ */ device("meta");
/** An entry whose content comes from memory, or from the file that it is still in. */
export type StreamedContent = ZipContent<ReturnType<Storage["pieces"]>>;

/** What the program knows of its tensors. */
export interface PayloadContext {
  readonly values: ValueWriter;
  /** Stops the reading of tensors that are not in memory. */
  readonly signal: AbortSignal | undefined;
  isParameter(name: string): boolean;
  deviceOf(name: string): DeviceLiteral | undefined;
}

/** Tensors that have one storage and one dtype. */
interface Group {
  readonly storage: Storage;
  readonly members: [string, Tensor][];
}

/**
 * Tensors by storage and dtype, in the order of their first. As in PyTorch, storages without bytes
 * and those without values are one storage each.
 */
function groupsOf(tensors: ReadonlyMap<string, Tensor>): Group[] {
  const groups: Group[] = [];
  const known = new Map<unknown, Map<string, Group>>();
  for (const [name, tensor] of tensors) {
    const { storage, dtype } = tensor;
    const key = !storage.hasValues ? "no values" : storage.byteLength === 0 ? "no bytes" : storage;
    const byDType = known.get(key) ?? new Map<string, Group>();
    known.set(key, byDType);
    let group = byDType.get(dtype);
    if (group === undefined) {
      group = { storage, members: [] };
      byDType.set(dtype, group);
      groups.push(group);
    }
    group.members.push([name, tensor]);
  }
  return groups;
}

/**
 * The records of one folder. Programs that come later refer to those of earlier ones: PyTorch's
 * loader finds records by the names that the configuration of each program gives.
 */
export class RecordFolder {
  readonly #folder: string;
  /** `weight_` or `tensor_`. */
  readonly #prefix: string;
  readonly #equal: EqualStorages;
  readonly #paths = new Map<Storage, Map<string, string>>();
  /** Entries whose names begin with the prefix: PyTorch counts these, configurations too. */
  #next = 0;

  constructor(folder: string, prefix: string, equal: EqualStorages) {
    this.#folder = folder;
    this.#prefix = prefix;
    this.#equal = equal;
  }

  /** Yields the entries of the tensors of a program, and then that of their configuration. */
  *entries(
    tensors: ReadonlyMap<string, Tensor>,
    config: string,
    context: PayloadContext,
  ): Generator<StreamedContent, void> {
    const described = new Map<string, PythonJson>();
    for (const { storage, members } of groupsOf(tensors)) {
      const dtype = members[0]![1].dtype;
      const known = this.#known(storage, dtype);
      const path = known ?? `${this.#prefix}${this.#next++}`;
      for (const [name, tensor] of members) described.set(name, payloadMeta(name, path, tensor, context));
      if (known !== undefined) continue;
      yield {
        name: this.#folder + path,
        size: storage.hasValues ? storage.byteLength : 0,
        pieces: storage.hasValues ? storage.pieces(context.signal) : [],
      };
      if (storage.hasValues && storage.byteLength > 0) this.#add(storage, dtype, path);
    }
    yield textEntry(this.#folder + config, jsonDumps({ config: described }));
    if (config.startsWith(this.#prefix)) this.#next++;
  }

  #known(storage: Storage, dtype: string): string | undefined {
    return this.#paths.get(this.#of(storage))?.get(dtype);
  }

  #add(storage: Storage, dtype: string, path: string): void {
    const paths = this.#paths.get(this.#of(storage)) ?? new Map<string, string>();
    this.#paths.set(this.#of(storage), paths.set(dtype, path));
  }

  #of(storage: Storage): Storage {
    return this.#equal.get(storage) ?? storage;
  }
}

/** The storages that another one of an earlier program represents. */
export type EqualStorages = ReadonlyMap<Storage, Storage>;

function payloadMeta(
  name: string,
  path: string,
  tensor: Tensor,
  { values, isParameter, deviceOf }: PayloadContext,
): PythonJson {
  const { dtype, shape, strides, storageOffset, requiresGrad } = tensor;
  // PyTorch reads a tensor of another device that has no bytes as zeros.
  const place = tensor.hasValues ? (deviceOf(name) ?? CPU) : META;
  const fake = new FakeTensor({ dtype, shape, strides, storageOffset, requiresGrad, device: place });
  return {
    path_name: path,
    is_param: isParameter(name),
    use_pickle: false,
    tensor_meta: values.tensor(fake),
  };
}
