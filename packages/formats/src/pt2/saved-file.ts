/** @file `torch.save` files of an exported program. */
import { parseJson } from "../json/parse.js";
import { Place } from "../json/place.js";
import { readTorchFile, SavedTensor } from "../torch-save/tensor-file.js";
import type { ZipOptions } from "../zip/archive.js";
import { staticLayout } from "./static-layout.js";
import { SymbolTable } from "./symbol-table.js";
import { valueReaders } from "./values.js";
import type { Payload } from "./weights.js";

/**
 * The saved value; fake tensors in it become tensors without values. @throws SconceError
 * `PICKLE_*`, `ZIP_*`, `JSON_*`, `PT2_*`
 */
export const readSavedFile = (bytes: Uint8Array, where: string, options: ZipOptions): unknown =>
  readTorchFile(bytes, where, {
    ...options,
    fakeTensor: (json, file) => {
      const { tensor } = valueReaders(new SymbolTable(options.budget));
      return staticLayout(tensor(parseJson(json, file, options.budget), new Place(file)));
    },
  });

/** A payload from a pickled dict of tensors, as older files have it. */
export function payloadFromPickle(saved: unknown, file: string): Payload {
  const place = new Place(file);
  const payload: Payload = { tensors: new Map(), parameterNames: new Set() };
  if (!(saved instanceof Map)) throw place.fail("PT2_WEIGHT", "the saved value is not a dict of tensors");
  for (const [name, value] of saved) {
    if (typeof name !== "string" || !(value instanceof SavedTensor)) {
      throw place.fail(
        "PT2_USE_PICKLE",
        `the entry ${JSON.stringify(typeof name === "string" ? name.slice(0, 100) : typeof name)} is not a plain tensor`,
      );
    }
    payload.tensors.set(name, value.tensor);
    if (value.isParameter) payload.parameterNames.add(name);
  }
  return payload;
}
