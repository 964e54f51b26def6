/** @file Models whose branches and sizes exports refuse, and how to write them. */
import { Dim, exportProgram, guard, ParamsSpec, ShapeVar, sym, TensorSpec, torch } from "@sconce/capture";
import type { ExportedProgram } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";

// refused: data_dependent_if SOURCE_CHECK
// A tensor is always true in JavaScript, so that a branch on it would be wrong.
export const dataDependentIf = (): ExportedProgram =>
  exportProgram((x: Tensor) => (x.sum().gt(0) ? x.sin() : x.cos()), [torch.randn(3)]);

// rewrite
export const dataDependentIfRewrite = (): ExportedProgram =>
  exportProgram(
    (x: Tensor) =>
      torch.cond(
        x.sum().gt(0),
        (x: Tensor) => x.sin(),
        (x: Tensor) => x.cos(),
        [x],
      ),
    [torch.randn(3)],
  );

// refused: data_dependent_size DATA_DEPENDENT_GUARD
// A condition on a size that only the data decide has no value while a program is traced.
export const dataDependentSize = (): ExportedProgram =>
  exportProgram((x: Tensor) => (guard(sym.gt(x.nonzero().size(0), 2)) ? x.sin() : x.cos()), [torch.randn(3)]);

// rewrite
export const dataDependentSizeRewrite = (): ExportedProgram =>
  exportProgram(
    (x: Tensor) => {
      torch.check(sym.gt(x.nonzero().size(0), 2));
      return x.sin();
    },
    [torch.randn(3)],
  );

// refused: dynamic_shape_round CONSTRAINT_VIOLATION
// A program may require more of a size than its dim says. The message has the fixes.
export const dynamicShapeRound = (): ExportedProgram =>
  exportProgram(
    (x: Tensor) => x.at(torch.slice(null, sym.round(sym.trueDiv(x.size(0), 2)))),
    [torch.randn(3, 2)],
    {
      dynamicShapes: [{ 0: Dim("dim0_x") }],
    },
  );

// rewrite
export const dynamicShapeRoundRewrite = (): ExportedProgram =>
  exportProgram(
    (x: Tensor) => x.at(torch.slice(null, sym.round(sym.trueDiv(x.size(0), 2)))),
    [torch.randn(3, 2)],
    {
      dynamicShapes: [{ 0: Dim.AUTO }],
    },
  );

// refused: unknown_argument BAD_DYNAMIC_SHAPES
// `dynamicShapes` has the structure of the arguments.
export const unknownArgument = (): ExportedProgram =>
  exportProgram((x: Tensor) => x.sin(), [torch.randn(3)], { dynamicShapes: { y: { 0: Dim("n") } } });

// rewrite
export const unknownArgumentRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor) => x.sin(), [torch.randn(3)], { dynamicShapes: { x: { 0: Dim("n") } } });

// refused: unbound_variable SHAPES_SPEC
// A variable of an expression is also the size of an input, or an integer argument, by itself.
export const unboundVariable = (): ExportedProgram => {
  const dynamicShapes = new ParamsSpec({ x: new TensorSpec([sym.mul(new ShapeVar("n"), 2)]) });
  return exportProgram((x: Tensor) => x.sin(), [torch.randn(4)], { dynamicShapes });
};

// rewrite
export const unboundVariableRewrite = (): ExportedProgram => {
  const dynamicShapes = new ParamsSpec({ x: new TensorSpec([new ShapeVar("n")]) });
  return exportProgram((x: Tensor) => x.sin(), [torch.randn(4)], { dynamicShapes });
};

// refused: decreasing_dim BAD_DIM
// A dim is derived by adding a number, or multiplying with a positive one.
export const decreasingDim = (): ExportedProgram =>
  exportProgram((x: Tensor) => x.sin(), [torch.randn(3)], { dynamicShapes: [{ 0: Dim("n").mul(-1) }] });

// rewrite
export const decreasingDimRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor) => x.sin(), [torch.randn(3)], { dynamicShapes: [{ 0: Dim("n").add(1) }] });

// refused: old_spelling OLD_DYNAMIC_SHAPES
// Constraints of early releases are dims today.
export const oldSpelling = (): ExportedProgram =>
  exportProgram((x: Tensor) => x.sin(), [torch.randn(3)], { constraints: [] } as never);

// rewrite
export const oldSpellingRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor) => x.sin(), [torch.randn(3)], { dynamicShapes: [{ 0: Dim("n") }] });

// refused: shape_of_dynamic_size DYNAMIC_SHAPE
// `x.shape` is a list of numbers, which dynamic sizes are not.
export const shapeOfDynamicSize = (): ExportedProgram =>
  exportProgram((x: Tensor) => torch.zeros(x.shape[0]!), [torch.randn(3)], {
    dynamicShapes: [{ 0: Dim("n") }],
  });

// rewrite
export const shapeOfDynamicSizeRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor) => torch.zeros(x.size(0)), [torch.randn(3)], {
    dynamicShapes: [{ 0: Dim("n") }],
  });

// refused: arithmetic_on_sizes SYMBOLIC_COERCION
// Operators of JavaScript make numbers of dynamic sizes. The source check finds most of them.
export const arithmeticOnSizes = (): ExportedProgram =>
  exportProgram((x: Tensor) => torch.zeros(Number(x.size(0))), [torch.randn(3)], {
    dynamicShapes: [{ 0: Dim("n") }],
    checkSource: false,
  });

// rewrite
export const arithmeticOnSizesRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor) => torch.zeros(sym.mul(x.size(0), 2)), [torch.randn(3)], {
    dynamicShapes: [{ 0: Dim("n") }],
  });

// refused: failed_check CHECK_FAILED
// What a program requires holds for the example, too.
export const failedCheck = (): ExportedProgram =>
  exportProgram(
    (x: Tensor) => {
      torch.check(sym.gt(x.size(0), 3));
      return x.sin();
    },
    [torch.randn(3)],
  );

// rewrite
export const failedCheckRewrite = (): ExportedProgram =>
  exportProgram(
    (x: Tensor) => {
      torch.check(sym.gt(x.size(0), 3));
      return x.sin();
    },
    [torch.randn(4)],
  );

// end
