/** @file Values in and out of functional tensors. */
import { FakeTensor, type MetaValue } from "@sconce/ir";
import type { EmitArg } from "@sconce/ops";
import { FunctionalTensor } from "./functional-tensor.js";

type Kwargs = Readonly<Record<string, EmitArg>>;

/** Values of functional tensors, brought up to date. */
export function unwrap(value: EmitArg): EmitArg {
  if (value instanceof FunctionalTensor) return value.sync();
  if (Array.isArray(value)) return (value as readonly EmitArg[]).map(unwrap);
  const tagged = value as { kind?: string; items?: readonly EmitArg[] } | null;
  if (typeof tagged === "object" && tagged?.kind === "tuple") {
    return { kind: "tuple", items: tagged.items!.map(unwrap) } as EmitArg;
  }
  return value;
}
export const unwrapAll = (values: readonly EmitArg[]): readonly EmitArg[] => values.map(unwrap);
export function unwrapKwargs(kwargs: Kwargs): Kwargs {
  const plain: Record<string, EmitArg> = {};
  for (const key in kwargs) plain[key] = unwrap(kwargs[key]);
  return plain;
}

/** Results become functional tensors with their own storage. */
export function wrap(value: MetaValue): MetaValue {
  if (value instanceof FunctionalTensor) return value;
  if (value instanceof FakeTensor) return new FunctionalTensor(value);
  return Array.isArray(value) ? (value as readonly MetaValue[]).map(wrap) : value;
}
