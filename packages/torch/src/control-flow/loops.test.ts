import { Dim, type ExportOptions, exportProgram, nn } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { sym } from "../functions/sym.js";
import { torch } from "../functions/torch.js";
import type { SymInt } from "../trace/sym-int.js";
import { map } from "./map.js";
import { scan } from "./scan.js";
import { whileLoop } from "./while-loop.js";

const input = torch.arange(12, { dtype: "float32" }).reshape(4, 3);
const dynamic: ExportOptions = { dynamicShapes: [{ 0: Dim("n") }] };

function lines(model: (...args: never[]) => unknown, options: ExportOptions = {}): string[] {
  const text = String(exportProgram(model, [input], options));
  return text
    .slice(0, text.indexOf("Graph signature"))
    .split("\n")
    .map((line) => line.trim().replace(/;.*/, ""));
}

const refusal = (model: (...args: never[]) => unknown): string => {
  try {
    exportProgram(model, [input]);
  } catch (error) {
    return `${(error as { code: string }).code}: ${(error as Error).message}`;
  }
  return "exported";
};

class Scaled extends nn.Module {
  readonly buf = new nn.Buffer(torch.ones(3));

  override forward(x: Tensor): unknown {
    const n = x.size(0) as SymInt;
    return whileLoop(
      (i: Tensor) => i.lt(3),
      (i: Tensor, y: Tensor) => [i.add(1), y.mul(this.buf).add(n)],
      [torch.tensor(0), x],
    );
  }
}

