/** @file Examples of PyTorch's ExportDB in TypeScript, as the catalog quotes them. */
import { Dim, exportProgram, guard, nn, pytree, sym, torch } from "@sconce/capture";
import type { ExportedProgram } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";

// example: class_method
// Methods of a class are inlined.
class ClassMethod extends nn.Module {
  static method(x: Tensor): Tensor {
    return x.add(1);
  }

  readonly linear = new nn.Linear(4, 2);

  override forward(x: Tensor): Tensor {
    const y = this.linear(x);
    const own = this.constructor as typeof ClassMethod;
    return ClassMethod.method(y).mul(own.method(y)).mul(ClassMethod.method(y));
  }
}

export const classMethod = (): ExportedProgram => exportProgram(new ClassMethod(), [torch.randn(3, 4)]);

// example: cond_branch_class_method
// A branch may be a method, and `forward` of a submodule. A condition on static sizes is decided
// at once: `cond` runs one branch, and warns of it.
class WithCosine extends nn.Module {
  override forward(x: Tensor): Tensor {
    return x.cos();
  }
}

class CondBranchClassMethod extends nn.Module {
  readonly subm = new WithCosine();

  bar(x: Tensor): Tensor {
    return x.sin();
  }

  override forward(x: Tensor): Tensor {
    return torch.cond(
      x.shape[0]! <= 2,
      (x: Tensor) => this.subm.forward(x),
      (x: Tensor) => this.bar(x),
      [x],
    );
  }
}

export const condBranchClassMethod = (): ExportedProgram =>
  exportProgram(new CondBranchClassMethod(), [torch.randn(3)]);

// example: cond_branch_nested_function
// Branches may define functions.
class CondBranchNestedFunction extends nn.Module {
  override forward(x: Tensor): Tensor {
    const plus = (x: Tensor): Tensor => {
      const inner = (y: Tensor): Tensor => x.add(y);
      return inner(x);
    };
    const minus = (x: Tensor): Tensor => {
      const inner = (y: Tensor): Tensor => x.sub(y);
      return inner(x);
    };
    return torch.cond(x.shape[0]! < 10, plus, minus, [x]);
  }
}

export const condBranchNestedFunction = (): ExportedProgram =>
  exportProgram(new CondBranchNestedFunction(), [torch.randn(3)]);

// example: cond_branch_nonlocal_variables
// What branches need may be operands, numbers as tensors. They may also close over it.
class CondBranchNonlocalVariables extends nn.Module {
  override forward(x: Tensor): Tensor {
    const tensor = x.add(100);
    const number = 3.14;
    const plus = (x: Tensor, y: Tensor, z: Tensor): Tensor => x.add(y).add(z);
    const minus = (x: Tensor, y: Tensor, z: Tensor): Tensor => x.sub(y).sub(z);
    return torch.cond(x.shape[0]! > 5, plus, minus, [x, tensor, torch.tensor(number)]);
  }
}

export const condBranchNonlocalVariables = (): ExportedProgram =>
  exportProgram(new CondBranchNonlocalVariables(), [torch.randn(6)]);

// example: cond_closed_over_variable
// Branches close over tensors, which become operands.
class CondClosedOverVariable extends nn.Module {
  override forward(pred: Tensor, x: Tensor): Tensor {
    const double = (_val: Tensor): Tensor => x.mul(2);
    const less = (_val: Tensor): Tensor => x.sub(2);
    return torch.cond(pred, double, less, [x.add(1)]);
  }
}

export const condClosedOverVariable = (): ExportedProgram =>
  exportProgram(new CondClosedOverVariable(), [torch.tensor(true), torch.randn(3, 2)]);

// example: cond_operands
// A condition on a dynamic size is a predicate of the program.
class CondOperands extends nn.Module {
  override forward(x: Tensor, y: Tensor): Tensor {
    const plus = (x: Tensor, y: Tensor): Tensor => x.add(y);
    const minus = (x: Tensor, y: Tensor): Tensor => x.sub(y);
    return torch.cond(sym.gt(x.size(0), 2), plus, minus, [x, y]);
  }
}

export const condOperands = (): ExportedProgram =>
  exportProgram(new CondOperands(), [torch.randn(3, 2), torch.randn(2)], {
    dynamicShapes: { x: { 0: Dim("dim0_x") }, y: null },
  });

