import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  bfloat16ToNumber,
  castTensor,
  type DType,
  dtypeInfo,
  type Float8DType,
  float8Values,
  float16ToNumber,
  numberToBfloat16,
  numberToFloat8,
  numberToFloat16,
  type PromotionRank,
  promoteTypes,
  resultType,
  Tensor,
} from "./index.js";

type Num = number | string;
interface Fixture {
  inputs: Num[];
  encoded: Record<string, number[]>;
  float8_values: Record<Float8DType, Num[]>;
  dtypes: DType[];
  promote: (DType | null)[][];
  result_type: [DType, PromotionRank, DType, PromotionRank, DType | null][];
  cast_floats: Num[];
  cast_ints: string[];
  casts: Record<string, (Num | boolean)[]>;
}
/** What PyTorch computes; see `packages/testing/oracle/tensor_conversions.py`. */
const fixture = JSON.parse(
  gunzipSync(
    readFileSync(new URL("../../testing/fixtures/tensor/conversions.json.gz", import.meta.url)),
  ).toString(),
) as Fixture;
const parse = (value: Num): number =>
  value === "inf" ? Infinity : value === "-inf" ? -Infinity : value === "nan" ? NaN : Number(value);

describe("halves and float8 against PyTorch", () => {
  const inputs = fixture.inputs.map(parse);
  test.each(Object.keys(fixture.encoded))("encodes %s", (dtype) => {
    const encode =
      dtype === "float16"
        ? numberToFloat16
        : dtype === "bfloat16"
          ? numberToBfloat16
          : (value: number) => numberToFloat8(dtype as Float8DType, value);
    const differing = inputs.filter((value, i) => encode(value) !== fixture.encoded[dtype]![i]);
    expect(differing).toEqual([]);
  });
  test.each(Object.keys(fixture.float8_values) as Float8DType[])("decodes %s", (dtype) => {
    expect([...float8Values(dtype)]).toEqual(fixture.float8_values[dtype].map(parse));
  });
  test("every half pattern survives a round trip", () => {
    const survives = (pattern: number, number: number, back: (number: number) => number): boolean =>
      Number.isNaN(number) || back(number) === pattern;
    const patterns = Array.from({ length: 65536 }, (_, pattern) => pattern);
    const lost = patterns.filter(
      (pattern) =>
        !survives(pattern, float16ToNumber(pattern), numberToFloat16) ||
        !survives(pattern, bfloat16ToNumber(pattern), numberToBfloat16),
    );
    expect(lost).toEqual([]);
  });
});

const orNull = (compute: () => DType): DType | null => {
  try {
    return compute();
  } catch {
    return null;
  }
};

describe("promotion against PyTorch", () => {
  test("promoteTypes for all pairs", () => {
    const ours = fixture.dtypes.map((a) => fixture.dtypes.map((b) => orNull(() => promoteTypes(a, b))));
    expect(ours).toEqual(fixture.promote);
  });
  test("resultType for all ranks", () => {
    const differing = fixture.result_type
      .map(([a, aRank, b, bRank, want]) => [
        a,
        aRank,
        b,
        bRank,
        want,
        orNull(() =>
          resultType([
            { dtype: a, rank: aRank },
            { dtype: b, rank: bRank },
          ]),
        ),
      ])
      .filter((row) => row[4] !== row[5]);
    expect(differing).toEqual([]);
  });
});

describe("castTensor against PyTorch", () => {
  test.each(Object.keys(fixture.casts))("%s", (name) => {
    const [from, to] = name.split(">") as [DType, DType];
    const source =
      from === "int64"
        ? Tensor.from(fixture.cast_ints.map(BigInt), [fixture.cast_ints.length], "int64")
        : Tensor.from(fixture.cast_floats.map(parse), [fixture.cast_floats.length], from);
    const cast = castTensor(source, to);
    const { kind } = dtypeInfo(to);
    const values = kind === "int" || kind === "bool" ? cast.toArray() : [...cast.toFloat64Array()];
    const want = fixture.casts[name]!.map((v) =>
      typeof v === "boolean" ? v : to === "int64" || to === "uint64" ? BigInt(v) : parse(v),
    );
    expect(values).toEqual(want);
  });
});
