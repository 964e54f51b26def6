import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { userFrame } from "@sconce/ir";
import { afterAll, describe, expect, test } from "vitest";
import { formatStack, withStack } from "./format-stack.js";
import { captureStack, type RawStack } from "./raw-stack.js";
import { frameOf } from "./stack-frames.js";

/** A stack with this text, as engines give it. */
function rawOf(text: string, outer?: RawStack): RawStack {
  const error = new Error();
  error.stack = `Error\n${text}`;
  return { error, outer };
}

class Net {
  forward(): RawStack {
    return this.#block(() => captureStack());
  }

  #block(run: () => RawStack): RawStack {
    return run();
  }
}

/** The line of this file, counted from 1, that has a text. */
function lineWith(text: string): number {
  const lines = readFileSync(fileURLToPath(import.meta.url), "utf8").split("\n");
  return lines.findIndex((line) => line.includes(text)) + 1;
}

describe("stacks of running code", () => {
  test("show the user's TypeScript, innermost frame last", () => {
    const text = formatStack(new Net().forward())!;
    const file = fileURLToPath(import.meta.url);
    const call = lineWith("this.#block(() =>");
    expect(text).toContain(
      [
        `File "${file}", line ${call}, in forward`,
        "    return this.#block(() => captureStack());",
        `  File "${file}", line ${lineWith("return run();")}, in #block`,
        "    return run();",
        `  File "${file}", line ${call}, in <anonymous>`,
        "    return this.#block(() => captureStack());",
      ].join("\n"),
    );
    expect(userFrame(text)).toEqual({
      file,
      line: call,
      function: "<anonymous>",
      code: "return this.#block(() => captureStack());",
    });
  });

  test("are formatted once, and let go of the frames", () => {
    const raw = new Net().forward();
    const text = formatStack(raw);
    expect(raw.error).toBeUndefined();
    expect(formatStack(raw)).toBe(text);
  });

  test("leave the limit of the engine as it was", () => {
    const before = Error.stackTraceLimit;
    Error.stackTraceLimit = 3;
    captureStack();
    expect(Error.stackTraceLimit).toBe(3);
    Error.stackTraceLimit = before;
  });

  test("are formatted when metadata is read, not before", () => {
    const raw = new Net().forward();
    const meta = withStack({ torchFn: ["add_1", "method.add"] }, raw);
    expect(raw.error).toBeDefined();
    expect(Object.keys(meta)).toEqual(["torchFn", "stackTrace"]);
    expect({ ...meta }.stackTrace).toContain("in #block");
    expect(raw.error).toBeUndefined();
  });
});

const own = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

describe("frames that are not the user's", () => {
  test("of Sconce's packages are left out, tests among them are not", () => {
    const raw = rawOf(
      [
        `    at callOperator (${own("capture/dist/trace/dispatch.js")}:40:3)`,
        "    at x (/app/node_modules/@sconce/capture/dist/index.js:1:2)",
        "    at y (/app/node_modules/.pnpm/sconce@1/node_modules/sconce/dist/index.js:1:2)",
        `    at Linear.forward (${own("capture/src/nn/linear.ts")}:4:3)`,
        "    at Block.forward (/app/block.ts:7:3)",
        `    at helper (${own("capture/src/nn/linear.test.ts")}:5:3)`,
        "    at Net.forward (/app/model.ts:9:3)",
      ].join("\n"),
    );
    expect(formatStack(raw)?.match(/in .*/g)).toEqual(["in forward", "in helper", "in forward"]);
  });

  test("that call the export are left out", () => {
    const raw = rawOf(
      [
        "    at Net.forward (/app/model.ts:9:3)",
        `    at exportProgram (${own("capture/dist/export/export-program.js")}:4:3)`,
        "    at main (/app/main.ts:5:3)",
      ].join("\n"),
    );
    expect(formatStack(raw)).toBe('File "/app/model.ts", line 9, in forward\n    <no source>');
  });

  test("fill a stack to its limit: the call of the module stands in", () => {
    const inner = `    at callOperator (${own("capture/dist/trace/dispatch.js")}:40:3)`;
    const outer = rawOf("    at Net.forward (/app/model.ts:9:3)");
    expect(formatStack(rawOf(inner, outer))).toContain('"/app/model.ts", line 9');
    expect(formatStack(rawOf(inner))).toBeUndefined();
  });
});

