/** @file JSON IR files: programs as static graphs of tensors, with their weights elsewhere. */
import { readJsonIR } from "@sconce/formats/json-ir";
import type { ExportedProgram } from "@sconce/ir";
import { programFromIR, type Sconce } from "@sconce/session";
import { readBytes } from "./input-file.js";
import { commandWork } from "./limits.js";

const START =
  /^\s*\{\s*"(?:model_name|pytorch_version|graph_inputs|graph_outputs|weights|weight_name_mapping|nodes|constants|format": "sconce-json)"/;

/** Whether a file is JSON IR, or another JSON view of a program, by how it begins. */
export const isJsonIR = (start: Uint8Array): boolean => START.test(new TextDecoder().decode(start));

/**
 * Reads the program of a JSON IR file. @throws SconceError `JSON_IR_GRAPH` and those of its reader
 */
export async function readJsonIRFile(path: string, session: Sconce): Promise<ExportedProgram> {
  return programFromIR(readJsonIR(await readBytes(path), commandWork()), session);
}
