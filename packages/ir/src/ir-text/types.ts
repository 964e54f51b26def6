/** @file The types of values in IR text, both ways. */
import {
  type BoolLike,
  type FloatLike,
  type IntLike,
  metered,
  scalarKind,
  symEquals,
} from "@sconce/symbolic";
import { DTYPES, type DType, dtypeInfo, type Tensor } from "@sconce/tensor";
import { symContiguousStrides } from "../values/contiguous-strides.js";
import { deviceText } from "../values/device-text.js";
import { CPU, FakeTensor, type MetaValue } from "../values/meta.js";
import { floatRepr } from "../values/python-repr.js";
import type { Cursor } from "./cursor.js";
import { type ExpressionWriter, parseExpression, type Symbols } from "./expressions.js";
import { inParentheses, parseDevice, parseLayout, parseValue, valueText } from "./values.js";

const DTYPE_OF: ReadonlyMap<string, DType> = new Map(
  DTYPES.map((dtype) => [dtypeInfo(dtype).abbreviation, dtype]),
);

/** Returns the type of a value as IR text: `f32[s77, 3]`, `int(u0)`, `(f32[2], i64[2])`. */
export function typeText(value: MetaValue, writer: ExpressionWriter): string {
  if (value === null) return "none";
  if (value instanceof FakeTensor) return tensorTypeText(value, writer);
  if (Array.isArray(value))
    return `(${(value as readonly MetaValue[]).map((item) => typeText(item, writer)).join(", ")})`;
  const tagged = value as Exclude<MetaValue, null | FakeTensor | readonly MetaValue[]>;
  switch (tagged.kind) {
    case "SymInt":
      return `int(${writer.text(tagged.expr)})`;
    case "SymBool":
      return `bool(${writer.text(tagged.expr)})`;
    case "SymFloat":
      return `float(${typeof tagged.expr === "number" ? floatRepr(tagged.expr) : writer.text(tagged.expr)})`;
    case "constant":
      return `const ${valueText(tagged.value)}`;
    case "custom_obj":
      return `object(${JSON.stringify(tagged.name)}, ${JSON.stringify(tagged.classFqn)})`;
  }
}

/** What tensors in programs and weights beside them have in common. */
export interface TensorLike {
  readonly dtype: DType;
  readonly shape: readonly IntLike[];
  readonly strides: readonly IntLike[];
  readonly storageOffset: IntLike;
  readonly requiresGrad: boolean;
}

/** The type of a real tensor. */
export interface StaticTensor extends TensorLike {
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly storageOffset: number;
}

/** What stands behind the type of a real tensor whose values are not known. */
export const NO_VALUES = "no_values";

/** `f32[2, 3]{1, 2}@6 grad device(cuda:0)`; strides only when they are not row-major. */
export function tensorTypeText(
  tensor: TensorLike & Partial<Pick<FakeTensor, "device" | "layout">> & Partial<Pick<Tensor, "hasValues">>,
  writer: ExpressionWriter,
): string {
  const dims = (values: readonly IntLike[]): string => values.map((value) => writer.text(value)).join(", ");
  let text = `${dtypeInfo(tensor.dtype).abbreviation}[${dims(tensor.shape)}]`;
  const plain = symContiguousStrides(tensor.shape);
  const strided =
    tensor.strides.length === plain.length &&
    tensor.strides.every((stride, d) => symEquals(stride, plain[d]!));
  if (!strided) text += `{${dims(tensor.strides)}}`;
  if (tensor.storageOffset !== 0) text += offsetText(tensor.storageOffset, writer);
  if (tensor.requiresGrad) text += " grad";
  if (tensor.device !== undefined && deviceText(tensor.device) !== "cpu")
    text += ` device(${deviceText(tensor.device)})`;
  if (tensor.layout !== undefined && tensor.layout !== "strided") text += ` layout(${tensor.layout})`;
  if (tensor.hasValues === false) text += ` ${NO_VALUES}`;
  return text;
}

function offsetText(offset: IntLike, writer: ExpressionWriter): string {
  const text = writer.text(offset);
  return /^(?:\d+|".*")$/.test(text) ? `@${text}` : `@(${text})`;
}

