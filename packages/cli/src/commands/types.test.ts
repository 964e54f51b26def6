import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { fixture, sconce } from "../command.fixture.js";

const folder = mkdtempSync(join(tmpdir(), "sconce-types-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("sconce types", () => {
  test("writes the types of calls to standard output", async () => {
    const { code, err, out } = await sconce("types", fixture("net_mlp"));
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain(
      '  /** `float32[s77, 12]` */\n  readonly x: TensorInput<"float32", readonly [number, 12]> | Float32Array;\n',
    );
    expect(out).toContain('export type Outputs = TensorOutput<"float32", readonly [number, 5]>;\n');
  });

  test("-o writes a file", async () => {
    const path = join(folder, "model.d.ts");
    const { code, out } = await sconce("types", fixture("net_mlp"), "-o", path);
    expect([code, out]).toEqual([0, `${path}: the types of calls of ${fixture("net_mlp")}\n`]);
    expect(readFileSync(path, "utf8")).toBe((await sconce("types", fixture("net_mlp"))).out);
  });

  test("a file that is not a program is refused", async () => {
    const { code, err } = await sconce("types", fixture("net_mlp", "inputs.safetensors"));
    expect(code).toBe(2);
    expect(err).toMatch(/^error [A-Z_0-9]+: /);
  });
});
