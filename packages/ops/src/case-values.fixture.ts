/**
 * @file Values of the operator fixtures: one-key unions, as `packages/testing/oracle` writes them.
 */
import {
  type Argument,
  device,
  dtypeLiteral,
  FakeTensor,
  float,
  int,
  layout,
  memoryFormat,
} from "@sconce/ir";
import { contiguousStrides, type DType } from "@sconce/tensor";

/** A tensor without its values. */
export interface Geometry {
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** Row-major when left out. */
  readonly strides?: readonly number[];
  readonly storage_offset?: number;
  /** Path of the argument whose memory a result shares. */
  readonly alias?: string;
}

export type CaseValue = Readonly<Record<string, unknown>>;

/** Returns the fake tensor of this geometry. */
export function fakeOf({ dtype, shape, strides, storage_offset: storageOffset }: Geometry): FakeTensor {
  return new FakeTensor({
    dtype,
    shape,
    strides: strides ?? contiguousStrides(shape),
    storageOffset: storageOffset ?? 0,
  });
}

const NON_FINITE: Readonly<Record<string, number>> = { nan: Number.NaN, inf: Infinity, "-inf": -Infinity };

/** Returns an argument as nodes hold it; `{ input: n }` is the n-th of `inputs`. */
export function decodeValue(value: CaseValue, inputs: readonly FakeTensor[] = []): unknown {
  const [kind, content] = Object.entries(value)[0]!;
  switch (kind) {
    case "input":
      return inputs[content as number];
    case "tensor":
      return fakeOf(content as Geometry);
    case "list":
      return (content as readonly CaseValue[]).map((item) => decodeValue(item, inputs));
    case "int":
      return int(BigInt(content as string | number));
    case "float":
      return float(typeof content === "string" ? NON_FINITE[content]! : (content as number));
    case "dtype":
      return dtypeLiteral(content as DType);
    case "memory_format":
      return memoryFormat(content as never);
    case "layout":
      return layout(content as never);
    case "device":
      return device(content as string);
    case "none":
      return null;
    default:
      return content as Argument;
  }
}
