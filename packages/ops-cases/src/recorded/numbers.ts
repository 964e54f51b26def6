/**
 * @file Elements of any dtype as JSON numbers. A number is the shortest decimal that reads back as
 * the same bits. Text represents what JSON numbers cannot say: `"inf"`, `"nan"` (PyTorch's default
 * NaN), `"-nan"` (the same with the sign bit), `"0xffffffff"` (any other pattern of bits), and
 * integers beyond 2^53.
 */
import {
  type DType,
  dtypeInfo,
  patternEncoder,
  realDType,
  type TypedArray,
  valueTable,
} from "@sconce/tensor";
import { badCase } from "./errors.js";

/** An element in a file. */
export type CaseNumber = number | string;

type Bits = Uint8Array | Uint16Array | Uint32Array | BigUint64Array;

/** One dtype's elements as numbers and as patterns of bits; complex numbers are two lanes. */
interface Lanes {
  readonly numbers: TypedArray;
  readonly bits: Bits;
  /** Patterns of text. */
  readonly specials: ReadonlyMap<string, bigint>;
  readonly encode: ((value: number) => number) | undefined;
  readonly table: Float32Array | undefined;
  readonly isFloat: boolean;
}

const BITS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array } as const;

/** Patterns of infinity and of PyTorch's NaN. */
const SPECIALS: Readonly<Partial<Record<DType, readonly [inf: bigint, nan: bigint]>>> = {
  float64: [0x7ff0_0000_0000_0000n, 0x7ff8_0000_0000_0000n],
  float32: [0x7f80_0000n, 0x7fc0_0000n],
  float16: [0x7c00n, 0x7e00n],
  bfloat16: [0x7f80n, 0x7fc0n],
};

function specialsOf(dtype: DType, itemSize: number): ReadonlyMap<string, bigint> {
  const found = SPECIALS[dtype];
  if (found === undefined) return new Map();
  const sign = 1n << BigInt(8 * itemSize - 1);
  const [inf, nan] = found;
  return new Map([
    ["inf", inf],
    ["-inf", inf | sign],
    ["nan", nan],
    ["-nan", nan | sign],
  ]);
}

function lanesOf(dtype: DType, bytes: Uint8Array): Lanes {
  const lane = realDType(dtype);
  const { itemSize, array, kind } = dtypeInfo(lane);
  const count = bytes.byteLength / itemSize;
  const Pattern = BITS[itemSize as keyof typeof BITS];
  return {
    numbers: new array(bytes.buffer, bytes.byteOffset, count),
    bits: new Pattern(bytes.buffer as ArrayBuffer, bytes.byteOffset, count),
    specials: specialsOf(lane, itemSize),
    encode: patternEncoder(lane),
    table: valueTable(lane),
    isFloat: kind === "float",
  };
}

const setBits = (bits: Bits, at: number, pattern: bigint): void => {
  if (bits instanceof BigUint64Array) bits[at] = pattern;
  else bits[at] = Number(pattern);
};

/** Reads elements as bytes. */
export function bytesOf(dtype: DType, items: readonly CaseNumber[]): Uint8Array {
  const bytes = new Uint8Array(items.length * dtypeInfo(realDType(dtype)).itemSize);
  const { numbers, bits, specials, encode } = lanesOf(dtype, bytes);
  for (const [at, item] of items.entries()) {
    const special = typeof item === "string" ? specials.get(item) : undefined;
    if (special !== undefined) setBits(bits, at, special);
    else if (typeof item === "string" && item.startsWith("0x")) setBits(bits, at, BigInt(item));
    else if (numbers instanceof BigInt64Array || numbers instanceof BigUint64Array)
      numbers[at] = BigInt(item);
    else if (typeof item === "string") throw badCase(`"${item}" is not an element of dtype ${dtype}`);
    else numbers[at] = encode === undefined ? item : encode(item);
  }
  return bytes;
}

/** Returns the text of one number, in JSON: zeros keep their sign. */
export const numberText = (value: unknown): string => (Object.is(value, -0) ? "-0" : String(value));

/** Writes elements as a JSON list. */
export function numbersText(dtype: DType, source: Uint8Array): string {
  const lanes = lanesOf(dtype, source.slice());
  const texts = Array.from({ length: lanes.bits.length }, (_, at) =>
    elementText(lanes, BigInt(lanes.bits[at]!), at),
  );
  return `[${texts.join(",")}]`;
}

function elementText(lanes: Lanes, pattern: bigint, at: number): string {
  const { numbers, table, isFloat } = lanes;
  if (!isFloat) {
    const value = numbers[at]!;
    return Number.isSafeInteger(Number(value)) ? String(value) : `"${value}"`;
  }
  const value = table === undefined ? (numbers[at] as number) : table[Number(pattern)]!;
  const raw = `"0x${pattern.toString(16)}"`;
  if (!Number.isFinite(value)) {
    const name = [...lanes.specials].find(([, special]) => special === pattern)?.[0];
    return name === undefined ? raw : `"${name}"`;
  }
  return shortest(value, patternReader(lanes), pattern) ?? raw;
}

/** Returns the pattern that a number is stored as. */
function patternReader({ numbers, encode }: Lanes): (value: number) => bigint {
  if (encode !== undefined) return (value) => BigInt(encode(value));
  const one = numbers instanceof Float64Array ? new Float64Array(1) : new Float32Array(1);
  const bits = one instanceof Float64Array ? new BigUint64Array(one.buffer) : new Uint32Array(one.buffer);
  return (value) => {
    one[0] = value;
    return BigInt(bits[0]!);
  };
}

function shortest(value: number, patternOf: (value: number) => bigint, pattern: bigint): string | undefined {
  if (value === 0) return patternOf(value) === pattern ? numberText(value) : undefined;
  for (let digits = 1; digits <= 17; digits++) {
    const candidate = Number(value.toPrecision(digits));
    if (patternOf(candidate) === pattern) return numberText(candidate);
  }
  return undefined;
}
