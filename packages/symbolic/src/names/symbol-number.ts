import { sha256 } from "./sha256.js";

/**
 * Returns the number that PyTorch gives the symbol of an input size: the hash of the source's name,
 * modulo 100 (`ShapeEnv._generate_unique_id`). `L['x'].size()[0]` gives 77. A symbol whose number
 * is taken gets the next free one.
 */
export function symbolNumber(source: string): number {
  return sha256(source).reduce((rest, word) => (rest * (2 ** 32 % 100) + (word % 100)) % 100, 0);
}
