/** @file `.sir` files: IR text, with the values of its tensors beside it as safetensors. */
import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { isSconceError } from "@sconce/errors";
import { writeFiles } from "@sconce/formats/files";
import { type ExportedProgram, missingValues, noValues } from "@sconce/ir";
import { type ParseIrOptions, parseIr, printIr, tensorsOf } from "@sconce/ir/text";
import { readSafetensors, type Storage, type Tensor, withOtherNames, writeSafetensors } from "@sconce/tensor";
import { noTensors, otherTensors, usage } from "./errors.js";
import { readBytes, STANDARD } from "./input-file.js";
import { commandWork, withCommandFix } from "./limits.js";
import {
  isOtherPair,
  linkedText,
  linkTensors,
  tensorsInText,
  textWithTensors,
  UNLINKED,
} from "./tensor-link.js";

/** Where the tensors of an IR text lie: `model.sir` has `model.safetensors`. */
export const weightsPath = (path: string): string => `${path.replace(/\.sir$/i, "")}.safetensors`;

type Parse = (text: string, options?: ParseIrOptions) => ExportedProgram;

type Stored = ReturnType<typeof readSafetensors>;

/** A text, and its tensors where there are any. */
interface Pair {
  readonly text: Uint8Array;
  readonly stored?: Stored;
  /** Where the tensors come from, for errors. */
  readonly from: string;
  /** Why the file of tensors cannot be read. */
  readonly missing?: unknown;
}

/**
 * Reads a program of IR text with its tensors: those at its end, else those beside it. With
 * `needsTensors` false, and from standard input, they may be missing: what the text declares then
 * has no values. `parse` reads the text: that of a session knows its operators.
 * @throws SconceError `IR_SYNTAX`, `UNKNOWN_TARGET`, `IR_TENSOR`, `SAFETENSORS`, `TENSORS_MISMATCH`
 * when text and tensors were not written together, `FILE` when it declares tensors and no file has
 * them
 */
export async function readSir(
  path: string,
  needsTensors = true,
  parse: Parse = parseIr,
): Promise<ExportedProgram> {
  const { text, stored, from, missing } = await readPair(path);
  if (stored === undefined && (!needsTensors || path === STANDARD)) return parse(decoded(text));
  const tensors = stored === undefined ? new Map<string, Tensor>() : withOtherNames(stored);
  try {
    return parse(decoded(text), { tensors });
  } catch (error) {
    throw missing !== undefined && isSconceError(error, "IR_TENSOR") ? noTensors(from, missing) : error;
  }
}

/** Readers look again so often: a writer may be between the names of its two files. */
const ATTEMPTS = 5;
const PAUSE_MS = 20;

async function readPair(path: string): Promise<Pair> {
  for (let attempt = 1; ; attempt++) {
    const text = await readBytes(path);
    const inText = tensorsInText(text);
    if (inText !== undefined)
      return { text: inText.text, stored: storedIn(inText.tensors, path), from: path };
    const from = weightsPath(path);
    if (path === STANDARD) return { text, from };
    let bytes: Uint8Array;
    try {
      bytes = await readFile(from);
    } catch (missing) {
      return { text, from, missing };
    }
    const stored = storedIn(bytes, from);
    if (!isOtherPair(text, stored.metadata)) return { text, stored, from };
    if (attempt === ATTEMPTS) throw otherTensors(path, from);
    await setTimeout(PAUSE_MS);
  }
}

function storedIn(bytes: Uint8Array, path: string): Stored {
  try {
    return readSafetensors(bytes, commandWork());
  } catch (error) {
    throw isSconceError(error) ? withCommandFix(error).at(path) : error;
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
 * Writes a program as IR text and its tensors beside it: both or, where one cannot be written,
 * none.
 * @throws SconceError `FILE`, `DTYPE` for tensors that safetensors cannot hold, `NO_VALUES` for
 * state without values
 */
export async function writeSir(path: string, program: ExportedProgram): Promise<void> {
  const tensors = weightBytes(program, UNLINKED);
  const checksum = linkTensors(tensors);
  // The tensors first: a text without its tensors is of no use.
  await writeFiles([
    [weightsPath(path), tensors],
    [path, linkedText(printIr(program), checksum)],
  ]);
}

/**
 * Yields a program as one text, its tensors at the end, in pieces.
 * @throws SconceError `DTYPE`, `NO_VALUES`
 */
export function sirWithTensors(program: ExportedProgram): Iterable<string> {
  const text = printIr(program);
  const hasTensors = [...tensorsOf(program)].some(([, tensor]) => tensor.hasValues);
  return hasTensors ? textWithTensors(text, weightBytes(program)) : [text];
}

/**
 * Refuses a program whose weights cannot be written. @throws SconceError `NO_VALUES` with every
 * tensor that has none
 */
export function requireWeights(program: ExportedProgram): void {
  const missing = missingValues(program);
  if (missing.length > 0) throw noValues("writing the weights", missing, program);
}

function weightBytes(program: ExportedProgram, metadata: Readonly<Record<string, string>> = {}): Uint8Array {
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
  const all = { ...metadata, ...Object.fromEntries(shared) };
  return writeSafetensors(kept, Object.keys(all).length === 0 ? undefined : all);
}