// Lines and messages are those of PyTorch 2.14 for the same functions.
describe("whileLoop", () => {
  test("passes buffers and dynamic sizes to both graphs", () => {
    const found = lines(new Scaled() as never, dynamic);
    expect(found).toContain(
      "while_loop = torch.ops.higher_order.while_loop(while_loop_cond_graph_0, while_loop_body_graph_0, (detach_, x), (sym_size_int_1, b_buf))",
    );
    const inputs = 'arg0_1: "i64[]", arg1_1: "f32[s77, 3]", arg2_1: "Sym(s77)", arg3_1: "f32[3]"';
    expect(found.filter((line) => line === `def forward(self, ${inputs}):`)).toHaveLength(2);
  });

  test("carries integers as symbols", () => {
    const model = (x: Tensor): unknown =>
      whileLoop(
        (i: SymInt) => sym.lt(i, 3),
        (i: SymInt, y: Tensor) => [sym.add(i, 1), y.sin()],
        [0 as unknown as SymInt, x],
      );
    const found = lines(model);
    expect(found).toContain('getitem_2: "Sym(u1)" = while_loop[0]');
    expect(found).toContain('lt: "Sym(u0 < 3)" = arg0_1 < 3');
    expect(found).toContain('add: "Sym(u0 + 1)" = arg0_1 + 1');
  });

  test("orders what containers and closures give", () => {
    const model = (x: Tensor): unknown => {
      const [y, z] = [x.sin(), x.cos()];
      return whileLoop(
        (d: { a: Tensor; b: Tensor }) => d.a.sum().add(y.sum()).lt(3),
        (d: { a: Tensor; b: Tensor }) => [{ a: d.a.add(z), b: d.b.mul(y) }],
        [{ a: x, b: z }],
      );
    };
    expect(lines(model).find((line) => line.startsWith("while_loop ="))).toContain("(x, cos), (sin, cos))");
  });

  test("that never runs gives what it takes", () => {
    const model = (x: Tensor): unknown =>
      whileLoop(
        () => false,
        (y: Tensor) => [y.mul(2)],
        [x],
      );
    expect(exportProgram(model, [input]).graph.size).toBe(2);
  });

  const small = (y: Tensor): Tensor => y.sum().lt(3);
  test.each<[string, (x: Tensor) => unknown, string]>([
    [
      "other dtypes",
      (x) => whileLoop(small, (y: Tensor) => y.to("float64"), [x]),
      "'dtype: torch.float64 vs torch.float32'",
    ],
    [
      "other sizes",
      (x) => whileLoop(small, (y: Tensor) => torch.cat([y, y]), [x]),
      "'shape: torch.Size([8, 3]) vs torch.Size([4, 3])'",
    ],
    [
      "more results",
      (x) => whileLoop(small, (y: Tensor) => [y.mul(2), y.mul(3)], [x]),
      "same number of outputs",
    ],
    ...[null, 0.5, "a", true].map((value): [string, (x: Tensor) => unknown, string] => [
      `for an integer, ${String(value)}`,
      (x) =>
        whileLoop(
          (i: SymInt) => sym.lt(i, 3),
          (_, y: Tensor) => [value, y.sin()],
          [0 as unknown as SymInt, x],
        ),
      "CONTROL_FLOW_RESULTS",
    ]),
    ["what it takes", (x) => whileLoop(small, (y: Tensor) => y, [x]), "CONTROL_FLOW_ALIASING"],
    [
      "a wide condition",
      (x) =>
        whileLoop(
          (y: Tensor) => y.lt(3),
          (y: Tensor) => y.mul(2),
          [x],
        ),
      "unsupported cond_fn return type",
    ],
    [
      "a true condition",
      (x) =>
        whileLoop(
          () => true,
          (y: Tensor) => y.mul(2),
          [x],
        ),
      "infinite loop detected",
    ],
    [
      "a number that is carried",
      (x) => whileLoop(small as never, (n: number, y: Tensor) => [n, y.mul(2)], [1.5, x]),
      "only consists of tensor or int leaves, but got 1.5.",
    ],
    [
      "a boolean that is carried",
      (x) => whileLoop(small as never, (n: boolean, y: Tensor) => [n, y.mul(2)], [true, x]),
      "only consists of tensor or int leaves, but got true.",
    ],
    [
      "a number in place of an integer",
      (x) =>
        whileLoop(
          (_: number, y: Tensor) => y.sum().lt(9),
          (_: number, y: Tensor) => [0.5, y.mul(2)],
          [1, x],
        ),
      "the body gives 0.5 for carried_inputs[0], which is an integer",
    ],
    [
      "what is not an array",
      (x) => whileLoop(small, (y: Tensor) => y.mul(2), x as never as [Tensor]),
      "carried_inputs",
    ],
  ])("%s are refused", (_, model, message) => {
    expect(refusal(model)).toContain(message);
  });

  test("runs at once where nothing is traced", () => {
    const [i, x] = whileLoop(
      (n: Tensor) => n.lt(3),
      (n: Tensor, y: Tensor) => [n.add(1), y.mul(2)],
      [torch.tensor(0), torch.ones(2)],
    );
    expect([i.item(), x.tolist()]).toEqual([3, [8, 8]]);
  });

  test("matches leaves by their order where nothing is traced", () => {
    interface Pair {
      readonly a: Tensor;
      readonly b: Tensor;
    }
    const [pair] = whileLoop(
      ({ a }: Pair) => a.lt(2),
      ({ a, b }: Pair) => [{ b: a.add(1), a: b.mul(3) }],
      [{ a: torch.tensor(0), b: torch.tensor(1) }],
    );
    expect([Object.keys(pair), pair.a.item(), pair.b.item()]).toEqual([["a", "b"], 2, 9]);
    const [d, e] = whileLoop(
      (n: Tensor) => n.lt(2),
      (n: Tensor, m: Tensor) => [[n.add(1), m.mul(3)]],
      [torch.tensor(0), torch.tensor(1)],
    );
    expect([d.item(), e.item()]).toEqual([2, 9]);
  });
});

