/** @file Custom operators and unflattened programs that are refused, and how to write them. */
import { exportProgram, library, nn, torch, unflatten } from "@sconce/capture";
import { type ExportedProgram, edit, type NodeMeta } from "@sconce/ir";
import { createSconce } from "@sconce/session";
import type { Tensor } from "@sconce/tensor";

const ONE = { schema: "(Tensor x) -> Tensor", mutatesArgs: [] } as const;

// refused: operator_without_schema CUSTOM_OP
// A schema says what an operator takes and returns.
export const operatorWithoutSchema = (): ExportedProgram => {
  const op = library.customOp(
    "catalog::no_schema",
    { schema: "Tensor -> Tensor", mutatesArgs: [] } as never,
    (x: Tensor) => x.sin(),
  );
  return exportProgram((x: Tensor) => op(x), [torch.randn(3)]);
};

// rewrite
export const operatorWithoutSchemaRewrite = (): ExportedProgram => {
  const op = library.customOp("catalog::schema", ONE, (x: Tensor) => x.sin());
  op.registerFake((x: Tensor) => torch.emptyLike(x));
  return exportProgram((x: Tensor) => op(x), [torch.randn(3)]);
};

// refused: fake_of_another_type FAKE_FAILED
// A fake returns what the schema says, without values.
export const fakeOfAnotherType = (): ExportedProgram => {
  const op = library.customOp("catalog::sized", ONE, (x: Tensor) => x.sin());
  op.registerFake((x: Tensor) => x.shape as never);
  return exportProgram((x: Tensor) => op(x), [torch.randn(3)]);
};

// rewrite
export const fakeOfAnotherTypeRewrite = (): ExportedProgram => {
  const op = library.customOp("catalog::sized", ONE, (x: Tensor) => x.sin());
  op.registerFake((x: Tensor) => torch.emptyLike(x));
  return exportProgram((x: Tensor) => op(x), [torch.randn(3)]);
};

// refused: decomposition_with_values CUSTOM_OP_DECOMPOSITION
// A decomposition computes with its arguments. A tensor with values is not part of the graph.
const weights = torch.ones(3);

const scaled = (decompose: (x: Tensor) => Tensor): ExportedProgram => {
  const op = library.customOp("catalog::scaled", ONE, (x: Tensor) => x.mul(2));
  op.registerFake((x: Tensor) => torch.emptyLike(x));
  op.registerDecomposition(decompose);
  const program = exportProgram((x: Tensor) => op(x), [torch.randn(3)]);
  return createSconce({ plugins: [library.plugin("catalog", [op])] }).runDecompositions(program);
};

export const decompositionWithValues = (): ExportedProgram => scaled((x) => x.mul(weights));

// rewrite
export const decompositionWithValuesRewrite = (): ExportedProgram => scaled((x) => x.mul(torch.onesLike(x)));

// refused: kernel_of_another_type KERNEL_RESULT
// A kernel returns what the schema says.
export const kernelOfAnotherType = (): ExportedProgram => {
  const op = library.customOp("catalog::count", ONE, ((x: Tensor) => x.numel) as never);
  op.registerFake((x: Tensor) => torch.emptyLike(x));
  const offset = op(torch.ones(3)) as Tensor;
  return exportProgram((x: Tensor) => x.add(offset), [torch.randn(3)]);
};

// rewrite
export const kernelOfAnotherTypeRewrite = (): ExportedProgram => {
  const op = library.customOp("catalog::count", ONE, (x: Tensor) => torch.fullLike(x, x.numel));
  op.registerFake((x: Tensor) => torch.emptyLike(x));
  const offset = op(torch.ones(3)) as Tensor;
  return exportProgram((x: Tensor) => x.add(offset), [torch.randn(3)]);
};

// refused: kernel_returns_input KERNEL_ALIASING
// A kernel returns new tensors: no argument, and no view of one.
export const kernelReturnsInput = (): ExportedProgram => {
  const op = library.customOp("catalog::same", ONE, (x: Tensor) => x);
  const offset = op(torch.ones(3)) as Tensor;
  return exportProgram((x: Tensor) => x.add(offset), [torch.randn(3)]);
};

// rewrite
export const kernelReturnsInputRewrite = (): ExportedProgram => {
  const op = library.customOp("catalog::same", ONE, (x: Tensor) => x.clone());
  const offset = op(torch.ones(3)) as Tensor;
  return exportProgram((x: Tensor) => x.add(offset), [torch.randn(3)]);
};

// refused: context_outside_of_fake NO_FAKE_CONTEXT
// Only a fake makes sizes that the data decide.
export const contextOutsideOfFake = (): ExportedProgram =>
  exportProgram((x: Tensor) => torch.zeros(library.getCtx().newDynamicSize()).add(x.sum()), [torch.randn(3)]);

// rewrite
export const contextOutsideOfFakeRewrite = (): ExportedProgram => {
  const op = library.customOp("catalog::positive", ONE, (x: Tensor) => x.maskedSelect(x.gt(0)));
  op.registerFake((x: Tensor) => x.newEmpty([library.getCtx().newDynamicSize()]));
  return exportProgram((x: Tensor) => op(x), [torch.randn(3)]);
};

