/** @file Weights and constants: raw records, viewed in place. */

import type { Budget } from "@sconce/errors";
import type { FakeTensor } from "@sconce/ir";
import { dtypeInfo, requiredBytes, Storage, Tensor } from "@sconce/tensor";
import { parseJson } from "../json/parse.js";
import { Place, type Read, readBoolean, readDict, readObject, readString } from "../json/place.js";
import { aligned } from "../zip/bytes.js";
import { readWeightMeta, staticLayout } from "./static-layout.js";

/** Named tensors, and which of them are parameters. */
export interface Payload {
  readonly tensors: Map<string, Tensor>;
  readonly parameterNames: Set<string>;
}

interface PayloadMeta {
  readonly path: string;
  readonly isParameter: boolean;
  readonly meta: FakeTensor;
}

const payloadMetaReader =
  (tensorMeta: Read<FakeTensor>): Read<PayloadMeta> =>
  (value, place) => {
    const object = readObject(value, place);
    const path = place.field(object, "path_name", readString);
    if (place.field(object, "use_pickle", readBoolean)) throw pickled(place, path);
    if (object.get("tensor_meta") === undefined)
      throw place.fail("PT2_FIELD", 'the field "tensor_meta" is missing');
    const meta = place.optional(object, "tensor_meta", tensorMeta, null);
    if (meta === null) throw pickled(place, path);
    return { path, isParameter: place.field(object, "is_param", readBoolean), meta };
  };

const pickled = (place: Place, path: string) =>
  place.fail("PT2_USE_PICKLE", `"${path.slice(0, 100)}" is a pickled Python object, which is never unpacked`);

/**
 * Returns the storage of a record of the folder, or undefined when there is none; its bytes begin
 * at a multiple of `alignment`.
 */
export type RecordReader = (name: string, alignment: number) => Promise<Storage | undefined>;

/** Returns records as storages whose bytes are read at once. */
export const storagesOf =
  (bytesOf: (name: string) => Promise<Uint8Array | undefined>): RecordReader =>
  async (name, alignment) => {
    const bytes = await bytesOf(name);
    return bytes && new Storage(aligned(bytes, alignment));
  };

/**
 * Reads a payload configuration and the records that it names; entries that share a record share a
 * storage.
 * @throws SconceError `PT2_WEIGHT`, `PT2_USE_PICKLE`, `PT2_MISSING_RECORD`, and those of the JSON
 * reader
 */
export async function readPayload(
  config: Uint8Array,
  file: string,
  budget: Budget,
  record: RecordReader,
): Promise<Payload> {
  const place = new Place(file);
  const root = readObject(parseJson(config, file, budget), place);
  const metas = place.field(root, "config", readDict(payloadMetaReader(readWeightMeta)));
  const records = new Map<string, SharedRecord>();
  const payload: Payload = { tensors: new Map(), parameterNames: new Set() };
  for (const [name, { path, isParameter, meta }] of metas) {
    const fail = (message: string) =>
      place.at("config", null, (_, at) => at.at(name, null, () => at.fail("PT2_WEIGHT", message)));
    let shared = records.get(path);
    if (shared === undefined) {
      const storage = await record(path, dtypeInfo(meta.dtype).array.BYTES_PER_ELEMENT);
      if (storage === undefined) {
        throw place.fail(
          "PT2_MISSING_RECORD",
          `the record "${path.slice(0, 200)}" of "${name}" is not in the archive`,
        );
      }
      shared = { storage, dtype: meta.dtype };
      records.set(path, shared);
    }
    if (shared.dtype !== meta.dtype && shared.storage.byteLength > 0)
      throw fail(`the record "${path}" is ${shared.dtype} for one entry and ${meta.dtype} for this`);
    payload.tensors.set(name, viewRecord(shared.storage, meta, fail));
    if (isParameter) payload.parameterNames.add(name);
  }
  return payload;
}

interface SharedRecord {
  readonly storage: Storage;
  readonly dtype: FakeTensor["dtype"];
}

function viewRecord(storage: Storage, meta: FakeTensor, fail: (message: string) => Error): Tensor {
  // The reader of the metadata refuses symbolic sizes.
  const layout = staticLayout(meta)!;
  const { dtype, shape, strides, storageOffset } = layout;
  const { itemSize } = dtypeInfo(dtype);
  if (meta.layout !== "strided") throw fail(`a weight of layout ${meta.layout}`);
  if (storage.byteLength % itemSize !== 0) {
    throw fail(
      `the record's ${storage.byteLength} bytes are not a multiple of the ${itemSize} of one ${dtype}`,
    );
  }
  const needed = requiredBytes(shape, strides, storageOffset, itemSize);
  if (needed > storage.byteLength) {
    // PyTorch writes all tensors of the meta device, and all fake ones of any device, to one record
    // of no bytes.
    if (storage.byteLength === 0 && Number.isSafeInteger(needed)) return Tensor.withoutValues(layout);
    throw fail(
      `sizes [${shape.join(", ")}] and strides [${strides.join(", ")}] need ${needed} bytes; the record has ${storage.byteLength}`,
    );
  }
  return new Tensor({ ...layout, storage });
}
