/**
 * @file Instructions by their names in the text format. Encodings are consecutive in each row:
 * prefix of the names, first encoding, names. Encodings above 0xff have their prefix byte in the
 * upper bits.
 */

const COMPARE = "eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u";
const COMPARE_FLOAT = "eq ne lt gt le ge";
const INTEGER = "clz ctz popcnt add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u rotl rotr";
const FLOAT = "abs neg ceil floor trunc nearest sqrt add sub mul div min max copysign";
const TO_INTEGER = "f32_s f32_u f64_s f64_u";
const VECTOR_FLOAT = "sqrt add sub mul div min max pmin pmax";
const EXTEND_8 = "low_i8x16_s high_i8x16_s low_i8x16_u high_i8x16_u";
const EXTEND_16 = "low_i16x8_s high_i16x8_s low_i16x8_u high_i16x8_u";
const EXTEND_32 = "low_i32x4_s high_i32x4_s low_i32x4_u high_i32x4_u";

const PLAIN = [
  ["", 0x00, "unreachable nop"],
  ["", 0x0f, "return"],
  ["", 0x1a, "drop select"],
  ["i32.", 0x45, `eqz ${COMPARE}`],
  ["i64.", 0x50, `eqz ${COMPARE}`],
  ["f32.", 0x5b, COMPARE_FLOAT],
  ["f64.", 0x61, COMPARE_FLOAT],
  ["i32.", 0x67, INTEGER],
  ["i64.", 0x79, INTEGER],
  ["f32.", 0x8b, FLOAT],
  ["f64.", 0x99, FLOAT],
  ["i32.", 0xa7, "wrap_i64"],
  ["i32.trunc_", 0xa8, TO_INTEGER],
  ["i64.", 0xac, "extend_i32_s extend_i32_u"],
  ["i64.trunc_", 0xae, TO_INTEGER],
  ["f32.", 0xb2, "convert_i32_s convert_i32_u convert_i64_s convert_i64_u demote_f64"],
  ["f64.", 0xb7, "convert_i32_s convert_i32_u convert_i64_s convert_i64_u promote_f32"],
  ["", 0xbc, "i32.reinterpret_f32 i64.reinterpret_f64 f32.reinterpret_i32 f64.reinterpret_i64"],
  ["i32.", 0xc0, "extend8_s extend16_s"],
  ["i64.", 0xc2, "extend8_s extend16_s extend32_s"],
  ["i32.trunc_sat_", 0xfc00, TO_INTEGER],
  ["i64.trunc_sat_", 0xfc04, TO_INTEGER],
  ["i8x16.", 0xfd0e, "swizzle splat"],
  ["", 0xfd10, "i16x8.splat i32x4.splat i64x2.splat f32x4.splat f64x2.splat"],
  ["i8x16.", 0xfd23, COMPARE],
  ["i16x8.", 0xfd2d, COMPARE],
  ["i32x4.", 0xfd37, COMPARE],
  ["f32x4.", 0xfd41, COMPARE_FLOAT],
  ["f64x2.", 0xfd47, COMPARE_FLOAT],
  ["v128.", 0xfd4d, "not and andnot or xor bitselect any_true"],
  ["", 0xfd5e, "f32x4.demote_f64x2_zero f64x2.promote_low_f32x4"],
  ["i8x16.", 0xfd60, "abs neg popcnt all_true bitmask narrow_i16x8_s narrow_i16x8_u"],
  ["f32x4.", 0xfd67, "ceil floor trunc nearest"],
  ["i8x16.", 0xfd6b, "shl shr_s shr_u add add_sat_s add_sat_u sub sub_sat_s sub_sat_u"],
  ["f64x2.", 0xfd74, "ceil floor"],
  ["i8x16.", 0xfd76, "min_s min_u max_s max_u"],
  ["f64x2.", 0xfd7a, "trunc"],
  ["i8x16.", 0xfd7b, "avgr_u"],
  ["i16x8.", 0xfd80, "abs neg q15mulr_sat_s all_true bitmask narrow_i32x4_s narrow_i32x4_u"],
  ["i16x8.extend_", 0xfd87, EXTEND_8],
  ["i16x8.", 0xfd8b, "shl shr_s shr_u add add_sat_s add_sat_u sub sub_sat_s sub_sat_u"],
  ["f64x2.", 0xfd94, "nearest"],
  ["i16x8.", 0xfd95, "mul min_s min_u max_s max_u"],
  ["i16x8.extmul_", 0xfd9c, EXTEND_8],
  ["i32x4.", 0xfda0, "abs neg"],
  ["i32x4.", 0xfda3, "all_true bitmask"],
  ["i32x4.extend_", 0xfda7, EXTEND_16],
  ["i32x4.", 0xfdab, "shl shr_s shr_u add"],
  ["i32x4.", 0xfdb1, "sub"],
  ["i32x4.", 0xfdb5, "mul min_s min_u max_s max_u dot_i16x8_s"],
  ["i32x4.extmul_", 0xfdbc, EXTEND_16],
  ["i64x2.", 0xfdc0, "abs neg"],
  ["i64x2.", 0xfdc3, "all_true bitmask"],
  ["i64x2.extend_", 0xfdc7, EXTEND_32],
  ["i64x2.", 0xfdcb, "shl shr_s shr_u add"],
  ["i64x2.", 0xfdd1, "sub"],
  ["i64x2.", 0xfdd5, "mul eq ne lt_s gt_s le_s ge_s"],
  ["i64x2.extmul_", 0xfddc, EXTEND_32],
  ["f32x4.", 0xfde0, "abs neg"],
  ["f32x4.", 0xfde3, VECTOR_FLOAT],
  ["f64x2.", 0xfdec, "abs neg"],
  ["f64x2.", 0xfdef, VECTOR_FLOAT],
  ["i32x4.trunc_sat_", 0xfdf8, "f32x4_s f32x4_u"],
  ["f32x4.convert_", 0xfdfa, "i32x4_s i32x4_u"],
  ["i32x4.trunc_sat_", 0xfdfc, "f64x2_s_zero f64x2_u_zero"],
  ["f64x2.convert_low_", 0xfdfe, "i32x4_s i32x4_u"],
  ["i8x16.", 0xfd100, "relaxed_swizzle"],
  ["i32x4.relaxed_trunc_", 0xfd101, "f32x4_s f32x4_u f64x2_s_zero f64x2_u_zero"],
  ["f32x4.", 0xfd105, "relaxed_madd relaxed_nmadd"],
  ["f64x2.", 0xfd107, "relaxed_madd relaxed_nmadd"],
  [
    "",
    0xfd109,
    "i8x16.relaxed_laneselect i16x8.relaxed_laneselect i32x4.relaxed_laneselect i64x2.relaxed_laneselect",
  ],
  ["f32x4.", 0xfd10d, "relaxed_min relaxed_max"],
  ["f64x2.", 0xfd10f, "relaxed_min relaxed_max"],
] as const;

