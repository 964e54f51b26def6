/** @file Sconce as a user has it: installed from the tarballs in an empty project. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Installed, installedProject, type Project } from "./project.fixture.js";

let installed: Installed;
let project: Project;
beforeAll(async () => {
  installed = await installedProject();
  project = installed.project;
}, 300_000);
afterAll(() => installed?.dispose());

const EXAMPLES = "node_modules/sconce/examples";

/** How projects resolve modules: those of Node, and those of bundlers. */
const RESOLUTIONS = [
  { module: "nodenext", moduleResolution: "nodenext" },
  { module: "esnext", moduleResolution: "bundler" },
];

test("the command runs", async () => {
  expect(await project.bin("sconce", "--version")).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(await project.bin("sconce", "info", `${EXAMPLES}/mlp.pt2`)).toMatch(/exported program \(\.pt2\)/);
  expect(await project.bin("sconce", "explain", "NO_VALUES")).toMatch(/^NO_VALUES\n/);
});

describe("every entry point", () => {
  const NAMES = ["", "/node", "/gpujs", "/loops", "/symbolic", "/topology", "/torch-libraries", "/testing"];
  const entries = [...NAMES, "/testing/vitest", "/testing/fast-check"].map((name) => `sconce${name}`);
  const text = entries.map(
    (name, i) => `import * as entry${i} from "${name}";\nconsole.log(Object.keys(entry${i}).length);\n`,
  );

  test.each(RESOLUTIONS)("has types with $moduleResolution", async (options) => {
    project.write("entries.mts", text.join(""));
    expect(await project.typeErrors(["entries.mts"], options)).toBe("");
    // A project for Node only has no types of browsers; those of vitest need them.
    project.write("entries-node.mts", text.slice(0, 8).join(""));
    expect(await project.typeErrors(["entries-node.mts"], { ...options, lib: ["es2022"] })).toBe("");
  });

  test("is loaded by Node", async () => {
    const loaded = await project.program("entries", text.slice(0, 8).join(""));
    expect(
      loaded
        .trim()
        .split("\n")
        .every((count) => Number(count) > 0),
    ).toBe(true);
  });
});
