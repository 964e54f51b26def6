import { describe, expect, test } from "vitest";
import { sconce } from "./command.fixture.js";
import { withArgumentsOnOneLine } from "./text.js";

describe("arguments with line ends in messages", () => {
  test.each([
    ['no "a\nb" here\nsee', ["print", "a\nb"], 'no "a\\nb" here\nsee'],
    ["b\tc and d", ["--model=b\tc"], "b\\tc and d"],
    ['"a\nb" in "x,a\nb"', ["x,a\nb"], '"a\\nb" in "x,a\\nb"'],
    ['unknown "\n"\nline', ["\n"], 'unknown "\\n"\nline'],
    ["a\nb", ["print"], "a\nb"],
    ["x\\x1b\ny", ["x\u001b\ny"], "x\\x1b\\ny"],
  ])("%j of %j", (message, args, shown) => {
    expect(withArgumentsOnOneLine(message, args)).toBe(shown);
  });

  test.each([
    [["print", "dir/no\nfile.pt2"], "there is no file or folder dir/no\\nfile.pt2"],
    [["pri\nnt"], "unknown command 'pri\\nnt'"],
    [["print", "--fo\nrmat"], "unknown option '--fo\\nrmat'"],
  ])("%j", async (args, message) => {
    const { code, err } = await sconce(...args);
    expect(code).toBe(2);
    expect(err.split("\n")[0]).toContain(message);
  });
});
