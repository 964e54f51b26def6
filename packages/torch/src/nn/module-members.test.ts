import { exportProgram } from "@sconce/capture";
import { SconceError } from "@sconce/errors";
import { expect, test } from "vitest";
import { torch } from "../functions/torch.js";
import { inferenceMode } from "../trace/grad-mode.js";
import * as nn from "./index.js";

const thrown = (run: () => unknown): readonly string[] => {
  try {
    run();
  } catch (error) {
    if (error instanceof SconceError) return [error.code, error.message];
    throw error;
  }
  throw new Error("nothing was thrown");
};

test("dtypes are constants of `torch`, and an undefined one is refused", () => {
  expect([torch.float16, torch.half, torch.long, torch.bool]).toEqual([
    "float16",
    "float16",
    "int64",
    "bool",
  ]);
  const x = torch.zeros(2);
  expect(x.to(torch.float16).dtype).toBe("float16");
  expect(x.to()).toBe(x);
  expect(thrown(() => x.to(undefined as never))[1]).toBe("Tensor.to: the dtype or device is undefined");
  expect(thrown(() => x.to({ dtype: undefined as never }))[0]).toBe("TORCH_ARGUMENT");
  expect(x.to({ dtype: undefined as never, copy: true })).not.toBe(x);
});

test("parameters of integers are refused with PyTorch's message", () => {
  const message = /Only Tensors of floating point and complex dtype can require gradients/;
  expect(thrown(() => new nn.Parameter(torch.tensor(2)))[1]).toMatch(message);
  expect(thrown(() => new nn.Parameter(torch.tensor([true])))[1]).toMatch(message);
  expect(thrown(() => new nn.ParameterList([torch.tensor(1)]))[1]).toMatch(message);
  expect(thrown(() => torch.tensor(2, { requiresGrad: true }))[1]).toMatch(message);
  expect(thrown(() => torch.zeros(3, { dtype: torch.long }).requiresGrad_())[1]).toMatch(message);
  expect(new nn.Parameter(torch.tensor(2), false).dtype).toBe("int64");
  expect(new nn.Parameter(torch.tensor([1, 2], { dtype: torch.cfloat })).requiresGrad).toBe(true);
});

test("results with names are read by them, and in order", () => {
  const best = torch.tensor([[1.5, 4, 2]]).max(1);
  const [values, indices] = best;
  expect([best.values, best.indices]).toEqual([values, indices]);
  expect([...best]).toHaveLength(2);
  expect([values.tolist(), indices.tolist()]).toEqual([[4], [1]]);
  const { sign, logabsdet } = torch.linalg.slogdet(torch.eye(2));
  expect([sign.item(), logabsdet.item()]).toEqual([1, 0]);
  const { hiddenState } = torch.zeros(2).max(0) as unknown as Record<string, unknown>;
  expect(hiddenState).toBe(undefined);
});

test("containers are read by place and by name", () => {
  const chain = new nn.Sequential(new nn.Linear(2, 3), new nn.ReLU(), new nn.Linear(3, 4));
  expect(chain[0]).toBe(chain.at(0));
  expect(chain.at(-1)).toBe(chain[2]);
  expect([...chain.slice(1)]).toEqual([chain[1], chain[2]]);
  expect([...chain.slice(1).stateDict().keys()]).toEqual(["2.weight", "2.bias"]);
  expect(chain.children()).toEqual([chain[0], chain[1], chain[2]]);
  expect(chain.modules()).toHaveLength(4);
  const list = new nn.ModuleList([new nn.Linear(2, 2)]).extend([new nn.Linear(2, 3)]);
  expect([...list.slice(-1).stateDict().keys()]).toEqual(["0.weight", "0.bias"]);
  expect(thrown(() => list.at(2))).toEqual([
    "MODULE_PATH",
    "index 2 is out of range: ModuleList has 2 modules",
  ]);
  const named = new nn.ModuleDict<nn.Module>({ a: new nn.ReLU() }).set("b", new nn.Tanh());
  expect([named.has("b"), named.has("c"), named.size, named.values().length]).toEqual([true, false, 2, 2]);
  expect(named.set("a", new nn.GELU()).get("a")).toBeInstanceOf(nn.GELU);
  expect(thrown(() => named.get("c"))).toEqual(["MODULE_PATH", 'ModuleDict has no module "c"']);
});

