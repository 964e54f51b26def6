/** @file The flat layout of torch 2.1 to 2.7: a plain zip with one file for each part. */
import { throwIfAborted } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { pt2Error } from "../errors.js";
import type { ZipArchive } from "../zip/archive.js";
import { assemble, type CountedOptions } from "./assemble.js";
import { readExtraFiles } from "./extra-files.js";
import { readProgramJson } from "./program-json.js";
import { savedInputs } from "./sample-inputs.js";
import { isReadByRanges, payloadFromPickle, readLazySavedFile, readSavedFile } from "./saved-file.js";
import { FLAT_RECORDS, SCHEMA_MAJOR } from "./schema.js";
import type { Payload } from "./weights.js";

/** @throws SconceError as `readPt2` */
export async function readFlatArchive(zip: ZipArchive, options: CountedOptions): Promise<ExportedProgram> {
  const read = new Set<string>();
  const need = async (...names: readonly string[]): Promise<[string, Uint8Array]> => {
    const name = names.find((candidate) => zip.has(candidate));
    if (name === undefined)
      throw pt2Error("PT2_MISSING_RECORD", `the archive has no entry ${names[0]}`, names[0]);
    throwIfAborted(options.signal, "load");
    read.add(name);
    return [name, await zip.read(name)];
  };
  const payload = async (names: readonly string[]): Promise<Payload> => {
    const lazy = options.weights === "lazy" ? names.find((name) => isReadByRanges(zip, name)) : undefined;
    if (lazy !== undefined) return payloadFromPickle(await readLazySavedFile(zip, lazy, options), lazy);
    const [name, bytes] = await need(...names);
    return bytes.length === 0
      ? { tensors: new Map(), parameterNames: new Set() }
      : payloadFromPickle(readSavedFile(bytes, name, options), name);
  };
  checkVersion(new TextDecoder().decode((await need(FLAT_RECORDS.version))[1]));
  const [file, json] = await need(FLAT_RECORDS.program);
  const description = await readProgramJson(json, file, options);
  const weights = await payload(FLAT_RECORDS.stateDict);
  const constants = await payload(FLAT_RECORDS.constants);
  const [inputsName, inputs] = await need(FLAT_RECORDS.sampleInputs);
  const extra = options.extraFiles && (await readExtraFiles(zip, FLAT_RECORDS.extra, read));
  if (options.weights !== "lazy") for (const name of zip.names()) if (!read.has(name)) await zip.check(name);
  const examples = savedInputs(inputs, inputsName, description, options);
  const program = assemble(file, description, weights, constants, examples);
  for (const [name, bytes] of extra ?? []) options.extraFiles!.set(name, bytes);
  return program;
}

function checkVersion(text: string): void {
  const parts = text.trim().split(".");
  if (parts.length !== 2 || parts[0] !== String(SCHEMA_MAJOR)) {
    throw pt2Error(
      "PT2_SCHEMA_VERSION",
      `schema version ${JSON.stringify(text.slice(0, 50))}; this reader knows ${SCHEMA_MAJOR}.x`,
      FLAT_RECORDS.version,
    );
  }
}
