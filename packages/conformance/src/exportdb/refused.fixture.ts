/** @file Models that exports refuse, and how to write them, as the catalog quotes them. */
import { Dim, exportProgram, guard, library, nn, type Size, sym, torch } from "@sconce/capture";
import type { ExportedProgram } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";

// refused: assigned_parameter ASSIGNED_PARAMETER
// A parameter is written to in place, without gradients.
class AssignedParameter extends nn.Module {
  weight: Tensor = new nn.Parameter(torch.ones(3));

  override forward(x: Tensor): Tensor {
    this.weight = this.weight.mul(2);
    return x.mul(this.weight);
  }
}

export const assignedParameter = (): ExportedProgram =>
  exportProgram(new AssignedParameter(), [torch.randn(3)]);

// rewrite
class WrittenParameter extends nn.Module {
  readonly weight = new nn.Parameter(torch.ones(3));

  override forward(x: Tensor): Tensor {
    torch.noGrad(() => this.weight.mul_(2));
    return x.mul(this.weight);
  }
}

export const assignedParameterRewrite = (): ExportedProgram =>
  exportProgram(new WrittenParameter(), [torch.randn(3)]);

// refused: parameter_write LEAF_WRITE
// A parameter that records gradients is not written to in place.
class ParameterWrite extends nn.Module {
  readonly weight = new nn.Parameter(torch.ones(3));

  override forward(x: Tensor): Tensor {
    this.weight.add_(1);
    return x.mul(this.weight);
  }
}

export const parameterWrite = (): ExportedProgram => exportProgram(new ParameterWrite(), [torch.randn(3)]);

// rewrite
class ParameterWriteWithoutGradients extends nn.Module {
  readonly weight = new nn.Parameter(torch.ones(3));

  override forward(x: Tensor): Tensor {
    torch.noGrad(() => this.weight.add_(1));
    return x.mul(this.weight);
  }
}

export const parameterWriteRewrite = (): ExportedProgram =>
  exportProgram(new ParameterWriteWithoutGradients(), [torch.randn(3)]);

// refused: exchanged_buffers ASSIGNED_BUFFER
// Assigned buffers are copied at the end, one after the other: the first copy would be read.
class ExchangedBuffers extends nn.Module {
  a: Tensor = new nn.Buffer(torch.zeros(3));
  b: Tensor = new nn.Buffer(torch.ones(3));

  override forward(x: Tensor): Tensor {
    [this.a, this.b] = [this.b, this.a];
    return x.add(this.a);
  }
}

export const exchangedBuffers = (): ExportedProgram =>
  exportProgram(new ExchangedBuffers(), [torch.randn(3)]);

// rewrite
class ClonedBuffers extends nn.Module {
  a: Tensor = new nn.Buffer(torch.zeros(3));
  b: Tensor = new nn.Buffer(torch.ones(3));

  override forward(x: Tensor): Tensor {
    [this.a, this.b] = [this.b.clone(), this.a.clone()];
    return x.add(this.a);
  }
}

export const exchangedBuffersRewrite = (): ExportedProgram =>
  exportProgram(new ClonedBuffers(), [torch.randn(3)]);

// refused: values_of_tensors TRACED_VALUES
// A tensor has no values while a program is traced.
export const valuesOfTensors = (): ExportedProgram =>
  exportProgram((x: Tensor) => x.mul(Number(x.toArray()[0])), [torch.randn(3)]);

// rewrite
export const valuesOfTensorsRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor) => x.mul(x.at(0)), [torch.randn(3)]);

// refused: tensor_of_another_export ESCAPED_TENSOR
// A tensor of one export is not an operand of another.
const kept: Tensor[] = [];
const keepsTensor = (x: Tensor): Tensor => {
  kept.push(x);
  return x.add(kept[0]!);
};

export const tensorOfAnotherExport = (): ExportedProgram => {
  exportProgram(keepsTensor, [torch.randn(3)]);
  return exportProgram(keepsTensor, [torch.randn(3)]);
};

// rewrite
export const tensorOfAnotherExportRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor, y: Tensor) => x.add(y), [torch.randn(3), torch.randn(3)]);

// refused: size_of_another_export UNKNOWN_SYMBOL
// A size of one export is not an operand of another.
const sizes: Size[] = [];
const keepsSize = (x: Tensor): Tensor => {
  sizes.push(x.size(0));
  return torch.zeros(sizes[0]!);
};

