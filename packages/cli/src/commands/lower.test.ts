import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseIr } from "@sconce/ir/text";
import { readSafetensors, Tensor } from "@sconce/tensor";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fixture, PLUGIN, sconce } from "../command.fixture.js";
import { readSir, writeSir } from "../sir.js";

const MLP = fixture("net_mlp");
let folder: string;
let out: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-lower-"));
  out = join(folder, "out.sir");
});
afterEach(() => rm(folder, { recursive: true }));

describe("sconce lower", () => {
  test("writes IR text with the tensors beside it, and says so", async () => {
    const result = await sconce("lower", MLP, "-o", out);
    expect(result).toEqual({
      code: 0,
      err: "",
      out: `${out}: 18 -> 21 nodes, dialect ATEN; tensors in ${join(folder, "out.safetensors")}\n`,
    });
    expect((await readdir(folder)).sort()).toEqual(["out.safetensors", "out.sir"]);
    expect(await readFile(out, "utf8")).toMatch(/^sconce-ir 1\n\nprogram "ATEN" \{\n/);
    const { tensors } = readSafetensors(await readFile(join(folder, "out.safetensors")));
    expect([...tensors.keys()]).toContain("net.0.weight");
  });

  test("the result is what run_decompositions() gives, text for text", async () => {
    await sconce("lower", MLP, "-o", out);
    const { out: text } = await sconce("print", out, "--format", "graph");
    expect(text).toBe(await readFile(fixture("net_mlp", "decomposed.graph.txt"), "utf8"));
  });

  test("--keep leaves operators as they are", async () => {
    await sconce("lower", MLP, "-o", out, "--keep", "aten.linear.default", "--keep", "aten.gelu.default");
    const { out: text } = await sconce("info", out, "--json");
    expect(JSON.parse(text)).toMatchObject({
      format: "sir",
      operators: { "aten.linear.default": 3 },
    });
  });

  test("options that match nothing give a warning, and wrong ones refused before anything runs", async () => {
    const note = "keep names aten.conv2d.default, which nothing in the program calls";
    const kept = await sconce("lower", MLP, "-o", out, "--keep", "aten.conv2d.default", "--json");
    expect(JSON.parse(kept.err)).toEqual({ warning: `pass "decompose" (step 1): ${note}` });
    expect(JSON.parse(kept.out)).toMatchObject({ notes: [{ pass: "decompose", step: 0, note }] });
    await rm(out);
    const text = "decompose,decompose{keep=[aten.linear]}";
    const wrong = await sconce("lower", MLP, "-o", out, "--passes", text);
    expect([wrong.code, wrong.out]).toEqual([2, ""]);
    expect(wrong.err).toBe(
      `error PASS_OPTION: pass "decompose": keep names aten.linear, which is not an operator
  in  character 27 of "${text}"
  fix did you mean "aten.linear.default" or "aten.linear.out"? write overloads out: aten.conv2d.default
  see sconce explain PASS_OPTION
`,
    );
    const keep = await sconce("lower", MLP, "-o", out, "--keep", "aten.nope.default");
    expect([keep.code, keep.err]).toEqual([2, expect.stringContaining("keep names aten.nope.default")]);
    expect(await readdir(folder)).not.toContain("out.sir");
  });

  test("--passes runs a pipeline in place of run_decompositions()", async () => {
    const { out: text } = await sconce("lower", MLP, "-o", out, "--json", "--passes", "dce");
    expect(JSON.parse(text)).toEqual({
      output: out,
      weights: join(folder, "out.safetensors"),
      dialect: "TRAINING",
      nodes: { before: 18, after: 18 },
    });
  });

  test("--plugin gives operators and passes", async () => {
    const opaque = await sconce("lower", fixture("pm_custom_op"), "-o", out);
    expect([opaque.code, opaque.err]).toEqual([0, expect.stringMatching(/mylib\.sin\.default: it is kept/)]);
    const done = await sconce(
      "lower",
      fixture("pm_custom_op"),
      "-o",
      out,
      "--plugin",
      PLUGIN,
      "--passes",
      "mylib-to-aten",
    );
    expect(done.code).toBe(0);
    expect(await readFile(out, "utf8")).toContain("aten.sin.default");
  });

  test.each([
    ["required option '-o, --output <file>' not specified", []],
    [
      "--keep says what the default pipeline keeps",
      ["-o", "x.sir", "--keep", "aten.linear.default", "--passes", "dce"],
    ],
    ["x.safetensors cannot be written: the result is a program", ["-o", "x.safetensors"]],
  ])("%s", async (message, args) => {
    const { code, err } = await sconce("lower", MLP, ...args);
    expect(code).toBe(2);
    expect(err).toContain(`error USAGE: ${message}`);
  });

  test("what goes wrong leaves nothing behind, and what was there as it was", async () => {
    await writeFile(out, "before");
    for (const passes of ["frob", "fold-constants"]) {
      const { code } = await sconce("lower", MLP, "-o", out, "--passes", passes);
      expect(code).toBe(2);
    }
    expect(await readdir(folder)).toEqual(["out.sir"]);
    expect(await readFile(out, "utf8")).toBe("before");
    const { code, err } = await sconce("lower", MLP, "-o", join(folder, "absent", "out.sir"));
    expect(code).toBe(2);
    expect(err).toMatch(/^error FILE: there is no folder .*absent/);
  });

  test("tensors that safetensors cannot hold are refused before anything is written", async () => {
    const program = parseIr('program "ATEN" {\n  constant "k": c128[2]\n}\ngraph() { return () }\n', {
      tensors: new Map([["k", Tensor.empty([2], "complex128")]]),
    });
    await expect(writeSir(out, program)).rejects.toThrow("safetensors has no complex128");
    expect(await readdir(folder)).toEqual([]);
  });
});

describe(".sir files", () => {
  test("run as the program that they were made of", async () => {
    await sconce("lower", MLP, "-o", out);
    const files = [
      "--inputs",
      fixture("net_mlp", "inputs.safetensors"),
      "--expect",
      fixture("net_mlp", "outputs.safetensors"),
    ];
    expect(await sconce("run", out, ...files)).toEqual({
      code: 0,
      err: "",
      out: "o0: float32[3, 5]\noutputs are as expected\n",
    });
  });

  test("are valid, and lowered again stay the same", async () => {
    await sconce("lower", MLP, "-o", out);
    expect((await sconce("verify", out)).out).toContain("valid, 21 nodes, dialect ATEN");
    const again = join(folder, "again.sir");
    await sconce("lower", out, "-o", again, "--passes", "dce");
    expect(await readFile(again, "utf8")).toBe(await readFile(out, "utf8"));
    expect(await readFile(join(folder, "again.safetensors"))).toEqual(
      await readFile(join(folder, "out.safetensors")),
    );
  });

  test("are recognized by their content, not by their names", async () => {
    await sconce("lower", MLP, "-o", out);
    const [text, weights] = [join(folder, "named.pt2"), join(folder, "named.pt2.safetensors")];
    await writeFile(text, `// a comment first\n${await readFile(out, "utf8")}`);
    await writeFile(weights, await readFile(join(folder, "out.safetensors")));
    expect((await sconce("verify", text)).code).toBe(0);
    const archive = join(folder, "archive.sir");
    await writeFile(archive, await readFile(MLP));
    expect((await sconce("info", archive)).out).toContain("exported program (.pt2)");
  });

  test("tied weights are stored once and read as one", async () => {
    const program = (names: string): string => `program "ATEN" {\n${names}}\ngraph() { return () }\n`;
    const tensor = Tensor.from([1, 2], [2], "float32");
    const tied = parseIr(program('  parameter "a": f32[2]\n  parameter "b": f32[2]\n'), {
      tensors: new Map([
        ["a", tensor],
        ["b", tensor],
      ]),
    });
    await writeSir(out, tied);
    const read = await readSir(out);
    expect(read.stateDict.get("b")).toBe(read.stateDict.get("a"));
    const { tensors } = readSafetensors(await readFile(join(folder, "out.safetensors")));
    expect([...tensors.keys()]).toEqual(["a"]);
  });

  test("without the tensors that they declare are refused", async () => {
    await sconce("lower", MLP, "-o", out);
    await rm(join(folder, "out.safetensors"));
    const { code, err } = await sconce("print", out);
    expect(code).toBe(2);
    expect(err).toContain(`error FILE: there is no file or folder ${join(folder, "out.safetensors")}`);
  });

  test("of others' tensors and of bad text are refused, with the place", async () => {
    await sconce("lower", MLP, "-o", out);
    await sconce("lower", fixture("net_bert"), "-o", join(folder, "bert.sir"));
    await writeFile(join(folder, "out.safetensors"), await readFile(join(folder, "bert.safetensors")));
    expect((await sconce("verify", out)).err).toMatch(
      /^error TENSORS_MISMATCH: the tensors in .*out\.safetensors are not those that .*out\.sir was/,
    );
    await writeFile(out, 'sconce-ir 1\nprogram "ATEN" {\n  frob\n}\n');
    expect((await sconce("verify", out)).err).toMatch(
      /^error IR_SYNTAX: "frob" is not a line of a program\n {2}in {2}.*out\.sir: line 3/,
    );
    await writeFile(out, Buffer.concat([Buffer.from("sconce-ir 1\n"), new Uint8Array([0xff, 0xc3])]));
    expect((await sconce("verify", out)).err).toContain("the IR text is not UTF-8");
  });
});
