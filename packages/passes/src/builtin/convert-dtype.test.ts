import { type ExportedProgram, edit, type FakeTensor } from "@sconce/ir";
import { verify } from "@sconce/ir/verify";
import { describe, expect, test } from "vitest";
import { checkPasses } from "../bisect/check-passes.js";
import type { CheckReport } from "../checking/checker.js";
import { parsePipeline } from "../manager/pipeline.js";
import { type PassCall, passCall } from "../pass/pass.js";
import { context, programOf, run, textOf } from "../programs.fixture.js";
import { verifyCalls } from "../shapes/call-problems.js";
import { dtypeConversion as pass } from "./convert-dtype.js";

const LINEAR = `graph(%p_w: f32[2, 2], %x: f32[2, 2]) {
  %a: f32[2, 2] = aten.mm.default(%x, %p_w)
  %s: f32[2, 2] = aten._softmax.default(%a, 1, false)
  %y: f32[2, 2] = aten.relu.default(%s)
  return (%y)
}`;

describe("convert-dtype", () => {
  test("converts weights and calls, and casts at the border", () => {
    const program = programOf(LINEAR);
    const result = run(pass, program);
    expect(textOf(result)).toMatchInlineSnapshot(`
      "graph(%p_w: bf16[2, 2], %x: f32[2, 2]) {
        %_to_copy: bf16[2, 2] = aten._to_copy.default(%x, dtype=bfloat16)
        %a: bf16[2, 2] = aten.mm.default(%_to_copy, %p_w)
        %s: bf16[2, 2] = aten._softmax.default(%a, 1, false)
        %y: bf16[2, 2] = aten.relu.default(%s)
        %_to_copy_1: f32[2, 2] = aten._to_copy.default(%y, dtype=float32)
        return (%_to_copy_1)
      }"
    `);
    expect(result.stateDict.get("w")!.dtype).toBe("bfloat16");
    expect(program.stateDict.get("w")!.dtype).toBe("float32");
    expect(result.graphSignature.outputSpecs[0]!.arg.name).toBe("_to_copy_1");
    expect(verify(result, { operators: context.operators })).toEqual([]);
    expect(run(pass, result)).toBe(result);
  });

  test("an operator that gives other sizes for the dtype has them recorded", () => {
    const bags = programOf(`graph(%p_w: f32[2, 2], %ids: i64[3], %offsets: i64[2]) {
      %bags: (f32[2, 2], i64[0], i64[2], i64[2]) = aten._embedding_bag.default(%p_w, %ids, %offsets)
      %sums: f32[2, 2] = operator.getitem(%bags, 0)
      %kept: i64[0] = operator.getitem(%bags, 1)
      return (%sums, %kept)
    }`);
    const result = run(pass, bags);
    expect(textOf(result)).toContain("%bags: (bf16[2, 2], i64[3], i64[2], i64[2]) =");
    expect(verifyCalls(result, { operators: context.operators })).toEqual([]);
    expect(textOf(run(pass, bags, { to: "float16" }))).toContain("%bags: (f16[2, 2], i64[0],");
  });

  test("kept operators and nodes compute in float32, with weights that only they read", () => {
    const result = run(pass, programOf(LINEAR), { to: "float16", keep: ["aten._softmax.default", "a"] });
    expect(textOf(result)).toMatchInlineSnapshot(`
      "graph(%p_w: f32[2, 2], %x: f32[2, 2]) {
        %a: f32[2, 2] = aten.mm.default(%x, %p_w)
        %s: f32[2, 2] = aten._softmax.default(%a, 1, false)
        %_to_copy: f16[2, 2] = aten._to_copy.default(%s, dtype=float16)
        %y: f16[2, 2] = aten.relu.default(%_to_copy)
        %_to_copy_1: f32[2, 2] = aten._to_copy.default(%y, dtype=float32)
        return (%_to_copy_1)
      }"
    `);
    expect(result.stateDict.get("w")!.dtype).toBe("float32");
  });

  test("inputs and outputs by option", () => {
    const result = run(pass, programOf(LINEAR), { io: true });
    expect((result.graph.node("x").meta.val as FakeTensor).dtype).toBe("bfloat16");
    expect([...result.opHistogram().keys()]).not.toContain("aten._to_copy.default");
    expect(result.graphSignature.outputSpecs[0]!.arg.name).toBe("y");
  });

  test("dtypes among the arguments, and operators that refuse the dtype", () => {
    const program = programOf(`graph(%x: f32[2, 2]) {
      %k: f32[2, 2] = aten.full.default([2, 2], 1.0, dtype=float32)
      %a: f32[2, 2] = aten.add.Tensor(%x, %k)
      %f: c64[2, 2] = aten._fft_r2c.default(%a, [1], 0, false)
      %r: f32[2, 2, 2] = aten.view_as_real.default(%f)
      return (%r)
    }`);
    expect(textOf(run(pass, program))).toMatchInlineSnapshot(`
      "graph(%x: f32[2, 2]) {
        %k: bf16[2, 2] = aten.full.default([2, 2], 1.0, dtype=bfloat16)
        %_to_copy: bf16[2, 2] = aten._to_copy.default(%x, dtype=bfloat16)
        %a: bf16[2, 2] = aten.add.Tensor(%_to_copy, %k)
        %_to_copy_1: f32[2, 2] = aten._to_copy.default(%a, dtype=float32)
        %f: c64[2, 2] = aten._fft_r2c.default(%_to_copy_1, [1], 0, false)
        %r: f32[2, 2, 2] = aten.view_as_real.default(%f)
        return (%r)
      }"
    `);
  });

  test("control flow keeps its bodies; other dtypes are left alone", () => {
    const program = programOf(`graph(%x: f32[2], %d: f64[2]) {
      %body = get_attr body
      %w: (f32[2]) = higher_order.wrap_with_set_grad_enabled(false, %body, %x)
      %a: f32[2] = operator.getitem(%w, 0)
      %b: f32[2] = aten.neg.default(%a)
      %e: f64[2] = aten.neg.default(%d)
      return (%b, %e)
      graph body(%z: f32[2]) { %n: f32[2] = aten.neg.default(%z) return (%n,) }
    }`);
    const result = run(pass, program);
    expect(result.graph.subgraphs.get("body")).toBe(program.graph.subgraphs.get("body"));
    expect(result.graph.node("e")).toBe(program.graph.node("e"));
    expect((result.graph.node("b").meta.val as FakeTensor).dtype).toBe("bfloat16");
  });

  describe("state and inputs that are written to", () => {
    const TEXT = `graph(%b_m: f32[2, 2], %b_n: f32[2, 2], %x: f32[2, 2], %z: f32[2, 2]) {
      %m: f32[2, 2] = aten.add.Tensor(%b_m, %x)
      %w: f32[2, 2] = aten.mul.Tensor(%z, %b_n)
      %y: f32[2, 2] = aten.add.Tensor(%m, %w)
      return (%m, %w, %y)
    }`;
    const writing = (): ExportedProgram => {
      const program = programOf(TEXT);
      const { inputSpecs, outputSpecs } = program.graphSignature;
      const [m, w, y] = outputSpecs;
      const written = [
        { ...m!, kind: "BUFFER_MUTATION", target: "m" } as const,
        { ...w!, kind: "USER_INPUT_MUTATION", target: "z" } as const,
        y!,
      ];
      return program.with({ graphSignature: { inputSpecs, outputSpecs: written } });
    };

    test("keep their dtype at the border", () => {
      const result = run(pass, writing());
      expect(textOf(result)).toMatchInlineSnapshot(`
        "graph(%b_m: f32[2, 2], %b_n: bf16[2, 2], %x: f32[2, 2], %z: f32[2, 2]) {
          %_to_copy: bf16[2, 2] = aten._to_copy.default(%b_m, dtype=bfloat16)
          %_to_copy_1: bf16[2, 2] = aten._to_copy.default(%x, dtype=bfloat16)
          %m: bf16[2, 2] = aten.add.Tensor(%_to_copy, %_to_copy_1)
          %_to_copy_2: bf16[2, 2] = aten._to_copy.default(%z, dtype=bfloat16)
          %w: bf16[2, 2] = aten.mul.Tensor(%_to_copy_2, %b_n)
          %y: bf16[2, 2] = aten.add.Tensor(%m, %w)
          %_to_copy_3: f32[2, 2] = aten._to_copy.default(%m, dtype=float32)
          %_to_copy_4: f32[2, 2] = aten._to_copy.default(%w, dtype=float32)
          %_to_copy_5: f32[2, 2] = aten._to_copy.default(%y, dtype=float32)
          return (%_to_copy_3, %_to_copy_4, %_to_copy_5)
        }"
      `);
      expect(["m", "n"].map((name) => result.tensor(name)!.dtype)).toEqual(["float32", "bfloat16"]);
      expect(result.graphSignature.outputSpecs.map(({ arg }) => arg.name)).toMatchInlineSnapshot(`
        [
          "_to_copy_3",
          "_to_copy_4",
          "_to_copy_5",
        ]
      `);
      expect(verify(result, { operators: context.operators })).toEqual([]);
    });

    test("are converted with io", () => {
      const result = run(pass, writing(), { io: true });
      expect([...result.opHistogram().keys()]).not.toContain("aten._to_copy.default");
      expect(["m", "n"].map((name) => result.tensor(name)!.dtype)).toEqual(["bfloat16", "bfloat16"]);
      expect(verify(result, { operators: context.operators })).toEqual([]);
    });

    test.each([{ io: false }, { io: true }])("hold the same numbers, but for rounding: %j", (options) => {
      const { reports } = checkPasses(writing(), [passCall(pass, options)], context);
      const [{ skipped, outputs, inputs, state }] = reports as [CheckReport];
      expect([skipped, outputs, inputs, state]).toEqual([undefined, 1, 1, 1]);
    });
  });

  describe("keep", () => {
    const stacked = (): ExportedProgram => {
      const program = programOf(LINEAR);
      const paths: Record<string, string> = { a: "net.0", s: "net.1.inner", y: "net.10" };
      const graph = edit(program.graph, (e) => {
        for (const [name, path] of Object.entries(paths)) {
          const { meta } = program.graph.node(name);
          const stack = ["", "net", path.split(".").slice(0, 2).join("."), path];
          const nnModuleStack = stack.map((own) => [`L__self__${own}`, own, "torch.nn.Module"] as const);
          e.replaceNode(name, { meta: { ...meta, nnModuleStack } });
        }
      });
      return program.with({ graph });
    };
    const kept = (keep: readonly string[]): string[] => {
      const result = run(pass, stacked(), { keep });
      return ["a", "s", "y"].filter(
        (name) => (result.graph.node(name).meta.val as FakeTensor).dtype === "float32",
      );
    };

    test.each([
      ["an operator", ["aten.mm.default"], ["a"]],
      ["operators", ["aten._softmax.default", "aten.relu.default"], ["s", "y"]],
      ["a pattern of operators", ["aten._soft*"], ["s"]],
      ["a call", ["y"], ["y"]],
      ["a module, with the modules in it", ["net.1"], ["s"]],
      ["a pattern of modules", ["net.*"], ["a", "s", "y"]],
      ["a pattern in the middle", ["n*.1.in*"], ["s"]],
      ["an operator that the program does not call", ["aten.gelu.default"], []],
    ])("takes %s", (_, keep, names) => {
      expect(kept(keep)).toEqual(names);
    });

    test.each(["softmax", "net.2", "net.1.", "*.gelu.*", "x", ""])(
      "refuses what fits nothing: %j",
      (entry) => {
        expect(() => run(pass, stacked(), { keep: [entry] })).toThrow(
          /keep names .*, which is not an operator, call or module/,
        );
      },
    );

    test("has its patterns in pipelines too", () => {
      const items = parsePipeline(
        "convert-dtype{to=float16,keep=[net.*,aten.mm.default]}",
        new Map([[pass.name, pass]]),
      );
      expect((items[0] as PassCall).options["keep"]).toEqual(["net.*", "aten.mm.default"]);
    });
  });

  test("gives the same program back when there is nothing to convert, and refuses other dtypes", () => {
    const program = programOf("graph(%x: i64[2]) { %a: i64[2] = aten.neg.default(%x) return (%a) }");
    expect(run(pass, program)).toBe(program);
    expect(() => run(pass, program, { to: "int8" })).toThrow(/to cannot be "int8"/);
    expect(() => run(pass, program, { keep: ["softmax"] })).toThrow(/keep names softmax/);
  });
});
