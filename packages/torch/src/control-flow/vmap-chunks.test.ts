/** @file Parts of a batch in exports, with the calls that PyTorch 2.14 records. */
import { exportProgram } from "@sconce/capture";
import { nodeText } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { torch } from "../index.js";

const model = (x: Tensor): Tensor => torch.vmap((a: Tensor) => a.mul(2).add(a.sum()), { chunkSize: 2 })(x);
const five = (): Tensor => torch.arange(10, { dtype: "float32" }).reshape(5, 2);

/** The calls of `vmap(lambda a: a * 2 + a.sum(), chunk_size=2)(x)`. */
const RECORDED = [
  "lazy_load_decompositions()",
  "tensor_split.indices(x, [2, 4, 5])",
  ...[0, 1, 2, 3].map((at) => `getitem(tensor_split, ${at})`),
  ...["", "_1", "_2"].flatMap((n, at) => [
    `_vmap_increment_nesting(${at === 2 ? 1 : 2}, error)`,
    `_add_batch_dim(getitem${n}, 0, 1)`,
    `mul.Tensor(_add_batch_dim${n}, 2)`,
    `sum.default(_add_batch_dim${n})`,
    `add.Tensor(mul${n}, sum_${at + 1})`,
    `_remove_batch_dim(add${n}, 1, ${at === 2 ? 1 : 2}, 0)`,
    "_vmap_decrement_nesting()",
  ]),
  "cat.default([_remove_batch_dim, _remove_batch_dim_1, _remove_batch_dim_2])",
];

test("an export records each part, and joins them", () => {
  const program = exportProgram(model, [five()], { checkSource: false });
  const calls = [...program.graph.nodes()].filter(({ op }) => op === "call_function");
  const texts = calls.map((node) => {
    const text = nodeText(node, 0).trim();
    const [, target, args] = /target=(\S+)\]\(args = \((.*?),?\), kwargs = \{\}\)/.exec(
      text,
    ) as RegExpExecArray;
    const name = target!.replace(/^.*(?:aten|predispatch|_operator)\.|^operator\./, "");
    return `${name}(${args!.replaceAll("%", "")})`;
  });
  expect(texts).toEqual(RECORDED);
});