export const sizeOfAnotherExport = (): ExportedProgram => {
  exportProgram(keepsSize, [torch.randn(4)], { dynamicShapes: { x: { 0: Dim("n") } } });
  return exportProgram((y: Tensor) => keepsSize(y), [torch.randn(4)], {
    dynamicShapes: { y: { 0: Dim("n") } },
  });
};

// rewrite
export const sizeOfAnotherExportRewrite = (): ExportedProgram =>
  exportProgram((y: Tensor) => torch.zeros(y.size(0)), [torch.randn(4)], {
    dynamicShapes: { y: { 0: Dim("n") } },
  });

// refused: input_of_another_type UNSUPPORTED_INPUT
// Arguments are tensors, numbers, booleans and texts, in containers.
export const inputOfAnotherType = (): ExportedProgram =>
  exportProgram((x: Tensor, _when: Date) => x.sin(), [torch.randn(3), new Date(0)]);

// rewrite
export const inputOfAnotherTypeRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor, _when: number) => x.sin(), [torch.randn(3), 0]);

// refused: output_of_another_type UNSUPPORTED_OUTPUT
// Results are tensors, numbers, booleans and texts, in containers.
export const outputOfAnotherType = (): ExportedProgram =>
  exportProgram((x: Tensor) => () => x.sin(), [torch.randn(3)]);

// rewrite
export const outputOfAnotherTypeRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor) => [x.sin()], [torch.randn(3)]);

// refused: arguments_without_list EXPORT_ARGUMENTS
// The arguments are a list.
export const argumentsWithoutList = (): ExportedProgram =>
  exportProgram((x: Tensor) => x.sin(), torch.randn(3) as never);

// rewrite
export const argumentsWithoutListRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor) => x.sin(), [torch.randn(3)]);

// refused: path_of_no_module MODULE_PATH
// `preserveModuleCallSignature` takes paths of submodules.
export const pathOfNoModule = (): ExportedProgram =>
  exportProgram(new nn.Sequential(new nn.ReLU()), [torch.randn(3)], {
    preserveModuleCallSignature: ["relu"],
  });

// rewrite
export const pathOfNoModuleRewrite = (): ExportedProgram =>
  exportProgram(new nn.Sequential(new nn.ReLU()), [torch.randn(3)], { preserveModuleCallSignature: ["0"] });

// refused: no_forward NO_FORWARD
// A module computes in `forward`.
class NoForward extends nn.Module {
  run(x: Tensor): Tensor {
    return x.sin();
  }
}

export const noForward = (): ExportedProgram => exportProgram(new NoForward(), [torch.randn(3)] as never);

// rewrite
class WithForward extends nn.Module {
  override forward(x: Tensor): Tensor {
    return x.sin();
  }
}

export const noForwardRewrite = (): ExportedProgram => exportProgram(new WithForward(), [torch.randn(3)]);

// refused: uninitialized_state NO_SIGNATURE
// State that does not exist is undefined, which no operator takes.
class UninitializedState extends nn.Module {
  declare missing: Tensor;

  override forward(x: Tensor): Tensor {
    return x.add(this.missing);
  }
}

export const uninitializedState = (): ExportedProgram =>
  exportProgram(new UninitializedState(), [torch.randn(3)]);

// rewrite
class InitializedState extends nn.Module {
  readonly offset = new nn.Buffer(torch.ones(3));

  override forward(x: Tensor): Tensor {
    return x.add(this.offset);
  }
}

export const uninitializedStateRewrite = (): ExportedProgram =>
  exportProgram(new InitializedState(), [torch.randn(3)]);

// refused: wrong_argument TORCH_ARGUMENT
// Functions of PyTorch refuse the values that PyTorch refuses.
export const wrongArgument = (): ExportedProgram =>
  exportProgram((x: Tensor) => torch.cdist(x, x, 2, "fast" as never), [torch.randn(3, 2)]);

// rewrite
export const wrongArgumentRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor) => torch.cdist(x, x, 2), [torch.randn(3, 2)]);

// refused: wrong_layer LAYER_ARGUMENTS
// Layers refuse the settings that PyTorch refuses.
export const wrongLayer = (): ExportedProgram =>
  exportProgram(new nn.Conv2d(3, 4, 1, { groups: 2 }), [torch.randn(1, 3, 2, 2)]);

