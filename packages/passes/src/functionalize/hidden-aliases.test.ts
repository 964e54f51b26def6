import { createRunner, readNumbers } from "@sconce/backend-cpu";
import type { ExportedProgram } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { functionality } from "../analysis/functional.js";
import { functionalize } from "../builtin/functionalize.js";
import { runDecompositions } from "../decompose/run-decompositions.js";
import { context, programOf, ramp, run } from "../programs.fixture.js";
import { DecompositionTable } from "../tables/table.js";

const runner = createRunner();
const numbers = (program: ExportedProgram): unknown[] =>
  runner(program, [ramp([2, 2])]).outputs.map((output) => Array.from(readNumbers(output as Tensor), Number));
const targets = (program: ExportedProgram): string[] => [...program.opHistogram().keys()];

/** A value is taken of a clone, then the clone is written to. */
const written = (call: string): ExportedProgram =>
  programOf(
    `graph(%x: f32[2, 2]) {
      %c: f32[2, 2] = aten.clone.default(%x)
      ${call}
      %m: f32[2, 2] = aten.add_.Tensor(%c, 1)
      return (%a, %c)
    }`,
    "TRAINING",
  );

describe("operators that hide an alias", () => {
  test.each([
    ["aten.einsum.default", '%a: f32[2, 2] = aten.einsum.default("ij->ji", [%c])'],
    ["aten.type_as.default", "%a: f32[2, 2] = aten.type_as.default(%c, %x)"],
    ["aten.sum_to_size.default", "%a: f32[2, 2] = aten.sum_to_size.default(%c, [2, 2])"],
    [
      "aten.unsafe_split.Tensor",
      "%q = aten.unsafe_split.Tensor(%c, 1)\n%a: f32[1, 2] = operator.getitem(%q, 0)",
    ],
    [
      "aten.meshgrid.indexing",
      '%s: f32[2] = aten.select.int(%c, 0, 0)\n%q = aten.meshgrid.indexing([%s], indexing="ij")\n%a: f32[2] = operator.getitem(%q, 0)',
    ],
  ])("%s is decomposed where a write shows it, and kept by an empty table", (target, call) => {
    const program = written(call);
    const exact = run(functionalize, program);
    expect(targets(exact)).not.toContain(target);
    expect(numbers(exact)).toEqual(numbers(program));
    const asPyTorch = runDecompositions(program, new DecompositionTable());
    expect(targets(asPyTorch)).toContain(target);
  });

  test("they stay where nothing is written that anybody could see", () => {
    const program = programOf(
      `graph(%x: f32[2, 2]) {
        %a: f32[2, 2] = aten.einsum.default("ij->ji", [%x])
        %e: f32[2, 2] = aten.exp.default(%a)
        %m: f32[2, 2] = aten.add_.Tensor(%e, 1)
        %p: f32[2, 2] = aten.einsum.default("ij,jk->ik", [%x, %m])
        %n: f32[2, 2] = aten.relu_.default(%p)
        return (%n)
      }`,
      "TRAINING",
    );
    const exact = run(functionalize, program);
    expect(exact.opHistogram().get("aten.einsum.default")).toBe(2);
  });

  test("an output that hides an alias of a written input is not functional", () => {
    const program = programOf(
      `graph(%x: f32[2, 2]) {
        %a: f32[2, 2] = aten.einsum.default("ij->ji", [%x])
        %m: f32[2, 2] = aten.add_.Tensor(%x, 1)
        return (%a)
      }`,
      "TRAINING",
    );
    const asPyTorch = runDecompositions(program, new DecompositionTable());
    expect(functionality(asPyTorch, context.operators).impurities).toHaveLength(1);
    const exact = run(functionalize, program);
    expect(functionality(exact, context.operators).impurities).toEqual([]);
  });
});

describe("what no text represents is refused", () => {
  const refused = (body: string, code: string): void => {
    const program = programOf(`graph(%x: f32[2, 2]) {\n${body}\n}`, "TRAINING");
    expect(() => run(functionalize, program)).toThrowError(expect.objectContaining({ code }));
  };

  test("windows that overlap, by either name", () => {
    refused(
      `%v: f32[4] = aten.view.default(%x, [4])
      %w: f32[3, 2] = aten.unfold.default(%v, 0, 2, 1)
      %s: f32[2] = aten.select.int(%w, 0, 1)
      %m: f32[2] = aten.mul_.Tensor(%s, 2)
      return (%x)`,
      "INTERNAL_OVERLAP",
    );
    refused(
      `%w: f32[3, 2] = aten.as_strided.default(%x, [3, 2], [1, 1], 0)
      %s: f32[2] = aten.select.int(%w, 0, 1)
      %m: f32[2] = aten.mul_.Tensor(%s, 2)
      return (%x)`,
      "INTERNAL_OVERLAP",
    );
  });

  test("as_strided of a view of something else, as PyTorch does", () => {
    refused(
      `%t: f32[2, 2] = aten.t.default(%x)
      %s: f32[2] = aten.as_strided.default(%t, [2], [1], 1)
      %m: f32[2] = aten.mul_.Tensor(%s, 2)
      return (%x)`,
      "VIEW_INVERSE",
    );
  });
});

describe("buffers in one piece of memory", () => {
  const shared = (): ExportedProgram => {
    const program = programOf(
      `graph(%b_m: f32[2, 2], %b_n: f32[4], %x: f32[2, 2]) {
        %a: f32[2, 2] = aten.add_.Tensor(%b_m, %x)
        %y: f32[4] = aten.neg.default(%b_n)
        return (%y)
      }`,
      "TRAINING",
    );
    const m = program.stateDict.get("m")!;
    return program.with({
      stateDict: new Map([
        ["m", m],
        ["n", m.asStrided([4], [1], 0)],
      ]),
    });
  };

  test("a write to one of them is refused, and both are named", () => {
    for (const lower of [() => run(functionalize, shared()), () => runDecompositions(shared())]) {
      expect(lower).toThrowError(
        expect.objectContaining({
          code: "SHARED_STATE",
          message: '"m" is written to and shares memory with "n", which would change with it',
        }),
      );
    }
  });

  test("a buffer that overlaps with itself is refused too, separate ones are not", () => {
    const program = shared();
    const m = program.stateDict.get("m")!;
    const overlapping = new Map([...program.stateDict, ["m", m.asStrided([2, 2], [0, 1], 0)] as const]);
    expect(() => runDecompositions(program.with({ stateDict: overlapping }))).toThrowError(
      expect.objectContaining({ code: "INTERNAL_OVERLAP" }),
    );
    const separate = new Map([...program.stateDict, ["n", ramp([4])] as const]);
    const lowered = runDecompositions(program.with({ stateDict: separate }));
    expect(lowered.graphSignature.outputSpecs[0]?.kind).toBe("BUFFER_MUTATION");
  });
});
