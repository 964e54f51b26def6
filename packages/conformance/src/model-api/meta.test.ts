import { exportProgram, float, nn, slice, torch } from "@sconce/capture";
import { isSconceError } from "@sconce/errors";
import { missingValues } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { fixtureJson } from "../fixtures.js";

type Fact = { readonly error: string } | Readonly<Record<string, unknown>> | readonly Fact[];
const RECORDED = fixtureJson("capture/meta-tensors.json.gz") as Readonly<Record<string, Fact>>;
const { functional: F } = nn;
const META = { device: "meta" } as const;
const x = torch.ones(2, 3, META);
const y = torch.ones(3, 4, META);
const n = torch.arange(6, META).view(2, 3);
const image = torch.ones(1, 2, 6, 6, META);
const linear = new nn.Linear(3, 4, META);

/** The calls of `oracle/meta_tensors.py`. */
const CALLS: Readonly<Record<string, () => unknown>> = {
  empty: () => torch.empty(2, 3, META),
  rand: () => torch.rand(2, 3, { ...META, dtype: "float64" }),
  tensor: () => torch.tensor([1, 2], META),
  eye: () => torch.eye(3, META),
  arange: () => torch.arange(1, 9, 2, META),
  to_meta: () => torch.ones(3).to("meta"),
  none: () => torch.zeros(0, 3, META).add(1),
  add: () => x.add(1),
  add_float: () => n.add(1.5),
  add_scalar_tensor: () => x.add(torch.tensor(float(1))),
  compare: () => x.gt(n),
  matmul: () => x.matmul(y),
  einsum: () => torch.einsum("ij,jk->ki", x, y),
  sum: () => x.sum(0, { keepdim: true }),
  mean: () => x.mean(),
  softmax: () => x.softmax(-1),
  var: () => x.var(0),
  max: () => x.max(1),
  sort: () => x.sort(0),
  topk: () => y.topk(2),
  cumsum: () => n.cumsum(0),
  transpose: () => y.t(),
  reshape: () => y.t().reshape(2, 6),
  view: () => y.view(2, 6),
  select: () => x.at(0),
  slice: () => y.at("1:", "::2"),
  expand: () => x.unsqueeze(0).expand(4, 2, 3),
  chunk: () => y.chunk(2, 1),
  unbind: () => x.unbind(1),
  cat: () => torch.cat([x, n]),
  stack: () => torch.stack([x, x], -1),
  where: () => torch.where(x.gt(0), x, torch.tensor(float(0))),
  index: () => y.at(torch.tensor([0, 2, 1])),
  gather: () => x.gather(1, n.clamp(0, 2)),
  scatter: () => x.scatter(1, n, float(1)),
  add_: () => x.clone().add_(1),
  t_: () => y.clone().t_(),
  unsqueeze_: () => x.clone().unsqueeze_(1),
  copy_: () => x.clone().copy_(torch.ones(3)),
  normal_: () => x.clone().normal_(),
  fill: () => x.clone().fill_(2),
  set_item: () => {
    const z = x.clone();
    z.setAt([0], 1);
    return z;
  },
  out: () => torch.add(x, x, { out: torch.empty(0, META) }),
  half: () => x.half(),
  int: () => x.int(),
  complex: () => torch.complex(x, x),
  fft: () => torch.fft.rfft(x),
  solve: () => torch.linalg.solve(x.at(slice(), ":2"), x),
  qr: () => torch.linalg.qr(y),
  svdvals: () => torch.linalg.svdvals(y),
  conv: () => F.conv2d(image, torch.ones(3, 2, 3, 3, META)),
  channels_last: () => F.relu(image.contiguous({ memoryFormat: "channels_last" })),
  pool: () => F.maxPool2d(image, 2),
  interpolate: () => F.interpolate(image, { scaleFactor: 2, mode: "bilinear" }),
  attention: () => F.scaledDotProductAttention(image, image, image),
  layer_norm: () => F.layerNorm(x, [3]),
  cross_entropy: () => F.crossEntropy(x, torch.zeros(2, { ...META, dtype: "int64" })),
  linear: () => linear(x),
  lstm: () => new nn.LSTM(3, 4, META)(x)[0],
  dropout: () => F.dropout(x),
  zeros_like: () => torch.zerosLike(y.t()),
  ones_like_cpu: () => torch.onesLike(y.t(), { device: "cpu" }),
  new_tensor: () => x.newTensor([float(1)]),
  new_full: () => x.newFull([2], 3),
  one_hot: () => F.oneHot(n, 7),
  pinv: () => torch.linalg.pinv(y),
  item: () => x.sum().item(),
  bool: () => torch.isNonzero(x.sum().gt(0)),
  to_cpu: () => x.to("cpu"),
  cpu: () => x.cpu(),
  tolist: () => x.tolist(),
  nonzero: () => x.nonzero(),
  masked: () => x.at(x.gt(0)),
  unique: () => torch.unique(x),
  equal: () => torch.equal(x, x),
  allclose: () => torch.allclose(x, x),
  mixed: () => x.add(torch.ones(2, 3)),
  mixed_cat: () => torch.cat([x, torch.ones(1, 3)]),
  mixed_module: () => linear(torch.ones(2, 3)),
  copy_to_cpu: () => torch.ones(2, 3).copy_(x),
  model_to_cpu: () => new nn.Linear(3, 4, META).to("cpu"),
  shapes: () => x.matmul(x),
};

function factOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(factOf);
  if (!(value instanceof Tensor)) return value;
  const { dtype, shape, strides, hasValues, numel } = value;
  const place = hasValues && numel > 0 ? { device: "cpu" } : {};
  return { dtype, shape: [...shape], strides: [...strides], ...place };
}

function outcomeOf(call: () => unknown): unknown {
  try {
    return factOf(call());
  } catch (error) {
    return isSconceError(error) ? { error: error.code, message: error.message } : { thrown: String(error) };
  }
}

/** Returns the code of Sconce's error where PyTorch has such a message. */
function codeOf(message: string): string {
  if (message.endsWith("is not on the expected device meta!")) return "TORCH_ARGUMENT";
  if (message.endsWith("is not on the expected device cpu!")) return "TORCH_ARGUMENT";
  return message.includes("must have same reduction dim") ? "SHAPE_MISMATCH" : "NO_VALUES";
}

describe("modules on meta", () => {
  test("take memory, then values", () => {
    const model = new nn.Linear(3, 4, META);
    expect(model.weight.hasValues).toBe(false);
    expect(String(model.weight)).toContain("device='meta', size=(4, 3)");
    const state = new nn.Linear(3, 4).stateDict();
    model.toEmpty({ device: "cpu" }).loadStateDict(state);
    expect(model.weight.tolist()).toEqual(state.get("weight")!.tolist());
    const assigned = new nn.Linear(3, 4, META);
    assigned.loadStateDict(state, { assign: true });
    expect(assigned.weight.tolist()).toEqual(state.get("weight")!.tolist());
    expect(assigned.weight.requiresGrad).toBe(true);
    expect(assigned(torch.ones(1, 3)).hasValues).toBe(true);
  });

  test("draw no random numbers", () => {
    const draw = (make: () => unknown): unknown => {
      torch.manualSeed(3);
      make();
      return torch.randn(2).tolist();
    };
    expect(draw(() => new nn.Linear(3, 4, META))).toEqual(draw(() => undefined));
    expect(draw(() => new nn.Linear(3, 4))).not.toEqual(draw(() => undefined));
  });

  test("share tensors after a move", () => {
    class Tied extends nn.Module {
      readonly a = new nn.Linear(2, 2);
      readonly b = new nn.Linear(2, 2);
      constructor() {
        super();
        this.b.weight = this.a.weight;
      }
    }
    const tied = new Tied().to("meta");
    expect(tied.b.weight).toBe(tied.a.weight);
    expect(tied.parameters().every(({ hasValues }) => !hasValues)).toBe(true);
  });

  test("are exported with inputs on meta only, and their programs name what is missing", () => {
    expect(() => exportProgram(linear, [torch.ones(2, 3)])).toThrow(
      /Expected all tensors to be on the same device, but found at least two devices, cpu and meta!/,
    );
    const program = exportProgram(linear, [x]);
    expect(missingValues(program).map(({ name }) => name)).toEqual(["weight", "bias"]);
    const filled = program.withState(new nn.Linear(3, 4).stateDict());
    expect(missingValues(filled)).toEqual([]);
  });

  test("other devices are refused", () => {
    expect(() => linear.to("cuda" as never)).toThrow(/the device cuda is not one that models run on/);
    expect(() => linear.toEmpty({ device: "cuda" })).toThrow(/is not one that models run on/);
  });

  test("views share memory, so that writes are seen to be of one tensor", () => {
    expect(x.view(3, 2).storage).toBe(x.storage);
    expect(x.reshape(6).storage).toBe(x.storage);
    expect(x.t().contiguous().storage).not.toBe(x.storage);
  });
});

describe("tensors on meta", () => {
  test("every recorded call is written in TypeScript", () => {
    expect(Object.keys(CALLS)).toEqual(Object.keys(RECORDED));
  });

  test.each(Object.entries(CALLS))("%s gives the layout that PyTorch gives, or is refused", (name, call) => {
    const wanted = RECORDED[name]!;
    const got = outcomeOf(call);
    if ("error" in wanted) expect(got).toMatchObject({ error: codeOf(String(wanted.error)) });
    else expect(got).toEqual(wanted);
  });
});
