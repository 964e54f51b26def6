/** @file The page of the studio, served and as one file. The bundle is built first. */
import { spawnSync } from "node:child_process";
import { readFile, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pageFiles } from "@sconce/studio/page";
import { beforeAll, expect, test } from "vitest";
import { fixture, sconce } from "../command.fixture.js";
import { servePage } from "./view-action.js";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));

beforeAll(() => {
  const { status, stderr } = spawnSync("npm", ["run", "--silent", "bundle", "-w", "@sconce/studio"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
}, 120_000);

test("the page is served with the program, to this machine alone", async () => {
  const bytes = new Uint8Array(await readFile(fixture("net_mlp")));
  const served = await servePage({ name: "a program#1.pt2", bytes }, 0);
  try {
    const page = await fetch(served.address);
    expect(await page.text()).toContain('<div id="app"></div>');
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page.headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(page.headers.get("content-security-policy")).not.toContain("blob:");
    // Only the worker of the playground runs scripts of a text, and it asks for nothing.
    const [worker] = [...(await pageFiles()).keys()].filter((path) => path.includes("playground-worker"));
    const { headers } = await fetch(served.address + worker!.slice(1));
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self' blob: 'wasm-unsafe-eval'",
    );
    const program = await fetch(`${served.address}files/${encodeURIComponent("a program#1.pt2")}`);
    expect(new Uint8Array(await program.arrayBuffer())).toEqual(bytes);
    const statusOf = async (path: string, init?: RequestInit) =>
      (await fetch(served.address + path, init)).status;
    expect(await statusOf("package.json")).toBe(404);
    expect(await statusOf("..%2f..%2fpackage.json")).toBe(404);
    expect(await statusOf("%E0%A4%A")).toBe(404);
    expect(await statusOf("", { method: "POST" })).toBe(404);
  } finally {
    served.close();
  }
  await served.closed;
});

test("-o writes one page with a policy for its own script, and the program in it", async () => {
  const { code, out } = await sconce("view", fixture("net_mlp"), "-o", "-", "--passes", 'dce,"><script>');
  expect(code).toBe(0);
  expect(out).toMatch(/script-src 'sha256-[\w+/=]+' 'wasm-unsafe-eval'/);
  expect(out).toContain('data-passes="&#34;dce,\\&#34;&#62;\\u003cscript&#62;&#34;"');
  expect(out.match(/<\/script>/g)).toHaveLength(2);
  const text = /id="program"[^>]*>([\w+/=]+)</.exec(out)![1]!;
  expect(Buffer.from(text, "base64")).toEqual(await readFile(fixture("net_mlp")));
});

test("--connect widens the policy by servers, also in one page", async () => {
  const bytes = new Uint8Array(await readFile(fixture("net_mlp")));
  const served = await servePage({ name: "a.pt2", bytes }, 0, ["https://example.org"]);
  const { headers } = await fetch(served.address);
  served.close();
  await served.closed;
  expect(headers.get("content-security-policy")).toContain("; connect-src 'self' https://example.org; ");
  const servers = ["--connect", "https://example.org/", "--connect", "http://localhost:8000"];
  const { out } = await sconce("view", fixture("net_mlp"), "-o", "-", ...servers);
  expect(out).toContain('; connect-src https://example.org http://localhost:8000">');
});

test("a page that is older than its sources is named, with what to run", async () => {
  const built = join(ROOT, "packages/studio/dist/bundle/single/single.js");
  const { atime, mtime } = await stat(built);
  expect((await sconce("view", fixture("net_mlp"), "-o", "-")).err).toBe("");
  await utimes(built, 1, 1);
  try {
    const { code, err } = await sconce("view", fixture("net_mlp"), "-o", "-");
    expect(code).toBe(0);
    expect(err).toMatch(/^warning: the page is older than packages\/[\w/.-]+, and may not show its state/);
    expect(err).toContain("run `npm run bundle -w @sconce/studio`");
  } finally {
    await utimes(built, atime, mtime);
  }
});
