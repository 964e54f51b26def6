import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fixtureJson } from "../fixtures.js";
import { type Recorded, twinsSpec } from "../twin-spec.fixture.js";
import { ATTENTION } from "./attention.fixture.js";
import { SEQUENCE } from "./sequence.fixture.js";
import { SIZES } from "./sizes.fixture.js";
import { STATE } from "./state.fixture.js";
import { VISION } from "./vision.fixture.js";

const RECORDED = fixtureJson("capture/twins.json.gz") as Readonly<Record<string, Recorded>>;

twinsSpec({ ...ATTENTION, ...VISION, ...SEQUENCE, ...STATE, ...SIZES }, RECORDED);

test("the models are written without casts and assertions", () => {
  const folder = new URL(".", import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith(".fixture.ts"));
  expect(files).toHaveLength(6);
  for (const name of files) {
    const code = readFileSync(new URL(name, folder), "utf8");
    expect(
      [...code.matchAll(/\bas (?!const\b)\w+|[\w)\]]!(?=[.;,)[\]])|\bany\b|@ts-\w+/g)].map(String),
    ).toEqual([]);
  }
});
