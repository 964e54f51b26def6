/** @file The examples of torch.export's documents: `seed_programs.py` in TypeScript. */
import { callOperator, float, nn, noGrad, torch } from "@sconce/capture";
import {
  attributeKey,
  pythonTuple,
  registerDataclass,
  registerNamedTuple,
  registerPytreeNode,
} from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import type { CorpusModel, CorpusModels } from "./harness.fixture.js";

class AddTwo extends nn.Module {
  override forward(x: Tensor, y: Tensor): Tensor {
    return x.add(y);
  }
}

class ReturnInput extends nn.Module {
  override forward(x: Tensor): Tensor {
    return x;
  }
}

class NoOutput extends nn.Module {
  // biome-ignore lint/correctness/noUnusedFunctionParameters: the name of the input is the parameter's
  override forward(x: Tensor): null {
    return null;
  }
}

class AddOne extends nn.Module {
  override forward(ph_0: Tensor): Tensor {
    return callOperator("aten.add.Tensor", [ph_0, 1]) as Tensor;
  }
}

class Pair {
  constructor(
    readonly left: Tensor,
    readonly right: Tensor,
  ) {}
}
registerNamedTuple(Pair, { fields: ["left", "right"], serializedTypeName: "corpus.Pair" });

class NamedTupleInOut extends nn.Module {
  override forward(pair: Pair): Pair {
    return new Pair(pair.left.add(1), pair.right.mul(2));
  }
}

class NestedContainers extends nn.Module {
  override forward(
    items: readonly [Tensor, readonly [Tensor, { k: Tensor }]],
    table: { a: Tensor; b: Tensor },
    ...rest: (Tensor | { scale: { s: Tensor }; opts: number })[]
  ): unknown {
    const { scale, opts } = rest.pop() as { scale: { s: Tensor }; opts: number };
    let total = items[0].add(items[1][0]).add(items[1][1].k);
    for (const r of rest as Tensor[]) total = total.mul(r);
    return {
      total: total.mul(scale.s),
      parts: [table.a.add(1), pythonTuple(table.b, opts)],
      none: null,
    };
  }
}

class DictOrder extends nn.Module {
  override forward(d: { a: Tensor; b: Tensor }): unknown {
    return { z: d.a.sub(d.b), y: d.b };
  }
}

class OrderedContainers extends nn.Module {
  override forward(d: Map<string, Tensor>): unknown {
    return new Map([
      ["second", d.get("x")!.mul(2)],
      ["first", d.get("y")!],
    ]);
  }
}

class StringOutput extends nn.Module {
  override forward(x: Tensor, s: string): unknown {
    return pythonTuple(x.add(1), s);
  }
}

class KeywordOrder extends nn.Module {
  override forward(a: Tensor, { b, c, d }: { b: Tensor; c: Tensor; d: Tensor }): unknown {
    return pythonTuple(a.sub(b), c.sub(d));
  }
}

/**
 * Returns a model of a class that is registered anew: other tests run written sources, which
 * register classes under the same name.
 */
function customNodeModel(): CorpusModel {
  class CustomNode {
    constructor(
      readonly first: Tensor,
      readonly second: Tensor,
      readonly tag: string,
    ) {}
  }
  registerPytreeNode(CustomNode, {
    flatten: ({ first, second, tag }) => [[first, second], tag] as const,
    unflatten: ([first, second], tag) => new CustomNode(first as Tensor, second as Tensor, tag as string),
    flattenWithKeys: ({ first, second, tag }) =>
      [
        [
          [attributeKey("first"), first],
          [attributeKey("second"), second],
        ],
        tag,
      ] as const,
    serializedTypeName: "corpus.CustomNode",
    toDumpableContext: (tag) => tag,
    fromDumpableContext: (text) => text,
  });

  class CustomNodeModule extends nn.Module {
    override forward(c: CustomNode): CustomNode {
      return new CustomNode(c.first.add(c.second), c.second, `${c.tag}!`);
    }
  }
  return {
    model: new CustomNodeModule(),
    args: ([a, b]) => [new CustomNode(a, b, "tag")],
  };
}

class MyMod extends nn.Module {
  override forward(x: Tensor, y: number): Tensor {
    const z = y + 7;
    return x.add(z);
  }
}

class StaticPrimitives extends nn.Module {
  override forward(x: Tensor, f: number, b: boolean, s: string, n: unknown): Tensor {
    if (b) x = x.mul(f);
    if (s === "sin") x = x.sin();
    if (n === null) x = x.add(1);
    return x;
  }
}

