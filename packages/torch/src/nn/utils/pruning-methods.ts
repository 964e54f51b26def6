/** @file Methods that choose what is pruned (`torch.nn.utils.prune`). */
import { checkOptions, describeValue, type OptionNames } from "@sconce/errors";
import type { FloatLiteral } from "@sconce/ir";
import { type Tensor, wrapDimension } from "@sconce/tensor";
import { torch } from "../../functions/torch.js";
import { torchSize } from "../../torch-size.js";
import { badParametrization } from "../errors.js";
import { isFloat, pythonText } from "../settings.js";
import { otherDims } from "./parametrizations.js";

/** Which elements a method looks at: those that are left, slices that are left, or all. */
export type PruningType = "unstructured" | "structured" | "global";
/** How many elements or slices are pruned: an integer counts them, a float is a part of them. */
export type PruneAmount = number | FloatLiteral;
/** The order of a norm. */
export type NormOrder = number | FloatLiteral | "fro" | "nuc";

/** Options of {@link BasePruningMethod.prune}. */
export interface PruneOptions {
  /** The mask of what is not pruned yet. @defaultValue ones */
  readonly defaultMask?: Tensor | undefined;
  /** The tensor by which elements are chosen. @defaultValue the tensor itself */
  readonly importanceScores?: Tensor | undefined;
}

const PRUNE: OptionNames<PruneOptions> = { defaultMask: true, importanceScores: true };

/**
 * A method that chooses what is pruned (`torch.nn.utils.prune.BasePruningMethod`). Subclasses
 * compute masks; `prune.apply(module, name, method)` applies them.
 */
export abstract class BasePruningMethod {
  /** Which elements the method looks at when a tensor is pruned again. */
  abstract readonly pruningType: PruningType;
  /** The dimension of the slices of a structured method. */
  readonly dim?: number;

  /**
   * Returns a mask of the shape of `t`: 0 for what is pruned.
   *
   * @param t the tensor by which elements are chosen
   * @param defaultMask what is not pruned yet
   */
  abstract computeMask(t: Tensor, defaultMask: Tensor): Tensor;

  /**
   * Returns a tensor with zeros in place of what the method prunes. No module changes.
   *
   * @throws SconceError `LAYER_ARGUMENTS` for scores of another shape
   */
  prune(t: Tensor, options: PruneOptions = {}): Tensor {
    checkOptions("prune", options, PRUNE);
    const { importanceScores = t, defaultMask = torch.onesLike(t) } = options;
    requireScores(importanceScores, t, "tensor t,");
    return t.mul(this.computeMask(importanceScores, defaultMask));
  }
}

/** Requires scores of the shape of what is pruned. */
export function requireScores(scores: Tensor, t: Tensor, what: string): void {
  if (scores.shape.join() === t.shape.join()) return;
  throw badParametrization(
    `importance_scores should have the same shape as ${what} got ${torchSize(scores.shape)} vs ${torchSize(t.shape)}`,
    "give scores of the shape of the tensor",
  );
}

/** Prunes nothing: the parameter is written as a product with a mask of ones. */
export class Identity extends BasePruningMethod {
  readonly pruningType = "unstructured";

  computeMask(_: Tensor, defaultMask: Tensor): Tensor {
    return defaultMask;
  }
}

/** A method that prunes an amount. */
abstract class Counted extends BasePruningMethod {
  readonly amount: PruneAmount;

  /** @throws SconceError `LAYER_ARGUMENTS` for an amount that is negative or a float above 1 */
  constructor(amount: PruneAmount) {
    super();
    requireAmount(amount);
    this.amount = amount;
  }

  /** Returns how many of `total` are pruned. */
  protected countOf(total: number): number {
    if (!isInteger(this.amount)) return roundHalfEven(numberOf(this.amount) * total);
    const count = numberOf(this.amount);
    if (count > total)
      throw badParametrization(
        `amount=${count} should be smaller than the number of parameters to prune=${total}`,
        "give a smaller integer, or the part as a float: `0.5`",
      );
    return count;
  }
}

const numberOf = (amount: PruneAmount): number => (typeof amount === "number" ? amount : amount.value);
const isInteger = (amount: PruneAmount): amount is number => !isFloat(amount) && Number.isInteger(amount);

function requireAmount(amount: PruneAmount): void {
  if (typeof amount !== "number" && !isFloat(amount))
    throw badParametrization(
      `Invalid type for amount: ${describeValue(amount)}. Must be int or float.`,
      "give a number: an integer counts elements, a float is a part of them",
    );
  const value = numberOf(amount);
  if (value >= 0 && (isInteger(amount) || value <= 1)) return;
  throw badParametrization(
    `amount=${pythonText(amount)} should either be a float in the range [0, 1] or a non-negative integer`,
    "give 0.5 for half of the elements, `float(1)` for all, or an integer for their number",
  );
}

/** Rounds as Python: halves to the even integer. */
function roundHalfEven(value: number): number {
  const low = Math.floor(value);
  const rest = value - low;
  return rest > 0.5 || (rest === 0.5 && low % 2 !== 0) ? low + 1 : low;
}

/** Returns a mask with zeros in some places of its elements in a row. */
function without(mask: Tensor, places: Tensor): Tensor {
  const made = mask.clone({ memoryFormat: "contiguous_format" });
  made.view(-1).setAt([places], 0);
  return made;
}

/** Prunes elements at random. The numbers are PyTorch's. */
export class RandomUnstructured extends Counted {
  readonly pruningType = "unstructured";

