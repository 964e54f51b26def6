import { Dim, exportProgram } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { sym } from "../functions/sym.js";
import { torch } from "../functions/torch.js";
import type { SymInt } from "../trace/sym-int.js";
import { cond } from "./cond.js";
import { map } from "./map.js";
import { whileLoop } from "./while-loop.js";

type Model = (x: Tensor) => unknown;

const MODELS: Readonly<Record<string, Model>> = {
  "a size that a loop carries": (x) =>
    whileLoop(
      (n: SymInt) => sym.gt(n, 1),
      (n: SymInt, a: Tensor) => [sym.sub(n, 1), a.add(n as never)],
      [x.size(0), x],
    ),
  "branches on an integer that a loop carries": (x) =>
    whileLoop(
      (i: SymInt) => sym.lt(i, 3),
      (i: SymInt, a: Tensor) => {
        const pred = sym.gt(i, 1);
        return [
          sym.add(i, 1),
          cond(
            pred,
            () => a.add(1),
            () => a.sub(1),
          ),
        ];
      },
      [0, x],
    ),
  "a number that a branch reads": (x) =>
    cond(
      x.sum().gt(0),
      () => x.mul(x.sum().to("int64").item() as never),
      () => x.add(1),
    ),
  "sizes that a branch reads": (x) =>
    cond(
      x.sum().gt(0),
      () => x.nonzero().sum(),
      () => x.sum().to("int64"),
    ),
  "branches of other sizes in a map": (x) =>
    map(
      (row: Tensor) =>
        cond(
          row.sum().gt(0),
          () => row.at("1:").add(1),
          () => row.add(1),
        ).sum(),
      x,
    ),
};

const dynamicShapes = [{ 0: Dim("n", { min: 2 }) }];

test.each(Object.entries(MODELS))(
  "%s: programs give what the function gives, also exported again",
  (_, model) => {
    const options = { dynamicShapes, onWarning: () => undefined };
    const program = exportProgram(model, [torch.ones(4, 3)], options);
    const again = exportProgram(program.module(), [torch.ones(4, 3)], options);
    for (const x of [torch.ones(3, 3), torch.ones(5, 3).neg()]) {
      const wanted = String(model(x));
      expect([String(program.module()(x as never)), String(again.module()(x as never))]).toEqual([
        wanted,
        wanted,
      ]);
    }
  },
);

// The lines are those of PyTorch 2.14 for the same functions.
test("carried integers are symbols, which branches and arithmetic read", () => {
  const model = MODELS["branches on an integer that a loop carries"]!;
  const lines = String(exportProgram(model, [torch.ones(4, 3)], { dynamicShapes }))
    .split("\n")
    .map((line) => line.trim().replace(/;.*/, ""));
  expect(lines).toContain('gt: "Sym(u0 > 1)" = arg0_1 > 1');
  expect(lines).toContain("cond = torch.ops.higher_order.cond(gt, true_graph_0, false_graph_0, (arg1_1,))");
  expect(lines).toContain(
    "Range constraints: {u0: VR[-int_oo, int_oo], u1: VR[-int_oo, int_oo], s77: VR[2, int_oo]}",
  );
});
