/** @file The files of `packages/testing/fixtures`. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

/** The folder of all of them; it ends with `/`. */
export const FIXTURES = fileURLToPath(new URL("../../testing/fixtures/", import.meta.url));

/** The folder of the programs that PyTorch exported; it ends with `/`. */
export const PROGRAMS = `${FIXTURES}programs/`;

/** Returns the text of a file, unpacked where its name ends with `.gz` or `.br`. */
export function fixtureText(path: string): string {
  const bytes = readFileSync(FIXTURES + path);
  if (path.endsWith(".br")) return brotliDecompressSync(bytes).toString();
  return (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
}

/** Returns the value of a JSON file, unpacked where its name ends with `.gz`. */
export const fixtureJson = (path: string): unknown => JSON.parse(fixtureText(path));
