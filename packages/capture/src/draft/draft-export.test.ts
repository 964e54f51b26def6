import { readFileSync } from "node:fs";
import type { SconceError } from "@sconce/errors";
import type { ExportedProgram, FakeTensor } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import {
  check,
  cond,
  Dim,
  type DraftFailure,
  type Exportable,
  type ExportOptions,
  exportProgram,
  guard,
  guardInt,
  library,
  map,
  nn,
  ShapesCollection,
  type SymBool,
  sym,
  torch,
} from "../index.js";
import { draftExport } from "./draft-export.js";

const silent = { onWarning: () => {} } as const;
const draft = (model: Exportable, args: readonly unknown[], options?: ExportOptions): ExportedProgram =>
  draftExport(model, args, { ...silent, ...options });
const failures = (program: ExportedProgram): readonly DraftFailure[] => program.draftReport!.failures;
const ints = (...values: number[]): Tensor => Tensor.from(values);
const truth = (x: Tensor): boolean => guard(x.ne(0).item() as unknown as SymBool);
const codes = (run: () => unknown): string => {
  try {
    run();
    return "none";
  } catch (error) {
    return (error as SconceError).code;
  }
};

/** Doubles where more than two values are positive. */
function positives(x: Tensor): Tensor {
  const found = x.gt(0).nonzero();
  const count = found.size(0);
  return guard(sym.gt(count, 2)) ? x.mul(2) : x;
}

