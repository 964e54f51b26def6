import { float } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { nn, torch } from "../index.js";

const { vmap } = torch;
const values = (tensor: Tensor): number[] => [...tensor.clone().flatten().data].map(Number);
const refused = (code: string, message: RegExp): unknown =>
  expect.objectContaining({ code, message: expect.stringMatching(message) as string });
const rows = (): Tensor =>
  torch.tensor([
    [float(1), float(2)],
    [float(3), float(4)],
  ]);

describe("writes in vmap at once", () => {
  const mapped = (write: (a: Tensor, b: Tensor) => Tensor): number[] => {
    const shared = torch.zeros(2);
    return values(vmap((a: Tensor) => write(a, shared))(rows()));
  };

  test.each<readonly [string, (a: Tensor, b: Tensor) => Tensor]>([
    ["add_", (a, b) => b.add_(a)],
    ["mul_", (a, b) => b.mul_(a)],
    ["copy_", (a, b) => b.copy_(a)],
    ["copy_", (a, b) => b.setAt([0], a.at(0)) ?? a],
    ["index_put_", (a, b) => b.indexPut_([torch.tensor([0])], a.at([0]))],
    ["scatter_", (a, b) => b.scatter_(0, torch.tensor([0, 1]), a)],
    ["fill_", (a, b) => b.fill_(a.at(0))],
    ["masked_fill_", (a, b) => b.maskedFill_(a.gt(0), 1)],
    ["addcmul_", (a, b) => b.addcmul_(a, a)],
    ["clamp_", (a, b) => b.clamp_(a)],
    ["add_", (a, b) => b.at([0, 1]).add_(a)],
    ["add_", (a) => torch.zeros(2).add_(a)],
  ])("%s of an item's values to a shared tensor is refused", (name, write) => {
    expect(() => mapped(write)).toThrow(
      refused("CONTROL_FLOW_ARGUMENTS", new RegExp(`vmap: aten::${name}\\(self, .* at level 1`)),
    );
  });

  test("another write to a shared tensor is refused, since each item would repeat it", () => {
    for (const write of [
      (a: Tensor, b: Tensor) => [b.add_(1), a][1]!,
      (a: Tensor, b: Tensor) => [b.view(2, 1).zero_(), a][1]!,
    ])
      expect(() => mapped(write)).toThrow(
        refused("CONTROL_FLOW_ARGUMENTS", /each item would write it again/),
      );
  });

  test("items write to their own tensors", () => {
    expect(mapped((a) => a.clone().relu_().mul_(a))).toEqual([1, 4, 9, 16]);
    expect(mapped((a, b) => a.clone().add_(b.add(1)))).toEqual([2, 3, 4, 5]);
    expect(
      mapped((a) =>
        a.mul(
          torch
            .zeros(2)
            .add_(2)
            .add_(torch.tensor([1, 2]).add_(1)),
        ),
      ),
    ).toEqual([4, 10, 12, 20]);
    const x = rows();
    vmap((a: Tensor, b: Tensor) => a.add_(b))(x, rows());
    expect(values(x)).toEqual([2, 4, 6, 8]);
  });

  test("items of a batch around are shared by those inside", () => {
    const inner = (r: Tensor): Tensor => vmap((c: Tensor) => r.clone().add_(c))(rows());
    expect(() => vmap(inner)(rows())).toThrow(refused("CONTROL_FLOW_ARGUMENTS", /add_.* at level 2/));
    const own = (r: Tensor): Tensor => vmap((c: Tensor) => c.clone().add_(1).mul(r))(rows());
    expect(values(vmap(own)(torch.tensor([1, 2])))).toEqual([2, 3, 4, 5, 4, 6, 8, 10]);
  });
});

