import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { torchLibraries } from "@sconce/torch-libraries";
import { expect, test } from "vitest";
import { fixture, sconce } from "./command.fixture.js";
import { librariesFor } from "./libraries.js";
import { setLimits, withLimits } from "./limits.js";

const program = (name: string, file = "program.pt2"): string =>
  fileURLToPath(new URL(`../../testing/fixtures/custom-operators/${name}/${file}`, import.meta.url));

test("libraries are loaded for files that call their operators, and for no others", async () => {
  expect(await librariesFor([program("vision_pools")], [])).toEqual([torchLibraries]);
  expect(await librariesFor([program("moe_qwen3"), program("vision_deform")], [])).toEqual([torchLibraries]);
  expect(await librariesFor([fixture("net_mlp"), program("opaque_cond"), "./absent.pt2"], [])).toEqual([]);
  expect(await librariesFor([program("vision_pools")], [torchLibraries])).toEqual([]);
});

test("the limits of the command bound the search", async () => {
  await withLimits(async () => {
    setLimits(["entries=1"]);
    expect(await librariesFor([program("vision_pools")], [])).toEqual([]);
  });
});

test("such a program runs without further options, lowered IR text too", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sconce-libraries-"));
  const lowered = join(folder, "lowered.sir");
  const data = [
    "--inputs",
    program("vision_pools", "inputs.safetensors"),
    "--expect",
    program("vision_pools", "outputs.safetensors"),
  ];
  expect(await sconce("lower", program("vision_pools"), "-o", lowered)).toMatchObject({ code: 0, err: "" });
  for (const file of [program("vision_pools"), lowered]) {
    const { code, out, err } = await sconce("run", file, ...data);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("outputs are as expected");
  }
});
