/** @file Program files of all formats: archives, IR text with its tensors, JSON IR. */
import type { LongWorkOptions } from "@sconce/errors";
import { type ByteSource, type RandomAccess, readPt2 } from "@sconce/formats";
import type { JsonIR } from "@sconce/formats/json-ir";
import type { ExportedProgram } from "@sconce/ir";
import type { ParseIrOptions } from "@sconce/ir/text";
import { readSafetensors, type Tensor } from "@sconce/tensor";
import { notIrText } from "../errors.js";
import { withoutTensors } from "./sir-text.js";

/** What the formats of text need; it is loaded when there is such a file. */
export interface TextReaders {
  readonly parseIr: (text: string, options: ParseIrOptions) => ExportedProgram;
  readonly programFromIR: (ir: JsonIR) => ExportedProgram;
}

/** Where a program comes from. */
export type ProgramSource = Blob | RandomAccess;

const START_BYTES = 4096;
const IR_TEXT = /^(?:\s|\/\/[^\n]*(?:\n|$))*(?:sconce-ir\b|program\s*"|symbol\s+\w)/;
const IR_NAME = /\.s?ir$/i;
const JSON_IR =
  /^\s*\{\s*"(?:model_name|pytorch_version|graph_inputs|graph_outputs|weights|weight_name_mapping|nodes|constants)"/;

/**
 * Reads a program; its first bytes decide the format. Weights of archives stay in the source.
 * @param beside the name of the file, and a safetensors file beside IR text
 * @throws SconceError `OTHER_FORMAT` for a file with the name of IR text and another content
 */
export async function readProgram(
  source: ProgramSource,
  readers: () => Promise<TextReaders>,
  work: LongWorkOptions,
  beside: { readonly name?: string; readonly tensors?: Blob | undefined } = {},
): Promise<ExportedProgram> {
  const { name = "", tensors } = beside;
  const start = new TextDecoder().decode(await bytesOf(source, START_BYTES));
  if (JSON_IR.test(start)) {
    const [{ readJsonIR }, { programFromIR }] = await Promise.all([
      import("@sconce/formats/json-ir"),
      readers(),
    ]);
    return programFromIR(readJsonIR(await bytesOf(source)));
  }
  if (IR_NAME.test(name) && !IR_TEXT.test(start) && !start.startsWith("PK"))
    throw notIrText(name, start.trimStart().split("\n", 1)[0]!);
  if (!IR_TEXT.test(start))
    return readPt2(source as ByteSource, { ...work, weights: "lazy", unknownOperators: "keep" });
  const whole = new TextDecoder("utf-8", { fatal: true }).decode(await bytesOf(source));
  const [{ parseIr }, inText] = await Promise.all([readers(), withoutTensors(whole)]);
  const bytes = inText?.tensors ?? (tensors && new Uint8Array(await tensors.arrayBuffer()));
  if (bytes === undefined) return parseIr(whole, {});
  return parseIr(inText?.text ?? whole, { tensors: allNames(readSafetensors(bytes)) });
}

/** The metadata name tensors that are the same as another one. */
function allNames({ tensors, metadata }: ReturnType<typeof readSafetensors>): Map<string, Tensor> {
  const all = new Map(tensors);
  for (const [name, kept] of metadata) {
    const tensor = tensors.get(kept);
    if (tensor !== undefined && !all.has(name)) all.set(name, tensor);
  }
  return all;
}

async function bytesOf(source: ProgramSource, most = Number.POSITIVE_INFINITY): Promise<Uint8Array> {
  const length = Math.min(source.size, most);
  if (source instanceof Blob) return new Uint8Array(await source.slice(0, length).arrayBuffer());
  return source.read(0, length);
}
