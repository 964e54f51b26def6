/** @file Products with weights of 4 bits, which PyTorch packs for its processor. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { add, floorDiv, mod, mul, type SymEnv } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { mayDiffer } from "../rules/comparison.js";
import { convert } from "../rules/decompose.js";
import { describeSize, describeSizes } from "../rules/describe.js";
import { fake, numelOf } from "../rules/fake.js";

const FLOATS: ReadonlySet<DType> = new Set(["float32", "float16", "bfloat16"]);
const GROUPS: ReadonlySet<IntLike> = new Set([32, 64, 128, 256]);

function requireRank(tensor: FakeTensor, rank: number, name: string): void {
  if (tensor.ndim !== rank) throw shapeMismatch(`${name} must be a ${rank}D tensor`);
}

function requireDType(tensor: FakeTensor, dtype: DType, name: string): void {
  if (tensor.dtype !== dtype) throw dtypeMismatch(`expected ${name} to be ${dtype}, got ${tensor.dtype}`);
}

const pack = defineOp({
  schema: "aten::_convert_weight_to_int4pack_for_cpu(Tensor self, int innerKTiles) -> Tensor",
  doc: "Packs levels of 4 bits for a CPU. Sconce packs as processors with AVX-512 do.",
  meta: ({ self }, { env }) => {
    requireRank(self, 2, "w");
    requireDType(self, "int32", "w");
    const [rows, columns] = self.shape as readonly [IntLike, IntLike];
    if (mayDiffer(env, mod(rows, 16), 0))
      throw shapeMismatch("_convert_weight_to_int4pack_cpu : expect N to be dividable by 16");
    if (mayDiffer(env, mod(columns, 2), 0))
      throw shapeMismatch("_convert_weight_to_int4pack_cpu : expect K to be dividable by 2");
    return fake({ dtype: "uint8", shape: [rows, floorDiv(columns, 2)], like: self });
  },
});

const packTiles = defineOp({
  schema: "aten::_convert_weight_to_int4pack(Tensor self, int innerKTiles) -> Tensor",
  doc: "Packs levels of 4 bits for a graphics device. Sconce packs as NVIDIA's are served.",
  meta: ({ self, innerKTiles: tiles }, { env }) => {
    requireRank(self, 2, "w");
    requireDType(self, "uint8", "w");
    if (tiles !== 2 && tiles !== 4 && tiles !== 8)
      throw invalidArgument(`innerKTiles must be 2, 4 or 8, got ${describeSize(tiles)}`);
    const columns = mul(self.shape[1]!, 2);
    if (mayDiffer(env, mod(columns, 16 * tiles), 0))
      throw shapeMismatch(
        `expected the columns to be divisible by ${16 * tiles}, got ${describeSize(columns)}`,
      );
    if (mayDiffer(env, mod(self.shape[0]!, 8), 0))
      throw shapeMismatch(`expected the rows to be divisible by 8, got ${describeSize(self.shape[0])}`);
    const shape = [floorDiv(self.shape[0]!, 8), floorDiv(columns, 16 * tiles), 32, tiles / 2];
    return fake({ dtype: "int32", shape, like: self });
  },
});

interface Grouped {
  readonly self: FakeTensor;
  readonly mat2: FakeTensor;
  readonly qGroupSize: IntLike;
  readonly qScaleAndZeros: FakeTensor;
}

function checkGroups(env: SymEnv, args: Grouped, rows: IntLike): void {
  const { self, mat2, qGroupSize: size, qScaleAndZeros: settings } = args;
  if (!FLOATS.has(self.dtype)) throw dtypeMismatch(`expected x to be f32/f16/bf16, got ${self.dtype}`);
  if (!GROUPS.has(size))
    throw invalidArgument(`expect qGroupSize to be 32, 64, 128 or 256, got ${describeSize(size)}`);
  const columns = self.shape[1]!;
  const groups = floorDiv(add(columns, Number(size) - 1), size);
  const wanted = [groups, rows, 2];
  if (settings.ndim !== 3 || settings.shape.some((one, d) => mayDiffer(env, one, wanted[d]!)))
    throw shapeMismatch(
      `expect qScaleAndZeros to be 3d tensor with sizes ${describeSizes(wanted)}, got ${describeSizes(settings.shape)}`,
    );
  if (settings.dtype !== self.dtype)
    throw dtypeMismatch(`expected scalar type ${self.dtype} of qScaleAndZeros, got ${settings.dtype}`);
  const elements = mul(rows, columns);
  const stored = mul(numelOf(mat2.shape), mat2.dtype === "uint8" ? 2 : 8);
  if (mayDiffer(env, elements, stored))
    throw shapeMismatch(
      `the packed weight ${describeSizes(mat2.shape)} does not hold ${describeSize(rows)} x ${describeSize(columns)} values`,
    );
}

const product = defineOp({
  schema:
    "aten::_weight_int4pack_mm_for_cpu(Tensor self, Tensor mat2, int qGroupSize, Tensor qScaleAndZeros) -> Tensor",
  doc: "The product with a weight that was packed for a CPU.",
  meta: (args, { env }) => {
    const { self, mat2 } = args;
    requireRank(self, 2, "x");
    requireRank(mat2, 2, "w");
    requireDType(mat2, "uint8", "w");
    checkGroups(env, args, mat2.shape[0]!);
    return fake({ dtype: self.dtype, shape: [self.shape[0]!, mat2.shape[0]!], like: self });
  },
});

const productOfTiles = defineOp({
  schema:
    "aten::_weight_int4pack_mm(Tensor self, Tensor mat2, int qGroupSize, Tensor qScaleAndZeros) -> Tensor",
  doc: "The product with a weight that was packed for a graphics device.",
  meta: (args, { env }) => {
    const { self, mat2 } = args;
    requireRank(self, 2, "x");
    requireRank(mat2, 4, "w");
    requireDType(mat2, "int32", "w");
    const rows = mul(mat2.shape[0]!, 8);
    checkGroups(env, args, rows);
    return fake({ dtype: self.dtype, shape: [self.shape[0]!, rows], like: self });
  },
});

const packDynamic = defineOp({
  schema:
    "aten::_dyn_quant_pack_4bit_weight(Tensor weights, Tensor scales_zeros, Tensor? bias, int block_size, int in_features, int out_features) -> Tensor",
  doc: "Weights, scales and bias one after the other, in float32, as PyTorch has them without KleidiAI.",
  tags: ["not_in_default_table"],
  decompose: (emit, { weights, scales_zeros: scales, bias }) => {
    requireDType(weights, "uint8", "w");
    const parts = [weights, scales, ...(bias === null ? [] : [bias])];
    const flat = parts.map((part) => convert(emit, emit("aten.reshape.default", [part, [-1]]), "float32"));
    return emit("aten.cat.default", [flat]);
  },
});

const productOfDynamic = defineOp({
  schema:
    "aten::_dyn_quant_matmul_4bit(Tensor inp, Tensor packed_weights, int block_size, int in_features, int out_features) -> Tensor",
  doc: "Quantizes each row to 8 bits, and multiplies it with a weight of 4 bits in integers.",
  meta: (
    { inp, packed_weights: packed, block_size: block, in_features: inner, out_features: outer },
    { env },
  ) => {
    requireRank(inp, 2, "input");
    const isWhole = block === inner;
    if (inp.dtype !== "float32" && !(inp.dtype === "bfloat16" && isWhole))
      throw dtypeMismatch(
        `expected input to be f32 or bf16 (bf16 requires block_size == in_features), got ${inp.dtype} with block_size=${describeSize(block)} and in_features=${describeSize(inner)}`,
      );
    if (packed.dtype !== "float32")
      throw dtypeMismatch(
        "_dyn_quant_matmul_4bit: the weight was packed for KleidiAI, whose layout depends on the processor",
      );
    const [size, width, height] = [block, inner, outer].map(Number) as [number, number, number];
    if (!isWhole && (size % 32 !== 0 || width % size !== 0))
      throw invalidArgument("Unsupported block size for FP32 fallback");
    if (mayDiffer(env, inp.shape[1]!, width))
      throw shapeMismatch(`expected ${width} columns of the input, got ${describeSize(inp.shape[1])}`);
    const least = (height * width) / 2 + height * (width / size);
    const count = numelOf(packed.shape);
    if (mayDiffer(env, count, least) && mayDiffer(env, count, least + height))
      throw shapeMismatch(
        `the packed weight has ${describeSize(count)} elements, and ${least} or ${least + height} are needed`,
      );
    return fake({ dtype: inp.dtype, shape: [inp.shape[0]!, height], like: inp });
  },
});

export const matmulPackedOps: readonly OpDefinition[] = [
  pack,
  packTiles,
  product,
  productOfTiles,
  packDynamic,
  productOfDynamic,
];
