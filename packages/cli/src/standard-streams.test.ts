/** @file The built command as a process: its streams, and what it loads to start. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { sconce } from "./command.fixture.js";

const COMMAND = fileURLToPath(new URL("../../sconce/bin/sconce.js", import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly err: string;
}

/** Runs a line of `sh` in which `$0` is the command. */
async function shell(line: string, stdout: "ignore" | number = "ignore"): Promise<Ended> {
  const node = `${process.execPath} ${COMMAND}`;
  const child = spawn("sh", ["-c", line.replaceAll("sconce", node)], { stdio: ["ignore", stdout, "pipe"] });
  let err = "";
  child.stderr!.on("data", (chunk) => (err += String(chunk)));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, err };
}

describe("standard output", () => {
  test.skipIf(!existsSync("/dev/full")).each([
    ["completion", "sconce completion bash"],
    ["--version", "sconce --version"],
    ["--help", "sconce --help"],
  ])("that is full gives a typed error and the exit code 2: %s", async (_name, line) => {
    const { code, err } = await shell(line, openSync("/dev/full", "w"));
    expect([code, err]).toEqual([
      2,
      "error OUTPUT: standard output cannot be written: there is no space left\n" +
        "  fix write to a file, a device or a pipe that takes the output; the output so far is not complete\n" +
        "  see sconce explain OUTPUT\n",
    ]);
  });

  test("that a reader closes is not an error", async () => {
    const { err } = await shell(`{ sconce completion fish; echo "code $?" >&2; } | true`);
    expect(err).toBe("code 0\n");
  });

  test("comes whole through a pipe", async () => {
    const { err } = await shell("sconce completion fish | cat | wc -c >&2");
    expect(Number(err)).toBe(Buffer.byteLength((await sconce("completion", "fish")).out));
  });
});

describe("the start", () => {
  test.each(["--version", "--help", "print --help"])(
    "sconce %s loads the command alone: no operators, passes or backends",
    async (args) => {
      const folder = mkdtempSync(join(tmpdir(), "command-start-"));
      try {
        await shell(`NODE_V8_COVERAGE=${folder} sconce ${args}`);
        const [report] = readdirSync(folder);
        const { result } = JSON.parse(readFileSync(join(folder, report!), "utf8")) as {
          readonly result: readonly { readonly url: string }[];
        };
        const loaded = new Set(
          result.flatMap(({ url }) => /\/packages\/([\w-]+)\/dist\//.exec(url)?.[1] ?? []),
        );
        expect([...loaded].sort()).toEqual(["cli", "errors"]);
        // It takes 0.2 s of CPU, of which Node takes a quarter; each module adds a millisecond.
        expect(result.filter(({ url }) => url.startsWith("file:")).length).toBeLessThan(60);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );
});
