import { createEvaluator } from "@sconce/backend-cpu";
import { cond, exportProgram, nn, torch } from "@sconce/capture";
import type { ExportedProgram } from "@sconce/ir";
import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { sampled } from "../../../../.config/sampled.js";
import { outputsOf } from "../twin-spec.fixture.js";
import { AUTOCAST } from "./autocast.fixture.js";

const sconce = createSconce();
const gru = new nn.GRU(3, 4, { batchFirst: true });
const lstm = new nn.LSTM(3, 4, { batchFirst: true });

const targetsOf = ({ graph }: ExportedProgram): string[] => [...graph.nodes()].map(({ target }) => target);

describe("torch.autocast", () => {
  test.each(sampled(Object.entries(AUTOCAST), 2))(
    "%s is exported again, saved and loaded",
    async (_, make) => {
      const { model, args, options } = make();
      const program = exportProgram(model, [...args], options);
      const targets = targetsOf(program);
      if (options?.strict !== true) {
        const { dynamicShapes } = options ?? {};
        const again = exportProgram(program.module(), [...args], dynamicShapes ? { dynamicShapes } : {});
        expect(targetsOf(again)).toEqual(targets);
      }
      const loaded = await sconce.load(await sconce.save(program));
      expect(targetsOf(loaded)).toEqual(targets);
      expect(outputsOf({ model: loaded.module(), args })).toEqual(outputsOf(make()));
    },
  );

  test("casts what runs at once", () => {
    const x = torch.ones(2, 2);
    const inside = (): Tensor => x.matmul(x);
    expect(torch.autocast("cpu", inside).dtype).toBe("bfloat16");
    expect(torch.autocast("cpu", { dtype: torch.float16 }, inside).dtype).toBe("float16");
    expect(torch.autocast("cuda", inside).dtype).toBe("float32");
    expect(torch.autocast("cpu", () => torch.autocast("cpu", { enabled: false }, inside)).dtype).toBe(
      "float32",
    );
    expect(inside().dtype).toBe("float32");
  });

  test("does not cast what operators write to", () => {
    const [x, w] = [
      torch.tensor([1.001, 2.003, 3.007, 4.011]).view(2, 2),
      torch.tensor([1.13, 0.27, 0.31, 1.77]).view(2, 2),
    ];
    const written = (): Tensor[] => {
      const out = torch.empty(2, 2);
      torch.matmul(x, w, { out });
      return [x.clone().addmm_(w, w), x.clone().unsqueeze(0).baddbmm_(w.unsqueeze(0), w.unsqueeze(0)), out];
    };
    const numbers = (all: readonly Tensor[]): unknown[] => all.map((one) => one.toArray());
    expect(numbers(torch.autocast("cpu", written))).toEqual(numbers(written()));
  });

  test.each([
    [["float16", "float16"], true],
    [["float16", "float32"], true],
    [["float32", "float16"], false],
    [["float64", "bfloat16"], false],
    [["int32", "bfloat16"], false],
  ] as const)("joins %j as PyTorch does", (dtypes, isRefused) => {
    const joined = (x: Tensor): Tensor =>
      torch.autocast("cpu", () => torch.cat(dtypes.map((dtype) => x.to(dtype))));
    const all = [(x: Tensor) => joined(x), (x: Tensor) => exportProgram(joined, [x])];
    for (const run of all)
      if (isRefused)
        expect(() => run(torch.ones(2))).toThrow(
          expect.objectContaining({
            code: "DTYPE_MISMATCH",
            message: expect.stringContaining(
              "Unexpected floating ScalarType in at::autocast::prioritize",
            ) as string,
          }),
        );
      else expect(() => run(torch.ones(2))).not.toThrow();
  });

  test("keeps the order of memory, on which sums depend", () => {
    const [x, w, b] = [torch.randn(4, 5, 16), torch.randn(32, 16), torch.randn(32)];
    const inside = torch.autocast("cpu", () => nn.functional.linear(x.transpose(0, 1), w, b));
    const [xh, wh, bh] = [x, w, b].map((one) => one.bfloat16()) as [Tensor, Tensor, Tensor];
    expect(inside.toArray()).toEqual(nn.functional.linear(xh.transpose(0, 1), wh, bh).toArray());
  });

  test.each<readonly [string, (x: Tensor, w: Tensor) => Tensor]>([
    ["einsum", (x, w) => torch.einsum("ij,jk->ik", [x, w])],
    ["multi_dot", (x, w) => torch.linalg.multiDot([x, w, x])],
    ["matrix_power", (x) => torch.linalg.matrixPower(x, 3)],
    ["reflected padding", (x) => nn.functional.pad(x.bfloat16(), [1, 1], { mode: "reflect" })],
    ["a GRU", (x) => gru(x.unsqueeze(0))[0]],
    ["an LSTM", (x) => lstm(x.unsqueeze(0))[0]],
    ["bilinear", (x, w) => nn.functional.bilinear(x, x, w.unsqueeze(0))],
    ["an affine grid", (x) => nn.functional.affineGrid(x.at([0, 1]).unsqueeze(0), [1, 1, 2, 3])],
    ["a pseudoinverse", (x) => torch.linalg.pinv(x)],
    ["a polar decomposition", (x) => torch.ops.aten.linalg_polar.default(x)[1]!],
    ["a Euclidean distance", (x, w) => torch.ops.aten._cdist_forward.default(x, w, 2, 1)],
    [
      "a negative log likelihood",
      (x) => nn.functional.nllLoss(x.mm(x).logSoftmax(1), torch.tensor([0, 1, 2])),
    ],
  ])("casts what %s is made of on compiled backends and by `functionalize`", async (_, run) => {
    const args = [torch.randn(3, 3), torch.randn(3, 3)];
    const program = exportProgram((x: Tensor, w: Tensor) => torch.autocast("cpu", () => run(x, w)), args);
    const expected = torch.autocast("cpu", () => run(args[0]!, args[1]!));
    const backends = [await loadBackend("wasm", { threads: 1 }), await loadBackend("gpujs:cpu")];
    const session = createSconce({ backends });
    for (const backend of ["cpu", "wasm", "gpujs:cpu"]) {
      for (const one of [program, session.transform(program, "functionalize")]) {
        using executable = await session.compile(one, backend);
        const [result] = (await executable.run(args)) as [Tensor];
        expect([backend, result.dtype, result.toArray()]).toEqual([
          backend,
          expected.dtype,
          expected.toArray(),
        ]);
      }
    }
  });

  test("refuses control flow inside of a region, and what is not a region", () => {
    const x = torch.ones(2, 2);
    const model = (x: Tensor): Tensor =>
      torch.autocast("cpu", () =>
        cond(
          x.sum().gt(0),
          (x: Tensor) => x.sin(),
          (x: Tensor) => x.cos(),
          [x],
        ),
      );
    expect(() => exportProgram(model, [x])).toThrow(
      expect.objectContaining({
        code: "TORCH_ARGUMENT",
        message: expect.stringContaining("torch.cond") as string,
      }),
    );
    expect(() => torch.autocast("cpu", { dtype: "half" as never }, () => x)).toThrow(
      expect.objectContaining({ code: "TORCH_ARGUMENT" }),
    );
    expect(() => torch.autocast("mps" as never, () => x)).toThrow(
      expect.objectContaining({ code: "TORCH_ARGUMENT" }),
    );
  });
});

test("an evaluator casts in the region that it is given", () => {
  const evaluate = createEvaluator();
  const x = torch.ones(2, 2);
  expect(evaluate("aten.mm.default", [x, x], {}, "bfloat16")).toMatchObject({ dtype: "bfloat16" });
  expect(evaluate("aten.mm.default", [x, x])).toMatchObject({ dtype: "float32" });
});
