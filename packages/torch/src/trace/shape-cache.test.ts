import { Dim, exportProgram } from "@sconce/capture";
import { graphText } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { check } from "../functions/check.js";
import { sym } from "../functions/sym.js";
import { torch } from "../functions/torch.js";
import * as nn from "../nn/index.js";

const F = nn.functional;

/** What PyTorch prints for the graph of the same model. */
const DROPPED = `graph():
    %x : [num_users=1] = placeholder[target=x]
    %y : [num_users=1] = placeholder[target=y]
    %dropout : [num_users=1] = call_function[target=torch.ops.aten.dropout.default](args = (%x, 0.5, False), kwargs = {})
    %dropout_1 : [num_users=1] = call_function[target=torch.ops.aten.dropout.default](args = (%y, 0.5, False), kwargs = {})
    %add_ : [num_users=1] = call_function[target=torch.ops.aten.add_.Tensor](args = (%dropout, 1), kwargs = {})
    return (add_, dropout_1, dropout_1)`;

describe("calls with the same layouts", () => {
  test("know what a check between them has fixed", () => {
    const twice = (x: Tensor, y: Tensor): Tensor[] => {
      const first = torch.cat([x.sum(1), y.sum(1)]);
      check(sym.eq(x.size(0), y.size(0)));
      return [first, torch.cat([x.sum(1), y.sum(1)])];
    };
    const b = Dim("b");
    const program = exportProgram(twice, [torch.ones(4, 3), torch.ones(4, 3)], {
      dynamicShapes: [{ 0: b }, { 0: b }],
    });
    const cats = program.graph.nodes().filter(({ target }) => target === "aten.cat.default");
    const sizes = cats.map(({ meta }) => String(meta.val));
    expect(sizes[0]).toMatch(/size=\(2\*s\d+,\)/);
    expect(sizes[1]).toBe(sizes[0]);
  });

  test("return their own operands where an operator returns its operand", () => {
    const dropped = (x: Tensor, y: Tensor): Tensor[] => {
      const a = F.dropout(x, 0.5, false);
      const b = F.dropout(y, 0.5, false);
      a.add_(1);
      return [x, y, b];
    };
    const program = exportProgram(dropped, [torch.ones(2), torch.ones(2)]);
    expect(graphText(program.graph).trim()).toBe(DROPPED);
  });

  test("distinguish integers and floats", () => {
    const scaled = (x: Tensor): Tensor[] => [x.mul(2), x.mul(2.5), x.mul(2)];
    const program = exportProgram(scaled, [Tensor.from([1, 2])]);
    const muls = program.graph.nodes().filter(({ target }) => target === "aten.mul.Tensor");
    expect(muls.map(({ meta }) => (meta.val as { dtype: string }).dtype)).toEqual([
      "int64",
      "float32",
      "int64",
    ]);
  });
});
