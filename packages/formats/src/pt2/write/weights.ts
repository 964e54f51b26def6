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

/** A folder of tensors: where its entries lie, and what they are called. */
export interface PayloadFolder {
  readonly folder: string;
  readonly config: string;
  /** `weight_` or `tensor_`. */
  readonly prefix: string;
}

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

/** The entries of the tensors, and then that of their configuration. */
export function* payloadEntries(
  tensors: ReadonlyMap<string, Tensor>,
  { folder, config, prefix }: PayloadFolder,
  context: PayloadContext,
): Generator<StreamedContent, void> {
  const described = new Map<string, PythonJson>();
  for (const [i, { storage, members }] of groupsOf(tensors).entries()) {
    const path = `${prefix}${i}`;
    for (const [name, tensor] of members) described.set(name, payloadMeta(name, path, tensor, context));
    yield {
      name: folder + path,
      size: storage.hasValues ? storage.byteLength : 0,
      pieces: storage.hasValues ? storage.pieces(context.signal) : [],
    };
  }
  yield textEntry(folder + config, jsonDumps({ config: described }));
}

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
