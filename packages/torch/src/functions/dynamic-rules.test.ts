import { Dim, exportProgram } from "@sconce/capture";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { torch } from "./torch.js";

const m = (): Tensor => torch.ones(3, 5);
const v = (): Tensor => torch.ones(24);
const x = (): Tensor => torch.ones(2, 3, 4, 4);
const t = (): Tensor => Tensor.from([0, 4, 2]);

/**
 * What PyTorch makes of calls whose inputs have dynamic sizes only: the sizes of inputs and of the
 * first result, symbols numbered in the order of the text, and the ranges of the symbols.
 */
const CASES: readonly (readonly [
  text: string,
  inputs: readonly Tensor[],
  run: (...inputs: Tensor[]) => unknown,
  sizes: string,
  ranges: string,
])[] = [
  ["torch.nonzero(x)", [m()], (a) => torch.nonzero(a), "s0, s1 -> u2, 2", "u2: VR[0, 9223372036854775806]"],
  [
    "x.masked_select(x > 0)",
    [v()],
    (a) => a.maskedSelect(a.gt(0)),
    "s0 -> u1",
    "u1: VR[0, 9223372036854775806]",
  ],
  ["torch.unique(t)", [t()], (a) => torch.unique(a), "s0 -> u1", "u1: VR[0, 9223372036854775806]"],
  [
    "torch.linalg.svdvals(m)",
    [m()],
    (a) => torch.linalg.svdvals(a),
    "s0, s1 -> Min(s0, s1)",
    "s1: VR[2, int_oo]",
  ],
  [
    "torch.linalg.qr(m)[0]",
    [m()],
    (a) => torch.linalg.qr(a)[0],
    "s0, s1 -> s0, Min(s0, s1)",
    "s1: VR[2, int_oo]",
  ],
  ["m.quantile(0.5, dim=1)", [m()], (a) => a.quantile(0.5, 1), "s0, s1 -> s0", "s1: VR[2, 9007199254740992]"],
  ["torch.cdist(m, m, p=1.0)", [m()], (a) => torch.cdist(a, a, 1), "s0, s1 -> s0, s0", "s0: VR[2, int_oo]"],
  ["torch.cdist(m, m)", [m()], (a) => torch.cdist(a, a), "s0, s1 -> s0, s0", "s0: VR[2, 25]"],
  ["torch.kron(m, m)", [m()], (a) => torch.kron(a, a), "3, 5 -> 9, 25", "{}"],
  ["torch.gradient(b)[0]", [v()], (a) => torch.gradient(a)[0], "24 -> 24", "{}"],
  ["torch.vander(b)", [v()], (a) => torch.vander(a), "24 -> 24, 24", "{}"],
  [
    "torch.linalg.multi_dot([m, m.T, m])",
    [m()],
    (a) => torch.linalg.multiDot([a, a.T, a]),
    "3, 5 -> 3, 5",
    "{}",
  ],
  ["torch.diag(b, 1)", [v()], (a) => torch.diag(a, 1), "s0 -> s0 + 1, s0 + 1", "s0: VR[2, int_oo]"],
  [
    "torch.select_scatter(m, torch.ones(5), 0, 1)",
    [m()],
    (a) => torch.selectScatter(a, torch.ones(5), 0, 1),
    "s0, s1 -> s0, s1",
    "s1: VR[2, int_oo]",
  ],
  [
    "x.put(t, torch.ones(3))",
    [m(), t()],
    (a, b) => a.put(b, torch.ones(3)),
    "s0, s1; s2 -> s0, s1",
    "s2: VR[2, int_oo]",
  ],
  [
    "torch.einsum('bchw,bdhw->bcd', x, y)",
    [x(), x()],
    (a, b) => torch.einsum("bchw,bdhw->bcd", [a, b]),
    "s0, s1, s2, s3; s0, s4, s2, s3 -> s0, s1, s4",
    "s4: VR[2, int_oo]",
  ],
];

function numbered(text: string): string {
  const names = new Map<string, string>();
  return text.replace(/\b([su])\d+\b/g, (name, kind: string) => {
    if (!names.has(name)) names.set(name, `${kind}${names.size}`);
    return names.get(name)!;
  });
}

test.each(CASES)("%s", (_, inputs, run, sizes, ranges) => {
  const dynamicShapes = inputs.map(({ shape }) => Object.fromEntries(shape.map((__, d) => [d, Dim.AUTO])));
  const program = exportProgram(run, inputs, { dynamicShapes });
  const text = numbered(String(program).replaceAll(/^ *# File.*$/gm, ""));
  const [wantedInputs, wantedResult] = sizes.split(" -> ") as [string, string];
  const forward = /def forward\((.*)\):/.exec(text)![1]!;
  const shown = [...forward.matchAll(/\[([^\]]*)\]/g)].map(([, dims]) => dims);
  expect(shown.join("; ")).toBe(wantedInputs);
  const name = /return \((\w+),/.exec(text)![1]!;
  expect(new RegExp(`\\b${name}: "\\w+\\[(.*)\\]"`).exec(text)![1]).toBe(wantedResult);
  expect(text.slice(text.indexOf("Range constraints"))).toContain(ranges);
});
