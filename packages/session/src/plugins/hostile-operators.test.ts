import { isSconceError } from "@sconce/errors";
import { FakeTensor } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { defineOp, type Emit } from "@sconce/ops";
import { describe, expect, test } from "vitest";
import { createSconce } from "../index.js";
import { failure, guardProgram, program, TEXT, weights } from "./hostile-plugins.fixture.js";

guardProgram();

describe("operators, kernels and backends of a plugin", () => {
  const boo = (): never => {
    throw new Error("boo");
  };
  const op = defineOp({ schema: "evil::op(Tensor x) -> Tensor", decompose: boo });

  test("a decomposition that throws is named", () => {
    const error = failure({ decompositions: { "aten.relu.default": boo } }, "decompose");
    expect(error.message).toContain('the decomposition of aten.relu.default of plugin "evil" threw: boo');
    const bound = parseIr(TEXT.replace("aten.relu", "evil.op"));
    const sconce = createSconce({ plugins: [{ name: "evil", ops: [op] }] });
    expect(() => sconce.runDecompositions(bound)).toThrow(
      'the decomposition of evil.op.default of plugin "evil" threw: boo',
    );
  });

  test("a kernel that throws is named, when folding and when running", async () => {
    const sconce = createSconce({ plugins: [{ name: "evil", kernels: { "aten.relu.default": boo } }] });
    const message = 'the kernel of aten.relu.default of plugin "evil" threw: boo';
    expect(() => sconce.services.evaluator.evaluate("aten.relu.default", [weights], {})).toThrow(message);
    using executable = await sconce.compile(program);
    await expect(executable.run([weights])).rejects.toThrow(message);
  });

  test.each<[string, (...args: never[]) => unknown, string]>([
    ["nothing", () => undefined, "returned undefined where its schema says Tensor"],
    ["a promise", async () => 1, "returned a promise; it must return its result synchronously"],
    ["a text", () => "x", "returned a string where its schema says Tensor"],
    ["a list", () => [1, 2], "returned a list of 2 where its schema says Tensor"],
  ])("functions that give %s are named", async (_, give, does) => {
    const run = give as never;
    const error = failure({ decompositions: { "aten.relu.default": run } }, "decompose");
    expect(error.message).toContain(`the decomposition of aten.relu.default of plugin "evil" ${does}`);
    const own = defineOp({ schema: "evil::op(Tensor x) -> Tensor", meta: run });
    const bound = parseIr(TEXT.replace("aten.relu", "evil.op"));
    expect(() => createSconce({ plugins: [{ name: "evil", ops: [own] }] }).runDecompositions(bound)).toThrow(
      `the shape rule of evil.op.default of plugin "evil" ${does}`,
    );
    const sconce = createSconce({ plugins: [{ name: "evil", kernels: { "aten.relu.default": run } }] });
    using executable = await sconce.compile(program);
    await expect(executable.run([weights])).rejects.toThrow(
      `the kernel of aten.relu.default of plugin "evil" ${does}`,
    );
  });

  test("a decomposition that gives other numbers of elements or another dtype is named, not a later node", () => {
    const sum = (emit: Emit, { self }: { self: never }) => emit("aten.sum.default", [self]);
    const whole = (emit: Emit, { self }: { self: never }) =>
      emit("aten._to_copy.default", [self], { dtype: "int64" });
    const named = 'the decomposition of aten.relu.default of plugin "evil" returned';
    for (const decompositions of [
      { "aten.relu.default": sum as never },
      new Map([["aten.relu.default", sum as never]]),
    ])
      expect(failure({ decompositions }, "decompose").message).toContain(
        `${named} float32[], the replaced call gives float32[4]`,
      );
    expect(
      failure({ decompositions: { "aten.relu.default": whole as never } }, "decompose").message,
    ).toContain(`${named} int64[4], the replaced call gives float32[4]`);
    const unknown = (emit: Emit, { self }: { self: never }) => emit("aten.nope.default", [self]);
    const error = failure({ decompositions: { "aten.relu.default": unknown as never } }, "decompose");
    expect(error.message).toContain(
      'the decomposition of aten.relu.default of plugin "evil" calls aten.nope.default: unknown operator',
    );
  });

  test("a shape rule whose tensor is malformed is named", () => {
    const shape = [4, -1];
    const meta = () => new FakeTensor({ dtype: "float32", shape, strides: [1, 1] });
    const own = defineOp({ schema: "evil::op(Tensor x) -> Tensor", meta });
    const bound = parseIr(TEXT.replace("aten.relu", "evil.op"));
    expect(() => createSconce({ plugins: [{ name: "evil", ops: [own] }] }).runDecompositions(bound)).toThrow(
      'the shape rule of evil.op.default of plugin "evil" returned a tensor whose shape [4, -1] holds -1',
    );
  });

  test("an operator that nothing runs is not reported as decomposed", async () => {
    const own = defineOp({ schema: "evil::op(Tensor x) -> Tensor", meta: ({ x }) => x });
    const sconce = createSconce({ plugins: [{ name: "evil", ops: [own] }] });
    const bound = parseIr(TEXT.replace("aten.relu", "evil.op"), { tensors: new Map([["w", weights]]) });
    const error: unknown = await (async () => {
      using executable = await sconce.compile(bound);
      return executable.run([weights]);
    })().catch((thrown: unknown) => thrown);
    expect(isSconceError(error) && [error.code, error.fix]).toEqual([
      "UNSUPPORTED_NODES",
      "give the backend a kernel for it (`cpuBackend({ kernels })` or a plugin's `kernels`): it has no decomposition",
    ]);
  });

  test("a decomposition that never ends is named", () => {
    const again = (emit: Emit, { self }: { self: never }) => emit("aten.relu.default", [self]);
    expect(failure({ decompositions: { "aten.relu.default": again as never } }, "decompose").message).toMatch(
      /the decomposition of aten.relu.default of plugin "evil" never ends: aten.relu.default -> aten.relu.default/,
    );
  });

  test.each<[string, () => unknown, string]>([
    ["throws", boo, "threw when it was asked for %a (aten.mul.Tensor): boo"],
    ["gives nothing", () => undefined, "gave undefined when it was asked for %a"],
    ["gives a promise", async () => true, "gave a promise when"],
    ["gives an object without a reason", () => ({}), "gave an object without a reason when"],
  ])("a backend that %s for what it supports is named", (_, supports, does) => {
    const backends = [{ name: "b", supports, compile: boo }] as never;
    const error = failure({ backends }, "partition{backend=b}");
    expect(error.message).toContain(`the backend "b" of plugin "evil" ${does}`);
    const sconce = createSconce({ plugins: [{ name: "evil", backends }] });
    expect(() => sconce.backendsFor("aten.relu.default")).toThrow('the backend "b" of plugin "evil"');
  });

  test("a backend that compiles to nothing is named", async () => {
    const backend = { name: "b", supports: () => true as const, compile: () => undefined as never };
    const sconce = createSconce({ plugins: [{ name: "evil", backends: [backend] }] });
    await expect(sconce.compile(program, "b")).rejects.toThrow(
      'the backend "b" of plugin "evil" compiled to what cannot be run',
    );
  });

  test("a backend that throws is named", async () => {
    const backend = { name: "b", supports: () => true as const, compile: boo };
    const sconce = createSconce({ plugins: [{ name: "evil", backends: [backend] }] });
    await expect(sconce.compile(program, "b")).rejects.toMatchObject({
      code: "PLUGIN_FAILED",
      message: 'the backend "b" of plugin "evil" threw: boo',
    });
  });
});
