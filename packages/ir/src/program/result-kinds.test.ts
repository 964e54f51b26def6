import { expect, test } from "vitest";
import { float } from "../values/argument.js";
import type { ExportedProgram } from "./program.js";
import { resultKinds } from "./result-kinds.js";
import type { ArgumentSpec, OutputKind } from "./signature.js";

const constant = (value: (ArgumentSpec & { kind: "constant" })["value"]): ArgumentSpec => ({
  kind: "constant",
  name: "",
  value,
});

test("each user output has its Python type", () => {
  const outputs: [OutputKind, ArgumentSpec][] = [
    ["BUFFER_MUTATION", { kind: "tensor", name: "add" }],
    ["USER_OUTPUT", { kind: "tensor", name: "x" }],
    ["USER_OUTPUT", { kind: "symint", name: "mul" }],
    ["USER_OUTPUT", { kind: "symfloat", name: "item" }],
    ["USER_OUTPUT", { kind: "symbool", name: "eq" }],
    ["USER_OUTPUT", constant(2)],
    ["USER_OUTPUT", constant(2n ** 60n)],
    ["USER_OUTPUT", constant(float(2))],
    ["USER_OUTPUT", constant(float(-0))],
    ["USER_OUTPUT", constant(2.5)],
    ["USER_OUTPUT", constant(Number.NaN)],
    ["USER_OUTPUT", constant(true)],
    ["USER_OUTPUT", constant("s")],
    ["USER_OUTPUT", constant(null)],
    ["USER_OUTPUT", constant([1])],
  ];
  const outputSpecs = outputs.map(([kind, arg]) => ({ kind, arg, target: null }));
  const program = { graphSignature: { inputSpecs: [], outputSpecs } } as unknown as ExportedProgram;
  expect(resultKinds(program)).toEqual(
    "tensor int float bool int int float float float float bool str none object".split(" "),
  );
});
