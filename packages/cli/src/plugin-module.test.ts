import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sconce } from "./command.fixture.js";

const home = process.cwd();
let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "sconce-plugin-module-")));
  process.chdir(folder);
});
afterAll(async () => {
  process.chdir(home);
  await rm(folder, { recursive: true });
});

const PLUGIN =
  'export default { name: "mine", passes: [{ name: "noop", doc: "Does nothing.", options: {}, run: (p) => p }] };';

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** Installs a package whose plugin is in `dist/plugin.js`. */
async function installPackage(name: string, manifest: object): Promise<void> {
  await write(`node_modules/${name}/package.json`, JSON.stringify({ name, type: "module", ...manifest }));
  await write(`node_modules/${name}/dist/plugin.js`, PLUGIN);
}

const FILE = "./dist/plugin.js";

test.each([
  ["with main", "mylib", { main: FILE }],
  ["with one export", "mylib-one", { exports: FILE }],
  [
    "with conditions",
    "mylib-conditions",
    { exports: { ".": { types: "./dist/plugin.d.ts", default: FILE } } },
  ],
  ["for import only", "mylib-import", { exports: { ".": { types: "./dist/plugin.d.ts", import: FILE } } }],
  ["of a scope", "@mine/mylib", { exports: { import: FILE } }],
  [
    "by a path of its exports",
    "mylib-parts/plugin",
    { exports: { "./plugin": { import: { default: FILE } } } },
  ],
])("a package %s is loaded by its name: %s", async (_, name, manifest) => {
  await installPackage(name.replace("/plugin", ""), manifest);
  const { code, out } = await sconce("passes", "--plugin", name);
  expect({ code, listed: /noop/.test(out) }).toEqual({ code: 0, listed: true });
});

test("a file comes before a package of its name", async () => {
  await installPackage("both.js", { exports: "./dist/other.js" });
  await write("both.js", PLUGIN.replace("noop", "from-file"));
  expect((await sconce("passes", "--plugin", "both.js")).out).toMatch(/from-file/);
});

test.each([["missing-lib"], ["@mine/missing"], ["./missing.js"], ["mylib-parts/missing"]])(
  "%s is reported as missing",
  async (name) => {
    const { code, err } = await sconce("passes", "--plugin", name);
    expect(code).toBe(2);
    expect(err).toMatch(`error PLUGIN: the plugin ${name} does not exist`);
    expect(err).toMatch("or install the package of that name");
  },
);

const { typescript } = process.features as { readonly typescript?: unknown };

test("a TypeScript module is loaded where Node strips types, and otherwise the error says what to do", async () => {
  await write("typed.ts", `const name: string = "mine";\n${PLUGIN.replace('"mine"', "name")}`);
  const { code, out, err } = await sconce("passes", "--plugin", "typed.ts");
  if (typescript === "strip" || typescript === "transform")
    expect({ code, listed: /noop/.test(out) }).toEqual({ code: 0, listed: true });
  else {
    expect(code).toBe(2);
    expect(err).toMatch(/error PLUGIN: the plugin typed\.ts cannot be loaded: /);
    expect(err).toMatch(
      /fix compile the module \(`npx tsc --noEmit false --outDir dist`\).*Node 22\.18.*this is v20/,
    );
  }
});

test("a TypeScript module that Node does not strip says to compile it", async () => {
  await write("enum.ts", "enum Kind { A }\nexport default { name: String(Kind.A) };");
  const { code, err } = await sconce("passes", "--plugin", "enum.ts");
  expect(code).toBe(2);
  expect(err).toMatch(/fix compile the module/);
});

describe("the error of a module that does not load names the cause, the line and the fix", () => {
  test.each([
    ["throws.mjs", '\nthrow new Error("boom");', "cannot be loaded: boom", "throws.mjs:2", "its code throws"],
    [
      "syntax.mjs",
      'export default {\n  name: "x",\n',
      "Unexpected end of input",
      "syntax.mjs:3",
      "`node .*` shows",
    ],
    [
      "package.mjs",
      'import "absent-lib";',
      "Cannot find package 'absent-lib'",
      undefined,
      "npm install absent-lib",
    ],
    ["file.mjs", 'import "./gone.mjs";', "Cannot find module", undefined, "correct the import in .*file.mjs"],
    ["helper.mjs", 'import "./real.js";', "Cannot find module", undefined, "extension of the file, .ts"],
    ["type.mjs", 'import { Nope } from "node:fs";', "named 'Nope'", "type.mjs:1", "import { type Nope }"],
  ])("%s", async (file, text, cause, place, fix) => {
    await write("real.ts", "export {};");
    await write(file, text);
    const { code, err } = await sconce("passes", "--plugin", `./${file}`);
    expect(code).toBe(2);
    expect(err).toMatch(cause);
    if (place !== undefined) expect(err).toMatch(new RegExp(`\n {2}in .*${place}`));
    expect(err).toMatch(new RegExp(`\n {2}fix .*${fix}`));
  });

  test("a folder", async () => {
    await write("folder/dist/index.js", PLUGIN);
    expect((await sconce("passes", "--plugin", "./folder")).err).toMatch(
      /fix give the path of a file in the folder/,
    );
  });
});
