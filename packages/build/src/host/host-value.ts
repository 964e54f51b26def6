/** @file Values of the steps of the host, as expressions of JavaScript. */
import type { FakeTensor } from "@sconce/ir";
import type { ScalarCode, ScalarKind } from "../code/scalar-code.js";

/** A value of a step: a tensor, a number, or several results. */
export type HostValue =
  | { readonly kind: "tensor"; readonly text: string; readonly fake: FakeTensor }
  | { readonly kind: "scalar"; readonly code: ScalarCode }
  | { readonly kind: "list"; readonly items: readonly (HostValue | null)[] }
  | { readonly kind: "graph"; readonly text: string };

/** Returns a number. */
export const scalar = (kind: ScalarKind, text: string): HostValue => ({
  kind: "scalar",
  code: { kind, text },
});

/** Returns a value as an operand of a nested graph. */
export function textOf(value: HostValue): string {
  if (value.kind === "scalar") return value.code.text;
  if (value.kind === "list")
    return `[${value.items.map((one) => (one === null ? "null" : textOf(one))).join(",")}]`;
  return value.text;
}