class Input {
  constructor(
    readonly f: Tensor,
    readonly p: Tensor,
  ) {}
}
registerDataclass(Input, { fields: ["f", "p"], serializedTypeName: "corpus.Input" });

class TakesDataclass extends nn.Module {
  override forward(x: Input): Tensor {
    return x.f.add(1);
  }
}

class OptionalInput extends nn.Module {
  override forward(x: Tensor, y: Tensor | null = null): Tensor {
    if (y !== null) return y.mul(x);
    return x.add(x);
  }
}

class StaticControlFlow extends nn.Module {
  readonly layers: nn.ModuleList<nn.Linear>;
  readonly depth: number;

  constructor(depth: number) {
    super();
    this.depth = depth;
    this.layers = new nn.ModuleList(Array.from({ length: depth }, () => new nn.Linear(3, 3)));
  }

  override forward(x: Tensor): Tensor {
    for (let i = 0; i < this.depth; i++) {
      x = this.layers.at(i)(x);
      if (x.shape[1] === 3) x = x.relu();
    }
    return x;
  }
}

class StateReads extends nn.Module {
  weight = new nn.Parameter(torch.randn(3));
  readonly constant = torch.randn(3);
  count = 2;

  constructor() {
    super();
    this.registerBuffer("kept", torch.randn(3));
    this.registerBuffer("passing", torch.randn(3), { persistent: false });
  }

  declare kept: Tensor;
  declare passing: Tensor;

  override forward(x: Tensor): Tensor {
    this.count = this.count + 1;
    const y = x.mul(this.weight).add(this.kept).add(this.passing).add(this.constant);
    return y.mul(this.count);
  }
}

class AttributeUpdate extends nn.Module {
  seen = torch.zeros(3);

  override forward(x: Tensor): Tensor {
    this.seen = this.seen.add(x);
    return this.seen;
  }
}

class UpdateParameter extends nn.Module {
  readonly weight = new nn.Parameter(torch.zeros(3));

  override forward(x: Tensor): Tensor {
    noGrad(() => this.weight.add_(float(1)));
    return x.mul(this.weight);
  }
}

class MaskedLinear extends nn.Module {
  readonly linear = new nn.Linear(4, 4);
  readonly mask = torch.tensor([1, 0, 1, 0], { dtype: "float32" });

  override forward(x: Tensor): Tensor {
    return this.linear(x).mul(this.mask);
  }
}

class BufferVsConstant extends nn.Module {
  readonly linear = new nn.Linear(4, 4);
  readonly scale = new nn.Buffer(torch.tensor([2, 2, 2, 2], { dtype: "float32" }));
  readonly offset = torch.tensor([0.1, 0.2, 0.3, 0.4]);

  override forward(x: Tensor): Tensor {
    return this.linear(x).mul(this.scale).add(this.offset);
  }
}

class InlineConstants extends nn.Module {
  override forward(x: Tensor): unknown {
    const table = torch.tensor([
      [1, 2],
      [3, 4],
    ]);
    const scale = torch.tensor(0.5);
    return pythonTuple(x.mul(scale).add(table), torch.ones(2).mul(3), torch.arange(4));
  }
}

class SinCos extends nn.Module {
  override forward(x: Tensor, y: Tensor): Tensor {
    const a = torch.sin(x);
    const b = torch.cos(y);
    return a.add(b);
  }
}

class ConvReluPool extends nn.Module {
  readonly conv = new nn.Conv2d(3, 16, 3, { padding: 1 });
  readonly relu = new nn.ReLU();
  readonly maxpool = new nn.MaxPool2d(3);

  override forward(x: Tensor, { constant }: { constant: Tensor }): Tensor {
    const a = this.conv(x);
    a.add_(constant);
    return this.maxpool(this.relu(a));
  }
}

/** Counts who is inside. */
const inside = { count: 0 };

class UsesContext extends nn.Module {
  override forward(x: Tensor): Tensor {
    try {
      inside.count++;
      return x.sin().add(x.cos());
    } finally {
      inside.count--;
    }
  }
}

class ConvBatchnorm extends nn.Module {
  readonly conv = new nn.Conv2d(1, 3, 1, 1);
  readonly bn = new nn.BatchNorm2d(3);

  override forward(x: Tensor): unknown {
    x = this.conv(x);
    x = this.bn(x);
    return pythonTuple(x);
  }
}

