import { createSconce, type ProgramModule, texts, torch } from "sconce";
import { wasmBackend } from "sconce/wasm";
import { describe, expect, test } from "vitest";
import type { Cache } from "./decoder.js";
import { emptyCaches, exportStep, generate, makeDecoder } from "./generate.js";

/** What PyTorch generates: packages/testing/oracle/kv_cache.py. */
const TOKENS = [79, 88, 60, 22, 64, 40, 64, 70, 54, 19, 59, 69, 27, 32, 2, 89, 79, 38, 81, 21];

const sconce = createSconce();
const model = makeDecoder();
const program = exportStep(model);

describe("the step", () => {
  test("has one dynamic size, in PyTorch's calls", () => {
    expect([...program.rangeConstraints]).toEqual([["s13", { min: 0, max: 63 }]]);
    const lines = texts
      .code(program.graph)
      .split("\n")
      .map((line) => line.trim().replace(/;.*/, ""));
    expect(
      lines.filter((line) => /^(sym_size\w*|add|arange|cat)(_\d)? = .*(sym_size|cat)/.test(line)),
    ).toEqual([
      "sym_size_int_2 = torch.ops.aten.sym_size.int(caches_0_1, 2)",
      "add = sym_size_int_2 + 1",
      "arange = torch.ops.aten.arange.start(sym_size_int_2, add, device = device(type='cpu'), pin_memory = False)",
      "cat = torch.ops.aten.cat.default([caches_0_0, transpose_1], 2)",
      "cat_1 = torch.ops.aten.cat.default([caches_0_1, transpose_2], 2)",
      "cat_2 = torch.ops.aten.cat.default([caches_1_0, transpose_5], 2)",
      "cat_3 = torch.ops.aten.cat.default([caches_1_1, transpose_6], 2)",
    ]);
  });

  test("refuses caches longer than the positions, and of different lengths", async () => {
    const step = await sconce.module(program);
    await expect(step.call([torch.tensor([[1]]), emptyCaches(64)])).rejects.toThrow(/caches.*63/s);
    const [first, second] = [emptyCaches(2)[0]!, emptyCaches(3)[1]!];
    await expect(step.call([torch.tensor([[1]]), [first, second]])).rejects.toThrow(/caches/);
  });
});

describe("20 tokens are PyTorch's", () => {
  test("as exported", async () => {
    expect(await generate(await sconce.module(program), [7, 21, 3], 20)).toEqual(TOKENS);
  });

  test("lowered and folded", async () => {
    const lowered = sconce.transform(program, "decompose,fold-constants,cse,dce");
    expect(await generate(await sconce.module(lowered), [7, 21, 3], 20)).toEqual(TOKENS);
  });

  test.each([1, 2])("in WebAssembly on %d threads, where a step copies no cache", async (threads) => {
    const step = await sconce.module(program, { backend: wasmBackend({ threads }) });
    const { executable } = step;
    const bytes: (number | undefined)[] = [];
    const call: ProgramModule["call"] = async (...given: unknown[]) => {
      const outputs = await (step.call as (...given: unknown[]) => Promise<unknown>)(...given);
      const { bytesToDevice, bytesToHost } = executable.placement!().copies;
      bytes.push(bytesToDevice, bytesToHost);
      return outputs;
    };
    expect(await generate({ ...step, call }, [7, 21, 3], 20)).toEqual(TOKENS);
    // A token has 8 bytes, the logits have 96 numbers.
    expect(bytes).toEqual(Array.from({ length: 22 }, () => [8, 96 * 4]).flat());
    const memory = executable.memory!();
    await generate(step, [7, 21, 3], 20);
    expect(executable.memory!()).toEqual(memory);
    step.dispose();
  });

  test("when the model runs eagerly", () => {
    const tokens: number[] = [];
    let caches: Cache[] = emptyCaches(0);
    for (const token of [7, 21, 3, ...TOKENS.slice(0, -1)]) {
      const [logits, grown] = model(torch.tensor([[token]]), caches);
      caches = grown;
      tokens.push(Number(logits.argmax().item()));
    }
    expect(tokens.slice(2)).toEqual(TOKENS);
  });
});
