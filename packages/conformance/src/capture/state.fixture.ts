/** @file State, mutation and constants: `seed_programs.py` and `control_flow.py` in TypeScript. */
import { float, nn, setGradEnabled, torch, tuple } from "@sconce/capture";
import { complex } from "@sconce/ir";
import type { DType, Tensor } from "@sconce/tensor";
import type { CorpusModels } from "./harness.fixture.js";

class LeafTypes extends nn.Module {
  override forward(x: Tensor, i: number, f: number, b: boolean, s: string, n: null): unknown {
    let y = x.mul(i).add(f);
    if (b && s === "yes" && n === null)
      y = y.to({ dtype: "float64", device: "cpu", memoryFormat: "contiguous_format" });
    return tuple(torch.zerosLike(y, { layout: "strided" }).add(y), i, f, b);
  }
}

const doubled = (y: Tensor): Tensor => y.add(y);

class StackOfModules extends nn.Module {
  readonly linear = new nn.Sequential(new nn.Linear(4, 3));

  override forward(x: Tensor): Tensor {
    return doubled(this.linear(x));
  }
}

class BufferUpdates extends nn.Module {
  readonly in_place = new nn.Buffer(torch.zeros(3));
  readonly sliced = new nn.Buffer(torch.zeros(4, 3));
  replaced: Tensor = new nn.Buffer(torch.ones(3));
  readonly read_only = new nn.Buffer(torch.ones(3));

  override forward(x: Tensor): Tensor {
    this.in_place.add_(x);
    this.sliced.setAt("1:3", x);
    this.replaced = this.replaced.mul(2).add(x);
    return this.in_place.add(this.sliced.sum(0)).add(this.replaced).add(this.read_only);
  }
}

class InputMutation extends nn.Module {
  override forward(x: Tensor, y: Tensor): Tensor {
    x.mul_(2);
    y.setAt(0, 5);
    return x.add(y);
  }
}

class LocalMutation extends nn.Module {
  override forward(x: Tensor): unknown {
    const a = x.clone();
    const view = a.view(6);
    view.at("2:4").add_(10);
    const b = torch.zeros(2, 3);
    b.setAt([":", 1], x.at(":", 0));
    b.t().mul_(2);
    return tuple(a, b.relu_());
  }
}

class GatherWithIndex extends nn.Module {
  readonly linear = new nn.Linear(8, 8);
  readonly indices = torch.tensor([0, 2, 4, 6], { dtype: "int64" });

  override forward(x: Tensor): Tensor {
    return this.linear(x).at(":", this.indices);
  }
}

class SharedStorage extends nn.Module {
  readonly embed = new nn.Embedding(5, 4);
  readonly head = new nn.Linear(4, 5, { bias: false });
  declare readonly whole: Tensor;
  declare readonly part: Tensor;
  declare readonly transposed: Tensor;

  constructor() {
    super();
    this.head.weight = this.embed.weight;
    const base = torch.arange(12, { dtype: "float32" });
    this.registerBuffer("whole", base);
    this.registerBuffer("part", base.at("4:8"));
    this.registerBuffer("transposed", base.view(3, 4).t());
  }

  override forward(ids: Tensor): Tensor {
    const logits = this.head(this.embed(ids));
    return logits.add(this.part.sum()).add(this.transposed.at(0, 1)).add(this.whole.at(2));
  }
}

const DTYPES: readonly DType[] = [
  ...(["float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8"] as const),
  ...(["uint8", "bool", "complex64"] as const),
];

class ManyDtypes extends nn.Module {
  declare readonly b_bfloat16: Tensor;
  declare readonly b_complex64: Tensor;
  declare readonly scalar: Tensor;
  declare readonly empty: Tensor;

  constructor() {
    super();
    for (const name of DTYPES) this.registerBuffer(`b_${name}`, torch.tensor([0, 1, 3]).to(name));
    this.registerBuffer("scalar", torch.tensor(2.5));
    this.registerBuffer("empty", torch.zeros(0, 3));
  }

