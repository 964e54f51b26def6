import { usage } from "../errors.js";

/** Refuses names of files that are not IR text. */
export function requireSirName(output: string): void {
  if (/\.(pt2|safetensors)$/i.test(output))
    throw usage(`${output} cannot be written: the result is IR text`, "name it OUT.sir");
}
