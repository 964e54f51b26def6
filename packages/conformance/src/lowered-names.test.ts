/** @file Names in lowered programs with symbolic sizes, beside PyTorch's: no other number. */
import { readFileSync } from "node:fs";
import { runDecompositions } from "@sconce/passes";
import { createSconce } from "@sconce/session";
import { describe, expect, test } from "vitest";
import { comparable } from "./capture/retraced.fixture.js";
import { fixtureJson, PROGRAMS } from "./fixtures.js";

/** As `oracle/lowered_names.py` records them. */
const { corpus, models } = fixtureJson("decompositions/lowered-names.json.gz") as {
  readonly corpus: Readonly<Record<string, string>>;
  readonly models: Readonly<Record<string, { readonly file: string; readonly text: string }>>;
};

/** Programs whose names have other numbers, with what PyTorch asks more or less often. */
const DIFFERENT: Readonly<Record<string, string>> = {
  net_lstm_cell: "it runs the decompositions of sigmoid_ and tanh_ on sizes",
};

const session = createSconce();
const loweredText = async (bytes: Uint8Array): Promise<string> =>
  comparable(String(runDecompositions(await session.load(bytes))));

describe("names of lowered programs are PyTorch's", () => {
  const check = (name: string, text: string, wanted: string): void => {
    if (name in DIFFERENT) expect(text).not.toBe(wanted);
    else expect(text).toBe(wanted);
  };

  test.each(Object.entries(models))("%s", async (name, { file, text }) => {
    check(name, await loweredText(Buffer.from(file, "base64")), text);
  });

  test.each(Object.entries(corpus))("%s", async (name, wanted) => {
    check(name, await loweredText(readFileSync(`${PROGRAMS}${name}/program.pt2`)), wanted);
  });
});
