/**
 * @file Annotations that PyTorch leaves on what its Python references emit. References with type
 * promotion (`elementwise_type_promotion_wrapper`) are wrapped by `torch._disable_dynamo`, which
 * annotates the calls under it with the name of the innermost wrapped function while a program is
 * exported.
 */
import type { NodeMeta } from "@sconce/ir";

type Annotation = Readonly<Record<string, unknown>>;

/** References whose inner function is called otherwise than the operator. */
const REFERENCES: ReadonlyMap<string, string> = new Map([
  ...[
    "deg2rad",
    "frac",
    "heaviside",
    "isneginf",
    "isposinf",
    "logaddexp",
    "logaddexp2",
    "rad2deg",
    "sgn",
    "sinc",
  ].map((name) => [name, "_ref"] as const),
  ...[
    "addcdiv",
    "addcmul",
    "addr",
    "celu",
    "dot",
    "glu",
    "huber_loss",
    "lerp",
    "logit",
    "logsumexp",
    "mish",
    "softplus",
    "threshold",
    "vdot",
    "xlogy",
  ].map((name) => [name, name] as const),
  ["mvlgamma", "multigammaln"],
  ["special_entr", "entr"],
  ["special_log_ndtr", "log_ndtr"],
  ["special_xlog1py", "xlog1py"],
]);

/**
 * Returns the reference by which PyTorch decomposes an ATen operator, if it annotates what it
 * emits.
 */
export function annotatedReference(target: string): string | undefined {
  let name = known.get(target);
  if (name === undefined) {
    const [namespace, packet] = target.split(".");
    name = (namespace === "aten" && REFERENCES.get(packet!)) || "";
    known.set(target, name);
  }
  return name === "" ? undefined : name;
}

/** By overload; empty for operators that PyTorch does not annotate. */
const known = new Map<string, string>();

/** Metadata of calls that run under a function which TorchDynamo does not trace. */
export function underDisabled(meta: NodeMeta, method: string): NodeMeta {
  const custom: Annotation = {
    ...meta.custom,
    _torchdynamo_disable: true,
    _torchdynamo_disable_recursive: true,
    _torchdynamo_disable_method: method,
  };
  return { ...meta, custom };
}
