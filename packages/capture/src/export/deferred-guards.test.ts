import { codeText, type ExportedProgram } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { Dim, type Exportable, type ExportOptions, exportProgram, guard, sym, torch } from "../index.js";

const deferred = (
  model: (...args: never[]) => unknown,
  args: readonly unknown[],
  dynamicShapes: ExportOptions["dynamicShapes"] = args.map((_, i) => ({ 0: Dim("bc"[i]!) })),
): ExportedProgram =>
  exportProgram(model as Exportable, args, {
    dynamicShapes,
    preferDeferredRuntimeAssertsOverGuards: true,
  });

const code = ({ graph }: ExportedProgram): string[] =>
  codeText(graph)
    .split("\n")
    .map((line) => line.replace(/;.*/, "").trim())
    .filter((line) => line !== "")
    .slice(1);
const when = (condition: (x: Tensor, y: Tensor) => boolean) => (x: Tensor, y: Tensor) =>
  condition(x, y) ? x.add(1) : x;

// The expectations are what PyTorch 2.14 gives.
describe("guards as assertions of the program", () => {
  test("a condition that no `Dim` says is asserted behind the first call", () => {
    const even = when((x) => guard(sym.eq(sym.mod(x.size(0), 2), 0)));
    const program = deferred(even, [torch.ones(6, 3)]);
    expect(code(program)).toEqual([
      "sym_size_int_1 = torch.ops.aten.sym_size.int(x, 0)",
      "add = torch.ops.aten.add.Tensor(x, 1)",
      "mod_1 = sym_size_int_1 % 2",
      "eq_1 = mod_1 == 0",
      `_assert_scalar_default = torch.ops.aten._assert_scalar.default(eq_1, "Runtime assertion failed for expression Eq(Mod(s77, 2), 0) on node 'eq_1'")`,
      "return (add,)",
    ]);
    expect(program.guardsCode).toEqual([]);
    expect([...program.rangeConstraints.keys()]).toEqual(["s77"]);
    expect(() => program.call(torch.ones(5, 3))).toThrow("Eq(Mod(s77, 2), 0)");
    expect(String(program.call(torch.ones(4, 3)))).toContain("2");
  });

  test("a view asserts each question that it asks", () => {
    const program = deferred((x: Tensor) => x.view(2, -1, 3), [torch.ones(6, 3)]);
    const asserted = code(program).flatMap((line) => /for expression (.*) on node/.exec(line)?.[1] ?? []);
    expect(asserted).toEqual([
      "Eq(Mod(3*s77, 6), 0)",
      "Eq(s77, 2*((s77//2)))",
      "Ne(s77, 2)",
      "Eq(Mod(s77, 2), 0)",
      "Ne((s77//2), 1)",
    ]);
  });

  test("ranges and equalities are still those of `dynamicShapes`", () => {
    const x = torch.ones(4, 3);
    expect(() =>
      deferred(
        when((y) => guard(sym.gt(y.size(0), 2))),
        [x],
      ),
    ).toThrow("satisfy the generated guard 3 <= L['x'].size()[0] and L['x'].size()[0] <= IntInfinity()");
    expect(() =>
      deferred(
        when((y) => guard(sym.eq(y.size(0), 4))),
        [x],
      ),
    ).toThrow("satisfy the generated guard 4 <= L['x'].size()[0] and L['x'].size()[0] <= 4");
    expect(() => deferred((y: Tensor, z: Tensor) => y.add(z), [x, torch.ones(4, 3)])).toThrow(
      "The values of c = L['z'].size()[0] and b = L['y'].size()[0] must always be equal.",
    );
  });

  test("a size that became a constant keeps its symbol", () => {
    const model = when((x) => guard(sym.eq(x.size(0), 6)));
    const program = deferred(model, [torch.ones(6, 3)], [{ 0: Dim.AUTO }]);
    expect([...program.rangeConstraints]).toEqual([["s77", { min: 6, max: 6 }]]);
    expect(program.guardsCode).toEqual([]);
  });

  test("a relation of two sizes is asserted", () => {
    const model = when((x, y) => guard(sym.ne(x.size(0), y.size(0))));
    expect(code(deferred(model, [torch.ones(6, 3), torch.ones(3, 3)]))).toEqual([
      "sym_size_int_2 = torch.ops.aten.sym_size.int(x, 0)",
      "sym_size_int_3 = torch.ops.aten.sym_size.int(y, 0)",
      "add = torch.ops.aten.add.Tensor(x, 1)",
      "eq = sym_size_int_2 == sym_size_int_3",
      "sym_not = torch.sym_not(eq)",
      `_assert_scalar_default = torch.ops.aten._assert_scalar.default(sym_not, "Runtime assertion failed for expression Ne(s77, s17) on node 'sym_not'")`,
      "return (add,)",
    ]);
  });
});