  override forward(x: Tensor): unknown {
    let y = x;
    for (const [name, value] of this.namedBuffers())
      if (name.startsWith("b_") && !value.isComplex()) y = y.add(value.to("float32"));
    return tuple(
      y.mul(this.scalar),
      this.b_bfloat16.mul(2),
      this.b_complex64.mul(complex(0, 1)),
      this.empty.sum(),
    );
  }
}

class CustomModule extends nn.Module {
  readonly my_parameter = new nn.Parameter(torch.tensor(2, { dtype: "float32" }));
  readonly my_buffer1 = new nn.Buffer(torch.tensor(3, { dtype: "float32" }));
  readonly my_buffer2 = new nn.Buffer(torch.tensor(4, { dtype: "float32" }));

  override forward(x1: Tensor, x2: Tensor): Tensor {
    const output = x1.add(this.my_parameter).mul(this.my_buffer1).add(x2.mul(this.my_buffer2));
    this.my_buffer2.add_(float(1));
    return output;
  }
}

class LinearRelu extends nn.Module {
  readonly linear = new nn.Linear(3, 2);

  override forward(x: Tensor): Tensor {
    return nn.functional.dropout(this.linear(x).relu(), 0.5, this.training);
  }
}

class LossModule extends nn.Module {
  readonly linear = new nn.Linear(3, 2);
  readonly target = new nn.Buffer(torch.randn(4, 2));

  override forward(x: Tensor): Tensor {
    const y = this.linear(x).tanh();
    return y.sub(this.target).pow(2).mean();
  }
}

class Checkpointed extends nn.Module {
  readonly linear = new nn.Linear(3, 3);

  override forward(x: Tensor): Tensor {
    const a = setGradEnabled(false, () => this.linear(x).sin());
    return setGradEnabled(true, () => a.add(x));
  }
}

class NamedSequence extends nn.Sequential {
  readonly first = new nn.Linear(4, 3);
  readonly act = new nn.ReLU();
  readonly tail = new nn.Sequential(new nn.Linear(3, 2), new nn.Tanh());
}

interface Gained {
  readonly out: Tensor;
  readonly aux: Tensor;
}

class WithGain extends nn.Module {
  readonly fc = new nn.Linear(4, 4);

  override forward(x: Tensor, { gain }: { readonly gain: Tensor }): Gained {
    return { out: this.fc(x).relu().mul(gain), aux: x.mean() };
  }
}

class GainedTwice extends nn.Module {
  readonly first = new WithGain();
  readonly second = new WithGain();
  readonly act = new nn.Tanh();

  override forward(x: Tensor): Tensor {
    const a = this.first(x, { gain: x.abs().amax() });
    const b = this.second(a.out, { gain: a.aux });
    return this.act(this.first(b.out, { gain: b.aux }).out);
  }
}

/** Models with state, mutation and constants. */
export const STATE_MODELS: CorpusModels = {
  tree_leaf_types: () => ({ model: new LeafTypes() }),
  ir_module_stack: () => ({ model: new StackOfModules() }),
  pm_buffer_updates: () => ({ model: new BufferUpdates() }),
  pm_input_mutation: () => ({ model: new InputMutation() }),
  pm_functionalization: () => ({ model: new LocalMutation() }),
  lifted_gather: () => ({ model: new GatherWithIndex().eval() }),
  lifted_shared_storage: () => ({ model: new SharedStorage() }),
  lifted_dtypes: () => ({ model: new ManyDtypes() }),
  api_custom_module: () => ({ model: new CustomModule() }),
  api_decomposition_tables: () => ({ model: new LinearRelu().eval() }),
  api_joint_backward: () => ({ model: new LossModule() }),
  api_unflatten: () => ({
    model: new GainedTwice(),
    options: () => ({ preserveModuleCallSignature: ["first", "second"] }),
  }),
  api_unflatten_plain: () => ({ model: new NamedSequence() }),
  flow_grad_mode: () => ({ model: new Checkpointed() }),
};
