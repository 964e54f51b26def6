import { float } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { torch } from "../../functions/torch.js";
import { nn } from "../../index.js";

const { parametrize } = nn.utils;
const values = (tensor: Tensor | null | undefined): number[] => [...tensor!.flatten().data].map(Number);

describe("gradients", () => {
  const gradients = (): nn.utils.WithGradient[] => [
    { grad: torch.tensor([float(3), float(4)]) },
    { grad: torch.tensor([[float(12)]]) },
    { grad: null },
    {},
  ];

  test("clipGradNorm_ scales to a norm, and returns the one before", () => {
    const all = gradients();
    expect(Number(nn.utils.clipGradNorm_(all, 2).item())).toBeCloseTo(13, 5);
    expect(values(all[0]!.grad)).toEqual([expect.closeTo(0.4615, 4), expect.closeTo(0.6154, 4)]);
    expect(values(all[1]!.grad)).toEqual([expect.closeTo(1.8462, 4)]);
    const largest = nn.utils.clipGradNorm_(all, 2, { normType: Number.POSITIVE_INFINITY });
    expect(Number(largest.item())).toBeCloseTo(1.8462, 4);
    nn.utils.clipGradValue_(all, 0.5);
    expect(values(all[0]!.grad)).toEqual([expect.closeTo(0.4615, 4), 0.5]);
    expect(values(all[1]!.grad)).toEqual([0.5]);
  });

  test("getTotalNorm takes orders, and refuses norms that are not finite where it is asked to", () => {
    const tensors = [torch.tensor([float(1), float(2)]), torch.tensor([float(2)])];
    expect(Number(nn.utils.getTotalNorm(tensors, { normType: 1 }).item())).toBe(5);
    expect(Number(nn.utils.getTotalNorm([]).item())).toBe(0);
    const infinite = torch.tensor([Number.POSITIVE_INFINITY]);
    expect(() => nn.utils.getTotalNorm(infinite, { errorIfNonfinite: true })).toThrow(
      expect.objectContaining({
        code: "LAYER_ARGUMENTS",
        fix: expect.stringContaining("leave out `errorIfNonfinite`") as string,
      }),
    );
  });
});