// rewrite
export const wrongLayerRewrite = (): ExportedProgram =>
  exportProgram(new nn.Conv2d(4, 4, 1, { groups: 2 }), [torch.randn(1, 4, 2, 2)]);

// refused: state_of_another_model STATE_DICT
// A state dict has the names and the sizes of the model.
export const stateOfAnotherModel = (): ExportedProgram => {
  const model = new nn.Linear(3, 2);
  model.loadStateDict(new nn.Linear(4, 2).stateDict());
  return exportProgram(model, [torch.randn(3)]);
};

// rewrite
export const stateOfAnotherModelRewrite = (): ExportedProgram => {
  const model = new nn.Linear(3, 2);
  model.loadStateDict(new nn.Linear(3, 2).stateDict());
  return exportProgram(model, [torch.randn(3)]);
};

// refused: guard_without_export NO_TRACE
// A condition on a dynamic size is decided inside of the function that is exported.
const outside: ReturnType<typeof sym.gt>[] = [];

export const guardWithoutExport = (): boolean => {
  exportProgram(
    (x: Tensor) => {
      outside.push(sym.gt(x.size(0), 2));
      return x;
    },
    [torch.randn(3)],
    { dynamicShapes: [{ 0: Dim("n") }], checkSource: false },
  );
  return guard(outside[0]!);
};

// rewrite
export const guardWithoutExportRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor) => (guard(sym.gt(x.size(0), 2)) ? x.sin() : x.cos()), [torch.randn(3)], {
    dynamicShapes: [{ 0: Dim("n", { min: 3 }) }],
  });

// refused: cond_operands_not_tensors CONTROL_FLOW_ARGUMENTS
// Operands are tensors. Functions close over other values.
export const condOperandsNotTensors = (): ExportedProgram =>
  exportProgram(
    (x: Tensor) =>
      torch.cond(
        x.sum().gt(0),
        (x: Tensor, n: number) => x.mul(n),
        (x: Tensor) => x,
        [x, 2],
      ),
    [torch.randn(3)],
  );

// rewrite
export const condOperandsNotTensorsRewrite = (): ExportedProgram =>
  exportProgram(
    (x: Tensor) =>
      torch.cond(
        x.sum().gt(0),
        (x: Tensor) => x.mul(2),
        (x: Tensor) => x.clone(),
        [x],
      ),
    [torch.randn(3)],
  );

// refused: cond_results_differ CONTROL_FLOW_RESULTS
// Both branches return the same containers, and tensors of one dtype.
export const condResultsDiffer = (): ExportedProgram =>
  exportProgram(
    (x: Tensor) =>
      torch.cond<[Tensor], unknown>(
        x.sum().gt(0),
        (x) => [x.sin()],
        (x) => x.cos(),
        [x],
      ),
    [torch.randn(3)],
  );

// rewrite
export const condResultsDifferRewrite = (): ExportedProgram =>
  exportProgram(
    (x: Tensor) =>
      torch.cond<[Tensor], unknown>(
        x.sum().gt(0),
        (x) => [x.sin()],
        (x) => [x.cos()],
        [x],
      ),
    [torch.randn(3)],
  );

// refused: map_writes_input CONTROL_FLOW_MUTATION
// Functions of control flow write to none of their inputs.
export const mapWritesInput = (): ExportedProgram =>
  exportProgram((x: Tensor) => torch.map((row: Tensor) => row.add_(1), x), [torch.randn(3, 2)]);

// rewrite
export const mapWritesInputRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor) => torch.map((row: Tensor) => row.add(1), x), [torch.randn(3, 2)]);

// refused: branch_changes_variable CONTROL_FLOW_SIDE_EFFECT
// Functions of control flow change no JavaScript values from outside of them.
export const branchChangesVariable = (): ExportedProgram =>
  exportProgram(
    (x: Tensor) => {
      let factor = 0;
      const y = torch.cond(
        x.sum().gt(0),
        (a: Tensor) => {
          factor = 1;
          return a.sin();
        },
        (a: Tensor) => a.cos(),
        [x],
      );
      return y.mul(factor);
    },
    [torch.randn(3)],
  );

