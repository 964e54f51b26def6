/** @file `torch.save` files of an exported program. */
import { type Budget, isSconceError } from "@sconce/errors";
import type { Storage } from "@sconce/tensor";
import { parseJson } from "../json/parse.js";
import { Place } from "../json/place.js";
import {
  readOpenTorchFile,
  readTorchFile,
  SavedTensor,
  type TorchFileOptions,
} from "../torch-save/tensor-file.js";
import { ZipArchive, type ZipOptions } from "../zip/archive.js";
import { EntryAccess, lazyRecord } from "./lazy-records.js";
import type { ReadPt2Options } from "./options.js";
import { staticLayout } from "./static-layout.js";
import { SymbolTable } from "./symbol-table.js";
import { valueReaders } from "./values.js";
import type { Payload } from "./weights.js";

/**
 * Returns the saved value; fake tensors in it become tensors without values. @throws SconceError
 * `PICKLE_*`, `ZIP_*`, `JSON_*`, `PT2_*`
 */
export function readSavedFile(bytes: Uint8Array, where: string, options: ZipOptions): unknown {
  try {
    return readTorchFile(bytes, where, { ...options, fakeTensor: fakeTensorReader(options.budget) });
  } catch (error) {
    // Places in an archive within the archive.
    throw isSconceError(error) && error.code.startsWith("ZIP_") ? error.at(where) : error;
  }
}

const fakeTensorReader =
  (budget: Budget): NonNullable<TorchFileOptions["fakeTensor"]> =>
  (json, file) =>
    staticLayout(
      valueReaders(new SymbolTable(budget)).tensor(parseJson(json, file, budget), new Place(file)),
    );

/** Bytes of the widest element: a storage may be viewed by several dtypes. */
const LARGEST_ELEMENT = 16;

/** Returns whether an entry holds an archive whose parts can be read by themselves. */
export function isReadByRanges(zip: ZipArchive, name: string): boolean {
  const entry = zip.entry(name);
  return entry !== undefined && entry.method === 0 && entry.size > 0;
}

/**
 * Returns the saved value, without the bytes of its tensors: they stay in the file until they are
 * asked for. @throws SconceError `PICKLE_*`, `ZIP_*`, `JSON_*`, `PT2_*`
 */
export async function readLazySavedFile(
  zip: ZipArchive,
  entry: string,
  { budget, limits }: ZipOptions & Pick<ReadPt2Options, "limits">,
): Promise<unknown> {
  const inner = await ZipArchive.open(new EntryAccess(zip, entry), { budget });
  const storage = (name: string): Storage =>
    lazyRecord(inner, name, { alignment: LARGEST_ELEMENT, limits, name: `${entry} ${name}` });
  return readOpenTorchFile(inner, entry, { budget, fakeTensor: fakeTensorReader(budget), storage });
}

/** Returns a payload from a pickled dict of tensors, as older files have it. */
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
