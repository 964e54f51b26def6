/** @file Names in lowered programs with symbolic sizes, beside PyTorch's: no other number. */
import { readFileSync } from "node:fs";
import { runDecompositions } from "@sconce/passes";
import { createSconce } from "@sconce/session";
import { describe, expect, test } from "vitest";
import { sampled } from "../../../.config/sampled.js";
import { comparable } from "./capture/retraced.fixture.js";
import { fixtureJson, fixtureText, PROGRAMS } from "./fixtures.js";

/** As `oracle/lowered_names.py` records them. */
const { corpus, models } = fixtureJson("decompositions/lowered-names.json.gz") as {
  readonly corpus: Readonly<Record<string, string>>;
  readonly models: Readonly<Record<string, { readonly file: string; readonly text: string }>>;
};

/** Random programs as `oracle/random_names.py` records them; files are hexadecimal. */
const RANDOM = fixtureText("decompositions/random-names.jsonl.br")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as { readonly [key in "name" | "body" | "file" | "text"]: string });

/**
 * Calls of random programs whose names have other numbers, as `docs/concepts/lowered-programs.md`
 * lists them.
 */
const DIFFERENT: readonly string[] = [
  "F.pad(x,(1,1,1,1),mode='circular')",
  "F.pixel_unshuffle(",
  "F.pixel_shuffle(",
  "F.channel_shuffle(",
  "torch.einsum('bchw,bdhw->bcd',x,x)",
  "torch.einsum('ij,ik->jk',x,x)",
  "torch.tensordot(x,self.w8,1)",
  "F.bilinear(",
  "x.clone().t_()",
  "F.gumbel_softmax(",
  "F.multi_margin_loss(",
  "x.quantile(",
];

const session = createSconce();
const loweredText = async (bytes: Uint8Array): Promise<string> =>
  comparable(String(runDecompositions(await session.load(bytes))));

/** Returns a text without the numbers at the end of names. */
const unnumbered = (text: string): string => text.replaceAll(/(?<=\w)_\d+\b/g, "");

describe("names of lowered programs are PyTorch's", () => {
  test.each(Object.entries(models))("%s", async (_name, { file, text }) => {
    expect(await loweredText(Buffer.from(file, "base64"))).toBe(text);
  });

  test.each(Object.entries(corpus))("%s", async (name, wanted) => {
    expect(await loweredText(readFileSync(`${PROGRAMS}${name}/program.pt2`))).toBe(wanted);
  });

  test.each(sampled(RANDOM, 3))("$name", async ({ body, file, text }) => {
    const got = await loweredText(Buffer.from(file, "hex"));
    if (got === text) return;
    expect(DIFFERENT.filter((call) => body.includes(call))).not.toEqual([]);
    expect(unnumbered(got)).toBe(unnumbered(text));
  });

  test("there are 238 random programs, and 14 have other numbers", async () => {
    expect(RANDOM.length).toBe(238);
    const listed = RANDOM.filter(({ body }) => DIFFERENT.some((call) => body.includes(call)));
    let different = 0;
    for (const { file, text } of listed)
      if ((await loweredText(Buffer.from(file, "hex"))) !== text) different++;
    expect(different).toBe(14);
  });
});
