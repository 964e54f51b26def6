/** @file Versions as files. */
import type { LongWorkOptions } from "@sconce/errors";
import { jsonIRText } from "@sconce/formats/json-ir";
import type { ExportedProgram } from "@sconce/ir";
import { printIr, tensorsOf } from "@sconce/ir/text";
import { extractIR, type Sconce } from "@sconce/session";
import { writeSafetensors } from "@sconce/tensor";
import { withTensors } from "../files/sir-text.js";
import type { SaveFormat } from "./protocol.js";

/** Returns a version as a file for PyTorch, IR text with its tensors, or JSON IR. */
export async function savedProgram(
  program: ExportedProgram,
  session: Sconce,
  format: SaveFormat,
  name: string,
  work: LongWorkOptions,
): Promise<Blob> {
  if (format === "json") return new Blob([jsonIRText(extractIR(program, { modelName: name, session }))]);
  if (format === "pt2") return new Blob([(await session.save(program, work)) as Uint8Array<ArrayBuffer>]);
  const tensors = [...tensorsOf(program)].filter(([, tensor]) => tensor.hasValues);
  const text = printIr(program);
  if (tensors.length === 0) return new Blob([text]);
  return new Blob(await withTensors(text, writeSafetensors(tensors) as Uint8Array<ArrayBuffer>));
}
