import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { fixture, sconce } from "../command.fixture.js";

const COMMAND = fileURLToPath(new URL("../../../sconce/bin/sconce.js", import.meta.url));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** A server in its own process. */
interface Served {
  readonly child: ChildProcess;
  readonly port: number;
  /** What it wrote so far. */
  output(): string;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
}

/** Starts the command, and waits until it is ready. */
async function start(...args: readonly string[]): Promise<Served> {
  const child = spawn(process.execPath, [COMMAND, "serve", ...args, "--port", "0", "--backend", "cpu"]);
  children.push(child);
  let text = "";
  const ended = once(child, "close").then(([code]) => code as number | null);
  child.stderr.on("data", (data) => {
    text += data;
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (data) => {
      text += data;
      if (/ready/.test(text)) resolve();
    });
    void ended.then(() => reject(new Error(text)));
  });
  const port = Number(/http:\/\/127\.0\.0\.1:(\d+)/.exec(text)![1]);
  return { child, port, ended, output: () => text };
}

const BODY = JSON.stringify({
  inputs: [{ name: "x", shape: [1, 12], datatype: "FP32", data: Array(12).fill(0.25) }],
});

/** Sends one request; returns its status, and whether the server closes the connection. */
function infer(port: number, agent: Agent): Promise<{ status: number | undefined; isLast: boolean }> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": BODY.length };
    const sent = request(
      { agent, port, host: "127.0.0.1", method: "POST", path: "/v2/models/mlp/infer", headers },
      (response: IncomingMessage) => {
        response.resume();
        const isLast = response.headers.connection === "close";
        response.on("end", () => resolve({ status: response.statusCode, isLast }));
        response.on("error", reject);
      },
    );
    sent.on("error", reject);
    sent.end(BODY);
  });
}

describe("sconce serve", () => {
  test.each([["SIGTERM"], ["SIGINT"]] as const)(
    "answers every request when %s comes under load",
    async (signal) => {
      const { child, port, ended } = await start(
        `mlp=${fixture("net_mlp")}`,
        "--max-batch",
        "16",
        "--batch-delay",
        "3",
      );
      let count = 0;
      let isSent = false;
      const statuses = new Map<number | undefined, number>();
      const client = async (): Promise<void> => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        for (let isOpen = true; isOpen; ) {
          const { status, isLast } = await infer(port, agent);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          isOpen = !isLast;
          if (++count >= 400 && !isSent) {
            isSent = true;
            child.kill(signal);
          }
        }
        agent.destroy();
      };
      await Promise.all(Array.from({ length: 24 }, client));
      expect([...statuses]).toEqual([[200, count]]);
      expect(await ended).toBe(0);
      expect(count).toBeGreaterThanOrEqual(400);
    },
  );

  test("writes its log as JSON, with the models and each request", async () => {
    const { child, port, ended, output } = await start(
      fixture("net_mlp"),
      "--json",
      "--log-requests",
      "--max-batch",
      "4",
    );
    await (await fetch(`http://127.0.0.1:${port}/v2/models/program`)).text();
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    const events = output()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.map(({ kind }) => kind)).toEqual([
      "model",
      "listening",
      "ready",
      "request",
      "stopping",
      "stopped",
    ]);
    expect(events[0]).toMatchObject({ model: "program", version: "1", rows: "s77" });
    expect(events[3]).toMatchObject({ method: "GET", path: "/v2/models/program", status: 200 });
    expect(events.every(({ time }) => !Number.isNaN(Date.parse(time)))).toBe(true);
  });

  test("serves several versions, and says why requests run one by one", async () => {
    const { port, output } = await start(
      `a@2=${fixture("net_mlp")}`,
      `a@1=${fixture("net_mlp")}`,
      `b=${fixture("shape_dim_static")}`,
      "--max-batch",
      "4",
    );
    const { versions } = (await (await fetch(`http://127.0.0.1:${port}/v2/models/a`)).json()) as {
      versions: unknown;
    };
    expect(versions).toEqual(["1", "2"]);
    expect(output()).toContain("a version 2: requests run together along s77\n");
    expect(output()).toMatch(
      /warning: requests to b version 1 run one by one: at %sum_1 \(aten\.sum\.dim_IntList\)/,
    );
  });

  test.each([[[]], [["--plugin"]]])(
    "serves a program of a library, with its own plugin %j",
    async (options) => {
      const file = new URL(
        "../../../testing/fixtures/custom-operators/vision_pools/program.pt2",
        import.meta.url,
      );
      const folder = await mkdtemp(join(tmpdir(), "sconce-serve-"));
      const plugin = join(folder, "mine.mjs");
      const library = JSON.stringify(import.meta.resolve("@sconce/torch-libraries"));
      await writeFile(
        plugin,
        `import { torchLibraries } from ${library}; export default { ...torchLibraries, name: "mine" };`,
      );
      const args = options.length === 0 ? [] : [...options, plugin];
      const { child, output, ended } = await start(`pools=${fileURLToPath(file)}`, ...args);
      expect(output()).toContain("ready: 1 worker");
      child.kill("SIGTERM");
      expect(await ended).toBe(0);
      await rm(folder, { recursive: true });
    },
  );

  test.each([
    [["x.pt2"], "FILE", "x.pt2"],
    [[fixture("net_mlp"), "--workers", "many"], "USAGE", '--workers: "many" is not a whole number'],
    [[fixture("net_mlp"), "--workers", "0"], "OPTION_VALUE", "workers"],
    [["=x.pt2"], "USAGE", "has no name or no file"],
    [[fixture("pm_buffer_updates")], "SERVE_MODEL", "writes to its state"],
    [[fixture("net_mlp"), fixture("net_mlp")], "SERVE_MODEL", "two programs"],
  ])("%j is refused", async (args, code, text) => {
    const { code: exit, err } = await sconce("serve", ...args, "--port", "0");
    expect(exit).toBe(2);
    expect(err).toContain(`error ${code}: `);
    expect(err).toContain(text);
  });
});
