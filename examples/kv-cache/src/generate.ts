/** @file Exports the step of a decoder with a dynamic cache, and generates tokens with it. */
import { Dim, type ExportedProgram, exportProgram, type ProgramModule, type Tensor, torch } from "sconce";
import { type Cache, Decoder } from "./decoder.js";

const LAYERS = 2;
const HEADS = 4;
const WIDTH = 32;
const POSITIONS = 64;

/** Caches of a number of past tokens, all zero. */
export function emptyCaches(past: number): Cache[] {
  const zeros = () => torch.zeros(1, HEADS, past, WIDTH / HEADS);
  return Array.from({ length: LAYERS }, () => [zeros(), zeros()]);
}

/** The decoder, with the weights that PyTorch draws for `torch.manual_seed(0)`. */
export function makeDecoder(): Decoder {
  torch.manualSeed(0);
  return new Decoder(96, WIDTH, HEADS, LAYERS, POSITIONS).eval();
}

/** The program of one step. All caches have the same number of past tokens, which is dynamic. */
export function exportStep(model: Decoder): ExportedProgram {
  const past = Dim("past", { max: POSITIONS - 1 });
  const caches = Array.from({ length: LAYERS }, () => [{ 2: past }, { 2: past }]);
  return exportProgram(model, [torch.tensor([[1]]), emptyCaches(3)], {
    dynamicShapes: { token: null, caches },
  });
}

/**
 * Feeds a prompt token by token, then the most likely token each time. The caches stay in the
 * memory of the backend, so a step copies its token and its logits.
 *
 * @param step - The compiled step.
 * @param prompt - Token ids; at least one.
 * @param count - How many tokens to generate.
 */
export async function generate(
  step: ProgramModule,
  prompt: readonly number[],
  count: number,
): Promise<number[]> {
  const generated: number[] = [];
  let caches = emptyCaches(0);
  // Output 0 is the logits, which the host reads.
  const results = caches.flat().map((_, i) => i + 1);
  for (let at = 0; generated.length < count; at++) {
    const token = prompt[at] ?? generated.at(-1)!;
    const inputs = [torch.tensor([[token]]), caches];
    const [logits, grown] = (await step.call(inputs, {}, { results })) as [Tensor, Cache[]];
    for (const cache of caches.flat()) cache.dispose();
    caches = grown;
    if (at >= prompt.length - 1) generated.push(Number(logits.argmax().item()));
  }
  for (const cache of caches.flat()) cache.dispose();
  return generated;
}