describe("parametrize", () => {
  class Halved extends nn.Module {
    override forward(x: Tensor): Tensor {
      return x.narrow(1, 0, 1);
    }
  }

  class Doubled extends nn.Module {
    override forward(x: Tensor): Tensor {
      return x.mul(2);
    }
    rightInverse(x: Tensor): Tensor {
      return x.div(2);
    }
  }

  test("an assignment sets what the tensor is computed from", () => {
    const layer = parametrize.registerParametrization(new nn.Linear(2, 1), "weight", new Doubled());
    layer.weight = torch.ones(1, 2);
    expect(values(layer.weight)).toEqual([1, 1]);
    expect(values(layer.stateDict().get("parametrizations.weight.original"))).toEqual([0.5, 0.5]);
    expect(parametrize.isParametrized(layer)).toBe(true);
    expect(parametrize.isParametrized(layer, "bias")).toBe(false);
    expect(String(layer)).toContain("ParametrizedLinear(");
    expect(layer).toBeInstanceOf(nn.Linear);
    parametrize.removeParametrizations(layer, "weight", false);
    expect(values(layer.weight)).toEqual([0.5, 0.5]);
    expect([...layer.stateDict().keys()]).toEqual(["bias", "weight"]);
    expect(layer.constructor).toBe(nn.Linear);
  });

  test("other shapes, names without a tensor and second hooks are refused", () => {
    const refused = expect.objectContaining({ code: "LAYER_ARGUMENTS" });
    const layer = new nn.Linear(2, 1);
    expect(() => parametrize.registerParametrization(layer, "weight", new Halved())).toThrow(refused);
    expect(() => parametrize.registerParametrization(layer, "w", new Doubled())).toThrow(refused);
    expect(() => parametrize.removeParametrizations(layer, "weight")).toThrow(refused);
    expect(() => nn.utils.removeWeightNorm(layer)).toThrow(refused);
    nn.utils.weightNorm(layer);
    expect(() => nn.utils.weightNorm(layer)).toThrow(refused);
    expect(() => nn.utils.spectralNorm(new nn.Linear(2, 2), { nPowerIterations: 0 })).toThrow(refused);
  });

  test("a tensor with two names is parametrized under the second, too", () => {
    class Tied extends nn.Module {
      readonly a = new nn.Parameter(torch.ones(2));
      readonly b = this.a;
    }
    class Tripled extends nn.Module {
      override forward(x: Tensor): Tensor {
        return x.mul(3);
      }
    }
    const tied = parametrize.registerParametrization(new Tied(), "b", new Tripled());
    expect(values(tied.b)).toEqual([3, 3]);
    expect(tied.stateDict().get("parametrizations.b.original")).toBe(tied.a);
  });

  test("a tensor of a submodule is not parametrized by its path", () => {
    const model = new nn.Sequential(new nn.Linear(2, 1));
    expect(() => parametrize.registerParametrization(model, "0.weight", new Doubled())).toThrow(
      expect.objectContaining({ code: "LAYER_ARGUMENTS" }),
    );
  });

  test("the norm of a copy of a layer is removed by itself", () => {
    const encoder = new nn.TransformerEncoderLayer(4, 2, 4);
    nn.utils.weightNorm(encoder.linear1);
    nn.utils.spectralNorm(encoder.linear2);
    const { layers } = new nn.TransformerEncoder(encoder, 2);
    const [first, second] = [...layers] as [nn.TransformerEncoderLayer, nn.TransformerEncoderLayer];
    const refused = expect.objectContaining({ code: "LAYER_ARGUMENTS" });
    const weight = values(first.linear1.weight);
    nn.utils.removeWeightNorm(first.linear1);
    nn.utils.removeSpectralNorm(first.linear2);
    const keys = (layer: nn.Module): string[] => [...layer.stateDict().keys()].sort();
    expect([keys(first.linear1), keys(first.linear2)]).toEqual([
      ["bias", "weight"],
      ["bias", "weight"],
    ]);
    expect(values(first.linear1.weight)).toEqual(weight.map((value) => expect.closeTo(value, 6) as number));
    expect(() => nn.utils.removeWeightNorm(first.linear1)).toThrow(refused);
    expect(keys(second.linear1)).toEqual(["bias", "weight_g", "weight_v"]);
    expect(keys(encoder.linear2)).toEqual(["bias", "weight_orig", "weight_u", "weight_v"]);
    expect(() => nn.utils.weightNorm(second.linear1)).toThrow(refused);
    expect(first(torch.ones(1, 1, 4))).toBeInstanceOf(Tensor);
    expect(second(torch.ones(1, 1, 4))).toBeInstanceOf(Tensor);
  });

  test("a copy of a parametrized layer computes its own weight", () => {
    const encoder = new nn.TransformerEncoderLayer(4, 2, 4);
    nn.utils.parametrizations.weightNorm(encoder.linear1);
    const stack = new nn.TransformerEncoder(encoder, 2);
    const paths = [...stack.stateDict().keys()].filter((name) => name.includes("original"));
    expect(paths).toHaveLength(4);
    expect(stack(torch.ones(1, 1, 4))).toBeInstanceOf(Tensor);
  });

  test.each(["spectralNorm", "orthogonal"] as const)("a copy with %s computes and takes weights", (name) => {
    const encoder = new nn.TransformerEncoderLayer(4, 2, 4);
    nn.utils.parametrizations[name](encoder.linear1);
    const stack = new nn.TransformerEncoder(encoder, 2);
    expect(stack(torch.ones(1, 1, 4))).toBeInstanceOf(Tensor);
    const [first] = [...stack.layers] as [nn.TransformerEncoderLayer];
    first.linear1.weight = torch.eye(4);
    const [own, other] = [first.linear1.weight, encoder.linear1.weight];
    expect(torch.allclose(own, torch.eye(4), { atol: 1e-2 })).toBe(true);
    expect(torch.allclose(other, torch.eye(4), { atol: 1e-2 })).toBe(false);
  });
});

