/** @file Models with flex attention beside PyTorch's exports (`oracle/flex_attention.py`). */
import { exportProgram, nn, noGrad, pythonTuple, torch } from "@sconce/capture";
import { printIr } from "@sconce/ir/text";
import { runDecompositions } from "@sconce/passes";
import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { comparable } from "../capture/retraced.fixture.js";
import { fixtureJson } from "../fixtures.js";
import { values } from "./values.fixture.js";

const { flexAttention, createBlockMask, createMask, andMasks, orMasks } = nn.attention;

interface Recorded {
  readonly text: string;
  readonly lowered: string;
  readonly results: readonly number[];
}
const { models } = fixtureJson("higher-order/flex-attention.json.gz") as {
  readonly models: Readonly<Record<string, Recorded>>;
};

const causal = createBlockMask((_b, _h, i, j) => i.ge(j), null, null, 16, 16);
const ofHeads = createBlockMask(
  (_b, h, i, j) => torch.ops.aten.__and__.Tensor(i.ge(j), i.sub(j).lt(h.add(1).mul(4))),
  1,
  2,
  16,
  16,
  8,
);
const documentOf = torch.tensor([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
const documents = createBlockMask(
  (_b, _h, i, j) => documentOf.at(i).eq(documentOf.at(j)),
  null,
  null,
  16,
  16,
);
type Attend = (self: Model, q: Tensor, k: Tensor, v: Tensor) => Tensor | readonly Tensor[];

class Model extends nn.Module {
  readonly bias = new nn.Buffer(values([2, 16], 3));
  readonly slope = new nn.Buffer(Tensor.from([0.5], [], "float32"));

  constructor(readonly run: Attend) {
    super();
  }

  override forward(q: Tensor, k: Tensor, v: Tensor): Tensor | readonly Tensor[] {
    return this.run(this, q, k, v);
  }
}

const MODELS: Readonly<Record<string, Attend>> = {
  plain: (_, q, k, v) => flexAttention(q, k, v),
  of_scores: (_, q, k, v) =>
    flexAttention(q, k, v, { scoreMod: (s, _b, _h, i, j) => s.add(i.sub(j).mul(0.5)) }),
  grouped: (_, q, k, v) => flexAttention(q, k, v, { enableGqa: true, scale: 0.25 }),
  masked: (_, q, k, v) => flexAttention(q, k, v, { blockMask: causal }),
  masked_by_heads: (_, q, k, v) =>
    flexAttention(q, k, v, { blockMask: ofHeads, scoreMod: (s) => s.div(2).tanh().mul(2) }),
  both_twice: (_, q, k, v) => {
    const first = flexAttention(q, k, v, { blockMask: causal });
    return flexAttention(first, k, v, { blockMask: causal, scoreMod: (s) => s.mul(2) }).sum(-1);
  },
  scaled_by_buffer: (self, q, k, v) =>
    flexAttention(q, k, v, {
      blockMask: causal,
      scoreMod: (s, _b, _h, i, j) => s.add(i.sub(j).mul(self.slope)),
    }),
  biased: (self, q, k, v) =>
    flexAttention(q, k, v, {
      blockMask: causal,
      scoreMod: (s, _b, h, _i, j) => s.add(self.bias.at(h, j).mul(self.slope)),
    }),
  plain_twice: (_, q, k, v) => flexAttention(flexAttention(q, k, v), k, v),
  masks_twice: (_, q, k, v) =>
    flexAttention(flexAttention(q, k, v, { blockMask: causal }), k, v, { blockMask: ofHeads }),
  of_documents: (_, q, k, v) => flexAttention(q, k, v, { blockMask: documents }),
  of_documents_biased: (self, q, k, v) =>
    flexAttention(q, k, v, {
      blockMask: documents,
      scoreMod: (s, _b, h, _i, j) => s.add(self.bias.at(h, j)),
    }),
};
const HALF: Readonly<Record<string, Attend>> = {
  half: (_, q, k, v) => torch.autocast("cpu", () => flexAttention(q, k, v)),
  half_masked: (self, q, k, v) =>
    torch.autocast("cpu", { dtype: torch.float16 }, () =>
      flexAttention(q, k, v, {
        blockMask: causal,
        scoreMod: (s, _b, _h, i, j) => s.add(i.sub(j).mul(self.slope)),
      }),
    ),
  half_between: (_, given, k, v) => {
    const q = given.mul(2);
    const [first, second] = torch.autocast("cpu", () => {
      const mixed = v.matmul(v.transpose(-1, -2)).matmul(v);
      const first = flexAttention(q, k, mixed, { blockMask: causal });
      return [first, first.matmul(first.transpose(-1, -2))] as const;
    });
    return second.sin().add(first.sum());
  },
  half_and_full: (_, q, k, v) => {
    const x = torch.autocast("cpu", () => q.matmul(k.transpose(-1, -2)));
    const [y, z] = torch.autocast("cpu", () => [
      flexAttention(q, k, v, { blockMask: causal }),
      torch.autocast("cpu", { enabled: false }, () => flexAttention(q, k, v, { blockMask: causal })),
    ]) as [Tensor, Tensor];
    return pythonTuple(x, y, z);
  },
};
const inputs = (name: string): Tensor[] => [
  values([1, name === "grouped" ? 4 : 2, 16, 8]),
  values([1, 2, 16, 8], 5),
  values([1, 2, 16, 8], 11),
];
const cases = Object.entries(models).filter(([name]) => name in MODELS);

test("every recorded model is written in TypeScript", () => {
  expect(Object.keys({ ...MODELS, ...HALF })).toEqual(Object.keys(models));
});

describe("models with flex attention", () => {
  test.each(cases)("%s exports to PyTorch's program", async (name, { text, lowered }) => {
    const program = noGrad(() => exportProgram(new Model(MODELS[name]!), inputs(name)));
    expect(comparable(String(program))).toBe(text);
    expect(comparable(String(runDecompositions(program)))).toBe(lowered);
    const session = createSconce();
    expect(String(session.parseIr(printIr(program)))).toBe(String(program));
    await expect(session.save(program)).rejects.toThrow(
      expect.objectContaining({ code: "NOT_SAVABLE", message: expect.stringContaining("flex_attention") }),
    );
  });

  test.each(cases)("%s gives PyTorch's numbers", async (name, { results }) => {
    const session = createSconce({ backends: [await loadBackend("wasm", { threads: 1 })] });
    const model = new Model(MODELS[name]!);
    const program = noGrad(() => exportProgram(model, inputs(name)));
    const runs = [model.forward(...(inputs(name) as [Tensor, Tensor, Tensor])) as Tensor];
    for (const backend of ["cpu", "wasm"])
      for (const subject of [program, runDecompositions(program)]) {
        using executable = await session.compile(subject, backend);
        runs.push((await executable.run(inputs(name)))[0] as Tensor);
      }
    for (const run of runs) {
      expect(run.numel).toBe(results.length);
      for (const [at, element] of run.toArray().entries()) expect(element).toBeCloseTo(results[at]!, 5);
    }
  });
});

test.each(Object.keys(HALF))("%s gives PyTorch's numbers at once", (name) => {
  const given = new Model(HALF[name]!).forward(...(inputs(name) as [Tensor, Tensor, Tensor]));
  const numbers = [given].flat().flatMap((one) => [...(one as Tensor).toArray()].map(Number));
  const { results } = models[name]!;
  expect(numbers.length).toBe(results.length);
  const step = name === "half_masked" ? 2 ** -10 : 2 ** -7;
  for (const [at, element] of numbers.entries())
    expect(Math.abs(element - results[at]!)).toBeLessThanOrEqual(step * Math.abs(results[at]!) + 1e-5);
});

test("masks are made for all places at once, or place by place", () => {
  const rows = (mask: Tensor): string[] =>
    (mask.tolist() as unknown as boolean[][][][])[0]![0]!.map((row) => row.map(Number).join(""));
  const table = Tensor.from([1, 0, 1, 1]);
  // The sum of a tensor of places is not that of all places.
  const summed = createMask((_b, _h, i, j) => table.mul(i).sum().gt(j), null, null, 3, 4);
  expect(rows(summed)).toEqual(["0000", "1110", "1111"]);
  const near = (_b: Tensor, _h: Tensor, i: Tensor, j: Tensor): Tensor => i.sub(j).abs().lt(2);
  const lower = (_b: Tensor, _h: Tensor, i: Tensor, j: Tensor): Tensor => i.ge(j);
  expect(rows(createMask(andMasks(near, lower), null, null, 3, 3))).toEqual(["100", "110", "011"]);
  expect(rows(createMask(orMasks(near, lower), null, null, 3, 3))).toEqual(["110", "111", "111"]);
});

test.each<readonly [string, () => unknown, string]>([
  [
    "heads that differ",
    () => flexAttention(values([1, 4, 2, 2]), values([1, 2, 2, 2]), values([1, 2, 2, 2])),
    "CONTROL_FLOW_ARGUMENTS",
  ],
  [
    "three dimensions",
    () => flexAttention(values([4, 2, 2]), values([4, 2, 2]), values([4, 2, 2])),
    "CONTROL_FLOW_ARGUMENTS",
  ],
  [
    "a mask of another length",
    () =>
      exportProgram(new Model(MODELS["masked"]!), [
        values([1, 2, 8, 8]),
        values([1, 2, 8, 8]),
        values([1, 2, 8, 8]),
      ]),
    "CONTROL_FLOW_ARGUMENTS",
  ],
  [
    "a mask of another length at once",
    () =>
      flexAttention(values([1, 2, 8, 8]), values([1, 2, 8, 8]), values([1, 2, 8, 8]), { blockMask: causal }),
    "CONTROL_FLOW_ARGUMENTS",
  ],
  [
    "an unknown option",
    () =>
      flexAttention(values([1, 2, 8, 8]), values([1, 2, 8, 8]), values([1, 2, 8, 8]), {
        block_mask: causal,
      } as never),
    "UNKNOWN_OPTION",
  ],
  [
    "a score that is a number",
    () =>
      flexAttention(values([1, 2, 8, 8]), values([1, 2, 8, 8]), values([1, 2, 8, 8]), {
        scoreMod: () => 1 as never,
      }),
    "CONTROL_FLOW_RESULTS",
  ],
  [
    "a mask of numbers",
    () => createMask((_b, _h, i, j) => i.sub(j), null, null, 4, 4),
    "CONTROL_FLOW_RESULTS",
  ],
  [
    "blocks of no size",
    () => createBlockMask((_b, _h, i, j) => i.ge(j), null, null, 4, 4, 0),
    "CONTROL_FLOW_ARGUMENTS",
  ],
  [
    "a mask that is made in the model",
    () =>
      exportProgram(
        new Model((_s, q, k, v) =>
          flexAttention(q, k, v, {
            blockMask: createBlockMask((_b, _h, i, j) => i.ge(j), null, null, 16, 16),
          }),
        ),
        inputs(""),
      ),
    "CONTROL_FLOW_ARGUMENTS",
  ],
  [
    "a score with dimensions",
    () =>
      exportProgram(
        new Model((_s, q, k, v) => flexAttention(q, k, v, { scoreMod: (s) => s.unsqueeze(0) })),
        inputs(""),
      ),
    "CONTROL_FLOW_RESULTS",
  ],
])("%s are refused", (_, run, code) => {
  expect(run).toThrow(expect.objectContaining({ code }));
});