// rewrite
export const branchChangesVariableRewrite = (): ExportedProgram =>
  exportProgram(
    (x: Tensor) => {
      const [y, factor] = torch.cond(
        x.sum().gt(0),
        (a: Tensor): [Tensor, Tensor] => [a.sin(), torch.tensor(1)],
        (a: Tensor): [Tensor, Tensor] => [a.cos(), torch.tensor(0)],
        [x],
      );
      return y.mul(factor);
    },
    [torch.randn(3)],
  );

// refused: scan_returns_input CONTROL_FLOW_ALIASING
// Functions of control flow return new tensors: no input, and no tensor twice.
export const scanReturnsInput = (): ExportedProgram =>
  exportProgram(
    (sum: Tensor, xs: Tensor) => torch.scan((sum: Tensor, x: Tensor) => [sum.add(x), x], sum, xs),
    [torch.zeros(2), torch.randn(3, 2)],
  );

// rewrite
export const scanReturnsInputRewrite = (): ExportedProgram =>
  exportProgram(
    (sum: Tensor, xs: Tensor) => torch.scan((sum: Tensor, x: Tensor) => [sum.add(x), x.clone()], sum, xs),
    [torch.zeros(2), torch.randn(3, 2)],
  );

// refused: mode_of_a_program FIXED_MODE
// A program has the mode of its export.
export const modeOfAProgram = (): unknown =>
  exportProgram(new nn.Dropout(), [torch.randn(3)])
    .module()
    .eval();

// rewrite
export const modeOfAProgramRewrite = (): ExportedProgram =>
  exportProgram(new nn.Dropout().eval(), [torch.randn(3)]);

// refused: lanes_exported_again NOT_RETRACEABLE
// The module of a program with a generic scan is not exported again.
export const lanesExportedAgain = (): ExportedProgram => {
  const model = (x: Tensor): Tensor =>
    torch.associativeScan((a: Tensor, b: Tensor) => a.mul(b), x, { dim: 0, combineMode: "generic" });
  const program = exportProgram(model, [torch.randn(3, 2)]);
  return exportProgram(program.module(), [torch.randn(3, 2)]);
};

// rewrite
export const lanesExportedAgainRewrite = (): ExportedProgram => {
  const model = (x: Tensor): Tensor =>
    torch.associativeScan((a: Tensor, b: Tensor) => a.mul(b), x, { dim: 0 });
  const program = exportProgram(model, [torch.randn(3, 2)]);
  return exportProgram(program.module(), [torch.randn(3, 2)]);
};

// refused: two_structures MODULE_CALL
// A module whose calling convention is kept is called with one structure of arguments.
class Summed extends nn.Module {
  override forward(a: Tensor, b: Tensor, c?: Tensor): Tensor {
    return c === undefined ? a.add(b) : a.add(b).add(c);
  }
}

class TwoStructures extends nn.Module {
  readonly summed = new Summed();

  override forward(x: Tensor): Tensor {
    return this.summed(x, x).add(this.summed(x, x, x));
  }
}

export const twoStructures = (): ExportedProgram =>
  exportProgram(new TwoStructures(), [torch.randn(3)], { preserveModuleCallSignature: ["summed"] });

// rewrite
export const twoStructuresRewrite = (): ExportedProgram =>
  exportProgram(new TwoStructures(), [torch.randn(3)]);

// refused: operator_without_fake NO_FAKE
// An export asks the fake of an operator for its results. A kernel needs values.
const plainSine = library.customOp(
  "catalog::plain_sine",
  { schema: "(Tensor x) -> Tensor", mutatesArgs: [] },
  (x: Tensor) => x.sin(),
);

export const operatorWithoutFake = (): ExportedProgram =>
  exportProgram((x: Tensor) => plainSine(x), [torch.randn(3)]);

// rewrite
const sine = library.customOp(
  "catalog::sine",
  { schema: "(Tensor x) -> Tensor", mutatesArgs: [] },
  (x: Tensor) => x.sin(),
);
sine.registerFake((x: Tensor) => torch.emptyLike(x));

export const operatorWithoutFakeRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor) => sine(x), [torch.randn(3)]);

// refused: strict_without_source EXPORT_OPTION
// A strict export reads the source of the model.
export const strictWithoutSource = (): ExportedProgram =>
  exportProgram((x: Tensor) => x.sin(), [torch.randn(3)], { strict: true, checkSource: false });

// rewrite
export const strictWithoutSourceRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor) => x.sin(), [torch.randn(3)], { strict: true });

// end
