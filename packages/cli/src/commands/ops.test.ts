import { describe, expect, test } from "vitest";
import { PLUGIN, sconce } from "../command.fixture.js";

interface Row {
  readonly target: string;
  readonly tags: readonly string[];
  readonly decomposed: boolean;
  readonly backends: readonly string[];
}

describe("sconce ops", () => {
  test("lists schemas with their marks", async () => {
    const { code, out, err } = await sconce("ops");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("C.R  aten::relu(Tensor self) -> Tensor\n");
    expect(out).toContain(".DR  aten::silu(Tensor self) -> Tensor\n");
    expect(out).toMatch(/\n\d+ operators \(C core, /);
  });

  test("--json, --backend and --plugin", async () => {
    const { code, out } = await sconce("ops", "--json", "--backend", "cpu", "--plugin", PLUGIN);
    expect(code).toBe(0);
    const rows = JSON.parse(out) as Row[];
    expect(rows.find((row) => row.target === "aten.relu.default")).toMatchObject({ decomposed: false });
    expect(rows.find((row) => row.target === "mylib.sin.default")).toMatchObject({ backends: ["cpu"] });
    expect(rows.every((row) => row.backends.includes("cpu"))).toBe(true);
  });

  test("an unknown backend", async () => {
    const { code, out, err } = await sconce("ops", "--backend", "gpu");
    expect([code, out]).toEqual([2, ""]);
    expect(err).toBe('error UNKNOWN_BACKEND: there is no backend "gpu"\n  fix the backends are: cpu\n');
  });
});