describe("texts of engines", () => {
  test.each([
    ["    at Net.forward (/m.js:3:5)", "/m.js", "forward"],
    ["    at async Net.forward (file:///a%20b/m.js:3:5)", "/a b/m.js", "forward"],
    ["    at file:///C:/m.js:3:5", "C:/m.js", undefined],
    ["    at new Net (/m.js:3:5)", "/m.js", "constructor"],
    ["    at Object.<anonymous> (/m.js:3:5)", "/m.js", undefined],
    ["    at Net.forward [as run] (/m.js:3:5)", "/m.js", "forward"],
    ["    at Net.[Symbol.iterator] (/m (1).js:3:5)", "/m (1).js", "[Symbol.iterator]"],
    ["    at get value (https://host/m.js?v=1:3:5)", "https://host/m.js", "get value"],
    ["forward@https://host/m.js:3:5", "https://host/m.js", "forward"],
    ["@file:///m.js:3:5", "/m.js", undefined],
    ["Net/forward@/m.js:3:5", "/m.js", "Net/forward"],
  ])("%s", (text, file, name) => {
    expect(frameOf(text.trim())).toEqual({ file, line: 3, column: 5, function: name });
  });

  test.each([
    "Error: no frame",
    "    at Array.map (<anonymous>)",
    "    at node:internal/x:3:5",
    "    at native",
  ])("%s has no place", (text) => {
    expect(frameOf(text.trim())).toBeUndefined();
  });
});

describe("source maps", () => {
  const folder = mkdtempSync(join(tmpdir(), "stack-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "model.ts"), "const a: number = 1;\n\n  return this.fc(x).relu();\n");
  // One line of code that comes from line 3, column 3 of the source.
  const map = { version: 3, names: [], mappings: "AAEE", sources: ["model.ts"] };
  const write = (name: string, url: string): string => {
    const path = join(folder, name);
    writeFileSync(path, `return this.fc(x).relu();\n//# sourceMappingURL=${url}\n`);
    return path;
  };
  const inline = (json: object): string =>
    `data:application/json;base64,${Buffer.from(JSON.stringify(json)).toString("base64")}`;
  const formatted = (path: string): string | undefined => formatStack(rawOf(`    at f (${path}:1:2)`));
  const expected = `File "${join(folder, "model.ts")}", line 3, in f\n    return this.fc(x).relu();`;

  test("in the file", () => {
    expect(formatted(write("inline.js", inline(map)))).toBe(expected);
  });

  test("beside it, with a root", () => {
    writeFileSync(join(folder, "m.js.map"), JSON.stringify({ ...map, sourceRoot: "./x/.." }));
    expect(formatted(write("m.js", "m.js.map"))).toBe(expected);
  });

  test.each([
    ["missing", "nowhere.map"],
    ["damaged", "data:application/json;base64,!!!"],
    ["of another version", inline({ version: 2 })],
  ])("%s: the generated place is shown", (name, url) => {
    const path = write(`${name}.js`, url);
    expect(formatted(path)).toBe(`File "${path}", line 1, in f\n    return this.fc(x).relu();`);
  });

  test("that the engine applies are not applied again", () => {
    const script = join(folder, "run.mjs");
    const format = new URL("../../dist/source/format-stack.js", import.meta.url).href;
    const capture = new URL("../../dist/source/raw-stack.js", import.meta.url).href;
    writeFileSync(
      script,
      `import { formatStack } from ${JSON.stringify(format)}; import { captureStack } from ${JSON.stringify(capture)};\nfunction f() { return captureStack(); }\nconsole.log(formatStack(f()));\n//# sourceMappingURL=${inline({ ...map, mappings: ";AAEE;AAAA" })}\n`,
    );
    for (const options of [[], ["--enable-source-maps"]]) {
      const { stdout, stderr } = spawnSync(process.execPath, [...options, script], { encoding: "utf8" });
      expect(stdout, stderr).toContain(expected);
    }
  });
});
