import type { OpDefinition, OperatorTable } from "@sconce/ops";
import { noFunctionalOverload } from "./errors.js";

/** In-place views change the tensor's own sizes: they become the view. */
export const MUTATING_VIEWS: Readonly<Record<string, string>> = {
  "aten.squeeze_.default": "aten.squeeze.default",
  "aten.squeeze_.dim": "aten.squeeze.dim",
  "aten.squeeze_.dims": "aten.squeeze.dims",
  "aten.unsqueeze_.default": "aten.unsqueeze.default",
  "aten.t_.default": "aten.t.default",
  "aten.transpose_.default": "aten.transpose.int",
  "aten.swapaxes_.default": "aten.transpose.int",
  "aten.swapdims_.default": "aten.transpose.int",
  "aten.as_strided_.default": "aten.as_strided.default",
};

/**
 * Functional overloads that are not found by the spelling of the mutating one
 * (`native_functions.yaml`).
 */
const NAMED: Readonly<Record<string, string>> = {
  "aten._native_batch_norm_legit.default": "aten._native_batch_norm_legit_functional.default",
  "aten._batch_norm_with_update.default": "aten._batch_norm_with_update_functional.default",
  "aten.rrelu_with_noise.default": "aten.rrelu_with_noise_functional.default",
  "aten.rrelu_with_noise_.default": "aten.rrelu_with_noise_functional.default",
  "aten.normal_.default": "aten.normal_functional.default",
  "aten.uniform_.default": "aten.uniform.default",
  "aten.bernoulli_.float": "aten.bernoulli.p",
  "aten.bernoulli_.Tensor": "aten.bernoulli.Tensor",
  "aten.resize_.default": "aten.resize.default",
};

/**
 * Returns the functional overload that a mutating one becomes.
 *
 * @throws SconceError `NOT_FUNCTIONALIZABLE`
 */
export function functionalTarget(row: OpDefinition, operators: OperatorTable): string {
  const named = NAMED[row.target];
  if (named !== undefined) return named;
  if (row.functional !== undefined) return row.functional;
  const [, packet, overload] = /^(.*)\.(\w+)$/.exec(row.target)!;
  const candidates = [
    `${packet!.replace(/_$/, "")}.${overload}`,
    `${packet}.${overload!.replace(/_?out$/, "") || "default"}`,
    `${packet}_functional.${overload}`,
  ];
  const found = candidates.find(
    (target) => target !== row.target && operators.get(target)?.schema.isMutable === false,
  );
  if (found !== undefined) return found;
  throw noFunctionalOverload(row.target);
}
