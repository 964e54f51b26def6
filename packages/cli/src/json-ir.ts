/** @file JSON IR files: programs as graphs of tensors, with their weights elsewhere. */
import { readJsonIR } from "@sconce/formats/json-ir";
import type { ExportedProgram } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { readBytes } from "./input-file.js";
import { commandWork } from "./limits.js";

/**
 * Reads the program of a JSON IR file. @throws SconceError `JSON_IR_GRAPH` and those of its reader
 */
export async function readJsonIRFile(
  path: string,
  reader: { readonly operators: OperatorTable },
): Promise<ExportedProgram> {
  const { programFromIR } = await import("@sconce/session");
  return programFromIR(readJsonIR(await readBytes(path), commandWork()), reader);
}
