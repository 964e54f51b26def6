import { exportProgram, float, torch } from "@sconce/capture";
import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";

const sconce = createSconce({ backends: [await loadBackend("wasm", { threads: 1 })] });
/** Whole numbers, whose sums are exact in any order. */
const whole = (): Tensor =>
  Tensor.from(
    Array.from({ length: 12 }, (_, i) => i - 5),
    [3, 4],
    "float32",
  );
const zero = (): Tensor => torch.tensor(0);

/**
 * Calls along a dimension of a number for each example, with what PyTorch 2.14.1 lowers them to.
 */
const CALLS: Readonly<Record<string, readonly [call: (x: Tensor) => Tensor, lowered: readonly string[]]>> = {
  log_softmax: [
    (x) => x.sum().logSoftmax(-1),
    [
      "unsqueeze = aten.unsqueeze.default(sum_1, -1)",
      "_log_softmax = aten._log_softmax.default(unsqueeze, 1, False)",
      "squeeze = aten.squeeze.dims(_log_softmax, [-1])",
    ],
  ],
  softmax: [
    (x) => x.sum().softmax(0),
    [
      "unsqueeze = aten.unsqueeze.default(sum_1, -1)",
      "_softmax = aten._softmax.default(unsqueeze, 1, False)",
      "squeeze = aten.squeeze.dims(_softmax, [-1])",
    ],
  ],
  cumsum: [
    (x) => x.sum().cumsum(-1),
    [
      "unsqueeze = aten.unsqueeze.default(sum_1, -1)",
      "cumsum = aten.cumsum.default(unsqueeze, 1)",
      "squeeze = aten.squeeze.dims(cumsum, [-1])",
    ],
  ],
  topk: [
    (x) => (x.sum().topk(1, -1) as readonly Tensor[])[0]!,
    [
      "unsqueeze = aten.unsqueeze.default(sum_1, -1)",
      "topk = aten.topk.default(unsqueeze, 1, 1)",
      "getitem = topk[0]",
      "squeeze = aten.squeeze.dims(getitem, [-1])",
    ],
  ],
  gather: [
    (x) => x.sum().gather(-1, zero()),
    [
      "clone = aten.clone.default(c_lifted_tensor_0)",
      "unsqueeze = aten.unsqueeze.default(sum_1, -1)",
      "unsqueeze_1 = aten.unsqueeze.default(clone, -1)",
      "expand = aten.expand.default(unsqueeze_1, [3, 1])",
      "gather = aten.gather.default(unsqueeze, 1, expand)",
      "squeeze = aten.squeeze.dims(gather, [-1])",
    ],
  ],
  sum: [
    (x) => x.sum().sum(-1),
    ["unsqueeze = aten.unsqueeze.default(sum_1, -1)", "sum_2 = aten.sum.dim_IntList(unsqueeze, [1])"],
  ],
  kept: [
    (x) => x.sum().sum(-1, { keepdim: true }),
    [
      "unsqueeze = aten.unsqueeze.default(sum_1, -1)",
      "sum_2 = aten.sum.dim_IntList(unsqueeze, [1], True)",
      "squeeze = aten.squeeze.dims(sum_2, [-1])",
    ],
  ],
  argmax: [
    (x) => x.sum().argmax(-1),
    ["unsqueeze = aten.unsqueeze.default(sum_1, -1)", "argmax = aten.argmax.default(unsqueeze, 1)"],
  ],
  sort: [
    (x) => (x.sum().sort(-1) as readonly Tensor[])[0]!,
    [
      "unsqueeze = aten.unsqueeze.default(sum_1, -1)",
      "sort = aten.sort.default(unsqueeze, 1)",
      "getitem = sort[0]",
      "squeeze = aten.squeeze.dims(getitem, [-1])",
    ],
  ],
  scatter: [
    (x) => x.sum().scatter(-1, zero(), float(2)),
    [
      "clone = aten.clone.default(c_lifted_tensor_0)",
      "unsqueeze = aten.unsqueeze.default(sum_1, -1)",
      "unsqueeze_1 = aten.unsqueeze.default(clone, -1)",
      "expand = aten.expand.default(unsqueeze_1, [3, 1])",
      "scatter = aten.scatter.value(unsqueeze, 1, expand, 2.0)",
      "squeeze = aten.squeeze.dims(scatter, [-1])",
    ],
  ],
  transpose: [(x) => x.sum().transpose(-1, 0), []],
};

test.each(Object.entries(CALLS))("%s of a number for each example", async (_, [call, lines]) => {
  const given = whole();
  const model = (x: Tensor): Tensor => torch.vmap(call)(x);
  const program = exportProgram(model, [given]);
  const lowered = sconce.runDecompositions(program);
  const calls = [
    ...String(lowered).matchAll(/^ +(\w+)(?:: "[^"]*")? = ((?:torch\.ops\.aten|\w+\[)[^;\n]*)/gm),
  ];
  expect(calls.map(([, name, text]) => `${name} = ${text!.replace("torch.ops.", "")}`)).toEqual([
    "sum_1 = aten.sum.dim_IntList(x, [1])",
    ...lines,
  ]);
  const module = await sconce.module(program);
  const results = [program.module()(given), lowered.module()(given), await module.call([given])];
  for (const result of results as Tensor[]) expect(result.toArray()).toEqual(model(given).toArray());
});

// PyTorch's texts of these differ in the order of their nodes.
test.each([
  ["index_select", (x: Tensor) => x.sum().indexSelect(-1, torch.tensor([0]))],
  ["index_add", (x: Tensor) => x.sum().indexAdd(0, torch.tensor([0]), torch.ones([]))],
  ["nested", (x: Tensor) => torch.vmap((one: Tensor) => one.softmax(-1))(x)],
] as const)("%s of a number for each example gives its numbers", async (_, call) => {
  const given = whole();
  const model = (x: Tensor): Tensor => torch.vmap(call)(x);
  const program = exportProgram(model, [given]);
  const module = await sconce.module(program);
  const results = [sconce.runDecompositions(program).module()(given), await module.call([given])];
  for (const result of results as Tensor[]) expect(result.toArray()).toEqual(model(given).toArray());
});
