/** @file `.sir` files: IR text, with the values of its tensors beside it as safetensors. */
import { readFile } from "node:fs/promises";
import { isSconceError } from "@sconce/errors";
import {
  type ExportedProgram,
  missingValues,
  noValues,
  type ParseIrOptions,
  parseIr,
  printIr,
  tensorsOf,
} from "@sconce/ir";
import { readSafetensors, type Storage, type Tensor, writeSafetensors } from "@sconce/tensor";
import { noTensors, usage } from "./errors.js";
import { type FileContent, writeFiles } from "./write-files.js";

/** Where the tensors of an IR text lie: `model.sir` has `model.safetensors`. */
export const weightsPath = (path: string): string => `${path.replace(/\.sir$/i, "")}.safetensors`;

/** Bytes that decide what a file is. */
export const SNIFFED = 4096;
const IR_TEXT = /^(?:\s|\/\/[^\n]*(?:\n|$))*(?:sconce-(?:ir|reproducer)\b|program\s*"|symbol\s+\w)/;
const ZIP = "PK";

/** Whether a file is IR text, by how it begins; the name decides where that says nothing. */
export function isIrText(start: Uint8Array, path: string): boolean {
  const text = new TextDecoder().decode(start);
  return IR_TEXT.test(text) || (/\.sir$/i.test(path) && !text.startsWith(ZIP));
}

/**
 * Reads a program of IR text with the tensors beside it. With `needsTensors` false they may be
 * missing: what the text declares then has no values. `parse` reads the text: that of a session
 * knows its operators.
 * @throws SconceError `IR_SYNTAX`, `UNKNOWN_TARGET`, `IR_TENSOR`, `SAFETENSORS`, `FILE` when it
 * declares tensors and no file has them
 */
export async function readSir(
  path: string,
  needsTensors = true,
  parse: (text: string, options?: ParseIrOptions) => ExportedProgram = parseIr,
): Promise<ExportedProgram> {
  const text = await readFile(path);
  const beside = weightsPath(path);
  let missing: unknown;
  const bytes = await readFile(beside).catch((error: unknown) => {
    missing = error;
    return undefined;
  });
  if (bytes === undefined && !needsTensors) return parse(decoded(text));
  const tensors = bytes === undefined ? new Map<string, Tensor>() : tensorsIn(bytes, beside);
  try {
    return parse(decoded(text), { tensors });
  } catch (error) {
    throw missing !== undefined && isSconceError(error, "IR_TENSOR") ? noTensors(beside, missing) : error;
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw usage("the IR text is not UTF-8", "write the file again", error);
  }
}

/**
 * Tensors that are the same one under several names are stored once; the metadata name it, as
 * Hugging Face's files do.
 */
function tensorsIn(bytes: Uint8Array, path: string): Map<string, Tensor> {
  try {
    const { tensors, metadata } = readSafetensors(bytes);
    const all = new Map(tensors);
    for (const [name, kept] of metadata) {
      const tensor = tensors.get(kept);
      if (tensor !== undefined && !all.has(name)) all.set(name, tensor);
    }
    return all;
  } catch (error) {
    throw isSconceError(error) ? error.at(path) : error;
  }
}

/**
 * Writes a program as IR text and its tensors beside it: both or, where one cannot be written,
 * none.
 * @throws SconceError `FILE`, `DTYPE` for tensors that safetensors cannot hold, `NO_VALUES` for
 * state without values
 */
export async function writeSir(path: string, program: ExportedProgram): Promise<void> {
  await writeFiles(sirFiles(path, program));
}

/**
 * The files that make up a program of IR text, the tensors first: a text without its tensors is of
 * no use.
 */
const sirFiles = (path: string, program: ExportedProgram): readonly FileContent[] => [
  [weightsPath(path), weightBytes(program)],
  [path, printIr(program)],
];

/**
 * Refuses a program whose weights cannot be written. @throws SconceError `NO_VALUES` with every
 * tensor that has none
 */
export function requireWeights(program: ExportedProgram): void {
  const missing = missingValues(program);
  if (missing.length > 0) throw noValues("writing the weights", missing, program);
}

function weightBytes(program: ExportedProgram): Uint8Array {
  const kept: [string, Tensor][] = [];
  const shared: [string, string][] = [];
  const views = new Map<Storage, Map<string, string>>();
  requireWeights(program);
  for (const [name, tensor] of tensorsOf(program)) {
    // The text marks sample inputs that have no values.
    if (!tensor.hasValues) continue;
    const { dtype, shape, strides, storageOffset, storage } = tensor;
    const known = views.get(storage) ?? new Map<string, string>();
    views.set(storage, known);
    const view = `${dtype} ${shape.join()} ${strides.join()} ${storageOffset}`;
    const first = known.get(view);
    if (first !== undefined) shared.push([name, first]);
    else {
      known.set(view, name);
      kept.push([name, tensor]);
    }
  }
  return writeSafetensors(kept, shared.length === 0 ? undefined : Object.fromEntries(shared));
}