const MEMORY = [
  ["", 0x28, "i32.load i64.load f32.load f64.load"],
  ["i32.", 0x2c, "load8_s load8_u load16_s load16_u"],
  ["i64.", 0x30, "load8_s load8_u load16_s load16_u load32_s load32_u"],
  ["", 0x36, "i32.store i64.store f32.store f64.store"],
  ["i32.", 0x3a, "store8 store16"],
  ["i64.", 0x3c, "store8 store16 store32"],
  ["v128.", 0xfd00, "load load8x8_s load8x8_u load16x4_s load16x4_u load32x2_s load32x2_u"],
  ["v128.", 0xfd07, "load8_splat load16_splat load32_splat load64_splat store"],
  ["v128.", 0xfd5c, "load32_zero load64_zero"],
  ["memory.atomic.", 0xfe00, "notify wait32 wait64"],
  ["", 0xfe10, "i32.atomic.load i64.atomic.load"],
  ["", 0xfe17, "i32.atomic.store i64.atomic.store"],
  ["", 0xfe1e, "i32.atomic.rmw.add i64.atomic.rmw.add"],
  ["", 0xfe25, "i32.atomic.rmw.sub i64.atomic.rmw.sub"],
  ["", 0xfe2c, "i32.atomic.rmw.and i64.atomic.rmw.and"],
  ["", 0xfe33, "i32.atomic.rmw.or i64.atomic.rmw.or"],
  ["", 0xfe3a, "i32.atomic.rmw.xor i64.atomic.rmw.xor"],
  ["", 0xfe41, "i32.atomic.rmw.xchg i64.atomic.rmw.xchg"],
  ["", 0xfe48, "i32.atomic.rmw.cmpxchg i64.atomic.rmw.cmpxchg"],
] as const;