describe("hooks", () => {
  test("a hook that is always called runs after an error, which is thrown", () => {
    class Broken extends nn.Module {
      override forward(): Tensor {
        throw new RangeError("broken");
      }
    }
    const calls: string[] = [];
    const model = new Broken();
    model.registerForwardHook(() => void calls.push("plain"));
    model.registerForwardHook(() => void calls.push("always"), { alwaysCall: true });
    expect(() => model()).toThrow("broken");
    expect(calls).toEqual(["always"]);
  });

  test("other values than functions, and what a hook may not return, are refused", () => {
    const layer = new nn.Linear(2, 1);
    const refused = expect.objectContaining({ code: "TORCH_ARGUMENT" });
    expect(() => layer.registerForwardHook("relu" as never)).toThrow(
      expect.objectContaining({
        code: "TORCH_ARGUMENT",
        fix: "pass a function: `layer.registerForwardHook((module, args) => { ... })`",
      }),
    );
    layer.registerForwardPreHook(() => 1 as never, { withKwargs: true });
    expect(() => layer(torch.ones(1, 2))).toThrow(refused);
    expect(() => layer.registerForwardHook(() => undefined, { first: true } as never)).toThrow(
      expect.objectContaining({ code: "UNKNOWN_OPTION" }),
    );
  });
});

describe("orthogonal", () => {
  const { orthogonal } = nn.utils.parametrizations;
  const refused = expect.objectContaining({ code: "LAYER_ARGUMENTS" });

  test.each(["float32", "float64", "complex64"] as const)("columns of %s are orthonormal", (dtype) => {
    const layer = orthogonal(new nn.Linear(3, 5).to(dtype), { orthogonalMap: "cayley" });
    const product = layer.weight.mH.matmul(layer.weight);
    expect(torch.allclose(product, torch.eye(3, { dtype }), { atol: 1e-5 })).toBe(true);
    expect(String(layer)).toContain("(0): _Orthogonal()");
  });

  test("an assignment makes the assigned matrix orthogonal", () => {
    const layer = orthogonal(new nn.Linear(2, 2));
    layer.weight = torch.eye(2).mul(2);
    expect(torch.allclose(layer.weight, torch.eye(2), { atol: 1e-6 })).toBe(true);
    expect(() => {
      layer.weight = torch.ones(3, 2);
    }).toThrow(refused);
    const plain = orthogonal(new nn.Linear(2, 2), { useTrivialization: false });
    expect(() => {
      plain.weight = torch.eye(2);
    }).toThrow(/It is not possible to assign/);
  });

  test("vectors, other maps and complex reflections are refused", () => {
    expect(() => orthogonal(new nn.Linear(2, 2), "bias")).toThrow(/Got a tensor of 1 dimensions/);
    expect(() => orthogonal(new nn.Linear(2, 2), "weights")).toThrow(refused);
    expect(() => orthogonal(new nn.Linear(2, 2), "weight", "qr" as never)).toThrow(/Got: qr/);
    const complex = new nn.Linear(2, 2).to("complex64");
    expect(() => orthogonal(complex, "weight", "householder")).toThrow(refused);
  });
});

