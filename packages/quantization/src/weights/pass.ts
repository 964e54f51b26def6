import { definePass } from "@sconce/passes";
import { QUANTIZE_WEIGHTS, weightSteps } from "./quantize-weights.js";
import { WEIGHT_GROUPS, type WeightGroup, type WeightScheme } from "./scheme.js";

const BITS: readonly unknown[] = [8, 4, 2];

/** Weights of layers become codes of 8, 4 or 2 bits, or half-precision floats. */
export const weightQuantization = definePass({
  name: QUANTIZE_WEIGHTS,
  doc: "Stores weights of linear, convolution and embedding layers in fewer bits. Expands them where layers read them.",
  readsValues: true,
  changesNumbers: true,
  options: {
    bits: {
      default: 8,
      check: (value) => (BITS.includes(value) ? undefined : "must be 8, 4 or 2"),
      doc: "bits of a code: 8, 4 or 2",
    },
    group: {
      default: "auto",
      choices: WEIGHT_GROUPS,
      doc: "elements that share a scale; auto: channels for 8 bits, 64 for 4 bits, 32 for 2 bits",
    },
    symmetric: { default: true, doc: "store no zero points: 0 has the code in the middle" },
    scheme: {
      default: "absmax",
      choices: ["absmax", "mse"],
      doc: "keep the largest magnitude of a group, or search the scale of the least squared error",
    },
    dtype: {
      default: "int",
      choices: ["int", "float16", "bfloat16"],
      doc: "store codes, or half-precision floats in place of them",
    },
    include: {
      default: [],
      doc: "weights, modules and layers to quantize, all when empty; `*` represents any letters",
    },
    exclude: { default: [], doc: "weights, modules and layers to leave as they are" },
  },
  *steps(program, { operators, note }, options) {
    const { bits, group, symmetric, scheme, dtype, include, exclude } = options;
    const chosen = { bits, group: group as WeightGroup, symmetric, scheme, dtype } as WeightScheme;
    const result = yield* weightSteps(program, operators, { ...chosen, include, exclude, note });
    return result.program;
  },
});
