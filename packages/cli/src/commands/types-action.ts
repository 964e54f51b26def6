/** @file Writes the types of the calls of a program. */
import { typeDeclarations } from "@sconce/capture/typescript";
import { requireFolder, writeFiles } from "@sconce/formats/files";
import { STANDARD } from "../input-file.js";
import type { SafeIo } from "../io.js";
import { openProgram } from "../open.js";
import { openSession } from "../session.js";

export interface TypesOptions {
  readonly output: string;
  readonly plugin?: readonly string[];
}

export async function writeTypes(file: string, options: TypesOptions, io: SafeIo): Promise<void> {
  const { output } = options;
  if (output !== STANDARD) await requireFolder(output);
  const session = await openSession(io, options.plugin, undefined, [file]);
  const text = typeDeclarations(await openProgram(file, session, { weights: "lazy" }));
  if (output === STANDARD) io.exact(text);
  else {
    await writeFiles([[output, text]]);
    io.summary(`${output}: the types of calls of ${file}\n`);
  }
}
