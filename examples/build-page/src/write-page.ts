/** @file Builds the digit classifier as a module, beside a static page that uses it. */
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, type BuiltFile, buildModule } from "sconce/build";
import { openPt2File } from "sconce/node";

/** Writes the page and its module to a folder. Returns the files of the module. */
export async function writePage(folder: string, options: BuildOptions = {}): Promise<readonly BuiltFile[]> {
  const program = await openPt2File(new URL(import.meta.resolve("sconce/examples/digits.pt2")));
  const { files, report } = await buildModule(program, { ...options, name: "digits" });
  await mkdir(folder, { recursive: true });
  await cp(fileURLToPath(new URL("../page/", import.meta.url)), folder, { recursive: true });
  for (const [name, bytes] of files) await writeFile(join(folder, name), bytes);
  return report.files;
}
