import { readFileSync } from "node:fs";
import { isSconceError } from "@sconce/errors";
import { unzipSync } from "fflate";
import { expect, test } from "vitest";
import { utf8 } from "../zip/zip.fixture.js";
import { makePt2, type Records } from "./pt2.fixture.js";
import { readPt2 } from "./read.js";

/** A small generator with a fixed seed (xorshift). */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const STRANGE: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  1e300,
  2 ** 53,
  "",
  "x",
  "__proto__",
  "as_tensor",
  [],
  {},
  [null],
  { as_int: 1 },
  { as_none: true },
  { as_tensor: { name: "x" } },
  { as_expr: { expr_str: "s0 + 1" } },
  { name: "x" },
  [[[]]],
  "constructor",
];

/** Changes one random place of a document. */
function mutate(value: unknown, random: (below: number) => number): unknown {
  if (random(12) === 0 || typeof value !== "object" || value === null) return STRANGE[random(STRANGE.length)];
  if (Array.isArray(value)) {
    if (value.length === 0) return [STRANGE[random(STRANGE.length)]];
    const at = random(value.length);
    const copy = [...(value as unknown[])];
    const choice = random(6);
    if (choice === 0) copy.splice(at, 1);
    else if (choice === 1) copy.push(copy[at]);
    else copy[at] = mutate(copy[at], random);
    return copy;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return { [String(STRANGE[random(STRANGE.length)])]: 1 };
  const at = random(entries.length);
  const [key, inner] = entries[at]!;
  const choice = random(6);
  if (choice === 0) entries.splice(at, 1);
  else if (choice === 1) entries[at] = [String(STRANGE[random(STRANGE.length)]), inner];
  else entries[at] = [key, mutate(inner, random)];
  return Object.fromEntries(entries);
}

const programs = new URL("../../../testing/fixtures/programs/", import.meta.url);

test.each(["ir_cond", "shape_numbers", "lifted_shared_storage", "unbacked_split"])(
  "mutations of %s give typed errors only",
  async (name) => {
    const random = randomNumbers(12345);
    const entries = Object.entries(
      unzipSync(new Uint8Array(readFileSync(new URL(`${name}/program.pt2`, programs)))),
    );
    const records: Records = new Map(
      entries.map(([path, data]) => [path.slice(path.indexOf("/") + 1), data]),
    );
    const documents = [...records.keys()].filter((path) => path.endsWith(".json"));
    let refused = 0;
    for (let round = 0; round < 250; round++) {
      const path =
        documents[random(10) === 0 ? random(documents.length) : documents.indexOf("models/model.json")]!;
      let document: unknown = JSON.parse(new TextDecoder().decode(records.get(path)));
      for (let i = random(3); i >= 0; i--) document = mutate(document, random);
      const changed = new Map(records).set(path, utf8(JSON.stringify(document)));
      try {
        await readPt2(makePt2(changed));
      } catch (error) {
        if (!isSconceError(error) || error.code === "INTERNAL") throw error;
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(100);
  },
);

test("random bytes and damaged files give typed errors only", async () => {
  const random = randomNumbers(999);
  const sound = makePt2();
  for (let round = 0; round < 500; round++) {
    const bytes =
      random(2) === 0 ? Uint8Array.from({ length: random(300) }, () => random(256)) : sound.slice();
    for (let i = random(8); i >= 0 && bytes.length > 0; i--) bytes[random(bytes.length)] = random(256);
    await readPt2(bytes).catch((error: unknown) => {
      if (!isSconceError(error) || error.code === "INTERNAL") throw error;
    });
  }
});
