import { basename } from "node:path";
import { STANDARD } from "./input-file.js";

/**
 * Returns the name of a program file without its ending, as far as names of modules and of models
 * have its letters: others become `_`.
 */
export function fileStem(file: string): string {
  if (file === STANDARD) return "model";
  const name = basename(file)
    .replace(/\.(pt2|sir|json)$/i, "")
    .replace(/[^A-Za-z0-9._-]/g, "_")
    .replace(/^[.-]+/, "");
  return name === "" ? "model" : name.slice(0, 100);
}