describe("prune", () => {
  const { prune } = nn.utils;
  const refused = expect.objectContaining({ code: "LAYER_ARGUMENTS" });
  const ones = (): nn.Linear => {
    const layer = new nn.Linear(2, 2);
    layer.loadStateDict({
      weight: torch.tensor(
        [
          [4, 1],
          [3, 2],
        ],
        { dtype: "float32" },
      ),
      bias: torch.ones(2),
    });
    return layer;
  };

  test("a mask is a buffer, and the parameter is what is pruned", () => {
    const layer = prune.l1Unstructured(ones(), "weight", 0.5);
    expect([...layer.stateDict().keys()]).toEqual(["bias", "weight_orig", "weight_mask"]);
    expect(values(layer.stateDict().get("weight_mask"))).toEqual([1, 0, 1, 0]);
    expect(values(layer.weight)).toEqual([4, 0, 3, 0]);
    expect(layer.namedParameters().map(([name]) => name)).toEqual(["bias", "weight_orig"]);
    expect([prune.isPruned(new nn.Sequential(layer)), prune.isPruned(ones())]).toEqual([true, false]);
    layer.loadStateDict({ weight_orig: torch.ones(2, 2) }, { strict: false });
    expect(values(layer(torch.ones(1, 2)))).toEqual([2, 2]);
  });

  test("removal keeps the parameter that modules share", () => {
    const [first, second] = [ones(), ones()];
    second.weight = first.weight;
    prune.remove(prune.lnStructured(first, "weight", 1, 1, 1), "weight");
    expect(second.weight).toBe(first.weight);
    expect(values(second.weight)).toEqual([4, 0, 3, 0]);
    expect([...first.stateDict().keys()]).toEqual(["bias", "weight"]);
    expect(prune.isPruned(first)).toBe(false);
    expect(() => prune.remove(first, "weight")).toThrow(/has to be pruned before/);
  });

  test("a copy of a pruned layer has its own mask", () => {
    const encoder = new nn.TransformerEncoderLayer(4, 2, 4);
    prune.l1Unstructured(encoder.linear1, "weight", 0.5);
    const { layers } = new nn.TransformerEncoder(encoder, 2);
    const [first, second] = [...layers] as [nn.TransformerEncoderLayer, nn.TransformerEncoderLayer];
    prune.l1Unstructured(first.linear1, "weight", float(1));
    const zeros = (layer: nn.TransformerEncoderLayer): number =>
      values(layer.linear1.weight).filter((value) => value === 0).length;
    expect([zeros(first), zeros(second)]).toEqual([16, 8]);
  });

  test("a method prunes a tensor without a module", () => {
    const t = torch.tensor(
      [
        [4, 1],
        [3, 2],
      ],
      { dtype: "float32" },
    );
    expect(values(new prune.L1Unstructured(2).prune(t))).toEqual([4, 0, 3, 0]);
    const options = { importanceScores: t.neg(), defaultMask: torch.eye(2) };
    expect(values(new prune.LnStructured(1, 1, 1).prune(t, options))).toEqual([4, 0, 0, 0]);
  });

  test.each([
    [() => prune.l1Unstructured(ones(), "weight", 5), /amount=5 should be smaller than .* prune=4/],
    [() => prune.l1Unstructured(ones(), "weight", 1.5), /amount=1.5 should either be a float/],
    [() => prune.l1Unstructured(ones(), "weight", -1), /amount=-1 should either/],
    [() => prune.l1Unstructured(ones(), "weight", "1" as never), /Invalid type for amount/],
    [() => prune.l1Unstructured(ones(), "weights", 1), /no parameter with name 'weights'/],
    [() => prune.l1Unstructured(ones(), "weight", 1, torch.ones(2)), /importance_scores should have/],
    [() => prune.randomStructured(ones(), "bias", 1, 0), /Structured pruning can only/],
    [() => prune.randomStructured(ones(), "weight", 1, 2), /Invalid index 2 for tensor of size/],
    [() => prune.customFromMask(ones(), "weight", torch.ones(2)), /must match self.mask shape/],
    [
      () => prune.globalUnstructured([[ones(), "weight"]], new prune.LnStructured(1, 2)),
      /Only "unstructured" PRUNING_TYPE/,
    ],
  ])("what PyTorch refuses is refused in its words: %s", (run, message) => {
    expect(run).toThrow(message);
    expect(run).toThrow(refused);
  });

  test("a refused method leaves the module as it was", () => {
    const layer = prune.l1Unstructured(ones(), "weight", 1);
    expect(() => prune.l1Unstructured(layer, "weight", 4)).toThrow(refused);
    expect(values(layer(torch.ones(1, 2)))).toEqual([5, 6]);
    expect(prune.isPruned(layer)).toBe(true);
  });
});
