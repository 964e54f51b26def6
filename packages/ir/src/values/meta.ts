import { markClass } from "@sconce/errors";
import type { BoolLike, FloatLike, IntLike, SymExpr } from "@sconce/symbolic";
import { type DType, showsAsText, sizeText, suffixedText } from "@sconce/tensor";
import { COPY } from "../this-copy.js";
import { type Argument, type DeviceLiteral, device, type LayoutName } from "./argument.js";
import type { DimOrder } from "./dim-order.js";

/** The CPU device. */
export const CPU: DeviceLiteral = device("cpu");

/** What fixes a {@link FakeTensor}. */
export interface FakeTensorInit {
  /** The element type. */
  readonly dtype: DType;
  /** Sizes, outermost dimension first. */
  readonly shape: readonly IntLike[];
  /** In elements; row-major when left out (see `symContiguousStrides`). */
  readonly strides: readonly IntLike[];
  /** In elements. @defaultValue 0 */
  readonly storageOffset?: IntLike | undefined;
  /** The device. @defaultValue the CPU */
  readonly device?: DeviceLiteral | undefined;
  /** The layout. @defaultValue `strided` */
  readonly layout?: LayoutName | undefined;
  /** Whether PyTorch records gradients for it. @defaultValue false */
  readonly requiresGrad?: boolean | undefined;
}

/**
 * A tensor without data, as PyTorch's: sizes, strides and offset may be symbolic. Identity matters
 * to tracers, so a rule that makes a new value makes a new object.
 */
export class FakeTensor {
  static {
    markClass(FakeTensor, "FakeTensor", COPY);
  }

  /** The element type. */
  readonly dtype: DType;
  /** Sizes, outermost dimension first; symbolic where they are dynamic. */
  readonly shape: readonly IntLike[];
  /** Strides in elements, one for each dimension. */
  readonly strides: readonly IntLike[];
  /** Where the first element lies in the storage, in elements. */
  readonly storageOffset: IntLike;
  /** The device that PyTorch traced the tensor on. */
  readonly device: DeviceLiteral;
  /** The layout; `strided` for all tensors that run here. */
  readonly layout: LayoutName;
  /** Whether PyTorch records gradients for it. */
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

  /** The number of dimensions. */
  get ndim(): number {
    return this.shape.length;
  }

  /** Returns what PyTorch's `print` shows: `FakeTensor(..., size=(2, s77))`. */
  toString(): string {
    const { type, index } = this.device;
    const suffixes = [`size=${sizeText(this.shape)}`];
    if (type !== "cpu") suffixes.unshift(`device='${index === null ? type : `${type}:${index}`}'`);
    if (this.dtype !== "float32") suffixes.push(`dtype=torch.${this.dtype}`);
    if (this.layout !== "strided") suffixes.push(`layout=torch.${this.layout}`);
    if (this.requiresGrad) suffixes.push("requires_grad=True");
    return suffixedText("FakeTensor(", "...", suffixes);
  }

  static {
    showsAsText(FakeTensor.prototype);
  }
}

/** Returns the dtype and the sizes of a tensor: `float32[2, s77]`. */
export const typeText = ({ dtype, shape }: Pick<FakeTensor, "dtype" | "shape">): string =>
  `${dtype}[${shape.join(", ")}]`;

/**
 * A Python scalar that is symbolic (or was declared so): the `val` of `sym_size`, `item`, `s0 * 2`,
 * `n > 3`.
 */
export type SymScalar =
  | { readonly kind: "SymInt"; readonly expr: IntLike }
  | { readonly kind: "SymFloat"; readonly expr: FloatLike }
  | { readonly kind: "SymBool"; readonly expr: BoolLike };

/** A script or opaque object given to a program. */
export interface CustomObject {
  readonly kind: "custom_obj";
  /** The name under which the program holds the object. */
  readonly name: string;
  /** The fully qualified name of its class. */
  readonly classFqn: string;
}

