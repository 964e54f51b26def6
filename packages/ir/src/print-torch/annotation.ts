import { checkOptions, type OptionNames } from "@sconce/errors";
import type { SymExpr } from "@sconce/symbolic";
import { dtypeInfo } from "@sconce/tensor";
import { remember } from "../support/remember.js";
import { deviceText } from "../values/device-text.js";
import { FakeTensor, type IntLike, type MetaValue, type SymScalar } from "../values/meta.js";
import { floatRepr } from "../values/python-repr.js";

/** What a printed annotation may add to the shape. */
export interface AnnotationOptions {
  /** Adds the strides, `f32[2, 3][3, 1]`. */
  readonly includeStride?: boolean | undefined;
  /** Adds the device, `f32[2, 3]cpu`. */
  readonly includeDevice?: boolean | undefined;
}

const ANNOTATION: OptionNames<AnnotationOptions> = { includeStride: true, includeDevice: true };

// The tensors of a program share their few expressions.
const printed = new WeakMap<SymExpr, string>();

function exprText(value: IntLike): string {
  if (typeof value === "number") return String(value);
  return remember(printed, value, () => value.toString());
}

const dimsText = (dims: readonly IntLike[]): string => `[${dims.map(exprText).join(", ")}]`;

/** Returns the annotation of a value, without quotes; undefined where PyTorch prints none. */
export function annotation(
  value: MetaValue | undefined,
  options: AnnotationOptions = {},
): string | undefined {
  checkOptions("annotation", options, ANNOTATION);
  return annotationText(value, options);
}

/** As {@link annotation}, for printers, whose options have more names. */
export function annotationText(value: MetaValue | undefined, options: AnnotationOptions): string | undefined {
  if (value instanceof FakeTensor) return tensorText(value, options);
  if (typeof value !== "object" || value === null || !("kind" in value)) return undefined;
  return value.kind === "SymInt" || value.kind === "SymFloat" || value.kind === "SymBool"
    ? `Sym(${scalarText(value)})`
    : undefined;
}

function tensorText(tensor: FakeTensor, options: AnnotationOptions): string | undefined {
  if (tensor.layout === "sparse_csr" || tensor.layout === "sparse_csc") return undefined;
  let text = dtypeInfo(tensor.dtype).abbreviation + dimsText(tensor.shape);
  if (options.includeStride === true) text += dimsText(tensor.strides);
  if (options.includeDevice === true) text += deviceText(tensor.device);
  return text;
}

/** Python's text of a symbolic scalar, folded ones as the plain value they represent. */
function scalarText(value: SymScalar): string {
  const { kind, expr } = value;
  if (typeof expr === "boolean") return expr ? "True" : "False";
  if (typeof expr === "number") return kind === "SymFloat" ? floatRepr(expr) : String(expr);
  return (expr satisfies SymExpr).toString();
}
