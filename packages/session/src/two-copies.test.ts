import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import * as own from "./index.js";

const PACKAGES = [
  "errors",
  "tensor",
  "symbolic",
  "ir",
  "ops",
  "trace",
  "passes",
  "backend-cpu",
  "formats",
  "session",
];
const LIBRARIES = [
  "fflate",
  "graphology",
  "graphology-components",
  "graphology-dag",
  "graphology-traversal",
  "immer",
  "reflect-metadata",
  "tsyringe",
];
const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = realpathSync(mkdtempSync(join(tmpdir(), "sconce-copy-")));
afterAll(() => rmSync(folder, { recursive: true }));

/** A second installation: the built files of the packages, in a separate `node_modules`. */
function install(): Promise<typeof own> {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@sconce"), { recursive: true });
  for (const name of PACKAGES) {
    const to = join(modules, "@sconce", name);
    const filter = (path: string): boolean => !/\.(map|d\.ts)$/.test(path);
    cpSync(join(root, "packages", name, "dist"), join(to, "dist"), { recursive: true, filter });
    const vendor = join(root, "packages", name, "vendor");
    if (existsSync(vendor)) cpSync(vendor, join(to, "vendor"), { recursive: true });
    cpSync(join(root, "packages", name, "package.json"), join(to, "package.json"));
  }
  for (const name of LIBRARIES) symlinkSync(join(root, "node_modules", name), join(modules, name));
  const entry = join(modules, "@sconce/session/dist/index.js");
  return import(pathToFileURL(entry).href) as Promise<typeof own>;
}

const other = await install();
const TEXT = `sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[2]) { %y: f32[2] = aten.relu.default(%x) return (%y) }`;
const program = own.parseIr(TEXT);
const foreign = other.parseIr(TEXT);
const x = (copy: typeof own) => copy.Tensor.from([-1, 2], [2], "float32");

/** Names both copies, and what to do. */
const REFUSED = expect.objectContaining({
  code: "TWO_COPIES",
  message: expect.stringMatching(
    /two copies of @sconce\/\w+ are loaded: .* of version \d.*sconce-copy-.* was given to version \d/,
  ),
  fix: expect.stringContaining("peerDependencies"),
});

const pass = (copy: typeof own) =>
  copy.definePass({ name: "mine", doc: "Does nothing.", run: (given) => given });
const rule = (copy: typeof own) =>
  copy.defineRule({ name: "r", doc: "", match: "aten.relu.default($x)", replace: "aten.neg.default($x)" });
const op = (copy: typeof own) =>
  copy.defineOp({ schema: "mylib::f(Tensor x) -> Tensor", meta: ({ x: a }) => a });

describe("a session refuses what a plugin made with another copy", () => {
  test.each<[string, object]>([
    ["a pass", { passes: [pass(other)] }],
    ["a rule", { rules: [rule(other)] }],
    [
      "a pair of functions",
      {
        rules: [
          other.replacePattern(
            (e, a) => e("aten.relu.default", [a]),
            (e, a) => e("aten.neg.default", [a]),
          ),
        ],
      },
    ],
    ["an operator", { ops: [op(other)] }],
  ])("%s", (_, parts) => {
    expect(() => own.createSconce({ plugins: [{ name: "far", ...parts }] })).toThrow(REFUSED);
    expect(() => own.createSconce({ plugins: [{ name: "far", ...parts }] })).toThrow(
      expect.objectContaining({ where: expect.stringContaining('plugin "far"') }),
    );
  });

  test("the same parts of one copy work there", () => {
    const sconce = other.createSconce({
      plugins: [{ name: "far", passes: [pass(other)], rules: [rule(other)], ops: [op(other)] }],
    });
    expect(sconce.transform(foreign, "mine")).toBe(foreign);
  });
});

const plain = (name: string, run: own.Pass["run"]): own.Plugin => ({
  name: "far",
  passes: [{ name, doc: "", options: {}, run }],
});

describe("objects of another copy are refused where they are used", () => {
  test.each<[string, () => unknown]>([
    ["a program: transform", () => own.createSconce().transform(foreign, "dce")],
    ["a program: verify", () => own.createSconce().verify(foreign)],
    ["a program: compile", () => own.createSconce().compile(foreign)],
    ["a program: bisect", () => own.createSconce().bisect(foreign, "dce")],
    ["a program: printed by a function", () => own.printIr(foreign)],
    ["a graph: edited", () => own.edit(foreign.graph, (editor) => editor.remove("y"))],
    [
      "a graph: in a program",
      () => own.createSconce().transform(program.with({ graph: foreign.graph }), "dce"),
    ],
    ["a pass", () => own.createSconce().transform(program, [pass(other)])],
    ["a built-in pass", () => own.createSconce().transform(program, [other.deadCodeElimination])],
    [
      "a rule",
      () =>
        own.createSconce().transform(program, [own.rulePass({ name: "r", doc: "", rules: [rule(other)] })]),
    ],
    [
      "a pass that is a plain object, and edits with its own copy",
      () =>
        own
          .createSconce({
            plugins: [plain("edits", (given) => given.with({ graph: other.edit(given.graph, () => {}) }))],
          })
          .transform(program, "edits"),
    ],
    [
      "a pass that returns a program of its copy",
      () => own.createSconce({ plugins: [plain("parses", () => foreign)] }).transform(program, "parses"),
    ],
    [
      "a node with a fake tensor of its copy",
      () =>
        own
          .createSconce({
            plugins: [
              plain("adds", (given) =>
                given.with({
                  graph: own.edit(given.graph, (editor) => {
                    editor.setMeta("y", foreign.graph.node("y").meta);
                  }),
                }),
              ),
            ],
          })
          .transform(program, "adds"),
    ],
    ["a tensor as an input", async () => (await own.createSconce().compile(program)).run([x(other)])],
    [
      "a tensor from a kernel",
      async () => {
        const kernels = { "aten.relu.default": () => x(other) };
        const sconce = own.createSconce({ plugins: [{ name: "far", kernels }] });
        return (await sconce.compile(program)).run([x(own)]);
      },
    ],
    [
      "a decomposition table",
      () => own.createSconce().runDecompositions(program, other.createSconce().defaultDecompositions()),
    ],
    [
      "an operator table",
      () => own.createSconce({ services: { operators: other.createSconce().operators } }).verify(program),
    ],
    [
      "a backend",
      async () =>
        (
          await own
            .createSconce({ backends: [{ ...other.cpuBackend(), name: "far" }] })
            .compile(program, "far")
        ).run([x(own)]),
    ],
  ])("%s", async (_, use) => {
    const result = Promise.resolve().then(use);
    await expect(result).rejects.toSatisfy((error: own.SconceError) => own.isSconceError(error));
    await expect(result).rejects.toThrow(/two copies of @sconce\/\w+ are loaded/);
  });
});

test("errors of another copy are errors of this one", () => {
  const found = (() => {
    try {
      other.parseIr("graph");
    } catch (error) {
      return error;
    }
    return undefined;
  })();
  expect(found).toBeInstanceOf(own.SconceError);
  expect(own.isSconceError(found, "IR_SYNTAX")).toBe(true);
  expect(new TypeError("x")).not.toBeInstanceOf(own.SconceError);
});

test("what reads only sizes and bytes of tensors takes those of another copy", () => {
  expect(own.compareTensors(x(other), x(own), { rtol: 0, atol: 0 })).toBeUndefined();
});

test("a copy by itself works, with the other one loaded", async () => {
  const executable = await other.createSconce().compile(foreign);
  const [y] = await executable.run([x(other)]);
  expect((y as own.Tensor).toArray()).toEqual([0, 2]);
});
