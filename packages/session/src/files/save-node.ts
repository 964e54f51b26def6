/// <reference types="node" />
/** @file Saving programs to paths, for Node.js. */
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { writeFiles } from "@sconce/formats/files";
import { type ExportedProgram, requireProgram } from "@sconce/ir";
import {
  namedPrograms,
  type PackageOptions,
  type PackagePrograms,
  packagedPieces,
} from "./package-programs.js";
import { type SaveOptions, savedPieces } from "./save.js";

/**
 * Writes a program as a `.pt2` file that `torch.export.load` of PyTorch 2.14 reads
 * (`torch.export.save`). Tensors are written from the program's memory, piece by piece. The file is
 * complete under a temporary name beside the target before it takes its name: an error, a signal
 * or the end of the process leave what was there.
 *
 * @throws SconceError `NOT_SAVABLE` with the node, `UNSAFE_TEXT` for names that PyTorch would run,
 * `FILE`, `OPTION_VALUE`, `TREE_NOT_SERIALIZABLE`, `ABORTED`
 */
export async function savePt2File(
  program: ExportedProgram,
  path: string | URL,
  options: SaveOptions = {},
): Promise<void> {
  requireProgram(program, "savePt2File");
  const target = pathOf(path);
  const pieces = await savedPieces(program, { ...options, folder: folderFor(target) });
  await writeFiles([[target, pieces]]);
}

/**
 * Writes several programs as one `.pt2` file that `load_pt2` of PyTorch 2.14 reads (`package_pt2`
 * of `torch.export.pt2_archive`), as {@link savePt2File} writes one.
 *
 * @throws SconceError as `Sconce.packagePt2` without the verifier, and {@link savePt2File}
 */
export async function packagePt2File(
  programs: PackagePrograms,
  path: string | URL,
  options: PackageOptions = {},
): Promise<void> {
  const target = pathOf(path);
  const pieces = await packagedPieces(namedPrograms(programs), { ...options, folder: folderFor(target) });
  await writeFiles([[target, pieces]]);
}

const pathOf = (path: string | URL): string => (typeof path === "string" ? path : fileURLToPath(path));

/**
 * Returns the folder of all entries: the name of the file without its last extension, as in
 * PyTorch.
 */
function folderFor(path: string): string | undefined {
  const name = basename(path).replace(/\.[^.]*$/, "");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: names of entries hold none
  return name === "" || name === "." || name === ".." || /[\\\u0000]|^[a-zA-Z]:/.test(name)
    ? undefined
    : name;
}