test("`to` and `half` convert the floats of a module, and keep what is shared", () => {
  const tied = new nn.Linear(2, 2);
  const model = new nn.ModuleList([tied, new nn.Linear(2, 2), new nn.BatchNorm1d(2)]);
  (model.at(1) as nn.Linear).weight = tied.weight;
  const dtypes = (): string[] =>
    [...new Set([...model.stateDict().values()].map(({ dtype }) => dtype))].sort();
  expect(model.half()).toBe(model);
  expect(dtypes()).toEqual(["float16", "int64"]);
  expect((model.at(1) as nn.Linear).weight).toBe(tied.weight);
  expect(model.parameters().every(({ requiresGrad }) => requiresGrad)).toBe(true);
  model.to(torch.float64);
  expect(dtypes()).toEqual(["float64", "int64"]);
  model.to({ dtype: torch.bfloat16, device: "cpu" }).float();
  expect(dtypes()).toEqual(["float32", "int64"]);
  expect(thrown(() => model.to(torch.int8))[1]).toContain("only accepts floating point or complex dtypes");
  expect(thrown(() => model.to("cuda" as never))[1]).toContain(
    "the device cuda is not one that models run on",
  );
  expect(thrown(() => model.to(undefined as never))[1]).toContain("the dtype or device is undefined");
  expect([...model.buffers()].length).toBe(3);
});

test("norms of stacks are settings, also by name", () => {
  const norm = new nn.LayerNorm(4);
  const layer = new nn.TransformerDecoderLayer(4, 1, 8);
  expect(new nn.TransformerDecoder(layer, 1, { norm }).norm).toBe(norm);
  expect(new nn.TransformerDecoder(layer, 1, norm).norm).toBe(norm);
  const encoder = new nn.TransformerEncoderLayer(4, 1, 8);
  expect(new nn.TransformerEncoder(encoder, 1, { norm, enableNestedTensor: false }).norm).toBe(norm);
  expect(new nn.TransformerEncoder(encoder, 1, null, false).norm).toBe(null);
});

test("an export of `ctcLoss` is refused, with lengths in lists and in tensors", () => {
  const targets = torch.tensor([
    [1, 2],
    [3, 1],
  ]);
  const inputs = [torch.randn(5, 2, 4).logSoftmax(2)];
  const lists = (x: (typeof inputs)[0]) => new nn.CTCLoss()(x!, targets, [5, 4], [2, 1]);
  const tensors = (x: (typeof inputs)[0]) =>
    nn.functional.ctcLoss(x!, targets, torch.tensor([5, 4]), torch.tensor([2, 1]));
  expect(thrown(() => exportProgram(lists, inputs))[0]).toBe("TRACED_VALUES");
  expect(thrown(() => exportProgram(tensors, inputs))[0]).toBe("UNSUPPORTED_OPERATOR");
});

test("inference mode leaves no region in the program", () => {
  const program = exportProgram(
    (x: ReturnType<typeof torch.zeros>) => inferenceMode(() => x.mul(2)),
    [torch.zeros(2)],
  );
  expect(String(program)).not.toContain("set_grad_enabled");
});

test.each(["", "a.b"])("refuses the name %j, as PyTorch does", (name) => {
  const layer = new nn.Linear(1, 1);
  const message = /^name can't (be empty string|contain)/;
  expect(thrown(() => layer.addModule(name, new nn.ReLU()))[1]).toMatch(message);
  expect(thrown(() => layer.registerBuffer(name, torch.ones(1)))[1]).toMatch(message);
  expect(thrown(() => layer.registerParameter(name, null))[1]).toMatch(message);
  expect(thrown(() => new nn.ModuleDict({ [name]: layer }))[1]).toMatch(message);
  expect(thrown(() => new nn.ParameterDict({ [name]: torch.ones(1) }))[1]).toMatch(message);
});
