import { Dim, type ExportOptions, exportProgram, nn } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { sym } from "../functions/sym.js";
import { torch } from "../functions/torch.js";
import type { SymInt } from "../trace/sym-int.js";
import { cond } from "./cond.js";

const x = torch.ones(4, 3);
const dynamic: ExportOptions = { dynamicShapes: [{ 0: Dim("n") }] };
const positive = (y: Tensor): Tensor => y.sum().gt(0);

/** The calls of a program, and those of its nested graphs. */
function lines(model: (...args: never[]) => unknown, options: ExportOptions = {}): string[] {
  const text = String(exportProgram(model, [x], { onWarning: () => undefined, ...options }));
  return text
    .slice(0, text.indexOf("Graph signature"))
    .split("\n")
    .map((line) => line.trim().replace(/;.*/, ""))
    .filter((line) => /=|^def|^return/.test(line) && !line.startsWith("#"));
}

const callOf = (model: (...args: never[]) => unknown, options?: ExportOptions): string | undefined =>
  lines(model, options).find((line) => line.includes("higher_order.cond("));

const refusal = (model: (...args: never[]) => unknown, options: ExportOptions = {}): string => {
  try {
    exportProgram(model, [x], { onWarning: () => undefined, ...options });
  } catch (error) {
    return `${(error as { code: string }).code}: ${(error as Error).message}`;
  }
  return "exported";
};

describe("operands", () => {
  // The orders are those of PyTorch 2.14 for the same functions.
  test("are those that the branches use, in the order of TorchDynamo's names", () => {
    const closures = (y: Tensor): unknown => {
      const [z, v, w] = [y.sin(), y.cos(), y.tan()];
      return cond(
        positive(y),
        (a: Tensor) => a.add(v).add(z),
        (a: Tensor) => a.mul(w).add(z),
        [y],
      );
    };
    expect(callOf(closures)).toContain("(gt, true_graph_0, false_graph_0, (sin, y, cos, tan))");
    const unused = (y: Tensor): unknown =>
      cond(
        positive(y),
        (_: Tensor, b: Tensor) => b.sin(),
        (_: Tensor, b: Tensor) => b.cos(),
        [y, y.add(1)],
      );
    expect(callOf(unused)).toContain("(add,))");
  });

  test("are dynamic sizes where a function closes over them", () => {
    const model = (y: Tensor): unknown => {
      const n = y.size(0) as SymInt;
      return cond(
        positive(y),
        () => torch.ones(n),
        () => torch.zeros(n).add(n),
      );
    };
    expect(lines(model, dynamic)).toContain('def forward(self, sym_size_int_1: "Sym(s17)"):');
  });

  test("are parameters, buffers and constants of the module", () => {
    class Net extends nn.Module {
      readonly lin = new nn.Linear(3, 3);
      readonly buf = new nn.Buffer(torch.ones(3));
      readonly cst = torch.ones(3);

      override forward(y: Tensor): Tensor {
        return cond(
          positive(y),
          (a: Tensor) => this.cst.add(a),
          (a: Tensor) => a.mul(this.buf).mul(this.lin.bias!),
          [y],
        );
      }
    }
    expect(callOf(new Net() as never)).toContain("(y, c_cst, b_buf, p_lin_bias)");
  });

  test("are read after the branches, as before", () => {
    const model = (y: Tensor): unknown => {
      const z = cond(
        positive(y),
        (a: Tensor) => a.contiguous().add(1),
        (a: Tensor) => a.sub(1),
        [y],
      );
      return y.add(z);
    };
    expect(lines(model).some((line) => line.includes("aten.add.Tensor(y, getitem)"))).toBe(true);
  });
});

