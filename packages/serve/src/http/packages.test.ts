import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loaded } from "./packages.js";

let folder: string;
/** Returns the address of a module in the folder. */
const moduleOf = async (name: string, text: string): Promise<string> => {
  await writeFile(join(folder, name), text);
  return pathToFileURL(join(folder, name)).href;
};
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-serve-"));
  const broken = join(folder, "node_modules", "broken");
  await mkdir(broken, { recursive: true });
  await writeFile(
    join(broken, "package.json"),
    JSON.stringify({ name: "broken", type: "module", exports: "./index.js" }),
  );
  await writeFile(join(broken, "index.js"), 'import "its-own-package";');
});
afterAll(() => rm(folder, { recursive: true }));

test("a package that is not installed is named, with the command that installs it", async () => {
  const address = await moduleOf("missing.js", 'import "absent";');
  await expect(loaded("absent", () => import(/* @vite-ignore */ address))).rejects.toMatchObject({
    code: "SERVE_PACKAGE",
    message: expect.stringContaining("absent is not installed"),
    fix: "run npm install fastify prom-client",
  });
});

test("an installed package that fails is not reported as missing", async () => {
  const without = await moduleOf("without.js", 'import "broken";');
  await expect(loaded("broken", () => import(/* @vite-ignore */ without))).rejects.toMatchObject({
    code: "ERR_MODULE_NOT_FOUND",
    message: expect.stringContaining("its-own-package"),
  });
  const throws = await moduleOf("throws.js", 'throw new Error("a fault while it loads");');
  await expect(loaded("fastify", () => import(/* @vite-ignore */ throws))).rejects.toThrow(
    "a fault while it loads",
  );
});
