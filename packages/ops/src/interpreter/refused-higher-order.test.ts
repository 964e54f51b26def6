import { HIGHER_ORDER_TARGETS } from "@sconce/ir";
import { expect, test } from "vitest";
import { HIGHER_ORDER } from "./higher-order.js";
import { REFUSED_HIGHER_ORDER, whyNotRun } from "./refused-higher-order.js";

test("every higher-order operator of PyTorch is run, or refused by name", () => {
  const known = [...HIGHER_ORDER.keys(), ...REFUSED_HIGHER_ORDER.keys()];
  expect(known.toSorted()).toEqual([...HIGHER_ORDER_TARGETS].toSorted());
});

test("a call of a refused operator says what it holds and what to do", () => {
  const token = {
    target: "higher_order.with_effects",
    args: [null, { kind: "operator", target: "higher_order.call_torchbind" }],
  } as const;
  expect(whyNotRun(token)).toMatch(/^Sconce does not run higher_order.call_torchbind: it calls a method/);
  expect(whyNotRun({ target: "higher_order.triton_kernel_wrapper_mutation", args: [] })).toMatch(
    /Triton kernel/,
  );
  expect(whyNotRun({ target: "higher_order.cond", args: [] })).toBeUndefined();
});