// example: cond_predicate
// A predicate is a tensor of one element, a condition on sizes, or a boolean, which is decided.
class CondPredicate extends nn.Module {
  override forward(x: Tensor): Tensor {
    const pred = x.dim() > 2 && x.shape[2]! > 10;
    return torch.cond(
      pred,
      (x: Tensor) => x.cos(),
      (y: Tensor) => y.sin(),
      [x],
    );
  }
}

export const condPredicate = (): ExportedProgram =>
  exportProgram(new CondPredicate(), [torch.randn(6, 4, 3)]);

// example: constrain_as_size_example
// `check` says what holds of a number that is read from a tensor, so that it can be a size.
class ConstrainAsSize extends nn.Module {
  override forward(x: Tensor): Tensor {
    const a = x.item();
    torch.check(sym.ge(a, 0));
    torch.check(sym.le(a, 5));
    return torch.zeros([a, 5]);
  }
}

export const constrainAsSizeExample = (): ExportedProgram =>
  exportProgram(new ConstrainAsSize(), [torch.tensor(4)]);

// example: constrain_as_value_example
// `check` says what holds of a number that is read from a tensor. What follows is decided.
class ConstrainAsValue extends nn.Module {
  override forward(x: Tensor, y: Tensor): Tensor {
    const a = x.item();
    torch.check(sym.ge(a, 0));
    torch.check(sym.le(a, 5));
    return guard(sym.lt(a, 6)) ? y.sin() : y.cos();
  }
}

export const constrainAsValueExample = (): ExportedProgram =>
  exportProgram(new ConstrainAsValue(), [torch.tensor(4), torch.randn(5, 5)]);

// example: decorator
// Functions around `forward` are inlined.
const plusOne =
  (fn: (x: Tensor, y: Tensor) => Tensor) =>
  (x: Tensor, y: Tensor): Tensor =>
    fn(x, y).add(1);

class Decorator extends nn.Module {
  override forward(x: Tensor, y: Tensor): Tensor {
    return plusOne((x, y) => x.add(y))(x, y);
  }
}

export const decorator = (): ExportedProgram =>
  exportProgram(new Decorator(), [torch.randn(3, 2), torch.randn(3, 2)]);

// example: dictionary
// Objects are inlined, and are containers of results.
class Dictionary extends nn.Module {
  override forward(x: Tensor, y: Tensor): unknown {
    const elements: Record<string, Tensor> = {};
    elements["x2"] = x.mul(x);
    return { y: y.mul(elements["x2"]) };
  }
}

export const dictionary = (): ExportedProgram =>
  exportProgram(new Dictionary(), [torch.randn(3, 2), torch.tensor(4)]);

// example: dynamic_shape_assert
// An assertion on static sizes is checked while the program is traced. On dynamic ones use `check`.
class DynamicShapeAssert extends nn.Module {
  override forward(x: Tensor): Tensor {
    if (x.shape[0]! <= 2) throw new Error(`${x.shape[0]} is not greater than 2`);
    torch.check(sym.gt(x.size(0), 1));
    return x;
  }
}

export const dynamicShapeAssert = (): ExportedProgram =>
  exportProgram(new DynamicShapeAssert(), [torch.randn(3, 2)]);

// example: dynamic_shape_constructor
// Constructors of tensors take sizes, static or dynamic.
class DynamicShapeConstructor extends nn.Module {
  override forward(x: Tensor): Tensor {
    return torch.zeros(sym.mul(x.size(0), 2));
  }
}

export const dynamicShapeConstructor = (): ExportedProgram =>
  exportProgram(new DynamicShapeConstructor(), [torch.randn(3, 2)]);

// example: dynamic_shape_if_guard
// `guard` decides a condition on sizes for the example, and requires it of all inputs.
class DynamicShapeIfGuard extends nn.Module {
  override forward(x: Tensor): Tensor {
    return guard(sym.eq(x.size(0), 3)) ? x.cos() : x.sin();
  }
}

export const dynamicShapeIfGuard = (): ExportedProgram =>
  exportProgram(new DynamicShapeIfGuard(), [torch.randn(3, 2, 2)]);

// example: dynamic_shape_map
// `map` runs a function on each item along the first dimension.
class DynamicShapeMap extends nn.Module {
  override forward(xs: Tensor, y: Tensor): Tensor {
    return torch.map((x: Tensor, y: Tensor) => x.add(y), xs, y);
  }
}

export const dynamicShapeMap = (): ExportedProgram =>
  exportProgram(new DynamicShapeMap(), [torch.randn(3, 2), torch.randn(2)]);