describe("map", () => {
  test("maps containers, and stacks the results in their containers", () => {
    const model = (x: Tensor): unknown => {
      const [y, z, k] = [x.cos(), x.sin().sum(), x.tan().sum()];
      return map(
        (d: { a: Tensor; b: Tensor }, e: Tensor) => [d.a.mul(z).add(e), { s: d.b.sum() }],
        { a: x, b: y },
        k,
      );
    };
    const found = lines(model, dynamic);
    expect(found.find((line) => line.startsWith("map_impl ="))).toContain("[x, cos], [sum_2, sum_1])");
    expect(found).toContain('getitem_1: "f32[s77]" = map_impl[1]');
  });

  test.each<[string, (x: Tensor) => unknown, string]>([
    ["an item", (x) => map((row: Tensor) => row, x), "CONTROL_FLOW_ALIASING"],
    ["a number", (x) => map(() => 3, x), "HOP: non torch.Tensor leaf"],
    [
      "a mapped tensor that is closed over",
      (x) => map((row: Tensor) => row.add(x.sum()), x),
      "Input-to-input",
    ],
    [
      "xs of several sizes",
      (x) => map(([a]: readonly [Tensor, Tensor]) => a.mul(2), [x, x.at(":2")] as const),
      "must be consistent",
    ],
    [
      "xs that are not tensors",
      (_x) => map((row: Tensor) => row, 3 as never),
      "Mapped xs can only consist of tensors",
    ],
  ])("%s is refused", (_, model, message) => {
    expect(refusal(model)).toContain(message);
  });

  test("runs at once where nothing is traced", () => {
    expect(map((row: Tensor) => row.sum(), input).tolist()).toEqual([3, 12, 21, 30]);
  });
});

describe("scan", () => {
  test("passes closures in the order of their use", () => {
    const model = (x: Tensor): unknown => {
      const y = x.cos().at(0);
      const n = x.size(0) as SymInt;
      return scan((c: Tensor, row: Tensor) => [c.add(row.mul(y)), c.mul(n).sum()], torch.zeros(3), x);
    };
    const call = lines(model, dynamic).find((line) => line.startsWith("scan ="));
    expect(call).toContain("[zeros], [x], (select, sym_size_int_1))");
  });

  test("reverses the results again, in their containers", () => {
    const model = (x: Tensor): unknown =>
      scan<{ h: Tensor }, readonly [Tensor, Tensor], unknown>(
        (c, [a, b]) => [{ h: c.h.add(a) }, [b.mul(2), { z: a.sub(1) }]],
        { h: torch.zeros(4) },
        [x, x.sin()],
        { dim: -1, reverse: true },
      );
    const found = lines(model);
    expect(found).toContain('movedim_3: "f32[4, 3]" = torch.ops.aten.movedim.int(flip_3, 0, 1)');
  });

  test("without items gives the first carry", () => {
    const model = (x: Tensor): unknown => scan((c: Tensor) => [c.add(1), c.mul(2)], x, [] as never);
    expect(exportProgram(model, [input]).graph.size).toBe(2);
  });

  test.each<[string, (x: Tensor) => unknown, string]>([
    [
      "a carry as result",
      (x) => scan((c: Tensor, r: Tensor) => [c.add(r), c], torch.zeros(3), x),
      "CONTROL_FLOW_ALIASING",
    ],
    [
      "a carry of another dtype",
      (x) => scan((c: Tensor, r: Tensor) => [c.add(r).to("float64"), c.mul(2)], torch.zeros(3), x),
      "Expected init and carry to have same metadata",
    ],
    [
      "one result",
      (x) => scan(((c: Tensor) => c.mul(2)) as never, torch.zeros(3), x),
      "improper combine_fn number of returns",
    ],
    ["a number", (x) => scan((c: Tensor) => [c, c], 3 as never, x), "All init leaves must be a Tensor"],
    [
      "a dimension that is not there",
      (x) => scan((c: Tensor) => [c, c], torch.zeros(3), x, { dim: 4 }),
      "at least 'dim + 1' dimensions",
    ],
    [
      "a dimension of several sizes",
      (x) =>
        scan((c: Tensor, [r]: Tensor[]) => [c.add(r!), c.mul(2)] as never, torch.zeros(3), [
          x,
          x.t(),
        ] as never),
      "All xs leaves must have the same scan dimension size",
    ],
  ])("%s is refused", (_, model, message) => {
    expect(refusal(model)).toContain(message);
  });

  test("runs at once where nothing is traced", () => {
    const [sum, rows] = scan((c: Tensor, r: Tensor) => [c.add(r), c.mul(1)], torch.zeros(3), input, {
      reverse: true,
    });
    expect(sum.tolist()).toEqual([18, 22, 26]);
    expect((rows as Tensor).tolist()).toEqual([
      [18, 21, 24],
      [15, 17, 19],
      [9, 10, 11],
      [0, 0, 0],
    ]);
  });
});
