/** @file PyTorch's `torch.nn.functional` in camelCase. */

import { nnFunctions } from "../functions/function-tables.js";
import type { NnFunctions } from "../functions/function-types.js";
import { camelCase } from "../functions/names.js";
import { type PythonArguments, pythonFunction } from "../functions/python-function.js";
import { type Torch, torch } from "../functions/torch.js";
import { ACTIVATIONS, type Body } from "./functional-activation.js";
import { ATTENTION } from "./functional-attention.js";
import { LOSSES } from "./functional-loss.js";
import { NORMALIZATIONS } from "./functional-norm.js";
import { POOLS } from "./functional-pool.js";
import { FUNCTIONAL_SIGNATURES } from "./functional-signatures.js";
import type { PythonFunctional } from "./functional-types.js";
import { VISION } from "./functional-vision.js";

const BODIES: Readonly<Record<string, Body>> = {
  ...ACTIVATIONS,
  ...ATTENTION,
  ...LOSSES,
  ...NORMALIZATIONS,
  ...POOLS,
  ...VISION,
};

/** Functions of `torch` that `torch.nn.functional` has, too. */
const FROM_TORCH = [
  "adaptiveAvgPool1d",
  "avgPool1d",
  "bilinear",
  "celu_",
  "channelShuffle",
  "conv1d",
  "conv2d",
  "conv3d",
  "convTbc",
  "convTranspose1d",
  "convTranspose2d",
  "convTranspose3d",
  "cosineSimilarity",
  "hardshrink",
  "nativeChannelShuffle",
  "pairwiseDistance",
  "pdist",
  "pixelShuffle",
  "pixelUnshuffle",
  "prelu",
  "relu_",
  "rrelu_",
  "selu_",
  "threshold_",
] as const satisfies readonly (keyof Torch)[];

/** Functions that hand over to others before PyTorch takes note of them. */
const TRANSPARENT = new Set(["tanh", "sigmoid", "upsample", "upsample_nearest", "upsample_bilinear"]);

/** Returns the name of a function that a trace takes note of, where it is not its own. */
function nameInTrace(name: string, { returnIndices }: PythonArguments): string | undefined {
  if (TRANSPARENT.has(name)) return "";
  if (name === "threshold") return "_threshold";
  return returnIndices === true ? `${name}_with_indices` : undefined;
}

function fromPython(): Record<string, unknown> {
  const functions: Record<string, unknown> = {};
  for (const signature of FUNCTIONAL_SIGNATURES) {
    const name = signature.slice(0, signature.indexOf("("));
    const body = BODIES[name];
    if (body === undefined) continue;
    const traceName = (args: PythonArguments): string | undefined => nameInTrace(name, args);
    functions[camelCase(name)] = pythonFunction("functional", signature, body, "function", traceName);
  }
  return functions;
}

/** What `torch.nn.functional` has. */
export type Functional = Omit<NnFunctions, keyof PythonFunctional> &
  PythonFunctional &
  Pick<Torch, (typeof FROM_TORCH)[number]> & {
    /** The logarithm of the sigmoid. */
    readonly logsigmoid: NnFunctions["logSigmoid"];
  };

const generated = nnFunctions();

/** PyTorch's `torch.nn.functional`: `functional.relu(x)`, `functional.crossEntropy(x, target)`. */
export const functional: Functional = Object.freeze({
  ...generated,
  ...Object.fromEntries(FROM_TORCH.map((name) => [name, torch[name]])),
  logsigmoid: generated["logSigmoid"],
  ...fromPython(),
}) as Functional;