// example: dynamic_shape_slicing
// Slices take sizes, static or dynamic.
class DynamicShapeSlicing extends nn.Module {
  override forward(x: Tensor): Tensor {
    return x.at(torch.slice(null, sym.sub(x.size(0), 2)), torch.slice(sym.sub(x.size(1), 1), null, 2));
  }
}

export const dynamicShapeSlicing = (): ExportedProgram =>
  exportProgram(new DynamicShapeSlicing(), [torch.randn(3, 2)]);

// example: dynamic_shape_view
// Sizes are arguments of `view`.
class DynamicShapeView extends nn.Module {
  override forward(x: Tensor): Tensor {
    const sizes = [...x.size().slice(0, -1), 2, 5];
    return x.view(sizes).permute(0, 2, 1);
  }
}

export const dynamicShapeView = (): ExportedProgram =>
  exportProgram(new DynamicShapeView(), [torch.randn(10, 10)]);

// example: fn_with_kwargs
// Keyword arguments are an object behind the positional ones.
class FnWithKwargs extends nn.Module {
  override forward(pos0: Tensor, tuple0: readonly Tensor[], ...myargs: readonly unknown[]): Tensor {
    const tensors = myargs.slice(0, -1) as Tensor[];
    const { mykw0, input0, input1 } = myargs.at(-1) as Record<"mykw0" | "input0" | "input1", Tensor>;
    let out = pos0;
    for (const arg of tuple0) out = out.mul(arg);
    for (const arg of tensors) out = out.mul(arg);
    return out.mul(mykw0).mul(input0).mul(input1);
  }
}

export const fnWithKwargs = (): ExportedProgram =>
  exportProgram(
    new FnWithKwargs(),
    [torch.randn(4), pytree.tuple(torch.randn(4), torch.randn(4)), torch.randn(4), torch.randn(4)],
    { kwargs: { mykw0: torch.randn(4), input0: torch.randn(4), input1: torch.randn(4) } },
  );

// example: list_contains
// A static size is a number that a list contains or not.
class ListContains extends nn.Module {
  override forward(x: Tensor): Tensor {
    if (![6, 2].includes(x.shape.at(-1)!)) throw new Error("the last size is neither 6 nor 2");
    if ([4, 5, 6].includes(x.shape[0]!)) throw new Error("the first size is 4, 5 or 6");
    return x.add(x);
  }
}

export const listContains = (): ExportedProgram => exportProgram(new ListContains(), [torch.randn(3, 2)]);

// example: list_unpack
// Lists are static: nothing of them is in the graph.
class ListUnpack extends nn.Module {
  override forward(args: readonly Tensor[]): Tensor {
    const [x, ...y] = args;
    return x!.add(y[0]!);
  }
}

export const listUnpack = (): ExportedProgram =>
  exportProgram(new ListUnpack(), [[torch.randn(3, 2), torch.tensor(4), torch.tensor(5)]]);

// example: model_attr_mutation
// An assigned property is seen by the rest of the call, and put back after the export.
class ModelAttrMutation extends nn.Module {
  attrList = [torch.randn(3, 2), torch.randn(3, 2)];

  recreateList(): Tensor[] {
    return [torch.zeros(3, 2), torch.zeros(3, 2)];
  }

  override forward(x: Tensor): Tensor {
    this.attrList = this.recreateList();
    return x.sum().add(this.attrList[0]!.sum());
  }
}

export const modelAttrMutation = (): ExportedProgram =>
  exportProgram(new ModelAttrMutation(), [torch.randn(3, 2)]);

// example: nested_function
// Functions inside of `forward` are traced through, with what they close over.
class NestedFunction extends nn.Module {
  override forward(a: Tensor, b: Tensor): Tensor {
    const x = a.add(b);
    const z = a.sub(b);
    const closure = (y: Tensor): Tensor => {
      x.add_(1);
      return x.mul(y).add(z);
    };
    return closure(x);
  }
}

export const nestedFunction = (): ExportedProgram =>
  exportProgram(new NestedFunction(), [torch.randn(3, 2), torch.randn(2)]);

// example: null_context_manager
// `try` and `finally` leave nothing in the graph.
class NullContextManager extends nn.Module {
  override forward(x: Tensor): Tensor {
    let isOpen = true;
    try {
      return x.sin().add(x.cos());
    } finally {
      isOpen = !isOpen;
    }
  }
}

