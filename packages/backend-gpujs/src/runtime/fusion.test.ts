/** @file Fusion makes no nest that the device cannot compute of calls that it can. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { runDecompositions } from "@sconce/passes";
import { sampleProgram } from "@sconce/testing";
import { describe, expect, test } from "vitest";
import { program } from "../programs.fixture.js";
import { checkFusion, TARGETS, wideProgram } from "./legality.fixture.js";

const MODELS = fileURLToPath(new URL("../../../testing/fixtures/models/", import.meta.url));

test("what is given memory after a nest was planned does not add to what the nest reads", () => {
  const names = Array.from({ length: 7 }, (_, i) => `x${i}`);
  const sums = names.map((name, i) => `%t${i + 1}: f32[4, 4] = aten.add.Tensor(%t${i}, %${name})`);
  const late = program(
    names.map((name) => `%${name}: f32[4, 4]`).join(", "),
    [
      "%t0: f32[4, 4] = aten.mul.Tensor(%x0, %x1)",
      ...sums,
      "%mm: f32[4, 4] = aten.mm.default(%t0, %t0)",
    ].join("\n"),
    "t7, mm",
  );
  expect(checkFusion(late, TARGETS.webgpu)).toEqual({ nests: 4, problems: [] });
});

describe.each(Object.entries(TARGETS))("on %s every fused nest of legal calls is legal", (_, target) => {
  const check = (programs: readonly ExportedProgram[], least: number): void => {
    const checked = programs.map((program) => checkFusion(program, target));
    expect(checked.flatMap(({ problems }) => problems)).toEqual([]);
    expect(checked.reduce((total, { nests }) => total + nests, 0)).toBeGreaterThan(least);
  };
  test("in random programs", () => {
    const seeds = Array.from({ length: 12 }, (_, seed) => seed);
    const programs = seeds.map((seed) => runDecompositions(sampleProgram(seed)));
    check(programs, 20);
  });
  test("in random programs of many inputs", () =>
    check(
      Array.from({ length: 8 }, (_, seed) => wideProgram(seed)),
      60,
    ));
  test("in models", () => {
    const small = readdirSync(MODELS).filter((name) => name.includes("-small"));
    const programs = small.map((name) => parseIr(gunzipSync(readFileSync(MODELS + name)).toString()));
    check(
      programs.map((program) => runDecompositions(program)),
      80,
    );
  });
});
