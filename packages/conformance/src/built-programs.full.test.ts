/** @file Every program that PyTorch exported, as a module that stands alone. */
import { existsSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { checkBuilt, checkScript } from "./built-programs.fixture.js";
import { PROGRAMS } from "./fixtures.js";
import { NAMES } from "./programs.fixture.js";

/** Files without values, and ones with operators and classes of a plugin. */
const NOT_RUN = new Set([
  "call_registered_class",
  "lifted_meta",
  "pm_custom_nonzero",
  "pm_custom_op",
  "tree_custom_node",
]);

const names = NAMES.filter((name) => existsSync(`${PROGRAMS}${name}/program.pt2`) && !NOT_RUN.has(name));
let [built, runs] = [0, 0];

describe("programs as modules", () => {
  test.each(names)("%s", async (name) => {
    const { refused, differences, runs: own } = await checkBuilt(name);
    expect(differences).toEqual([]);
    expect(refused).toBeUndefined();
    runs += own;
    built++;
  });
  afterAll(() => {
    expect(built).toBeGreaterThan(140);
    expect(runs).toBeGreaterThan(200);
  });
});

describe("programs as modules with kernels in JavaScript", () => {
  let [scripts, scriptRuns] = [0, 0];
  test.each(names)("%s", async (name) => {
    const { refused, differences, runs: own } = await checkScript(name);
    expect(differences).toEqual([]);
    if (refused === undefined) scripts++;
    scriptRuns += own;
  });
  afterAll(() => {
    expect(scripts).toBeGreaterThan(100);
    expect(scriptRuns).toBeGreaterThan(150);
  });
});
