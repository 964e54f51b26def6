/** @file Networks at their real sizes, beside what PyTorch exports (`full_size.py`). */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { exportProgram, manualSeed } from "@sconce/capture";
import { verify } from "@sconce/ir/verify";
import { createSconce } from "@sconce/session";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { FULL_SIZE } from "./models.js";

const FOLDER = fileURLToPath(new URL("../../testing/fixtures/capture/full-size/", import.meta.url));
const NAMES = ["resnet50", "gpt2", "vit_b_16"] as const;

interface Ends {
  readonly first: readonly number[];
  readonly last: readonly number[];
}

const OUTPUTS = JSON.parse(readFileSync(`${FOLDER}outputs.json`, "utf8")) as Record<string, Ends>;

const withoutComments = (text: string): string =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.trim().startsWith("#"))
    .join("\n");

describe.each(NAMES)("%s at its real size", (name) => {
  const { make, input, dynamicShapes } = FULL_SIZE[name];

  test("exports to PyTorch's program and gives PyTorch's numbers", { timeout: 600_000 }, async () => {
    manualSeed(0);
    const model = make().eval();
    const x = input();
    const program = exportProgram(model, [x], { dynamicShapes });
    const wanted = gunzipSync(readFileSync(`${FOLDER}${name}.txt.gz`)).toString();
    expect(withoutComments(String(program))).toBe(wanted);
    expect(verify(program)).toEqual([]);
    const eager = (model as unknown as (input: Tensor) => Tensor)(x).toArray();
    const module = await createSconce().module(program, { backend: "cpu" });
    const [result] = [await module.call([x])].flat() as Tensor[];
    expect(result!.toArray()).toEqual(eager);
    const { first, last } = OUTPUTS[name]!;
    for (const [got, want] of [
      [eager.slice(0, 8), first],
      [eager.slice(-8), last],
    ] as const)
      for (const [i, value] of want.entries()) expect(Number(got[i])).toBeCloseTo(value, digits(value));
  });
});

/** Five significant digits. */
const digits = (value: number): number => 4 - Math.ceil(Math.log10(Math.abs(value) + 1e-3));
