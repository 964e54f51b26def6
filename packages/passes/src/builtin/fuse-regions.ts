import { definePass } from "../pass/pass.js";
import { fuseRegions } from "../regions/fuse.js";

/** `relu(convolution(x, w, b) + y)` becomes the call of a nested graph, tagged as one kernel. */
export const fuse = definePass({
  name: "fuse-regions",
  doc: "Groups convolutions and matrix products with the pointwise calls behind them, and pointwise calls, as one kernel each.",
  requires: "ATEN",
  options: {
    outline: { default: true, doc: "make each region a nested graph; otherwise only tag its nodes" },
    pointwise: { default: true, doc: "also regions without a convolution or matrix product" },
  },
  run: (program, { operators }, options) =>
    fuseRegions(program, operators, {
      outline: options["outline"] === true,
      pointwise: options["pointwise"] === true,
    }),
});