describe("results", () => {
  test("that nothing reads are left out of the branches", () => {
    const model = (y: Tensor): unknown =>
      cond(
        positive(y),
        (a: Tensor) => {
          a.sin();
          return a.cos();
        },
        (a: Tensor) => a.tan(),
        [y],
      );
    expect(lines(model).filter((line) => line.includes("sin"))).toEqual([]);
  });

  test("of different ints and sizes depend on the data", () => {
    const ints = (y: Tensor): unknown =>
      cond<[Tensor], unknown>(
        positive(y),
        (a) => [a.sin(), 3],
        (a) => [a.cos(), 4],
        [y],
      );
    expect(lines(ints)).toContain('getitem_2: "Sym(u0)" = cond[1]');
    expect(lines(ints)).toContain('ge_1: "Sym(u0 >= 3)" = getitem_2 >= 3');
    const sizes = (y: Tensor): unknown =>
      cond(
        positive(y),
        (a: Tensor) => a.sin(),
        (a: Tensor) => a.at(":2").cos(),
        [y],
      );
    expect(lines(sizes)).toContain('getitem_1: "f32[u0, 3]" = cond[0]');
    expect(lines(sizes)).toContain('le: "Sym(u0 <= 4)" = sym_size_int_1 <= 4');
    expect(lines(sizes, dynamic)).toContain(
      'sym_size_int_2: "Sym(u0)" = torch.ops.aten.sym_size.int(getitem_1, 0)',
    );
  });

  // PyTorch 2.14 takes no bounds of sizes that are computed.
  test("of computed sizes have no bounds: a batch of 1 runs, too", () => {
    const model = (y: Tensor): unknown =>
      cond(
        positive(y),
        (a: Tensor) => torch.cat([a, a]),
        (a: Tensor) => a.add(1),
        [y],
      );
    expect(lines(model, dynamic)).toContain('ge_1: "Sym(u0 >= 0)" = sym_size_int_2 >= 0');
    const program = exportProgram(model, [x], dynamic);
    expect(String(program)).toMatch(/Range constraints: \{u0: VR\[0, int_oo\], s\d+: VR\[0, int_oo\]\}/);
    const row = torch.ones(1, 3).neg();
    expect((program.call(row) as Tensor).tolist()).toEqual([[0, 0, 0]]);
  });

  test.each<[string, (y: Tensor) => unknown, string]>([
    [
      "other structures",
      (a) => [a.sin(), a.cos()],
      "CONTROL_FLOW_RESULTS: torch.cond: differing branch outputs",
    ],
    ["other dtypes", (a) => a.to("float64"), "expected same dtype but got torch.float64 and torch.float32"],
    ["other numbers of dimensions", (a) => a.sum(), "expected same dim but got 0 and 2"],
    ["other strides", (a) => a.sin().t(), "The sorted order of strides of the two branches' output"],
    ["sizes", (a) => a.size(0), "unsupported branch return type. Expected branches"],
    ["null", () => null, "unsupported branch return type (constant non-int)"],
    ["an operand", (a) => a, "CONTROL_FLOW_ALIASING"],
    ["a view of an operand", (a) => a.view(-1), "CONTROL_FLOW_ALIASING"],
    ["an operand after a write", (a) => a.sin_(), "CONTROL_FLOW_MUTATION"],
  ])("%s are refused", (_, branch, message) => {
    const model = (y: Tensor): unknown => cond(positive(y), branch, (a: Tensor) => a.cos(), [y]);
    expect(refusal(model, dynamic)).toContain(message);
  });

  test("that share memory are refused, writes to new tensors are not", () => {
    const twice = (a: Tensor): unknown => {
      const b = a.sin();
      return [b, b];
    };
    expect(refusal((y: Tensor) => cond(positive(y), twice, twice, [y]))).toContain("Output-to-output");
    const writes = (a: Tensor): Tensor => {
      const b = a.clone();
      b.setAt(0, 1);
      return b.add_(1);
    };
    expect(refusal((y: Tensor) => cond(positive(y), writes, writes, [y]))).toBe("exported");
  });
});

describe("arguments", () => {
  const sin = (a: Tensor): Tensor => a.sin();
  const cos = (a: Tensor): Tensor => a.cos();

  test.each<[string, (y: Tensor) => unknown, string]>([
    ["a predicate of several elements", (y) => cond(y.gt(0), sin, cos, [y]), "bool or single-element tensor"],
    [
      "a predicate of another type",
      (y) => cond("yes" as never, sin, cos, [y]),
      "Expected pred to be bool or tensor",
    ],
    ["an operand that is not a tensor", (y) => cond(positive(y), sin, cos, [2 as never]), "tensor leaves"],
    ["a branch that is not a function", (y) => cond(positive(y), sin, y as never, [y]), "callable"],
  ])("%s is refused", (_, model, message) => {
    expect(refusal(model)).toContain(message);
  });

  test("a constant predicate chooses at once, with PyTorch's warning", () => {
    const warnings: string[] = [];
    const model = (y: Tensor): Tensor => cond(y.shape[1]! > 2, sin, cos, [y]);
    const { graph } = exportProgram(model, [x], { onWarning: (text) => warnings.push(text) });
    expect([...graph.nodes()].map(({ name }) => name)).toEqual(["y", "sin", "output"]);
    expect(warnings[0]).toMatch(/^Pred is a Python constant\. When used with torch\.cond, it specializes/);
  });

  test("sizes that depend on data are refused", () => {
    const unbacked = (y: Tensor): unknown => {
      const k = y.sum().to("int64").item();
      return cond(
        positive(y),
        (a: Tensor) => a.mul(k),
        (a: Tensor) => a.add(k),
        [y],
      );
    };
    expect(refusal(unbacked)).toContain("Attempted to wrap unbacked SymInt u0");
  });

  test("run one branch where nothing is traced", () => {
    const branches = [(a: Tensor) => a.mul(2), (a: Tensor) => a.mul(3)] as const;
    expect(cond(torch.tensor(true), ...branches, [x]).tolist()).toEqual(x.mul(2).tolist());
    expect(cond(torch.tensor([0]), ...branches, [x]).tolist()).toEqual(x.mul(3).tolist());
    expect(cond(sym.gt(1, 2) as boolean, ...branches, [x]).tolist()).toEqual(x.mul(3).tolist());
    expect(cond(torch.tensor(0.0), ...branches, [x]).tolist()).toEqual(x.mul(3).tolist());
    expect(cond(torch.tensor(Number.NaN), ...branches, [x]).tolist()).toEqual(x.mul(2).tolist());
  });
});
