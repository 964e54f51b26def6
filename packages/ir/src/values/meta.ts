import { mul, type SymBool, type SymExpr, type SymFloat, type SymInt } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import { type Argument, type DeviceLiteral, device, type LayoutName } from "./argument.js";
import type { DimOrder } from "./dim-order.js";

/** The CPU device. */
export const CPU: DeviceLiteral = device("cpu");

/** Row-major strides of a possibly symbolic shape; a size of 0 counts as 1. */
export function symContiguousStrides(shape: readonly SymInt[]): SymInt[] {
  const strides = new Array<SymInt>(shape.length);
  let step: SymInt = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    strides[d] = step;
    if (shape[d] !== 0) step = mul(step, shape[d]!);
  }
  return strides;
}

/** What fixes a {@link FakeTensor}. */
export interface FakeTensorInit {
  readonly dtype: DType;
  readonly shape: readonly SymInt[];
  /** In elements; row-major when left out (see {@link symContiguousStrides}). */
  readonly strides: readonly SymInt[];
  readonly storageOffset?: SymInt | undefined;
  readonly device?: DeviceLiteral | undefined;
  readonly layout?: LayoutName | undefined;
  readonly requiresGrad?: boolean | undefined;
}

/**
 * A tensor without data, as PyTorch's: sizes, strides and offset may be symbolic. Identity matters to tracers, so a
 * rule that makes a new value makes a new object.
 */
export class FakeTensor {
  readonly dtype: DType;
  readonly shape: readonly SymInt[];
  readonly strides: readonly SymInt[];
  readonly storageOffset: SymInt;
  readonly device: DeviceLiteral;
  readonly layout: LayoutName;
  readonly requiresGrad: boolean;

  constructor(init: FakeTensorInit) {
    this.dtype = init.dtype;
    this.shape = init.shape;
    this.strides = init.strides;
    this.storageOffset = init.storageOffset ?? 0;
    this.device = init.device ?? CPU;
    this.layout = init.layout ?? "strided";
    this.requiresGrad = init.requiresGrad ?? false;
  }

  get ndim(): number {
    return this.shape.length;
  }

  /** `float32[2, s77]`. */
  toString(): string {
    return `${this.dtype}[${this.shape.map((size) => String(size)).join(", ")}]`;
  }
}

/** A Python scalar that is symbolic (or was declared so): the `val` of `sym_size`, `item`, `s0 * 2`, `n > 3`. */
export type SymScalar =
  | { readonly kind: "SymInt"; readonly expr: SymInt }
  | { readonly kind: "SymFloat"; readonly expr: SymFloat }
  | { readonly kind: "SymBool"; readonly expr: SymBool };

/** A script or opaque object given to a program. */
export interface CustomObject {
  readonly kind: "custom_obj";
  readonly name: string;
  readonly classFqn: string;
}

/** A constant as `val` (constant inputs). */
export interface ConstantValue {
  readonly kind: "constant";
  readonly value: Argument;
}

/** The `val` of a node: a fake tensor, a symbolic scalar, a constant, or a list of those for several results. */
export type MetaValue = FakeTensor | SymScalar | CustomObject | ConstantValue | null | readonly MetaValue[];

export const symInt = (expr: SymInt): SymScalar => ({ kind: "SymInt", expr });
export const symFloat = (expr: SymFloat): SymScalar => ({ kind: "SymFloat", expr });
export const symBool = (expr: SymBool): SymScalar => ({ kind: "SymBool", expr });

/** One `nn_module_stack` entry: key, module path, module type. */
export type ModuleStackEntry = readonly [key: string, path: string, type: string];

/** Where a node came from: pass and rule that made it, and the nodes it replaced. */
export interface NodeOrigin {
  readonly pass: string;
  readonly rule?: string;
  readonly from: readonly string[];
}

/** Metadata of a node. Only `val` carries meaning; the rest is for people and for round trips. */
export interface NodeMeta {
  readonly val?: MetaValue;
  /** Python frames, innermost last. */
  readonly stackTrace?: string;
  readonly nnModuleStack?: readonly ModuleStackEntry[];
  readonly sourceFnStack?: readonly (readonly [string, string])[];
  readonly torchFn?: readonly [string, string];
  /** User annotations (`torch.fx.traceback.annotate`). */
  readonly custom?: Readonly<Record<string, unknown>>;
  /** Symbols that this node creates, with the path of the value that binds each. */
  readonly unbackedBindings?: Readonly<Record<string, string>>;
  readonly origin?: NodeOrigin;
  /** The order of the dimensions in memory, or a list with one for each result; the edge dialect has it. */
  readonly dimOrder?: DimOrder | readonly (DimOrder | null)[];
  /** Other string entries of a `.pt2` node, kept for the way back. */
  readonly extra?: Readonly<Record<string, string>>;
}

export type { SymBool, SymExpr, SymFloat, SymInt };
