/**
 * @file Models of the usual kinds: their programs from the fixtures, with weights and inputs made
 * of a seed.
 */
import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { fixtureText } from "./fixtures.js";

/**
 * A ResNet-18, four layers of BERT and four of GPT-2; `-small` ones are narrow, for slow devices.
 */
export const MODELS = ["resnet18", "bert4", "gpt2", "resnet18-small", "bert4-small", "gpt2-small"] as const;
export type ModelName = (typeof MODELS)[number];

export interface Model {
  readonly program: ExportedProgram;
  /** User inputs, flattened. */
  readonly inputs: readonly Tensor[];
}

/**
 * Numbers in [-1, 1) from a 32-bit xorshift generator (Marsaglia, 2003): fast, and the same
 * everywhere.
 */
function uniform(seed: number): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state / 2 ** 31;
  };
}

/**
 * Returns a model with random weights, scaled so that values neither vanish nor grow from layer to
 * layer.
 */
export function model(name: ModelName, seed = 1): Model {
  const text = fixtureText(`models/${name}.sir.gz`);
  const random = uniform(seed);
  const inputs = inputsOf(name, random);
  const tensors = new Map(inputs.map((input, i) => [`example.${i}`, input]));
  for (const [, key, type, shape] of text.matchAll(DECLARED)) {
    const sizes = shape!
      .split(",")
      .filter((size) => size.trim() !== "")
      .map(Number);
    const tensor = Tensor.empty(sizes, type === "i64" ? "int64" : "float32");
    fill(key!, tensor, random);
    tensors.set(key!, tensor);
  }
  const program = parseIr(text, { tensors });
  return { program, inputs };
}

/** The line of a tensor in an IR text: `parameter "fc.weight": f32[10, 64] grad`. */
const DECLARED = /^ {2}(?:parameter|buffer|constant)[\w ]* "([^"]+)": (\w+)\[([^\]]*)\]/gm;

function fill(key: string, tensor: Tensor, random: () => number): void {
  const { data, dtype, shape } = tensor;
  if (dtype === "int64") {
    if (key.endsWith("position_ids")) for (let i = 0; i < data.length; i++) data[i] = BigInt(i);
    return;
  }
  const fan = shape.slice(1).reduce((product, size) => product * size, 1);
  const isNorm = shape.length === 1 && (key.endsWith("weight") || key.endsWith("running_var"));
  // Uniform numbers of variance 2 / fan (He and others, 2015) for matrices and kernels.
  const scale = shape.length > 1 ? Math.sqrt(6 / Math.max(fan, 64)) : 0.1;
  for (let i = 0; i < data.length; i++) data[i] = (isNorm ? 1 : 0) + random() * scale;
}

function inputsOf(name: ModelName, random: () => number): Tensor[] {
  const isSmall = name.endsWith("-small");
  if (name.startsWith("resnet18")) {
    const side = isSmall ? 64 : 224;
    return [Tensor.from(Array.from({ length: 3 * side * side }, random), [1, 3, side, side], "float32")];
  }
  const [length, words] = isSmall ? [16, 200] : [name === "bert4" ? 128 : 64, 30_000];
  const ids = Array.from({ length }, () => BigInt(Math.floor((random() + 1) * 0.5 * words)));
  const tokens = Tensor.from(ids, [1, length], "int64");
  if (name.startsWith("gpt2")) return [tokens];
  const mask = ids.map((_, i) => (i < length * 0.75 ? 1n : 0n));
  return [tokens, Tensor.from(mask, [1, length], "int64")];
}
