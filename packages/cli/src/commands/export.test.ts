import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sconce } from "../command.fixture.js";

const CAPTURE = pathToFileURL(new URL("../../../capture/dist/index.js", import.meta.url).pathname).href;
const MODEL = `
import { Dim, nn, torch } from "${CAPTURE}";
class Net extends nn.Module {
  fc = new nn.Linear(4, 3);
  forward(x) {
    return this.fc(x).relu();
  }
}
`;
const EXPORTS = "{ model: new Net(), args: [torch.ones(2, 4)], dynamicShapes: [{ 0: Dim('batch') }] }";

describe("sconce export", () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), "sconce-export-"));
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  const module = (name: string, text: string): string => {
    const path = join(dir, name);
    writeFileSync(path, text);
    return path;
  };

  test.each([
    ["named.mjs", "export const model = new Net();\nexport const args = [torch.ones(2, 4)];"],
    ["object.mjs", `export default ${EXPORTS};`],
    ["function.mjs", `export default async () => (${EXPORTS});`],
    [
      "both.mjs",
      "export default Net;\nexport const model = new Net();\nexport const args = [torch.ones(2, 4)];",
    ],
  ])("writes the program of %s", async (name, exports) => {
    const out = join(dir, `${name}.sir`);
    const { code, out: text, err } = await sconce("export", module(name, MODEL + exports), "-o", out);
    expect([code, err]).toEqual([0, ""]);
    expect(text).toContain("6 nodes, dialect TRAINING");
    expect(readFileSync(out, "utf8")).toContain("aten.linear.default");
    expect((await sconce("verify", out)).out).toContain("valid, 6 nodes");
    expect((await sconce("run", out, "--random", "0")).code).toBe(0);
  });

  test("exports a TypeScript module where Node removes types, and otherwise says what to do", async () => {
    const { typescript } = process.features as { readonly typescript?: unknown };
    const source = `const size: number = 2;\nexport const model = (x) => x.relu();\nexport const args = [torch.ones(size)];`;
    const name = module("typed.ts", `import { torch } from "${CAPTURE}";\n${source}`);
    const { code, out, err } = await sconce("export", name, "-o", join(dir, "typed.sir"));
    if (typescript === "strip" || typescript === "transform")
      expect({ code, nodes: /nodes, dialect TRAINING/.test(out) }).toEqual({ code: 0, nodes: true });
    else {
      expect(code).toBe(2);
      expect(err).toMatch(/error MODEL_MODULE: the module .*typed\.ts cannot be loaded: /);
      expect(err).toMatch(
        /fix compile the module \(`npx tsc --noEmit false --outDir dist`\).*Node 22\.18, 23\.6 and later/,
      );
    }
  });

  test("--strict refuses what the trace cannot see [S-005]", async () => {
    const source = `export const model = (x) => x.mul(Math.random());\nexport const args = [torch.ones(2)];`;
    const name = module("random.mjs", `import { torch } from "${CAPTURE}";\n${source}`);
    const out = join(dir, "random.sir");
    expect((await sconce("export", name, "-o", out)).code).toBe(0);
    const { code, err } = await sconce("export", name, "-o", out, "--strict");
    expect(code).not.toBe(0);
    expect(err).toMatch(/STRICT_MODE[\s\S]*random\.mjs:2:35, in model: random: `Math\.random\(\)`/);
  });

  test.each([
    ["empty.mjs", "", "exports no `model`"],
    ["args.mjs", "export const model = (x) => x;", "exports no array `args`"],
    ["class.mjs", `${MODEL}\nexport default Net;`, "exports no `model`"],
    ["throws.mjs", "throw new Error('boom');", "cannot be loaded: boom"],
    ["default.mjs", "export default () => { throw new Error('boom'); };", "default.mjs throws: boom"],
    [
      "forward.mjs",
      "export const args = [1];\nexport const model = (x) => x.relu();",
      "forward.mjs throws: x.relu",
    ],
  ])("refuses %s", async (name, text, message) => {
    const { code, err } = await sconce("export", module(name, text), "-o", join(dir, "no.sir"));
    expect(code).toBe(2);
    expect(err).toContain("MODEL_MODULE");
    expect(err).toContain(message);
    expect(err).toContain("fix");
  });

  test("the help shows a module that can be exported", async () => {
    const { out } = await sconce("export", "--help");
    const [, text] = /\nA module, model\.mjs:\n(.*?\n)\n(?! )/s.exec(out)!;
    const path = module("help.mjs", text!.replace('from "sconce"', `from "${CAPTURE}"`));
    expect((await sconce("export", path, "-o", join(dir, "help.sir"))).out).toContain("6 nodes");
    expect(readFileSync(join(dir, "help.sir"), "utf8")).toContain("f32[s77, 4]");
  });

  test("an error of the model has its line", async () => {
    const path = module("line.mjs", "export const args = [];\nexport const model = () => nothing;");
    const { err } = await sconce("export", path, "-o", join(dir, "no.sir"));
    expect(err).toContain("throws: nothing is not defined");
    expect(err).toContain(`${path}:2`);
  });

  test("warnings are those of every command", async () => {
    const warns = `${MODEL}
      export default { model: new Net(), args: [torch.ones(1, 4)], dynamicShapes: [{ 0: Dim.AUTO }] };`;
    const path = module("warns.mjs", warns);
    const run = async (...options: string[]): Promise<string> =>
      (await sconce("export", path, "-o", join(dir, "warns.sir"), ...options)).err;
    expect(await run()).toMatch(/^warning: dimension inputs\[0\].shape\[0\] 0\/1 specialized/);
    expect(await run("--quiet")).toBe("");
    expect(JSON.parse(await run("--json")).warning).toContain("0/1 specialized");
  });

  test("--draft prints what must be fixed, and writes the program if asked", async () => {
    const wrong = `${MODEL}
      export const model = (x) => x.view(2, 2, 3);
      export const args = [torch.ones(4, 3)];
      export const dynamicShapes = [{ 0: Dim("n") }];`;
    const path = module("draft.mjs", wrong);
    const out = join(dir, "draft.sir");
    expect((await sconce("export", path)).err).toContain(
      "add `-o OUT.pt2` or `-o OUT.sir`, or --draft for a report",
    );
    expect((await sconce("export", path, "-o", out)).err).toContain("CONSTRAINT_VIOLATION");
    const report = await sconce("export", path, "--draft");
    expect(report.code).toBe(1);
    expect(report.out).toContain("1. Guard Added.");
    expect(report.out).toContain("dynamicShapes = [{ 0: Dim.AUTO }]");
    const { code, out: text } = await sconce("export", path, "--draft", "--json", "-o", out);
    expect(code).toBe(1);
    expect(JSON.parse(text)).toMatchObject({
      output: out,
      nodes: 3,
      successful: false,
      failures: [{ type: "GUARD_ADDED", expression: "Eq(3*s77, 12)", dynamicShapes: "[{ 0: Dim.AUTO }]" }],
    });
    expect(readFileSync(out, "utf8")).toContain("aten.view.default");
    const right = module("right.mjs", `${MODEL}\nexport default ${EXPORTS};`);
    const fine = await sconce("export", right, "--draft");
    expect([fine.code, fine.out]).toEqual([0, expect.stringContaining("Congratulations")]);
  });

  test("a module that is not there, and a result of another kind", async () => {
    expect((await sconce("export", join(dir, "nope.mjs"), "-o", join(dir, "x.sir"))).err).toContain(
      "does not exist",
    );
    expect((await sconce("export", "x.mjs", "-o", join(dir, "x.safetensors"))).err).toContain(
      "name it OUT.pt2 for PyTorch, or OUT.sir for IR text",
    );
  });
});