// refused: negative_dynamic_size NEW_DYNAMIC_SIZE
// The bounds of a new size are integers from 0 on.
const withSizes = (min: number): ExportedProgram => {
  const op = library.customOp("catalog::chosen", ONE, (x: Tensor) => x.maskedSelect(x.gt(0)));
  op.registerFake((x: Tensor) => x.newEmpty([library.getCtx().newDynamicSize({ min })]));
  return exportProgram((x: Tensor) => op(x), [torch.randn(3)]);
};

export const negativeDynamicSize = (): ExportedProgram => withSizes(-1);

// rewrite
export const negativeDynamicSizeRewrite = (): ExportedProgram => withSizes(0);

// refused: fake_differs OP_CHECK
// `library.opCheck` compares the fake of an operator with its kernel.
const checked = (fake: (x: Tensor) => Tensor): ExportedProgram => {
  const op = library.customOp("catalog::checked", ONE, (x: Tensor) => x.sin());
  op.registerFake(fake);
  library.opCheck(op, [[torch.ones(3)]]);
  return exportProgram((x: Tensor) => op(x), [torch.randn(3)]);
};

export const fakeDiffers = (): ExportedProgram => checked((x) => x.newEmpty([1]));

// rewrite
export const fakeDiffersRewrite = (): ExportedProgram => checked((x) => torch.emptyLike(x));

// refused: check_without_lists OP_CHECK_SAMPLES
// `library.opCheck` takes a list of lists of arguments.
const sampled = library.customOp("catalog::sampled", ONE, (x: Tensor) => x.sin());
sampled.registerFake((x: Tensor) => torch.emptyLike(x));

export const checkWithoutLists = (): ExportedProgram => {
  library.opCheck(sampled, torch.ones(3) as never);
  return exportProgram((x: Tensor) => sampled(x), [torch.randn(3)]);
};

// rewrite
export const checkWithoutListsRewrite = (): ExportedProgram => {
  library.opCheck(sampled, [[torch.ones(3)]]);
  return exportProgram((x: Tensor) => sampled(x), [torch.randn(3)]);
};

// refused: nodes_without_modules NOT_UNFLATTENABLE
// The metadata of nodes says which module made them. A pass that adds nodes keeps it.
const withMeta = (change: (meta: NodeMeta) => NodeMeta): ExportedProgram => {
  const program = exportProgram(new nn.Sequential(new nn.Linear(3, 3), new nn.ReLU()), [torch.randn(1, 3)]);
  const graph = edit(program.graph, (editor) => {
    editor.setMeta("relu", change(program.graph.node("relu").meta));
  });
  const changed = program.with({ graph, graphSignature: program.graphSignature });
  unflatten(changed);
  return changed;
};

export const nodesWithoutModules = (): ExportedProgram => withMeta(({ val }) => (val ? { val } : {}));

// rewrite
export const nodesWithoutModulesRewrite = (): ExportedProgram => withMeta((meta) => ({ ...meta }));

// refused: call_with_another_structure NO_FLAT_ARGS_ADAPTER
// An unflattened module is called with the structure of the export.
class Child extends nn.Module {
  override forward(x: Tensor, y: Tensor): Tensor {
    return x.add(y);
  }
}

const sums = (): ExportedProgram => exportProgram(new Child(), [torch.ones(3), torch.ones(3)]);

export const callWithAnotherStructure = (): ExportedProgram => {
  const program = sums();
  unflatten(program)([torch.ones(3), torch.ones(3)]);
  return program;
};

// rewrite
export const callWithAnotherStructureRewrite = (): ExportedProgram => {
  const program = sums();
  unflatten(program)(torch.ones(3), torch.ones(3));
  return program;
};

// refused: adapter_of_another_length FLAT_ARGS_ADAPTER
// An adapter returns one value for each input of the program.
const adapted = (adapt: (all: readonly unknown[]) => readonly unknown[]): ExportedProgram => {
  const program = sums();
  unflatten(program, { adapt: (_target, _given, all) => adapt(all) })([torch.ones(3), torch.ones(3)]);
  return program;
};

export const adapterOfAnotherLength = (): ExportedProgram => adapted(([x]) => [x]);

// rewrite
export const adapterOfAnotherLengthRewrite = (): ExportedProgram => adapted(([x, y]) => [x, y]);

// refused: swap_without_signature UNSAFE_SWAP
// A module is swapped where the program keeps its calling convention.
const swapped = (paths: readonly string[]): ExportedProgram => {
  const model = new nn.Sequential(new nn.Linear(3, 3), new nn.ReLU());
  const program = exportProgram(model, [torch.randn(1, 3)], { preserveModuleCallSignature: paths });
  unflatten(program).setSubmodule("1", new nn.GELU());
  return program;
};

export const swapWithoutSignature = (): ExportedProgram => swapped([]);

// rewrite
export const swapWithoutSignatureRewrite = (): ExportedProgram => swapped(["1"]);

// refused: module_without_arguments MODULE_ARGUMENTS
// The graph of a submodule takes its inputs one by one.
class Parent extends nn.Module {
  readonly child = new Child();

  override forward(x: Tensor): Tensor {
    return this.child(x, x.sin());
  }
}

const called = (...args: readonly Tensor[]): ExportedProgram => {
  const program = exportProgram(new Parent(), [torch.ones(3)]);
  unflatten(program).getSubmodule("child")(...args);
  return program;
};

export const moduleWithoutArguments = (): ExportedProgram => called();

// rewrite
export const moduleWithoutArgumentsRewrite = (): ExportedProgram => called(torch.ones(3), torch.ones(3));

// end
