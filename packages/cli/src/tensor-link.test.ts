import { copyFile, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readSafetensors } from "@sconce/tensor";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixture, sconce, sconceOn, withInput } from "./command.fixture.js";

const MLP = fixture("net_mlp");
const INPUTS = fixture("net_mlp", "inputs.safetensors");
const WANT = fixture("net_mlp", "outputs.safetensors");

let folder: string;
const at = (name: string): string => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-pair-"));
  await sconce("lower", MLP, "-o", at("a.sir"));
  await sconce("lower", fixture("net_bert"), "-o", at("b.sir"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("a text and its tensors", () => {
  const copied = async (text: string, tensors: string): Promise<string> => {
    await copyFile(at(`${text}.sir`), at("c.sir"));
    await copyFile(at(`${tensors}.safetensors`), at("c.safetensors"));
    return at("c.sir");
  };

  test("have the same checksum, and are the same when they are written again", async () => {
    const [, checksum] = /\n\/\/ tensors sha256:([0-9a-f]{64})\n$/.exec(await readFile(at("a.sir"), "utf8"))!;
    const { metadata } = readSafetensors(await readFile(at("a.safetensors")));
    expect(metadata.get("sconce.tensors")).toBe(checksum);
    await sconce("lower", MLP, "-o", at("again.sir"));
    for (const end of ["sir", "safetensors"])
      expect(await readFile(at(`again.${end}`))).toEqual(await readFile(at(`a.${end}`)));
  });

  test("that belong together are opened", async () => {
    expect(await sconce("verify", await copied("a", "a"))).toMatchObject({ code: 0, err: "" });
  });

  test("that do not are refused", async () => {
    const { code, err } = await sconce("run", await copied("a", "b"), "--inputs", INPUTS);
    expect(code).toBe(2);
    expect(err).toMatch(
      /^error TENSORS_MISMATCH: the tensors in .*c\.safetensors are not those that .*c\.sir/,
    );
  });

  test("are opened again while another process writes them", async () => {
    const path = await copied("a", "b");
    const opened = sconce("verify", path);
    await copyFile(at("a.safetensors"), at("d"));
    await rename(at("d"), at("c.safetensors"));
    expect(await opened).toMatchObject({ code: 0, err: "" });
  });

  test("of other writers, without the checksum, are not compared", async () => {
    const path = await copied("a", "b");
    await writeFile(path, (await readFile(path, "utf8")).replace(/\/\/ tensors sha256:.*\n$/, ""));
    expect((await sconce("verify", path)).err).toMatch(/^error IR_TENSOR: /);
  });
});

describe("-o - and -", () => {
  const lowered = (file: string): Promise<string> => sconce("lower", file, "-o", "-").then(({ out }) => out);

  test("a text with its tensors goes through a pipe, and runs", async () => {
    const { code, out, err } = await sconce("lower", MLP, "-o", "-");
    expect([code, err]).toEqual([0, expect.stringMatching(/^standard output: 18 -> 21 nodes, .*\n$/)]);
    for (const line of out.slice(out.indexOf("// tensors")).split("\n"))
      expect(line.length).toBeLessThan(100);
    const ran = await sconceOn(withInput(out), "run", "-", "--inputs", INPUTS, "--expect", WANT);
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining("outputs are as expected")]);
  });

  test("the same in a file, without another beside it", async () => {
    await writeFile(at("one.sir"), await lowered(MLP));
    const ran = await sconce("run", at("one.sir"), "--inputs", INPUTS, "--expect", WANT);
    expect([ran.code, ran.err]).toEqual([0, ""]);
    expect((await sconce("diff", at("one.sir"), at("a.sir"))).out).toBe("");
  });

  test("cut off or changed tensors are refused", async () => {
    const text = await lowered(MLP);
    const end = text.indexOf("// tensors base64");
    const [first, ...lines] = text.slice(end).split("\n");
    const swapped = [first, lines[1], lines[0], ...lines.slice(2)].join("\n");
    for (const changed of [text.slice(0, -20), text.slice(0, end + 30), text.slice(0, end) + swapped]) {
      const { code, err } = await sconceOn(withInput(changed), "verify", "-");
      expect([code, err.split(":")[0]]).toEqual([2, "error TENSORS_MISMATCH"]);
      expect(err).toContain("\n  in  standard input\n");
    }
  });

  test.each(["info", "print", "verify", "lower"])("`%s -` takes a .pt2 file and IR text", async (command) => {
    const more = command === "lower" ? ["-o", "-"] : [];
    const archive = await sconceOn(withInput(await readFile(MLP)), command, "-", ...more);
    const text = await sconceOn(withInput(await lowered(MLP)), command, "-", ...more);
    expect([archive.code, text.code]).toEqual([0, 0]);
    if (command === "print") expect(archive.out).toBe((await sconce("print", MLP)).out);
  });

  test("text without tensors has no values", async () => {
    const { out } = await sconce("print", MLP, "--format", "ir");
    expect((await sconceOn(withInput(out), "print", "-", "--format", "ir")).code).toBe(0);
    const ran = await sconceOn(withInput(out), "run", "-", "--inputs", INPUTS);
    expect(ran.err).toMatch(/^error NO_VALUES: /);
    const given = ["run", "-", "--inputs", INPUTS, "--weights", at("a.safetensors"), "--expect", WANT];
    expect((await sconceOn(withInput(out), ...given)).code).toBe(0);
  });

  test("nothing, and what is not a program, is named", async () => {
    expect((await sconce("info", "-")).err).toMatch(
      /^error OTHER_FORMAT: not a \.pt2 file: it is an empty file\n {2}in {2}standard input\n/,
    );
    expect((await sconceOn(withInput("graph"), "info", "-")).err).toMatch(/^error OTHER_FORMAT: /);
  });

  test("`lower -o -` says what it did on standard error, as JSON too", async () => {
    const { out, err } = await sconce("lower", MLP, "-o", "-", "--json");
    expect(out).toContain("// end of tensors\n");
    expect(JSON.parse(err)).toEqual({
      output: "-",
      weights: null,
      dialect: "ATEN",
      nodes: { before: 18, after: 21 },
    });
    expect((await sconce("lower", MLP, "-o", "-", "-q")).err).toBe("");
  });

  test("`bisect -o -` writes the reproducer, and `bisect -` shows the failure again", async () => {
    const chain = fileURLToPath(new URL("../fixtures/chain.sir", import.meta.url));
    const plugin = fileURLToPath(new URL("../fixtures/broken.js", import.meta.url));
    const args = ["bisect", chain, "--passes", "decompose,fussy", "--plugin", plugin, "-o", "-"];
    const { code, out, err } = await sconce(...args);
    expect([code, err.split("\n")[0]]).toEqual([
      1,
      'step 2, fussy of plugin "broken", is the first that breaks the program',
    ]);
    const again = await sconceOn(withInput(out), "bisect", "-");
    expect([again.code, again.out]).toEqual([1, expect.stringContaining("this is the recorded failure\n")]);
  });

  test("a program without tensors is its text", async () => {
    const sin = fixture("api_sin_cos");
    await sconce("lower", sin, "-o", at("sin.sir"), "--passes", "dce");
    const text = await sconce("lower", sin, "-o", "-", "--passes", "dce");
    expect((await sconceOn(withInput(text.out), "diff", "-", at("sin.sir"))).out).toBe("");
  });
});