describe("draftExport", () => {
  test("the report has PyTorch's words, the line, and where the symbol comes from", () => {
    const program = draft(positives, [Tensor.from([1, 2, 3, -1])]);
    const text = String(program.draftReport).replaceAll(/File \S*draft-export/g, "File draft-export");
    const line = "    return guard(sym.gt(count, 2)) ? x.mul(2) : x;";
    const source = readFileSync(new URL(import.meta.url), "utf8").split("\n");
    const at = source.findIndex((text) => text.trim() === line.trim()) + 1;
    expect(text).toMatch(/WARNING: 1 issue\(s\) found during export, and it was not able to soundly produce/);
    expect(text).toContain(
      [
        "1. Data dependent error.",
        "    When exporting, we were unable to evaluate the value of `u0 > 2`.",
        "    This was encountered 1 times.",
        "    This occurred at the following user stacktrace:",
        `        File draft-export.test.ts, lineno ${at}, in positives`,
        `        ${line}`,
        "        Symbols:",
        "           u0: aten.nonzero.default at ",
      ].join("\n"),
    );
    expect(text).toContain(`draft-export.test.ts:${at - 2} (3 in the example)`);
    expect(text).toContain("it was specialized to a constant (e.g. `True` in the 1st occurrence)");
  });

  test("a program without failures is that of an export", () => {
    const model = (x: Tensor): Tensor => x.add(1);
    const options = { ...silent, dynamicShapes: [{ 0: Dim("n") }] };
    const program = draftExport(model, [torch.ones(3)], options);
    expect(program.draftReport!.successful).toBe(true);
    expect(String(program.draftReport)).toContain("Congratulations: No issues are found during export");
    expect(String(program)).toBe(String(exportProgram(model, [torch.ones(3)], options)));
    expect(exportProgram(model, [torch.ones(3)], options).draftReport).toBeUndefined();
  });

  test("the program computes for inputs that decide alike, and refuses others", () => {
    const program = draft(positives, [Tensor.from([1, 2, 3, -1])]);
    expect(String(program.call(Tensor.from([4, 5, 6, -7])))).toContain("8, ");
    expect(codes(() => program.call(Tensor.from([4, -5, -6, -7])))).toBe("ASSERTION_FAILED");
  });

  test("inputs, parameters and buffers keep their values", () => {
    class Counter extends nn.Module {
      count = new nn.Buffer(torch.zeros(2));
      override forward(x: Tensor): Tensor {
        this.count.add_(1);
        x.add_(this.count);
        return truth(x.sum().gt(0)) ? x.mul(2) : x;
      }
    }
    const [model, x] = [new Counter(), torch.ones(2)];
    const program = draft(model, [x]);
    // One where the example has (1 + 1) * 2: the run sees what was written.
    expect(failures(program)).toMatchObject([{ expression: "Eq(u0, 1)", result: "True" }]);
    expect([...x.data, ...model.count.data]).toEqual([1, 1, 0, 0]);
  });

  test("a guard of the inputs names the size, and the specification that replaced the given one", () => {
    const model = (x: Tensor): Tensor => (guard(sym.eq(x.size(0), 4)) ? x.add(1) : x);
    const dynamicShapes = [{ 0: Dim("n", { min: 2, max: 16 }), 1: Dim.STATIC }];
    const program = draft(model, [torch.ones(4, 3)], { dynamicShapes });
    expect(failures(program)).toMatchObject([
      {
        type: "GUARD_ADDED",
        expression: "Eq(s77, 4)",
        symbols: [{ symbol: "s77", source: "L['x'].size()[0]", value: 4, frame: undefined }],
      },
    ]);
    const text = String(program.draftReport);
    expect(text).toContain("this guard was added: Eq(s77, 4), where {'s77': \"L['x'].size()[0]\"}.");
    expect(text).toContain("dynamicShapes = [{ 0: Dim.AUTO({ min: 2, max: 16 }), 1: Dim.STATIC }]\n");
    expect(JSON.parse(JSON.stringify(program.draftReport)).failures[0].dynamicShapes).toBe(
      "[{ 0: Dim.AUTO({ min: 2, max: 16 }), 1: Dim.STATIC }]",
    );
  });

  test("a collection of shapes is relaxed, too", () => {
    const x = torch.ones(4, 3);
    const dynamicShapes = new ShapesCollection();
    dynamicShapes.set(x, { 0: Dim("n") });
    const program = draft((y: Tensor) => y.view(2, 2, 3), [x], { dynamicShapes });
    expect(failures(program)).toMatchObject([{ type: "GUARD_ADDED", expression: "Eq(3*s17, 12)" }]);
  });

  test("one failure for each place: several questions are counted", () => {
    const model = (n: Tensor, x: Tensor): Tensor => {
      const k = n.item();
      let y = x;
      for (let i = 0; i < 3; i++) if (guard(sym.gt(k, i))) y = y.add(1);
      return guardInt(sym.add(k, 1)) === 4 ? y.mul(2) : y;
    };
    expect(failures(draft(model, [ints(3), torch.ones(2)]))).toMatchObject([
      { expression: "u0 > 0", result: "True", occurrences: 3 },
      { expression: "u0 + 1", result: "4", occurrences: 1 },
    ]);
  });

  test("values go through `cond`, by the branch that the example takes", () => {
    const model = (x: Tensor): Tensor => {
      const y = cond(
        x.sum().gt(0),
        (z: Tensor) => z.add(1),
        (z: Tensor) => z.sub(100),
        [x],
      );
      return truth(y.sum().gt(0)) ? y.mul(2) : y;
    };
    expect(failures(draft(model, [torch.ones(2)]))).toMatchObject([{ result: "True" }]);
    expect(failures(draft(model, [torch.full([2], -1)]))).toMatchObject([{ result: "False" }]);
  });

  test("a branch decides by the data of the example, and a loop does not", () => {
    const inner = (x: Tensor): Tensor => (truth(x.sum().gt(0)) ? x.add(1) : x.sub(1));
    const model = (x: Tensor): Tensor => cond(x.sum().gt(0), inner, (z: Tensor) => z.mul(2), [x]);
    const program = draft(model, [torch.ones(2)]);
    expect(failures(program)).toMatchObject([{ type: "DATA_DEPENDENT_ERROR", result: "True" }]);
    const negative = Tensor.from([-1, -2], { dtype: "float32" });
    expect(program.module()(negative)).toEqual(negative.mul(2));
    const loop = (x: Tensor): Tensor => map((row: Tensor) => inner(row), x);
    expect(codes(() => draft(loop, [torch.ones([2, 2])]))).toBe("DATA_DEPENDENT_GUARD");
  });

  test("other failures give no program", () => {
    const misfit = (n: Tensor, x: Tensor): Tensor => x.view(n.item(), 3);
    expect(codes(() => draft(misfit, [ints(3), torch.ones(6)]))).toBe("SHAPE_MISMATCH");
    const failing = (n: Tensor, x: Tensor): Tensor => {
      const k = n.item();
      check(sym.ge(k, 5));
      return x.add(k);
    };
    expect(codes(() => draft(failing, [ints(2), torch.ones(6)]))).toBe("CHECK_FAILED");
    expect(codes(() => draft((x: Tensor) => x.tolist(), [1 as never], { wrong: 1 } as never))).toBe(
      "UNKNOWN_OPTION",
    );
    const unequal = [{ 0: Dim("n") }, { 0: Dim("n") }];
    const args = [torch.ones(4), torch.ones(5)];
    expect(codes(() => draft((x: Tensor, y: Tensor) => [x, y], args, { dynamicShapes: unequal }))).toBe(
      "CONSTRAINT_VIOLATION",
    );
  });

  test("operators without a right fake are listed, with the kinds of their calls", () => {
    const ops = { schema: "(Tensor x) -> Tensor", mutatesArgs: [] } as const;
    const missing = library.customOp("draft::missing", ops, (x) => x.sin());
    const wrong = library
      .customOp("draft::wrong", ops, (x) => x.sum())
      .registerFake((x) => torch.emptyLike(x));
    const model = (x: Tensor): unknown => [missing(x), missing(x.add(1)), wrong(x)];
    const program = draft(model, [torch.ones(2, 3)]);
    expect(failures(program)).toEqual([
      { type: "MISSING_FAKE_KERNEL", operator: "draft.missing.default" },
      // PyTorch overlooks another rank.
      {
        type: "MISMATCHED_FAKE_KERNEL",
        operator: "draft.wrong.default",
        reason: "Shapes torch.Size([]) and torch.Size([2, 3]) are not equal!",
      },
    ]);
    const text = String(program.draftReport);
    expect(text).toContain(
      "1. Missing fake kernel.\n    torch.ops.draft.missing.default is missing a fake kernel implementation.\n",
    );
    expect(text).toContain(
      "    The reason for the mismatch is: Shapes torch.Size([]) and torch.Size([2, 3]) are",
    );
    const matrix = { rank: 2, dtype: "float32" };
    expect([...program.draftReport!.operatorProfiles]).toEqual([
      ["draft.missing.default", [{ args: [matrix], results: [matrix] }]],
      ["draft.wrong.default", [{ args: [matrix], results: [{ rank: 0, dtype: "float32" }] }]],
    ]);
    // The sizes are open, and the strides are in the order of the kernel's.
    const result = program.graph.node("missing").meta.val as FakeTensor;
    expect([result.shape.join(), result.strides.join()]).toEqual(["u0,u1", "u1,1"]);
  });

  test("a kernel that no fake can be inferred from is refused", () => {
    const view = library.customOp(
      "draft::strided",
      { schema: "(Tensor x) -> Tensor", mutatesArgs: [] },
      (x) => torch.ones(2, 4).narrow(1, 0, x.size(0)),
    );
    const refused = (model: (x: Tensor) => unknown): string => {
      try {
        draft(model, [torch.ones(3)]);
        return "exported";
      } catch (error) {
        return `${(error as SconceError).code}: ${(error as SconceError).message}`;
      }
    };
    expect(refused((x) => view(x))).toBe(
      "NO_FAKE: propagate_real_tensors: we cannot infer a Fake kernel (meta kernel) for operator draft.strided.default because a return was not dense in memory (sizes [2, 3] strides [4, 1])",
    );
    const count = library.customOp(
      "draft::count",
      { schema: "(Tensor x) -> int", mutatesArgs: [] },
      (x) => x.numel,
    );
    expect(refused((x) => x.add(count(x)))).toContain("because a return is not a tensor");
    const branch = (x: Tensor): Tensor =>
      cond(
        x.sum().gt(0),
        (y: Tensor) => view(y).sum(),
        (y) => y.sum(),
        [x],
      );
    expect(refused(branch)).toContain("because a return was not dense in memory");
  });

  test("a warning points at the report", () => {
    const warnings: string[] = [];
    draftExport(positives, [torch.ones(4)], { onWarning: (message) => warnings.push(message) });
    expect(warnings).toEqual([expect.stringContaining("1 issue(s) found during export")]);
  });
});