class AddTen extends nn.Module {
  override forward(x: Tensor): Tensor {
    return x.add(10);
  }
}

class ShapeIf extends nn.Module {
  override forward(x: Tensor): Tensor {
    if (x.shape[0]! > 5) return x.add(1);
    return x.sub(1);
  }
}

class StaticLoop extends nn.Module {
  override forward(x: Tensor, const_: number, times: number): Tensor {
    for (let i = 0; i < times; i++) x = x.add(const_);
    return x;
  }
}

class InputDataClass {
  constructor(
    readonly feature: Tensor,
    readonly bias: number,
  ) {}
}
class OutputDataClass {
  constructor(readonly res: Tensor) {}
}
registerDataclass(InputDataClass, {
  fields: ["feature", "bias"],
  serializedTypeName: "corpus.InputDataClass",
});
registerDataclass(OutputDataClass, { fields: ["res"], serializedTypeName: "corpus.OutputDataClass" });

class DataclassInOut extends nn.Module {
  override forward(x: InputDataClass): OutputDataClass {
    return new OutputDataClass(x.feature.add(x.bias));
  }
}

/** Models whose sizes are all static. */
export const DOCUMENT_MODELS: CorpusModels = {
  ir_add: () => ({ model: new AddTwo() }),
  ir_identity: () => ({ model: new ReturnInput() }),
  ir_none_output: () => ({ model: new NoOutput() }),
  ir_add_one: () => ({ model: new AddOne() }),
  tree_namedtuple: () => ({ model: new NamedTupleInOut(), args: ([l, r]) => [new Pair(l, r)] }),
  tree_nested: () => ({
    model: new NestedContainers(),
    args: ([a, b, k, tb, ta, r0, r1]) => [[a, pythonTuple(b, { k })], { b: tb, a: ta }, r0, r1],
    options: (inputs) => ({ kwargs: { scale: { s: inputs[7] }, opts: 7 } }),
  }),
  tree_dict_order: () => ({ model: new DictOrder(), args: ([b, a]) => [{ b, a }] }),
  tree_ordered_dict: () => ({
    model: new OrderedContainers(),
    args: ([x, y]) => [
      new Map([
        ["x", x],
        ["y", y],
      ]),
    ],
  }),
  tree_string_output: () => ({ model: new StringOutput() }),
  tree_keyword_order: () => ({
    model: new KeywordOrder(),
    args: ([a]) => [a],
    options: ([, d, b, c]) => ({ kwargs: { d, b, c } }),
  }),
  tree_custom_node: customNodeModel,
  pm_static_int: () => ({ model: new MyMod() }),
  pm_static_primitives: () => ({ model: new StaticPrimitives() }),
  pm_dataclass: () => ({ model: new TakesDataclass(), args: ([f, p]) => [new Input(f, p)] }),
  pm_optional_present: () => ({ model: new OptionalInput() }),
  pm_optional_absent: () => ({ model: new OptionalInput() }),
  pm_static_control_flow: () => ({ model: new StaticControlFlow(3) }),
  pm_state_reads: () => ({ model: new StateReads() }),
  pm_parameter_update: () => ({ model: new UpdateParameter() }),
  pm_attribute_update: () => ({ model: new AttributeUpdate() }),
  lifted_masked_linear: () => ({ model: new MaskedLinear().eval() }),
  lifted_buffer_vs_constant: () => ({ model: new BufferVsConstant().eval() }),
  lifted_inline: () => ({ model: new InlineConstants() }),
  api_sin_cos: () => ({ model: new SinCos() }),
  api_conv_relu_pool: () => ({
    model: new ConvReluPool(),
    args: ([x]) => [x],
    options: ([, constant]) => ({ kwargs: { constant } }),
  }),
  api_context_manager: () => ({ model: new UsesContext() }),
  api_conv_batchnorm: () => ({ model: new ConvBatchnorm() }),
  api_conv_batchnorm_eval: () => ({ model: new ConvBatchnorm().eval() }),
  api_save_add_ten: () => ({ model: new AddTen() }),
  api_shape_if_static: () => ({ model: new ShapeIf() }),
  api_static_loop: () => ({ model: new StaticLoop(), renamed: ["const_", "const"] }),
  api_register_dataclass: () => ({
    model: new DataclassInOut(),
    args: ([x, b]) => [new InputDataClass(x, b as unknown as number)],
  }),
};