  computeMask(t: Tensor, defaultMask: Tensor): Tensor {
    const count = this.countOf(t.numel);
    if (count === 0) return defaultMask.clone({ memoryFormat: "contiguous_format" });
    return without(defaultMask, torch.topk(torch.randLike(t).view(-1), count).indices);
  }
}

/** Prunes the elements of the smallest magnitudes. */
export class L1Unstructured extends Counted {
  readonly pruningType = "unstructured";

  computeMask(t: Tensor, defaultMask: Tensor): Tensor {
    const count = this.countOf(t.numel);
    if (count === 0) return defaultMask.clone({ memoryFormat: "contiguous_format" });
    return without(defaultMask, torch.topk(torch.abs(t).view(-1), count, { largest: false }).indices);
  }
}

/** A method that prunes whole slices of a dimension. */
abstract class Structured extends Counted {
  readonly pruningType = "structured";
  override readonly dim: number;

  constructor(amount: PruneAmount, dim: number) {
    super(amount);
    this.dim = dim;
  }

  computeMask(t: Tensor, defaultMask: Tensor): Tensor {
    if (t.ndim <= 1)
      throw badParametrization(
        `Structured pruning can only be applied to multidimensional tensors. Found tensor of shape ${torchSize(t.shape)} with ${t.ndim} dims`,
        "prune single elements of it: `prune.l1Unstructured`",
      );
    if (this.dim >= t.ndim || this.dim < -t.ndim)
      throw badParametrization(
        `Invalid index ${this.dim} for tensor of size ${torchSize(t.shape)}`,
        "give a dimension of the tensor",
      );
    const total = t.shape[wrapDimension(this.dim, t.ndim)]!;
    const count = this.countOf(total);
    const kept = this.keep(t, total, count);
    if (count === 0) return defaultMask;
    const mask = torch.zerosLike(t);
    mask.setAt(sliceOf(t.ndim, this.dim, kept), 1);
    return mask.mul_(defaultMask.to(mask.dtype));
  }

  /** Returns the slices that are kept, as indices or as booleans. */
  protected abstract keep(t: Tensor, total: number, count: number): Tensor;
}

/** Returns an index of all of a tensor, but for one dimension. */
const sliceOf = (ndim: number, dim: number, index: Tensor): (Tensor | string)[] =>
  Array.from({ length: ndim }, (_, d) => (d === wrapDimension(dim, ndim) ? index : ":"));

/** Prunes slices of a dimension at random. The numbers are PyTorch's. */
export class RandomStructured extends Structured {
  constructor(amount: PruneAmount, dim = -1) {
    super(amount, dim);
  }

  protected keep(_: Tensor, total: number, count: number): Tensor {
    if (count === 0) return torch.ones([total]);
    const chances = torch.rand([total]);
    return chances.gt(torch.kthvalue(chances, count).values);
  }
}

/** Prunes the slices of a dimension that have the smallest norms. */
export class LnStructured extends Structured {
  readonly n: NormOrder;

  constructor(amount: PruneAmount, n: NormOrder, dim = -1) {
    super(amount, dim);
    this.n = n;
  }

  protected keep(t: Tensor, total: number, count: number): Tensor {
    return torch.topk(normsOf(t, this.n, this.dim), total - count).indices;
  }
}

/** Returns the norm of each slice of a dimension. */
function normsOf(t: Tensor, n: NormOrder, dim: number): Tensor {
  const dims = otherDims(wrapDimension(dim, t.ndim), t.ndim);
  const isMatrix = dims.length === 2;
  if (n === "nuc" || (n === "fro" && isMatrix))
    return torch.linalg.matrixNorm(t, { ord: n, dim: isMatrix ? dims : [-2, -1] });
  return torch.linalg.vectorNorm(t, { ord: n === "fro" ? 2 : n, dim: dims });
}

/** Prunes what a mask says: 0 for what is pruned. */
export class CustomFromMask extends BasePruningMethod {
  readonly pruningType = "global";
  readonly mask: Tensor;

  constructor(mask: Tensor) {
    super();
    this.mask = mask;
  }

  computeMask(_: Tensor, defaultMask: Tensor): Tensor {
    if (defaultMask.shape.join() !== this.mask.shape.join())
      throw badParametrization(
        `default_mask shape ${torchSize(defaultMask.shape)} must match self.mask shape ${torchSize(this.mask.shape)}`,
        "give a mask of the shape of the tensor",
      );
    return defaultMask.mul(this.mask.to(defaultMask.dtype));
  }
}

/** Returns the mask of a tensor that is pruned already, after a further method. */
export function combinedMask(method: BasePruningMethod, t: Tensor, mask: Tensor): Tensor {
  const made = mask.to(t.dtype);
  const index = remaining(method, t, mask);
  const part = method.computeMask(t.at(...index), mask.at(...index));
  made.setAt(index, part.to(made.dtype));
  return made;
}

/** Returns the index of what a method looks at: elements or slices that are not pruned yet. */
function remaining(method: BasePruningMethod, t: Tensor, mask: Tensor): (Tensor | string)[] {
  if (method.pruningType === "unstructured") return [mask.eq(1)];
  if (method.pruningType === "global") return Array.from({ length: t.ndim }, () => ":");
  const { dim = Number.NaN } = method;
  const own = wrapDimension(dim, t.ndim);
  if (!(own >= 0))
    throw badParametrization(
      Number.isNaN(dim)
        ? 'Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.'
        : `Index is out of bounds for tensor with dimensions ${t.ndim}`,
      "give the method the dimension of its slices",
    );
  return sliceOf(t.ndim, own, mask.sum(otherDims(own, t.ndim)).ne(0));
}
