/** @file Automatic mixed precision: scaled gradients, and casts that a scripted region asks for. */
import type { FakeTensor } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import { isFloatDType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { dtypeMismatch, shapeMismatch } from "../rows/errors.js";
import { isEqual } from "../rules/comparison.js";
import { numelOf, rowMajorLike } from "../rules/fake.js";
import { emptyLike } from "../rules/options.js";

function requireOne(env: SymEnv, name: string, tensor: FakeTensor, dtype: string, shown: string): void {
  if (!isEqual(env, numelOf(tensor.shape), 1)) throw shapeMismatch(`${name} must be a 1-element tensor.`);
  if (tensor.dtype !== dtype) throw dtypeMismatch(`${name} must be ${shown} tensor.`);
}

const updateScale = defineOp({
  schema:
    "aten::_amp_update_scale(Tensor self, Tensor growth_tracker, Tensor found_inf, float scale_growth_factor, float scale_backoff_factor, int growth_interval) -> (Tensor, Tensor growth_tracker_out)",
  doc: "The scale of the next step, and the number of steps since it last changed.",
  meta: ({ self, growth_tracker: tracker, found_inf: found }, { env }) => {
    requireOne(env, "growth_tracker", tracker, "int32", "an int");
    requireOne(env, "current_scale", self, "float32", "a float");
    requireOne(env, "found_inf", found, "float32", "a float");
    return [rowMajorLike(self), rowMajorLike(tracker)];
  },
});

const unscale = defineOp({
  schema:
    "aten::_amp_foreach_non_finite_check_and_unscale(Tensor[] self, Tensor found_inf, Tensor inv_scale) -> (Tensor[] self_out, Tensor found_inf_out)",
  doc: "The tensors times a factor, and 1 where one of them has an element that is not finite.",
  meta: ({ self, found_inf: found, inv_scale: factor }, { env }) => {
    requireOne(env, "inv_scale", factor, "float32", "a float");
    requireOne(env, "found_inf", found, "float32", "a float");
    const copies = self.map((tensor) => emptyLike(tensor, env));
    return [copies, rowMajorLike(found)];
  },
});

const toFull = defineOp({
  schema:
    "aten::_autocast_to_full_precision(Tensor(a) self, bool cuda_enabled, bool cpu_enabled) -> Tensor(a)",
  tags: ["composite", "maybe_aliasing_or_mutating"],
  decompose: (emit, { self, cpu_enabled: enabled }) =>
    enabled && (self.dtype === "float16" || self.dtype === "bfloat16")
      ? emit("aten.to.dtype", [self, "float32"])
      : self,
});

const toReduced = defineOp({
  schema:
    "aten::_autocast_to_reduced_precision(Tensor(a) self, bool cuda_enabled, bool cpu_enabled, ScalarType cuda_dtype, ScalarType cpu_dtype) -> Tensor(a)",
  tags: ["composite", "maybe_aliasing_or_mutating"],
  decompose: (emit, { self, cpu_enabled: enabled, cpu_dtype: dtype }) =>
    enabled && isFloatDType(self.dtype) && self.dtype !== "float64"
      ? emit("aten.to.dtype", [self, dtype])
      : self,
});

export const mixedPrecisionOps: readonly OpDefinition[] = [updateScale, unscale, toFull, toReduced];
