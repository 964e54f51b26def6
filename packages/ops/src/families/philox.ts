/**
 * @file PyTorch's random operators without a generator: numbers follow from a key, a pair of
 * uint64.
 */
import type { FakeTensor } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import { isFloatDType } from "@sconce/tensor";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import { dtypeMismatch, invalidArgument } from "../rows/errors.js";
import { describeSizes } from "../rules/describe.js";
import { sizeEquals } from "../rules/dims.js";
import { scalarTypeName } from "../rules/dtype-names.js";
import { elementwise } from "../rules/elementwise.js";
import { fake, numelOf } from "../rules/fake.js";

/** @throws SconceError `DTYPE_MISMATCH`, `INVALID_ARGUMENT` */
function checkKey(name: string, key: FakeTensor, shape: string): void {
  if (key.dtype !== "uint64")
    throw dtypeMismatch(`${name}: key must have dtype uint64, got ${scalarTypeName(key.dtype)}`);
  if (key.ndim === 0 || key.shape[key.ndim - 1] !== 2)
    throw invalidArgument(`${name}: key must have shape ${shape}, got shape ${describeSizes(key.shape)}`);
}

const keyOps = [
  defineOp({
    schema: "aten::_philox_key_split(Tensor key, int num_splits) -> Tensor",
    doc: "Keys that follow from a key, along a new first dimension.",
    meta: ({ key, num_splits: splits }) => {
      checkKey("_philox_key_split", key, "(*batch, 2)");
      if (typeof splits === "number" && splits <= 0)
        throw invalidArgument(`_philox_key_split: num_splits must be positive, got ${splits}`);
      return fake({ dtype: "uint64", shape: [splits, ...key.shape], like: key });
    },
  }),
  defineOp({
    schema: "aten::_philox_key_fold_in(Tensor key, int data) -> Tensor",
    doc: "The key that follows from a key and a number.",
    meta: ({ key }) => {
      checkKey("_philox_key_fold_in", key, "(*batch, 2)");
      return fake({ dtype: "uint64", shape: key.shape, like: key });
    },
  }),
  defineOp({
    schema: "aten::_philox_key_fold_in.Tensor(Tensor key, Tensor data) -> Tensor",
    doc: "The key that follows from a key and a number.",
    meta: ({ key, data }) => {
      checkKey("_philox_key_fold_in", key, "(*batch, 2)");
      if (data.dtype !== "uint64") {
        const got = scalarTypeName(data.dtype);
        throw dtypeMismatch(`_philox_key_fold_in: data must have dtype uint64, got ${got}`);
      }
      const count = numelOf(data.shape);
      if (count !== 1)
        throw invalidArgument(`_philox_key_fold_in: data must be a single value, got ${count} elements`);
      return fake({ dtype: "uint64", shape: key.shape, like: key });
    },
  }),
];

/** One key, or one for each place of the output's dimensions, broadcast. */
function checkBatch(name: string, self: FakeTensor, key: FakeTensor, env: SymEnv): void {
  checkKey(name, key, "(2,) or (*batch, 2)");
  if (key.ndim === 1) return;
  const shapes = (): readonly [string, string] => [describeSizes(key.shape), describeSizes(self.shape)];
  if (key.ndim !== self.ndim + 1) {
    const [keys, output] = shapes();
    throw invalidArgument(
      `${name}: batched key must have ndim == output ndim + 1, got key shape ${keys} with output shape ${output}`,
    );
  }
  const batch = key.shape.slice(0, -1);
  if (batch.every((size, d) => size === 1 || sizeEquals(size, self.shape[d]!, env))) return;
  throw invalidArgument(
    `${name}: key batch shape ${describeSizes(batch)} is not broadcastable with output shape ${shapes()[1]}`,
  );
}

function filled(name: string, self: FakeTensor, key: FakeTensor, context: MetaContext): FakeTensor {
  checkBatch(name, self, key, context.env);
  if (!isFloatDType(self.dtype))
    throw dtypeMismatch(`"${name}" not implemented for '${scalarTypeName(self.dtype)}'`);
  return elementwise(context, [self], { dtype: self.dtype });
}

const fillOps = [
  defineOp({
    schema: "aten::_philox_uniform(Tensor self, Tensor key, float low=0., float high=1.) -> Tensor",
    doc: "Uniform numbers of a key, with the sizes and dtype of `self`.",
    meta: ({ self, key }, context) => filled("_philox_uniform_", self, key, context),
  }),
  defineOp({
    schema: "aten::_philox_normal(Tensor self, Tensor key, float mean=0., float std=1.) -> Tensor",
    doc: "Normal deviates of a key, with the sizes and dtype of `self`.",
    meta: ({ self, key }, context) => filled("_philox_normal_", self, key, context),
  }),
];

export const philoxOps: readonly OpDefinition[] = [...keyOps, ...fillOps];
