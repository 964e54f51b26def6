import type { ExportedProgram } from "@sconce/ir";
import { bytesOf } from "../weights/stored.js";

/** Returns the bytes of the state and the constants; tied tensors count once. */
export function stateBytes({ stateDict, constants }: ExportedProgram): number {
  const seen = new Set<unknown>();
  return [...stateDict.values(), ...constants.values()].reduce((sum, tensor) => {
    if (seen.has(tensor.storage)) return sum;
    seen.add(tensor.storage);
    return sum + bytesOf([tensor]);
  }, 0);
}
