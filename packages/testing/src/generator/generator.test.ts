import { ExportedProgram } from "@sconce/ir";
import { verify } from "@sconce/ir/verify";
import { defaultOperators } from "@sconce/ops";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryProgram } from "../fast-check.js";
import { generatedOperators } from "./build.js";
import { sampleProgram } from "./sample-program.js";

const operators = defaultOperators();
const many = Array.from({ length: 400 }, (_, seed) => sampleProgram(seed, { mutations: true }));
const calls = (program: ExportedProgram): string[] =>
  program.graph.nodes().flatMap((node) => (node.op === "call_function" ? [node.target] : []));

describe("generated programs", () => {
  test("use every operator that the generator knows, in both dialects", () => {
    const used = new Set(many.flatMap(calls));
    expect(generatedOperators().filter((target) => !used.has(target))).toEqual([]);
    expect(new Set(many.map(({ dialect }) => dialect))).toEqual(new Set(["ATEN", "TRAINING"]));
  });

  test("have parameters, buffers, constants, several outputs, mutations and symbolic sizes", () => {
    const kinds = new Set(
      many.flatMap(({ graphSignature }) => graphSignature.inputSpecs.map(({ kind }) => kind)),
    );
    expect([...kinds].sort()).toEqual(["BUFFER", "CONSTANT_TENSOR", "PARAMETER", "USER_INPUT"]);
    const results = new Set(
      many.flatMap(({ graphSignature }) => graphSignature.outputSpecs.map(({ kind }) => kind)),
    );
    expect([...results].sort()).toEqual(["BUFFER_MUTATION", "USER_INPUT_MUTATION", "USER_OUTPUT"]);
    expect(many.filter((program) => program.userOutputs.length > 2).length).toBeGreaterThan(100);
    expect(many.filter((program) => program.rangeConstraints.size > 0).length).toBeGreaterThan(100);
    expect(many.some((program) => calls(program).includes("aten.sym_size.int"))).toBe(true);
  });

  test("are the same for the same seed", () => {
    expect(String(sampleProgram(5))).toBe(String(sampleProgram(5)));
    expect(String(sampleProgram(5))).not.toBe(String(sampleProgram(6)));
  });

  test("keep to the operators, the size, the dialect and the purity asked for", () => {
    const ops = ["aten.relu.default", "aten.add.Tensor"];
    for (let seed = 0; seed < 30; seed++) {
      const few = sampleProgram(seed, { ops, maxNodes: 5, dynamic: false, dialect: "ATEN" });
      expect(calls(few).length).toBeLessThanOrEqual(5);
      expect(calls(few).filter((target) => !ops.includes(target))).toEqual([]);
      expect([few.dialect, few.rangeConstraints.size]).toEqual(["ATEN", 0]);
      const pure = sampleProgram(seed, { dialect: "TRAINING" });
      expect(calls(pure).filter((target) => operators.get(target)?.schema.isMutable)).toEqual([]);
    }
  });
});

describe("shrinking", () => {
  test("goes through valid programs only, to a small one", async () => {
    const seen: ExportedProgram[] = [];
    const result = fc.check(
      fc.property(arbitraryProgram({ mutations: true }), (program) => {
        seen.push(program);
        return !calls(program).includes("aten.layer_norm.default");
      }),
      { seed: 4, numRuns: 500 },
    );
    expect(result.failed).toBe(true);
    expect(seen.flatMap((program) => verify(program, { operators }))).toEqual([]);
    const [least] = result.counterexample!;
    expect(calls(least)).toContain("aten.layer_norm.default");
    expect(calls(least).length).toBeLessThan(4);
  });

  test("a counterexample is printed as IR text", () => {
    const program = sampleProgram(1);
    expect(fc.stringify(program)).toContain("sconce-ir 1");
    expect(program.with({ dialect: "X" })).toBeInstanceOf(ExportedProgram);
  });
});
