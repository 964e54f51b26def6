/** @file The built command as a process: its streams, and the time that it takes to start. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
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
    "sconce %s takes less than 0.3 s of CPU",
    async (args) => {
      // Other work on the machine takes time from the process, so the best of several counts.
      let best = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < 5 && best >= 0.3; attempt++) {
        const { err } = await shell(`sconce ${args} > /dev/null; times >&2`);
        const [, minutes, seconds, sysMinutes, sysSeconds] = /\n(\d+)m([\d.]+)s (\d+)m([\d.]+)s/.exec(err)!;
        best = Math.min(
          best,
          60 * (Number(minutes) + Number(sysMinutes)) + Number(seconds) + Number(sysSeconds),
        );
      }
      expect(best).toBeLessThan(0.3);
    },
  );
});
