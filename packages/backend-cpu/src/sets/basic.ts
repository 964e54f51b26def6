/** @file Kernels that every session has: what constant folding and most programs call. */
import { joinTables } from "@sconce/ops";
import { binaryPointwiseKernels } from "../kernels/binary-pointwise.js";
import { comparisonKernels } from "../kernels/comparison.js";
import { conversionKernels } from "../kernels/conversion.js";
import { creationKernels } from "../kernels/creation.js";
import { cumulativeKernels } from "../kernels/cumulative.js";
import { diagonalKernels } from "../kernels/diagonal.js";
import { indexTensorsKernels } from "../kernels/index-tensors.js";
import { joinKernels } from "../kernels/join.js";
import { nonzeroKernels } from "../kernels/nonzero.js";
import { rangeKernels } from "../kernels/range.js";
import { rearrangeKernels } from "../kernels/rearrange.js";
import { reductionExtremeKernels } from "../kernels/reduction-extreme.js";
import { reductionSumKernels } from "../kernels/reduction-sum.js";
import { reductionTruthKernels } from "../kernels/reduction-truth.js";
import { selectWhereKernels } from "../kernels/select-where.js";
import { ternaryPointwiseKernels } from "../kernels/ternary-pointwise.js";
import { unaryPointwiseKernels } from "../kernels/unary-pointwise.js";
import { viewCopyKernels } from "../kernels/view-copy.js";

/** By the files that hold them, in the words of names. */
export const BASIC_FAMILIES = {
  binaryPointwise: binaryPointwiseKernels,
  comparison: comparisonKernels,
  conversion: conversionKernels,
  creation: creationKernels,
  cumulative: cumulativeKernels,
  diagonal: diagonalKernels,
  indexTensors: indexTensorsKernels,
  join: joinKernels,
  nonzero: nonzeroKernels,
  range: rangeKernels,
  rearrange: rearrangeKernels,
  reductionExtreme: reductionExtremeKernels,
  reductionSum: reductionSumKernels,
  reductionTruth: reductionTruthKernels,
  selectWhere: selectWhereKernels,
  ternaryPointwise: ternaryPointwiseKernels,
  unaryPointwise: unaryPointwiseKernels,
  viewCopy: viewCopyKernels,
};

/** By target. */
export const basicSet = joinTables(BASIC_FAMILIES);
