/** @file Programs that PyTorch refuses to export, written in TypeScript. */
import { check, Dim, type DynamicShapes, exportProgram, guard, nn, sym, torch, tuple } from "@sconce/capture";
import type { DType, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { fixtureJson } from "../fixtures.js";

class NonzeroIf extends nn.Module {
  override forward(x: Tensor): Tensor {
    const nz = x.nonzero();
    return guard(sym.gt(nz.size(0), 0)) ? x.sin() : x.cos();
  }
}

class DataDependentIf extends nn.Module {
  override forward(x: Tensor): Tensor {
    if (x.sum().gt(0)) return x.sin();
    return x.cos();
  }
}

class NotInitialized extends nn.Module {
  declare readonly missing: Tensor;

  override forward(x: Tensor): Tensor {
    return x.add(this.missing);
  }
}

class DerivedDim extends nn.Module {
  override forward(x: Tensor, y: Tensor): Tensor {
    return x.add(y.at("1:"));
  }
}

class ShapeIf extends nn.Module {
  override forward(x: Tensor): Tensor {
    return guard(sym.gt(x.size(0), 5)) ? x.add(1) : x.sub(1);
  }
}

class SuggestMax extends nn.Module {
  override forward(x: Tensor): Tensor {
    return guard(sym.le(x.size(0), 5)) ? x.mul(2) : x;
  }
}

class SpecialisesDim extends nn.Module {
  override forward(x: Tensor, y: Tensor): unknown {
    return tuple(x.add(torch.ones(4, 2)), y.mul(2));
  }
}

class NeedsDivisible extends nn.Module {
  override forward(x: Tensor): Tensor {
    const n = x.size(0);
    return guard(sym.eq(sym.mod(n, 4), 0)) ? x.reshape(4, sym.floorDiv(n, 4)) : x;
  }
}

class AddTwo extends nn.Module {
  override forward(x: Tensor, y: Tensor): Tensor {
    return x.add(y);
  }
}

class TakesDtype extends nn.Module {
  override forward(x: Tensor, dtype: DType): Tensor {
    return x.to(dtype);
  }
}

class SumFirst extends nn.Module {
  override forward(x: Tensor): Tensor {
    return x.sum(0);
  }
}

interface Refused {
  readonly model: nn.Module;
  readonly args: unknown;
  readonly code: string;
  readonly dynamicShapes?: DynamicShapes;
}

const REFUSED: Readonly<Record<string, Refused>> = {
  pm_data_dependent_if: { model: new DataDependentIf(), args: [torch.randn(3)], code: "SOURCE_CHECK" },
  pm_nonzero_if: { model: new NonzeroIf(), args: [torch.randn(3)], code: "DATA_DEPENDENT_GUARD" },
  pm_uninitialised_state: { model: new NotInitialized(), args: [torch.randn(3)], code: "NO_SIGNATURE" },
  old_bad_arguments: { model: new AddTwo(), args: torch.randn(5), code: "EXPORT_ARGUMENTS" },
  pm_shape_guard_error: {
    model: new ShapeIf(),
    args: [torch.rand(10, 2)],
    dynamicShapes: { x: { 0: Dim("dim0_x") } },
    code: "CONSTRAINT_VIOLATION",
  },
  api_derived_dim_error: {
    model: new DerivedDim(),
    args: [torch.randn(5), torch.randn(6)],
    dynamicShapes: [{ 0: Dim("dimx") }, { 0: Dim("dimy") }],
    code: "CONSTRAINT_VIOLATION",
  },
  api_suggested_fix_max: {
    model: new SuggestMax(),
    args: [torch.rand(4, 2)],
    dynamicShapes: { x: { 0: Dim("dim0_x") } },
    code: "CONSTRAINT_VIOLATION",
  },
  api_suggested_fix_constant: {
    model: new SpecialisesDim(),
    args: [torch.rand(4, 2), torch.rand(3)],
    dynamicShapes: { x: { 0: Dim("dx") }, y: { 0: Dim("dy") } },
    code: "CONSTRAINT_VIOLATION",
  },
  api_suggested_fix_divisible: {
    model: new NeedsDivisible(),
    args: [torch.rand(16)],
    dynamicShapes: { x: { 0: Dim("dx") } },
    code: "CONSTRAINT_VIOLATION",
  },
  old_dim_too_wide: {
    model: new AddTwo(),
    args: [torch.randn(4, 2), torch.randn(4, 2)],
    dynamicShapes: [{ 0: Dim("bx") }, { 0: Dim("by") }],
    code: "CONSTRAINT_VIOLATION",
  },
  shape_static_mismatch: {
    model: new SumFirst(),
    args: [torch.randn(2, 3, 4, 5)],
    dynamicShapes: { x: { 2: 5 } },
    code: "CONSTRAINT_VIOLATION",
  },
  shape_unknown_input: {
    model: new SumFirst(),
    args: [torch.randn(2, 3)],
    dynamicShapes: { y: { 0: Dim("b") } },
    code: "BAD_DYNAMIC_SHAPES",
  },
  shape_out_of_range: {
    model: new SumFirst(),
    args: [torch.randn(2, 3)],
    dynamicShapes: { x: { 0: Dim("b", { min: 3, max: 8 }) } },
    code: "CONSTRAINT_VIOLATION",
  },
  shape_one_specialised: {
    model: new SumFirst(),
    args: [torch.randn(1, 3)],
    dynamicShapes: { x: { 0: Dim.DYNAMIC } },
    code: "CONSTRAINT_VIOLATION",
  },
};

/** The lines of suggested fixes in a message. */
function fixes(message: string): string[] {
  const [, after = ""] = message.split("Suggested fixes:\n");
  const lines = after.split("\n");
  const end = lines.findIndex((line) => !line.startsWith("  "));
  return end === -1 ? lines : lines.slice(0, end);
}

describe("models that PyTorch refuses", () => {
  test.each(Object.entries(REFUSED))(
    "%s is refused, with the same fixes [S-007, S-046, S-107]",
    (name, { model, args, code, dynamicShapes }) => {
      const recorded = fixtureJson(`programs/${name}/case.json`) as {
        status: string;
        error: { message: string };
      };
      expect(recorded.status).toBe("export_error");
      const given = dynamicShapes === undefined ? {} : { dynamicShapes };
      let refused: { code: string; message: string } | undefined;
      try {
        exportProgram(model, args as unknown[], given);
      } catch (error) {
        refused = error as { code: string; message: string };
      }
      expect(refused?.code).toBe(code);
      expect(fixes(refused!.message)).toEqual(fixes(recorded.error.message));
    },
  );

  // The program of `tree_dtype_input`: PyTorch takes texts, but no dtypes.
  test("a dtype is a text, and a static input", () => {
    const program = exportProgram(new TakesDtype(), [torch.randn(3), "float64"]);
    const { inputSpecs } = program.graphSignature;
    expect(inputSpecs.map(({ arg }) => arg)).toEqual([
      { kind: "tensor", name: "x" },
      { kind: "constant", name: "dtype", value: "float64" },
    ]);
  });

  // The program of `old_plain_function`: a function of JavaScript has no state to miss.
  test("a plain function is exported, which PyTorch refuses", () => {
    const add = (x: Tensor, y: Tensor): Tensor => x.add(y);
    const program = exportProgram(add, [torch.randn(2), torch.randn(2)]);
    expect([...program.graph.nodes()].map(({ name }) => name)).toEqual(["x", "y", "add", "output"]);
  });

  test("a tensor is not a condition", () => {
    const condition = (x: Tensor): never => x.sum().gt(0) as never;
    const decides = (x: Tensor): Tensor => (guard(condition(x)) ? x.sin() : x.cos());
    expect(() => exportProgram(decides, [torch.randn(3)])).toThrow("the condition is a tensor");
    const requires = (x: Tensor): Tensor => {
      check(condition(x));
      return x;
    };
    expect(() => exportProgram(requires, [torch.randn(3)])).toThrow("the condition is a tensor");
  });
});
