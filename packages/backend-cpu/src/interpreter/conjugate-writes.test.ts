import { parseGraph } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { createEvaluator } from "./backend.js";
import { COPIED_VIEWS, refuseConjugateWrites } from "./conjugate-writes.js";

const check = (body: string): void =>
  refuseConjugateWrites(parseGraph(`graph(%x: c64[2]) {\n${body}\n}`), defaultOperators());

describe("writes around conjugated views", () => {
  test("through the view, and behind its back, are refused", () => {
    const conj = "%a: c64[2] = aten.clone.default(%x)\n%z: c64[2] = aten._conj.default(%a)";
    expect(() => check(`${conj}\n%w: c64[2] = aten.mul_.Tensor(%z, 2)\nreturn (%a)`)).toThrow(
      /conjugated view/,
    );
    expect(() => check(`${conj}\n%w: c64[2] = aten.mul_.Tensor(%a, 2)\nreturn (%z)`)).toThrow(
      /runs? the program|conjugated view/,
    );
    expect(() =>
      check(
        `${conj}\n%v: c64[1] = aten.slice.Tensor(%z, 0, 0, 1)\n%w: c64[1] = aten.mul_.Tensor(%v, 2)\nreturn (%a)`,
      ),
    ).toThrow();
  });

  test("elsewhere, or before, are not", () => {
    check(
      "%a: c64[2] = aten.clone.default(%x)\n%w: c64[2] = aten.mul_.Tensor(%a, 2)\n%z: c64[2] = aten._conj.default(%w)\nreturn (%z)",
    );
    check(
      "%z: c64[2] = aten._conj.default(%x)\n%b: c64[2] = aten.mul.Tensor(%z, 2)\n%w: c64[2] = aten.mul_.Tensor(%b, 2)\nreturn (%w)",
    );
  });

  test.each([...COPIED_VIEWS])("through %s", (target) => {
    const body = `%a: c64[2, 2] = aten.clone.default(%x)\n%z: c64[2, 2] = ${target}(%a)`;
    expect(() => check(`${body}\n%w: c64[2, 2] = aten.mul_.Tensor(%z, 2)\nreturn (%a)`)).toThrow(
      target === "aten._neg_view.default" ? /negated view/ : /conjugated view/,
    );
  });

  test("negated views of real tensors are refused too", () => {
    const body = "%a: f32[2] = aten.clone.default(%x)\n%z: f32[2] = aten._neg_view.default(%a)";
    const write = "%w: f32[2] = aten.mul_.Tensor(%z, 2)\nreturn (%a)";
    const graph = parseGraph(`graph(%x: f32[2]) {\n${body}\n${write}\n}`);
    expect(() => refuseConjugateWrites(graph, defaultOperators())).toThrow(/%z is a negated view/);
  });
});

test("a negated view has negated elements", () => {
  const evaluate = createEvaluator({ operators: defaultOperators() });
  const result = evaluate("aten._neg_view.default", [Tensor.from([1, -2], [2], "float32")], {}) as Tensor;
  expect([...result.toArray()]).toEqual([-1, 2]);
});

test("the list has the views of one tensor that the interpreter copies", () => {
  const operators = defaultOperators();
  const evaluate = createEvaluator({ operators });
  const copied = [...operators.targets()].filter((target) => {
    const schema = operators.schemaOf(target);
    const [self, ...others] = schema?.args ?? [];
    const isUnary = self?.type.base === "Tensor" && others.every((arg) => arg.defaultValue !== undefined);
    if (!schema?.isView || schema.isMutable || !isUnary) return false;
    const input = Tensor.empty([2, 2], "complex64");
    try {
      const result = evaluate(target, [input], {});
      return result instanceof Tensor && result.storage !== input.storage;
    } catch {
      return false;
    }
  });
  expect(copied.sort()).toEqual([...COPIED_VIEWS].sort());
});