/** A constant as `val` (constant inputs). */
export interface ConstantValue {
  readonly kind: "constant";
  /** The value, as arguments hold it. */
  readonly value: Argument;
}

/**
 * The `val` of a node: a fake tensor, a symbolic scalar, a constant, or a list of those for several
 * results.
 */
export type MetaValue = FakeTensor | SymScalar | CustomObject | ConstantValue | null | readonly MetaValue[];

/** Returns a symbolic integer. */
export const symInt = (expr: IntLike): SymScalar => ({ kind: "SymInt", expr });
/** Returns a symbolic float. */
export const symFloat = (expr: FloatLike): SymScalar => ({ kind: "SymFloat", expr });
/** Returns a symbolic bool. */
export const symBool = (expr: BoolLike): SymScalar => ({ kind: "SymBool", expr });
/**
 * Returns whether a value is a symbolic scalar, as the `val` of nodes and scalar arguments hold
 * them.
 */
export const isSymScalar = (value: unknown): value is SymScalar =>
  typeof value === "object" && value !== null && "expr" in value && "kind" in value;

/** One `nn_module_stack` entry: key, module path, module type. */
export type ModuleStackEntry = readonly [key: string, path: string, type: string];

/** Where a node came from: pass and rule that made it, and the nodes it replaced. */
export interface NodeOrigin {
  /** The pass that made the node. */
  readonly pass: string;
  /** The rewrite rule that made it, where one did. */
  readonly rule?: string;
  /** Names of the nodes that it represents, in the graph as it was. */
  readonly from: readonly string[];
}

/** Empty lists in files say what they would hold. */
export type EmptyListKind = "tensors" | "ints" | "floats" | "bools" | "strings" | "int_lists" | "float_lists";

/** What a `.pt2` file says of a call whose operator has no schema, or that returns None. */
export interface CallForm {
  /**
   * The name in the file of a call that returns None: PyTorch renames the node when it loads it.
   */
  readonly name?: string;
  /** The names of the arguments, positional ones first. */
  readonly argNames?: readonly string[];
  /** What the empty lists among the arguments would hold, by argument name. */
  readonly emptyLists?: Readonly<Record<string, EmptyListKind>>;
  /** Whether the results are one list, and not several results. */
  readonly returnsList?: boolean;
}

/** Metadata of a node. Only `val` carries meaning; the rest is for people and for round trips. */
export interface NodeMeta {
  /** The value that the node gives, without data. */
  readonly val?: MetaValue;
  /** Python frames, innermost last. */
  readonly stackTrace?: string | undefined;
  /** The modules whose `forward` made the call, outermost first. */
  readonly nnModuleStack?: readonly ModuleStackEntry[];
  /** Functions or modules that the call comes from, outermost first: name and type. */
  readonly sourceFnStack?: readonly (readonly [string, string])[];
  /**
   * The last torch function that was called, numbered, and its kind: `linear_1`,
   * `builtin_function_or_method.linear`.
   */
  readonly torchFn?: readonly [string, string];
  /** User annotations (`torch.fx.traceback.annotate`). */
  readonly custom?: Readonly<Record<string, unknown>>;
  /** Symbols that this node creates, with the path of the value that binds each. */
  readonly unbackedBindings?: Readonly<Record<string, string>>;
  /** The pass and the rule that made the node; nodes of the file have none. */
  readonly origin?: NodeOrigin;
  /**
   * The order of the dimensions in memory, or a list with one for each result; the edge dialect has
   * it.
   */
  readonly dimOrder?: DimOrder | readonly (DimOrder | null)[];
  /** What a `.pt2` file says of the call and nothing else does, kept for the way back. */
  readonly callForm?: CallForm;
  /** Other string entries of a `.pt2` node, kept for the way back. */
  readonly extra?: Readonly<Record<string, string>>;
}

export type { BoolLike, FloatLike, IntLike, SymExpr };
