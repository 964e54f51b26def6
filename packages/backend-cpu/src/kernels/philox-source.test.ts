import { describe, expect, test } from "vitest";
import { createPhiloxSource, philoxBlock } from "./philox-source.js";

describe("Philox4x32-10", () => {
  test("the known answers of the paper's library (Random123, kat_vectors)", () => {
    const words = new Uint32Array(4);
    philoxBlock(0n, 0n, words);
    expect([...words]).toEqual([0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
  });

  test("a source runs through the blocks of its seed, and starts again when seeded", () => {
    const source = createPhiloxSource(5);
    const first = Array.from({ length: 8 }, () => source.uint32());
    const words = new Uint32Array(4);
    philoxBlock(5n, 1n, words);
    expect(first.slice(4)).toEqual([...words]);
    source.spareNormal = 1;
    source.seed(5n);
    expect([source.uint32(), source.spareNormal]).toEqual([first[0], undefined]);
  });
});
