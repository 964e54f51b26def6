import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixture, sconce } from "../command.fixture.js";

const MLP = fixture("net_mlp");
let folder: string;
let a: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-diff-"));
  a = await text("a", (lines) => lines);
});
afterAll(() => rm(folder, { recursive: true }));

const PROGRAM = `program "ATEN" {
  input %x: USER_INPUT
  output %b: USER_OUTPUT
}

graph(%x: f32[2]) {
  %a: f32[2] = aten.neg.default(%x) #0
  %b: f32[2] = aten.exp.default(%a)
  return (%b)
}

metadata {
  #0 {"stackTrace":"here"}
}
`;

async function text(name: string, change: (text: string) => string): Promise<string> {
  const path = join(folder, `${name}.sir`);
  await writeFile(path, change(PROGRAM));
  return path;
}

describe("sconce diff", () => {
  test("equal programs: nothing, and exit code 0", async () => {
    expect(await sconce("diff", MLP, MLP)).toEqual({ code: 0, out: "", err: "" });
    const other = join(folder, "mlp.sir");
    await sconce("lower", MLP, "-o", other, "--passes", "dce");
    expect(await sconce("diff", MLP, other)).toEqual({ code: 0, out: "", err: "" });
  });

  test("what differs, as diff -u shows it, and exit code 1", async () => {
    const b = await text("b", (t) =>
      t.replace("aten.exp.default(%a)", "aten.sin.default(%a)").replace('"here"', '"there"'),
    );
    expect(await sconce("diff", a, b)).toEqual({
      code: 1,
      err: "",
      out: `--- ${a}
+++ ${b}
@@ -7,6 +7,6 @@
 
 graph(%x: f32[2]) {
   %a: f32[2] = aten.neg.default(%x)
-  %b: f32[2] = aten.exp.default(%a)
+  %b: f32[2] = aten.sin.default(%a)
   return (%b)
 }
metadata differs: a: stackTrace
`,
    });
  });

  test("--json", async () => {
    const b = await text("c", (t) => t.replace("aten.exp.default(%a)", "aten.sin.default(%a)"));
    const { code, out } = await sconce("diff", a, b, "--json");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ a, b, equal: false, nodes: [{ node: "b", fields: ["target"] }] });
  });

  test("--ignore-names and --ignore-metadata", async () => {
    const b = await text("d", (t) => t.replaceAll("%a", "%first").replaceAll("%b", "%second"));
    expect((await sconce("diff", a, b)).code).toBe(1);
    expect(await sconce("diff", a, b, "--ignore-names")).toEqual({ code: 0, out: "", err: "" });
    const c = await text("e", (t) => t.replace('"here"', '"there"'));
    expect(await sconce("diff", a, c)).toMatchObject({ code: 1, out: "metadata differs: a: stackTrace\n" });
    expect((await sconce("diff", a, c, "--ignore-metadata")).code).toBe(0);
  });

  test("weights of other values", async () => {
    const [one, two] = [join(folder, "one.sir"), join(folder, "two.sir")];
    for (const path of [one, two]) await sconce("lower", MLP, "-o", path);
    const weights = join(folder, "two.safetensors");
    const bytes = await readFile(weights);
    bytes[bytes.length - 1]! ^= 0x40;
    await writeFile(weights, bytes);
    const { code, out } = await sconce("diff", one, two);
    expect(code).toBe(1);
    expect(out).toMatch(/^values differ: ".*"\n$/);
  });

  test("a file that is not a program: exit code 2", async () => {
    const { code, out, err } = await sconce("diff", a, join(folder, "absent.sir"));
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(/^error FILE: there is no file or folder .*absent\.sir/);
  });
});
