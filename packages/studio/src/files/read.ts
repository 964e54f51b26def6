/** @file Program files of all formats: archives, IR text with its tensors, JSON IR. */
import { isSconceError, type LongWorkOptions } from "@sconce/errors";
import { type ByteSource, type RandomAccess, readPt2 } from "@sconce/formats";
import type { JsonIR } from "@sconce/formats/json-ir";
import { programFormat, withNamedFormat } from "@sconce/formats/program-format";
import type { ExportedProgram } from "@sconce/ir";
import type { ParseIrOptions } from "@sconce/ir/text";
import { readSafetensors, withOtherNames } from "@sconce/tensor";
import { withoutTensors } from "./sir-text.js";

/** What the formats of text need; it is loaded when there is such a file. */
export interface TextReaders {
  readonly parseIr: (text: string, options: ParseIrOptions) => ExportedProgram;
  readonly programFromIR: (ir: JsonIR) => ExportedProgram;
}

/** Where a program comes from. */
export type ProgramSource = Blob | RandomAccess;

/** First bytes that decide the format. */
const START_BYTES = 4096;

/**
 * Reads a program; its first bytes decide the format. Weights of archives stay in the source.
 * @param beside the name of the file, and a safetensors file beside IR text
 * @throws SconceError `OTHER_FORMAT` for a file with the name of IR text or JSON IR and another
 * content
 */
export async function readProgram(
  source: ProgramSource,
  readers: () => Promise<TextReaders>,
  work: LongWorkOptions,
  beside: { readonly name?: string; readonly tensors?: Blob | undefined } = {},
): Promise<ExportedProgram> {
  const { name = "", tensors } = beside;
  const start = await bytesOf(source, START_BYTES);
  const format = await programFormat(start, name, source.size).catch((error: unknown) => {
    throw isSconceError(error) ? error.at(name) : error;
  });
  if (format === "json-ir") {
    const [{ readJsonIR }, { programFromIR }] = await Promise.all([
      import("@sconce/formats/json-ir"),
      readers(),
    ]);
    return programFromIR(readJsonIR(await bytesOf(source)));
  }
  if (format === "pt2") return readArchive(source, name, work);
  const whole = new TextDecoder("utf-8", { fatal: true }).decode(await bytesOf(source));
  const [{ parseIr }, inText] = await Promise.all([readers(), withoutTensors(whole)]);
  const bytes = inText?.tensors ?? (tensors && new Uint8Array(await tensors.arrayBuffer()));
  if (bytes === undefined) return parseIr(whole, {});
  return parseIr(inText?.text ?? whole, { tensors: withOtherNames(readSafetensors(bytes)) });
}

async function readArchive(
  source: ProgramSource,
  name: string,
  work: LongWorkOptions,
): Promise<ExportedProgram> {
  try {
    return await readPt2(source as ByteSource, { ...work, weights: "lazy", unknownOperators: "keep" });
  } catch (error) {
    throw withNamedFormat(error, name);
  }
}

async function bytesOf(source: ProgramSource, most = Number.POSITIVE_INFINITY): Promise<Uint8Array> {
  const length = Math.min(source.size, most);
  if (source instanceof Blob) return new Uint8Array(await source.slice(0, length).arrayBuffer());
  return source.read(0, length);
}