/** Reads the type of a value. */
export function parseType(cursor: Cursor, symbols: Symbols): MetaValue {
  return cursor.nested(() => {
    if (cursor.accept("(")) return cursor.list(")", () => parseType(cursor, symbols));
    const start = cursor.at;
    const word = cursor.word("a type");
    switch (word) {
      case "none":
        return null;
      case "const":
        return { kind: "constant", value: parseValue(cursor) };
      case "object":
        return parseObject(cursor);
      case "int":
        return { kind: "SymInt", expr: inParentheses(cursor, () => parseInt64(cursor, symbols)) };
      case "float":
        return { kind: "SymFloat", expr: inParentheses(cursor, () => parseFloat64(cursor, symbols)) };
      case "bool":
        return { kind: "SymBool", expr: inParentheses(cursor, () => parseBool(cursor, symbols)) };
    }
    const dtype = DTYPE_OF.get(word);
    if (dtype === undefined) throw cursor.fail(`${JSON.stringify(word)} is not a type`, start);
    return new FakeTensor(parseTensorType(cursor, dtype, symbols));
  });
}

/** Reads a tensor type that represents a real tensor: every size is a number. */
export function parseStaticTensor(cursor: Cursor): StaticTensor {
  const start = cursor.at;
  const type = parseType(cursor, new Map());
  const isNumber = (value: IntLike): value is number => typeof value === "number" && value >= 0;
  if (
    !(type instanceof FakeTensor) ||
    ![...type.shape, ...type.strides, type.storageOffset].every(isNumber)
  ) {
    throw cursor.fail("expected a tensor type without symbols", start);
  }
  return type as unknown as StaticTensor;
}

function parseTensorType(
  cursor: Cursor,
  dtype: DType,
  symbols: Symbols,
): ConstructorParameters<typeof FakeTensor>[0] {
  const dim = (): IntLike => parseExtent(cursor, symbols);
  cursor.expect("[");
  const shape = cursor.list("]", dim);
  const strides = cursor.accept("{") ? cursor.list("}", dim) : rowMajor(cursor, shape);
  const storageOffset = cursor.accept("@") ? parseOffset(cursor, symbols) : 0;
  const requiresGrad = cursor.acceptWord("grad");
  const where = cursor.acceptWord("device") ? parseDevice(cursor) : CPU;
  const stored = cursor.acceptWord("layout") ? inParentheses(cursor, () => parseLayout(cursor)) : "strided";
  return { dtype, shape, strides, storageOffset, requiresGrad, device: where, layout: stored };
}

/** Strides of symbolic sizes are products: they count as work, which grows with the rank. */
function rowMajor(cursor: Cursor, shape: readonly IntLike[]): IntLike[] {
  if (shape.every((size) => typeof size === "number")) return symContiguousStrides(shape);
  return metered(
    cursor.budget,
    () => cursor.place(cursor.at),
    () => symContiguousStrides(shape),
  );
}

/**
 * Plain offsets are numbers; expressions are in parentheses or quotes, for nothing else ends them.
 */
function parseOffset(cursor: Cursor, symbols: Symbols): IntLike {
  if (cursor.accept("(")) {
    const value = parseInt64(cursor, symbols);
    cursor.expect(")");
    return value;
  }
  return cursor.sees('"') ? parseInt64(cursor, symbols) : cursor.integer("an offset");
}

function parseInt64(cursor: Cursor, symbols: Symbols): IntLike {
  const start = cursor.at;
  const value = parseExpression(cursor, symbols);
  if (scalarKind(value) !== "int") throw cursor.fail("expected an integer", start);
  return value as IntLike;
}

/** Returns a size or a stride: no tensor has one past 2^53. */
function parseExtent(cursor: Cursor, symbols: Symbols): IntLike {
  const start = cursor.at;
  const value = parseInt64(cursor, symbols);
  if (typeof value === "number" ? !Number.isSafeInteger(value) : value.op === "Integer")
    throw cursor.fail("expected a size below 2^53", start);
  return value;
}

function parseFloat64(cursor: Cursor, symbols: Symbols): FloatLike {
  const start = cursor.at;
  if (cursor.acceptWord("nan")) return NaN;
  const number = cursor.number();
  if (number !== undefined && cursor.sees(")")) {
    return number.value;
  }
  cursor.at = start;
  const value = parseExpression(cursor, symbols);
  if (scalarKind(value) === "bool") throw cursor.fail("expected a number", start);
  return value as FloatLike;
}

function parseBool(cursor: Cursor, symbols: Symbols): BoolLike {
  if (cursor.acceptWord("true")) return true;
  if (cursor.acceptWord("false")) return false;
  const start = cursor.at;
  const value = parseExpression(cursor, symbols);
  if (scalarKind(value) !== "bool") throw cursor.fail("expected a condition", start);
  return value as BoolLike;
}

function parseObject(cursor: Cursor): MetaValue {
  return inParentheses(cursor, () => {
    const name = cursor.string();
    cursor.expect(",");
    return { kind: "custom_obj", name, classFqn: cursor.string() };
  });
}
