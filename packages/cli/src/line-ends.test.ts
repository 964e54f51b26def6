import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sconce, sconceOn, withInput } from "./command.fixture.js";

/** The second line of it would look as a line of the command's own. */
const NAME = "x\nerror FAKE: y\r\u001b[2J\tz";
const quoted = (name: string): string => JSON.stringify(name);
const [own, state, result] = [NAME, `p${NAME}`, `r${NAME}`].map(quoted);
const TEXT = `program "ATEN" {
  parameter ${state}: f32[2] no_values
  input %${state}: PARAMETER ${state}
  input %${own}: USER_INPUT
  output %${result}: USER_OUTPUT
}
graph(%${state}: f32[2], %${own}: f32[2]) {
  %${result}: f32[2] = aten.mul.Tensor(%${own}, %${state}) #0
  return (%${result})
}
metadata {
  #0 {"stackTrace":${own},"nnModuleStack":[[${own},${own},${own}]]}
}
`;
// biome-ignore lint/suspicious/noControlCharactersInRegex: none may reach a terminal
const CONTROL = /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]|\u001b(?!\[\d+m)/;

/** A line of a color, or of none, that looks as an error. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colors begin with one
const FAKE = /^(?:\u001b\[\d+m)*error FAKE/m;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-lines-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a name with line ends begins no line", () => {
  test.each([
    ["info", "-"],
    ["info", "-", "--loops"],
    ["info", "-", "--security"],
    ["verify", "-"],
    ["run", "-", "--random", "0"],
    ["run", "-"],
    ["bench", "-"],
    ["types", "-"],
    ["convert", "-", "out.pt2"],
    ["lower", "-", "-o", "out.pt2"],
    ["history", "-", "--passes", "cse,dce"],
    ["explain", "-", "--pattern", "aten.add.Tensor($x, 0)"],
    ["bisect", "-", "--passes", "cse"],
    ["report", "-", "-o", "out.html"],
    ["info", `no${NAME}`],
    ["verify", `no${NAME}.sir`],
    [NAME],
    ["info", `--${NAME}`],
    ["print", "-", "--passes", NAME],
    ["info", "-", "--plugin", `./${NAME}.js`],
  ])("%s %s %s %s", async (...args) => {
    const given = args.map((arg) => (/^out\./.test(arg) ? join(folder, arg) : arg));
    const streams = { ...withInput(TEXT), terminal: true, errorTerminal: true };
    const { out, err } = await sconceOn(streams, ...given);
    expect(out + err).not.toMatch(FAKE);
    expect(out + err).not.toMatch(CONTROL);
  });
});

test("info and verify list the names that PyTorch would run, and so does --json", async () => {
  const bad = "y = 1; __import__('os').system('true') #";
  const text = TEXT.replaceAll(result!, quoted(bad)).replaceAll(state!, '"p_w"').replaceAll(own!, '"x"');
  const finding = { kind: "name", names: [bad], where: `node ${quoted(bad)}`, isPlain: false };
  for (const command of ["info", "verify"]) {
    const { out, code } = await sconceOn(withInput(text), command, "-");
    expect(out).toContain(
      `security: names that PyTorch would run as code or read as something else:\n  ${quoted(bad)}`,
    );
    expect(code).toBe(0);
    const json = await sconceOn(withInput(text), command, "-", "--json");
    expect(JSON.parse(json.out)).toMatchObject({ security: [finding] });
  }
  const report = await sconceOn(withInput(text), "info", "-", "--security", "--json");
  expect(JSON.parse(report.out)).toMatchObject({ findings: [finding], isPlain: false });
});

test("convert renames them, says so, and the file is the same program", async () => {
  const text = TEXT.replaceAll(result!, '"y;1"').replaceAll(state!, '"p_w"').replaceAll(own!, '"x"');
  const source = text
    .replace(" no_values", "")
    .replace(/^.*PARAMETER.*$|^ {2}parameter.*$/gm, "")
    .replace('%"p_w": f32[2], ', "")
    .replace('%"p_w"', '%"x"');
  const output = join(folder, "renamed.pt2");
  const { err, code } = await sconceOn(withInput(source), "convert", "-", output);
  expect(err).toContain(
    'warning: names that are not Python identifiers are renamed in the file: "y;1" as y_1',
  );
  expect(code).toBe(0);
  const { out } = await sconce("print", output, "--format", "ir");
  expect(out).toContain("%y_1: f32[2] = aten.mul.Tensor(%x, %x)");
  expect((await readFile(output)).includes("y;1")).toBe(false);
});
