/** @file Binary search in sorted rows, and membership: `searchsorted`, `bucketize`, `isin`. */
import type { ScalarLiteral } from "@sconce/ir";
import { castTensor, Tensor } from "@sconce/tensor";
import { finishOutput, type NumberArray, openOutput, readNumbers } from "../kernel/dense.js";
import { invalidArgument } from "../kernel/errors.js";
import { defineKernels, emptyOutput, type Kernel, kernel } from "../kernel/kernel.js";
import { fillWith } from "./creation-fill.js";
import { dynamicOutput } from "./index-elements.js";
import { commonDType, numberDType, type Operand } from "./pointwise-loop.js";
import { readKeys } from "./reduction-rows.js";

/**
 * First place in a sorted row at which `value` may be inserted (`right`: the last such place). As
 * in PyTorch, the search goes on to the right of each NaN.
 */
function insertionPoint(
  sorted: NumberArray,
  order: NumberArray | undefined,
  start: number,
  length: number,
  value: number,
  right: boolean,
): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = sorted[start + (order === undefined ? middle : order[start + middle]!)]!;
    const isBeyond = right ? at > value : at >= value;
    if (!isBeyond) low = middle + 1;
    else high = middle;
  }
  return low;
}

const asTensor = (value: Operand): Tensor =>
  value instanceof Tensor ? value : fillWith(dynamicOutput([], numberDType(value as ScalarLiteral)), value);

interface Search {
  readonly sorted_sequence: Tensor;
  readonly self: Operand;
  readonly right: boolean;
  readonly side: string | null;
  readonly sorter: Tensor | null;
}

/**
 * Rows of the sequence and of the values belong together, unless the sequence has one dimension
 * only.
 */
const searchsorted: Kernel<Search> = ({ sorted_sequence: sequence, self, right, side, sorter }, context) => {
  const out = emptyOutput(context);
  const dtype = commonDType([sequence, self]);
  const sorted = readKeys(castTensor(sequence, dtype));
  const values = readKeys(castTensor(asTensor(self), dtype));
  const order = sorter === null ? undefined : readNumbers(sorter);
  const length = sequence.shape.at(-1)!;
  if (order?.some((place: number) => place < 0 || place >= length))
    throw invalidArgument("torch.searchsorted(): sorter index out of range");
  const perRow = sequence.ndim === 1 ? values.length : (self as Tensor).shape.at(-1)!;
  const results = openOutput(out);
  const toRight = right || side === "right";
  for (let i = 0; i < values.length; i++) {
    const start = sequence.ndim === 1 ? 0 : Math.floor(i / perRow) * length;
    results[i] = insertionPoint(sorted, order, start, length, values[i]!, toRight);
  }
  return finishOutput(out, results);
};

type Bucketize = { readonly self: Operand; readonly boundaries: Tensor; readonly right: boolean };
const bucketize: Kernel<Bucketize> = ({ self, boundaries, right }, context) =>
  searchsorted({ sorted_sequence: boundaries, self, right, side: null, sorter: null }, context);

type IsIn = { readonly elements: Operand; readonly tests: Operand; readonly invert: boolean };

function isIn({ elements, tests, invert }: IsIn, out: Tensor): Tensor {
  const dtype = commonDType([elements, tests]);
  const keys = readKeys(castTensor(asTensor(elements), dtype));
  const wanted = new Set<unknown>(readKeys(castTensor(asTensor(tests), dtype)) as Float64Array);
  // A set distinguishes numbers from big integers. Both sides have one type only if both are exact.
  const loose = wanted.size > 0 && typeof wanted.values().next().value !== typeof keys[0];
  const set = loose ? new Set<unknown>([...wanted].map(Number)) : wanted;
  const results = openOutput(out);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    const found = !Number.isNaN(key) && set.has(loose ? Number(key) : key);
    results[i] = found !== invert ? 1 : 0;
  }
  return finishOutput(out, results);
}

const isInKernel =
  (elements: string, tests: string): Kernel<Readonly<Record<string, Operand>>> =>
  (args, context) =>
    isIn(
      { elements: args[elements]!, tests: args[tests]!, invert: Boolean(args["invert"]) },
      emptyOutput(context),
    );

export const sortSearchKernels = defineKernels([
  kernel(
    [
      "aten::searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor",
      "aten::searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor",
    ],
    searchsorted,
  ),
  kernel(
    [
      "aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
      "aten::bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
    ],
    bucketize,
  ),
  kernel(
    "aten::isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor",
    isInKernel("elements", "test_elements"),
  ),
  kernel(
    "aten::isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> Tensor",
    isInKernel("elements", "test_element"),
  ),
  kernel(
    "aten::isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor",
    isInKernel("element", "test_elements"),
  ),
]);
