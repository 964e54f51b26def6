import { expect, test } from "vitest";
import * as names from "./index.js";

test("public names", () => {
  expect(Object.keys(names).sort()).toEqual([
    "calibrate",
    "chooseParameters",
    "convertQuantization",
    "default",
    "layerHessians",
    "prepareQuantization",
    "quantization",
    "quantizationConversion",
    "quantizationPreparation",
    "quantizeWeights",
    "randomCalibration",
    "reportValues",
    "reportWeights",
    "weightQuantization",
    "xnnpackQuantizer",
  ]);
});