describe("vmap at once", () => {
  test("takes dimensions for each argument, and one for the results", () => {
    const x = rows();
    expect(values(vmap((a: Tensor, b: Tensor) => a.dot(b))(x, x))).toEqual([5, 25]);
    const shared = vmap((a: Tensor, b: Tensor) => a.mul(b), { inDims: [1, null] });
    expect(values(shared(x, torch.tensor([float(10), float(100)])))).toEqual([10, 300, 20, 400]);
    expect(values(vmap((a: Tensor) => a, { outDims: 1 })(x))).toEqual([1, 3, 2, 4]);
    const both = vmap((a: Tensor) => ({ sum: a.sum(), rest: [a.neg()] }))(x);
    expect([values(both.sum), values(both.rest[0]!)]).toEqual([
      [3, 7],
      [-1, -2, -3, -4],
    ]);
  });

  test("refuses what does not fit, with PyTorch's words", () => {
    const x = rows();
    const id = (a: Tensor): Tensor => a;
    expect(() => vmap(id, { inDims: 2 })(x)).toThrow(refused("CONTROL_FLOW_ARGUMENTS", /dimensionality 2/));
    expect(() => vmap(id, { inDims: [0, 0] })(x)).toThrow(
      refused("CONTROL_FLOW_ARGUMENTS", /not compatible/),
    );
    expect(() => vmap((a: number) => torch.tensor(a))(2)).toThrow(
      refused("CONTROL_FLOW_ARGUMENTS", /non-Tensor/),
    );
    expect(() => vmap((a: Tensor, b: Tensor) => a.add(b))(x, torch.ones(3))).toThrow(
      refused("CONTROL_FLOW_ARGUMENTS", /same size in the mapped dimension, got sizes \[2, 3\]/),
    );
    expect(() => vmap(() => 1)()).toThrow(refused("CONTROL_FLOW_ARGUMENTS", /got no inputs/));
    expect(() => vmap((_: Tensor) => 1)(x)).toThrow(
      refused("CONTROL_FLOW_RESULTS", /must only return Tensors/),
    );
    expect(() => vmap((a: Tensor) => a.add(torch.rand(2)))(x)).toThrow(
      refused("CONTROL_FLOW_ARGUMENTS", /random operation/),
    );
    expect(torch.rand(1).shape).toEqual([1]);
    for (const [randomness, message] of [
      ["some", /values for randomness are .* Got some$/],
      [["same"], /values for randomness are .* Got a list$/],
      [Object.create(null), /values for randomness are .* Got an object of another kind$/],
    ] as const)
      expect(() => vmap(id, { randomness: randomness as never })(x)).toThrow(
        refused("CONTROL_FLOW_ARGUMENTS", message),
      );
    for (const size of [0, -1, 1.5, "2", true])
      expect(() => vmap(id, { chunkSize: size as never })).toThrow(
        refused("CONTROL_FLOW_ARGUMENTS", /chunk_size should be None or greater than 0. \(got /),
      );
  });
});

describe("functionalCall", () => {
  test("takes one argument as it is, several states, and nothing else", () => {
    class Late extends nn.Module {
      override forward(x: Tensor): Promise<Tensor> {
        return Promise.resolve(x);
      }
    }
    const layer = new nn.Linear(2, 2);
    const call = torch.func.functionalCall as (...given: unknown[]) => Tensor;
    const state = [{ weight: torch.zeros(2, 2) }, new Map([["bias", torch.ones(2)]])];
    expect(values(call(layer, state, rows()))).toEqual([1, 1, 1, 1]);
    expect(values(call(layer, state, [rows()]))).toEqual([1, 1, 1, 1]);
    for (const [given, message] of [
      [
        [layer, [{ bias: torch.ones(2) }, { bias: torch.ones(2) }], rows()],
        /\['bias'\] appeared in multiple dictionaries/,
      ],
      [[layer, {}, [rows()], { strict: true }], /the name of an option, "strict"/],
      [[layer, {}, [rows()], 3], /the keyword arguments are 3/],
      [[layer, null, rows()], /Expected parameter_and_buffer_dicts to be a dict, .* but got null/],
      [[layer, { weight: 3 }, rows()], /"weight": 3 is not an instance of torch\.Tensor/],
      [[{}, {}, rows()], /the module is an? (plain )?object/],
      [[new Late(), {}, rows()], /the function is asynchronous/],
    ] as const)
      expect(() => call(...given)).toThrow(refused("TORCH_ARGUMENT", message));
    expect(() => call(layer, {}, async () => rows())).toThrow(
      refused("NO_SIGNATURE", /does not take the arguments \(a function/),
    );
  });

  test("calls a module with other state, and leaves its own", () => {
    const model = new nn.Sequential(new nn.Linear(2, 1, { bias: false }), new nn.Tanh());
    const before = model.stateDict().get("0.weight");
    const one = torch.func.functionalCall(model, { "0.weight": torch.zeros(1, 2) }, [rows()]);
    expect(values(one)).toEqual([0, 0]);
    expect(model.stateDict().get("0.weight")).toBe(before);
    const call = (name: string, strict: boolean): unknown =>
      torch.func.functionalCall(model, { [name]: torch.zeros(1) }, [rows()], null, { strict });
    expect(() => call("0.bias2", true)).toThrow(refused("TORCH_ARGUMENT", /Unexpected key.*'0\.bias2'/));
    expect(() => call("0.bias2", false)).not.toThrow();
    expect("bias2" in model.getSubmodule("0")).toBe(false);
    expect(() => call("2.weight", false)).toThrow(
      refused("TORCH_ARGUMENT", /Sequential has no attribute `2`/),
    );
    for (const name of ["0.inFeatures", "0.training", "0.forward", "0"])
      expect(() => call(name, false)).toThrow(refused("TORCH_ARGUMENT", /is not an instance of torch/));
    const frozen = Object.freeze({ n: torch.zeros(2) });
    class Counter extends nn.Module {
      n: Tensor = new nn.Buffer(torch.zeros(2));
      override forward(x: Tensor): Tensor {
        this.n = this.n.add(x);
        return this.n;
      }
    }
    expect(() => torch.func.functionalCall(new Counter(), frozen, rows())).toThrow(
      refused("TORCH_ARGUMENT", /assigns "n", and the state that is given cannot take it/),
    );
    const map = new Map([["n", torch.ones(2)]]);
    torch.func.functionalCall(new Counter(), map, torch.ones(2));
    expect(values(map.get("n")!)).toEqual([2, 2]);
  });

  test("stackModuleState stacks the state of modules of one class", () => {
    const { parameters, buffers } = torch.func.stackModuleState([
      new nn.BatchNorm1d(3),
      new nn.BatchNorm1d(3),
    ]);
    expect(parameters["weight"]!.shape).toEqual([2, 3]);
    expect(buffers["num_batches_tracked"]!.shape).toEqual([2]);
    expect(() => torch.func.stackModuleState([])).toThrow(refused("TORCH_ARGUMENT", /at least one model/));
    const without = new nn.Linear(2, 1, { bias: false });
    for (const models of [
      [without, new nn.Linear(2, 1)],
      [new nn.Linear(2, 1), without],
    ])
      expect(() => torch.func.stackModuleState(models)).toThrow(
        refused("TORCH_ARGUMENT", /different parameters or buffers/),
      );
    for (const [models, message] of [
      [3, /the models are 3/],
      [[3], /a model is 3/],
      [[undefined], /a model is undefined/],
      [[new nn.Linear(2, 1), undefined], /a model is undefined/],
    ] as const)
      expect(() => torch.func.stackModuleState(models as never)).toThrow(refused("TORCH_ARGUMENT", message));
  });
});

test("ends of slices may be tensors of one integer", () => {
  const x = torch.arange(5);
  expect(values(x.at(torch.slice(torch.tensor(1), torch.tensor(3))))).toEqual([1, 2]);
  expect(() => x.at(torch.slice(torch.ones(1), null))).toThrow(refused("TORCH_ARGUMENT", /not one integer/));
});

/** Values of PyTorch 2.14, which are the same for every `chunk_size`. */
describe("vmap in chunks", () => {
  const five = (): Tensor => torch.arange(10, { dtype: "float32" }).reshape(5, 2);
  const sizes = [1, 2, 3, 5, 7];
  const different = [
    0.004263520240783691, 1.1055693626403809, 2.2858424186706543, 3.0269548892974854, 4.471614360809326,
    5.060116291046143, 6.7718658447265625, 7.743699550628662, 8.59442138671875, 9.887856483459473,
  ];
  const same = [
    0.004263520240783691, 1.1055693626403809, 2.004263401031494, 3.105569362640381, 4.004263401031494,
    5.105569362640381, 6.004263401031494, 7.105569362640381, 8.004263877868652, 9.105569839477539,
  ];

  test.each(sizes)("of %i draws as one batch does", (chunkSize) => {
    const draw = (randomness: "different" | "same"): number[] => {
      torch.manualSeed(3);
      return values(vmap((a: Tensor) => a.add(torch.rand(2)), { randomness, chunkSize })(five()));
    };
    expect(draw("different")).toEqual(different);
    expect(draw("same")).toEqual(same);
    expect(values(torch.rand(1))).toEqual([0.2858424782752991]);
  });

  test.each(sizes)("of %i takes dimensions, and shares what has none", (chunkSize) => {
    const columns = vmap((a: Tensor) => a, { inDims: 1, outDims: 1, chunkSize })(five());
    expect([columns.shape, values(columns)]).toEqual([[5, 2], values(five())]);
    const pairs = vmap((a: Tensor, b: Tensor) => ({ sum: a.sum(), parts: [a.add(b)] }), {
      inDims: [0, null],
      chunkSize,
    })(five(), torch.ones(2));
    expect(values(pairs.sum)).toEqual([1, 5, 9, 13, 17]);
    expect(values(pairs.parts[0]!)).toEqual(values(five().add(1)));
    const nested = vmap(
      vmap((a: Tensor) => a.mul(2), { chunkSize: 1 }),
      { chunkSize },
    )(five());
    expect(values(nested)).toEqual(values(five().mul(2)));
  });

  test("refuses results without items, which cannot be joined", () => {
    expect(() =>
      vmap((_: Tensor) => torch.ones(2), { outDims: null, chunkSize: 2 } as never)(five()),
    ).toThrow(refused("CONTROL_FLOW_ARGUMENTS", /'dim' must be int, not NoneType/));
  });
});
