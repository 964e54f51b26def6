/** @file All programs of an archive, and the error for one that it does not have. */
import { type SconceError, visibleLine } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { pt2Error } from "../errors.js";
import type { CountedOptions } from "./assemble.js";
import type { PT2ArchiveContents } from "./options.js";
import { RECORDS } from "./schema.js";

/** An archive, whose programs are read by name. */
interface Archive {
  names(): Promise<readonly string[]>;
  program(name: string): Promise<ExportedProgram>;
  extraFiles(): Promise<ReadonlyMap<string, Uint8Array>>;
  checkOthers(): Promise<void>;
  has(folder: string): boolean;
}

/** Reads the programs one after another, and the files beside them. */
export async function allPrograms(
  reader: Archive,
  { onWarning }: CountedOptions,
): Promise<PT2ArchiveContents> {
  const exportedPrograms = new Map<string, ExportedProgram>();
  for (const name of await reader.names()) exportedPrograms.set(name, await reader.program(name));
  const extraFiles = await reader.extraFiles();
  await reader.checkOthers();
  if (reader.has(RECORDS.compiled))
    onWarning?.("the archive holds native code that AOTInductor compiled, which is not read");
  return { exportedPrograms, extraFiles };
}

/**
 * Returns the error when the archive has no program of this name; `folder` is where programs are.
 */
export function noModel(wanted: string, names: readonly string[], folder: string): SconceError {
  if (names.length === 0) return pt2Error("PT2_NO_MODEL", "the archive holds no exported program", folder);
  return pt2Error(
    "PT2_NO_MODEL",
    `the archive holds no program named "${visibleLine(wanted)}"`,
    folder,
    `give one of these as the option "model": ${names.slice(0, 10).map(visibleLine).join(", ")}`,
  );
}
