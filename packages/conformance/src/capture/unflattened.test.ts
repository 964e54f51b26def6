import { unflatten } from "@sconce/capture";
import { parseIr, printIr, tensorsOf } from "@sconce/ir/text";
import { expect, test } from "vitest";
import { STATIC_NETWORKS } from "./networks.fixture.js";
import {
  fingerprintAgain,
  fingerprintsOf,
  readProgram,
  swapEach,
  UNFLATTENED,
  unflattenedDifference,
} from "./unflattened.fixture.js";

test.each([
  "api_unflatten/program",
  "api_unflatten_plain/decomposed",
  "net_lstm/program",
  "net_resnet_train/decomposed",
  "flow_cond_nested/program",
  "pm_buffer_updates/program",
])("%s has PyTorch's modules, state and graphs, and gives its numbers [S-133]", async (key) => {
  const program = await readProgram(key);
  const module = unflatten(program);
  expect(fingerprintsOf(module)).toBe(UNFLATTENED[key]!.split(" ").slice(0, 3).join(" "));
  expect(unflattenedDifference(key, program)).toBeUndefined();
});

test("a program that was read from IR text has the same modules", async () => {
  const key = "api_unflatten/program";
  const program = await readProgram(key);
  const read = parseIr(printIr(program), { tensors: tensorsOf(program) });
  expect(fingerprintsOf(unflatten(read))).toBe(fingerprintsOf(unflatten(program)));
});

test("api_unflatten is exported again as PyTorch does", async () => {
  const key = "api_unflatten/program";
  expect(fingerprintAgain(await readProgram(key))).toBe(UNFLATTENED[key]!.split(" ")[3]);
});

test("the modules of a network survive swaps [S-137]", async () => {
  const { swapped, problems } = await swapEach("net_mobilenet", STATIC_NETWORKS["net_mobilenet"]!);
  expect(swapped).toEqual(["0", "1", "2", "3", "4", "5"]);
  expect(problems).toEqual([]);
});
