import { definePass } from "../pass/pass.js";
import { fusionSteps } from "../regions/fuse.js";

/** `relu(convolution(x, w, b) + y)` becomes the call of a nested graph, tagged as one kernel. */
export const fuse = definePass({
  name: "fuse-regions",
  doc: "Groups calls that can run as one kernel: a convolution or matrix product with the pointwise calls after it, or pointwise calls.",
  requires: "ATEN",
  options: {
    outline: { default: true, doc: "make each region a nested graph; otherwise only tag its nodes" },
    pointwise: { default: true, doc: "also regions without a convolution or matrix product" },
  },
  steps: (program, { operators }, options) => fusionSteps(program, operators, options),
});