const LANE = [
  ["i8x16.", 0xfd15, "extract_lane_s extract_lane_u replace_lane"],
  ["i16x8.", 0xfd18, "extract_lane_s extract_lane_u replace_lane"],
  ["i32x4.", 0xfd1b, "extract_lane replace_lane"],
  ["i64x2.", 0xfd1d, "extract_lane replace_lane"],
  ["f32x4.", 0xfd1f, "extract_lane replace_lane"],
  ["f64x2.", 0xfd21, "extract_lane replace_lane"],
] as const;

const MEMORY_LANE = [
  ["v128.", 0xfd54, "load8_lane load16_lane load32_lane load64_lane"],
  ["v128.", 0xfd58, "store8_lane store16_lane store32_lane store64_lane"],
] as const;

type Row = readonly [prefix: string, first: number, names: string];
type Words<S extends string, Found extends string = never> = S extends `${infer First} ${infer Rest}`
  ? Words<Rest, Found | First>
  : Found | S;
type Names<R> = R extends readonly [infer P extends string, number, infer N extends string]
  ? `${P}${Words<N>}`
  : never;

/** An instruction without immediate operands, by its name in the text format. */
export type Instruction = Names<(typeof PLAIN)[number]>;
/** An instruction that reads or writes memory at an address and an offset. */
export type MemoryInstruction = Names<(typeof MEMORY)[number]>;
/** An instruction on one lane of a vector. */
export type LaneInstruction = Names<(typeof LANE)[number]>;
/** An instruction that moves one lane of a vector between it and memory. */
export type MemoryLaneInstruction = Names<(typeof MEMORY_LANE)[number]>;

const spread = (rows: readonly Row[]): [string, number][] =>
  rows.flatMap(([prefix, first, names]) =>
    names.split(" ").map((word, i): [string, number] => [prefix + word, first + i]),
  );

let encodings: Map<string, number> | undefined;

/** Returns the encoding of an instruction; undefined for a name that is none. */
export function encodingOf(name: string): number | undefined {
  encodings ??= new Map(spread([...PLAIN, ...MEMORY, ...LANE, ...MEMORY_LANE]));
  return encodings.get(name);
}

/** Returns the names of all instructions, by their operands. */
export function instructionNames(): {
  readonly plain: readonly Instruction[];
  readonly memory: readonly MemoryInstruction[];
  readonly lane: readonly LaneInstruction[];
  readonly memoryLane: readonly MemoryLaneInstruction[];
} {
  const names = <N>(rows: readonly Row[]): N[] => spread(rows).map(([name]) => name as N);
  return { plain: names(PLAIN), memory: names(MEMORY), lane: names(LANE), memoryLane: names(MEMORY_LANE) };
}

const alignments = new Map<string, number>();

/** Returns the natural alignment of a memory instruction, as the exponent of a power of two. */
export function alignmentOf(name: string): number {
  let exponent = alignments.get(name);
  if (exponent === undefined) {
    const parts = /(?:load|store|wait)(\d+)(?:x(\d+))?/.exec(name) ?? /^[a-z](\d+)/.exec(name);
    // `memory.atomic.notify` names no width; it has 32 bits.
    const bits = parts === null ? 32 : Number(parts[1]) * Number(parts[2] ?? 1);
    exponent = Math.log2(bits / 8);
    alignments.set(name, exponent);
  }
  return exponent;
}