export const nullContextManager = (): ExportedProgram =>
  exportProgram(new NullContextManager(), [torch.randn(3, 2)]);

// example: optional_input
// An argument may have a default. A tensor that is one is a constant of the program.
const OFFSET = torch.randn(2, 3);

class OptionalInput extends nn.Module {
  override forward(x: Tensor, y: Tensor | null = OFFSET): Tensor {
    return y !== null ? x.add(y) : x;
  }
}

export const optionalInput = (): ExportedProgram => exportProgram(new OptionalInput(), [torch.randn(2, 3)]);

// example: pytree_flatten
// Values of containers are static: nothing of `Object.values` is in the graph.
class PytreeFlatten extends nn.Module {
  override forward(x: readonly Readonly<Record<string, Tensor>>[]): Tensor {
    const leaves = x.flatMap((item) => Object.values(item));
    return leaves[0]!.add(1);
  }
}

export const pytreeFlatten = (): ExportedProgram =>
  exportProgram(new PytreeFlatten(), [pytree.tuple({ 1: torch.randn(3, 2), 2: torch.randn(3, 2) })]);

// example: scalar_output
// A model may return sizes.
class ScalarOutput extends nn.Module {
  override forward(x: Tensor): unknown {
    return sym.add(x.size(1), 1);
  }
}

export const scalarOutput = (): ExportedProgram =>
  exportProgram(new ScalarOutput(), [torch.randn(3, 2)], { dynamicShapes: { x: { 1: Dim("dim1_x") } } });

// example: specialized_attribute
// Numbers and texts that a module holds are constants.
class SpecializedAttribute extends nn.Module {
  readonly a: string = "moo";
  readonly b = 4;

  override forward(x: Tensor): Tensor {
    if (this.a !== "moo") throw new Error("bad");
    return x.mul(x).add(this.b);
  }
}

export const specializedAttribute = (): ExportedProgram =>
  exportProgram(new SpecializedAttribute(), [torch.randn(3, 2)]);

// example: static_for_loop
// A loop of a known number of rounds is unrolled.
class StaticForLoop extends nn.Module {
  override forward(x: Tensor): Tensor[] {
    return Array.from({ length: 10 }, (_, i) => x.add(i));
  }
}

export const staticForLoop = (): ExportedProgram => exportProgram(new StaticForLoop(), [torch.randn(3, 2)]);

// example: static_if
// Of an `if` on a static value, the branch that is taken is in the graph.
class StaticIf extends nn.Module {
  override forward(x: Tensor): Tensor {
    return x.dim() === 3 ? x.add(torch.ones(1, 1, 1)) : x;
  }
}

export const staticIf = (): ExportedProgram => exportProgram(new StaticIf(), [torch.randn(3, 2, 2)]);

// example: tensor_setattr
// A property of a tensor is the user's: the graph has nothing of it.
class TensorSetattr extends nn.Module {
  override forward(x: Tensor, attr: string): Tensor {
    Object.assign(x, { [attr]: torch.randn(3, 2) });
    return x.add(4);
  }
}

export const tensorSetattr = (): ExportedProgram =>
  exportProgram(new TensorSetattr(), [torch.randn(3, 2), "attr"]);

// example: type_reflection_method
// Methods are found by the class of an object.
class Adder {
  readonly step = 1;

  static func(x: Tensor): Tensor {
    return x.add(1);
  }
}

class TypeReflectionMethod extends nn.Module {
  override forward(x: Tensor): Tensor {
    const a = new Adder();
    return (a.constructor as typeof Adder).func(x);
  }
}

export const typeReflectionMethod = (): ExportedProgram =>
  exportProgram(new TypeReflectionMethod(), [torch.randn(3, 4)]);

// example: unsupported_operator
// `sym.min` takes sizes, static or dynamic.
class TorchSymMin extends nn.Module {
  override forward(x: Tensor): Tensor {
    return x.sum().add(sym.min(x.size(0), 100));
  }
}

export const unsupportedOperator = (): ExportedProgram =>
  exportProgram(new TorchSymMin(), [torch.randn(3, 2)]);

// example: user_input_mutation
// An input may be written to. The lowered program returns its new value.
class UserInputMutation extends nn.Module {
  override forward(x: Tensor): Tensor {
    x.mul_(2);
    return x.cos();
  }
}

export const userInputMutation = (): ExportedProgram =>
  exportProgram(new UserInputMutation(), [torch.randn(3, 2)]);

// end
