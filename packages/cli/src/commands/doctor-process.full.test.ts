import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";

describe("the process that opens gpu.js", () => {
  /** Runs doctor while each process that it starts runs this code first. */
  async function doctorWith(code: string): Promise<{ out: string; err: string }> {
    const folder = await mkdtemp(join(tmpdir(), "sconce-doctor-"));
    try {
      await writeFile(join(folder, "first.mjs"), `if (process.send !== undefined) { ${code} }`);
      const NODE_OPTIONS = `--import=${pathToFileURL(join(folder, "first.mjs"))}`;
      const entry = fileURLToPath(new URL("../../../sconce/bin/sconce.js", import.meta.url));
      const env = { ...process.env, NODE_OPTIONS };
      return await new Promise((done) =>
        execFile(process.execPath, [entry, "doctor", "--json"], { env }, (_, out, err) => done({ out, err })),
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  test("hides warnings and text of packages, drivers and Node", async () => {
    const { out, err } = await doctorWith(`
      const { writeSync } = await import("node:fs");
      process.emitWarning("noise", "ExperimentalWarning");
      console.log("noise");
      writeSync(1, "noise");
      writeSync(2, "noise");`);
    expect(err).toBe("");
    expect(out).not.toContain("noise");
    expect(JSON.parse(out).backends).toHaveLength(7);
  });

  test("is reported where it ends early", async () => {
    const { out, err } = await doctorWith("process.exit(7);");
    expect(err).toBe("");
    const { backends, missing } = JSON.parse(out);
    expect(
      backends.map(({ name, available }: { name: string; available: boolean }) => [name, available]),
    ).toEqual([
      ["cpu", true],
      ["wasm", true],
      ["gpujs", false],
    ]);
    expect(missing.at(-1)).toMatchObject({ what: "gpujs", reason: expect.stringContaining("exit code 7") });
  });
});
