import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { fixture, PLUGIN, sconce } from "../command.fixture.js";

const text = (program: string, file: string): Promise<string> => readFile(fixture(program, file), "utf8");

describe("sconce print", () => {
  test.each([
    ["program", "program.txt"],
    ["graph", "graph.txt"],
    ["code", "code.txt"],
  ])("--format %s is PyTorch's text and nothing else", async (format, file) => {
    const result = await sconce("print", fixture("net_mlp"), "--format", format);
    expect(result).toEqual({ code: 0, err: "", out: await text("net_mlp", file) });
  });

  test("the program is what it prints without a format", async () => {
    expect((await sconce("print", fixture("net_mlp"))).out).toBe(await text("net_mlp", "program.txt"));
  });

  test("--format signature and ir", async () => {
    const signature = await sconce("print", fixture("net_mlp"), "--format", "signature");
    expect(signature.out).toContain("x: USER_INPUT\n");
    const ir = await sconce("print", fixture("net_mlp"), "--format", "ir");
    expect(ir.out).toMatch(/^sconce-ir 1\n\nprogram "TRAINING" \{\n/);
  });

  test.each([
    ["json", /^\{\n {2}"format": "sconce-json",/],
    ["mermaid", /^flowchart TD\n {4}input_x\[\/"Input: x<br\/>s77x12"\/\]\n/],
    ["dot", /^digraph program \{\n/],
  ])("--format %s", async (format, start) => {
    const { code, out } = await sconce("print", fixture("net_mlp"), "--format", format);
    expect(code).toBe(0);
    expect(out).toMatch(start);
  });

  test("--format ts is a module that `sconce export` takes", async () => {
    const source = await sconce("print", fixture("net_mlp"), "--format", "ts");
    expect(source).toMatchObject({ code: 0, err: "" });
    expect(source.out).toMatch(/^import \{ Dim, .* \} from "sconce";\n/);
    expect(source.out).toContain("export class Model extends nn.Module {");
    expect(source.out).toContain("export const dynamicShapes = { x: { 0: s77 } };");
  });

  test("--format ts refuses what has no function, with the node", async () => {
    const refused = await sconce("print", fixture("pm_custom_op"), "--format", "ts");
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toMatch(/^error NO_TYPESCRIPT: the call of mylib\.sin\.default cannot be written/);
    expect(refused.err).toContain("\n  in  sin\n");
  });

  test("--fold and --modules are for diagrams", async () => {
    const args = ["print", fixture("api_unflatten")];
    const folded = await sconce(...args, "--format", "mermaid", "--fold", "1");
    expect(folded.out).toContain('mod_first[["first<br/>Inner<br/>4 calls, 2 weights"]]');
    const framed = await sconce(...args, "--format", "dot", "--modules");
    expect(framed.out).toContain('subgraph cluster_frame_first {\n    label="first (Inner)"\n');
    const drawn = await sconce(...args, "--format", "svg", "--fold", "1");
    expect(drawn.out).toMatch(/^<svg .*>first<.*<\/svg>\n$/s);
    for (const wrong of [["--fold", "1"], ["--format", "dot", "--fold", "0"], ["--modules"]])
      expect((await sconce(...args, ...wrong)).err).toMatch(/^error USAGE: /);
  });

  test("--lower gives the text after run_decompositions()", async () => {
    const { code, out } = await sconce("print", fixture("net_mlp"), "--lower", "--format", "graph");
    expect(code).toBe(0);
    expect(out).toBe(await text("net_mlp", "decomposed.graph.txt"));
  });

  test("--passes runs a pipeline", async () => {
    const args = ["print", fixture("net_mlp"), "--format", "graph", "--passes"];
    const folded = await sconce(...args, "decompose,fold-constants{weights=true},cse,dce");
    expect(folded.code).toBe(0);
    expect(folded.out).toContain("aten.addmm.default");
    expect(folded.out).not.toContain("aten.permute.default");
  });

  test("a program with unknown custom operators can be looked at", async () => {
    const { code, out } = await sconce("print", fixture("pm_custom_op"));
    expect([code, out]).toEqual([0, await text("pm_custom_op", "program.txt")]);
  });

  test("it is lowered without its plugin too, with a warning", async () => {
    const args = ["print", fixture("pm_custom_op"), "--lower", "--format", "graph"];
    const lowered = await sconce(...args, "--plugin", PLUGIN);
    expect([lowered.code, lowered.err]).toEqual([0, ""]);
    expect(lowered.out).toContain("mylib.sin.default");
    const opaque = await sconce(...args);
    expect([opaque.code, opaque.out]).toEqual([0, lowered.out]);
    expect(opaque.err).toMatch(
      /^warning: pass "decompose" \(step 1\): nothing here defines mylib\.sin\.default: it is kept/,
    );
  });

  test("a plugin's passes are named like the built-in ones", async () => {
    const args = ["print", fixture("pm_custom_op"), "--format", "graph", "--plugin", PLUGIN];
    const { out } = await sconce(...args, "--passes", "mylib-to-aten");
    expect(out).toContain("aten.sin.default");
    expect(out).not.toContain("mylib.sin");
  });

  test.each([
    [
      "USAGE",
      ["--format", "xml"],
      "use one of: program, graph, code, signature, ir, json, json-ir, mermaid, dot, svg, loops, ts",
    ],
    [
      "UNKNOWN_PASS",
      ["--passes", "frob"],
      "use one of: functionalize, check-functional, decompose, core-aten, to-edge",
    ],
    ["PIPELINE_SYNTAX", ["--passes", "cse{"], "write passes between commas"],
    ["PASS_OPTION", ["--passes", "decompose{tables=none}"], 'did you mean "table"? see the options of'],
    ["PASS_REQUIRES", ["--passes", "fold-constants"], 'put "decompose" before it'],
    ["PLUGIN", ["--plugin", "./absent.js"], "check the path of the module"],
  ] as const)("%s", async (code, args, fix) => {
    const result = await sconce("print", fixture("net_mlp"), ...args);
    expect([result.code, result.out]).toEqual([2, ""]);
    expect(result.err).toMatch(new RegExp(`^error ${code}: `));
    expect(result.err).toContain(`\n  fix ${fix}`);
  });
});
