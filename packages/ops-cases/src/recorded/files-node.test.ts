import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Tensor, writeSafetensors } from "@sconce/tensor";
import { afterAll, expect, test } from "vitest";
import { buildTensor } from "./build.js";
import type { CaseTensor } from "./case.js";
import { CASES_FOLDER, caseFamilies, openCaseFiles, readAllCases, readFamily } from "./files-node.js";

const folder = mkdtempSync(join(tmpdir(), "sconce-cases-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("each family has a file, and each overload lies in one of them", () => {
  const families = caseFamilies();
  expect(families).toContain("activation");
  const owners = new Map<string, string>();
  for (const family of families)
    for (const { target } of readFamily(family)) {
      expect(owners.get(target) ?? family).toBe(family);
      owners.set(target, family);
    }
  expect(owners.size).toBeGreaterThan(800);
});

test("each case has its own name", () => {
  const names = readAllCases().map(({ target, id, source }) => `${target} ${id} ${source === "edges"}`);
  expect(new Set(names).size).toBe(7753 + 7625 + 1342 + 1816);
});

test("a folder gives its case files and recordings in order of their names, and nothing else", () => {
  const call = {
    id: "neg.default-01",
    source: "edges",
    tags: ["0d"],
    args: [{ tensor: "t0", dtype: "complex64", complex: true, shape: [] }],
    kwargs: { alpha: { float: "-inf" }, beta: { int: "9223372036854775807" } },
    compare: "error",
    error: { type: "RuntimeError", message: "no" },
  };
  const recording = writeSafetensors(new Map([["t0", Tensor.from([1, -2], [2], "float32")]]), {
    overload: "neg.default",
    schema: "aten::neg(Tensor self) -> Tensor",
    cases: JSON.stringify([call]),
  });
  writeFileSync(join(folder, "neg.default.safetensors"), recording);
  writeFileSync(join(folder, "activation.jsonl"), '{"op":"aten.relu.default","id":"1","args":[]}\n');
  writeFileSync(join(folder, "notes.txt"), "");
  const files = openCaseFiles(folder);
  expect(files.map(({ name }) => name)).toEqual(["activation", "neg.default"]);
  expect(files[0]!.cases).toMatchObject([{ target: "aten.relu.default", compare: "equal", source: "hand" }]);
  const [recorded] = files[1]!.cases;
  expect(recorded).toMatchObject({ target: "aten.neg.default", id: "01", error: "RuntimeError: no" });
  expect(recorded!.kwargs).toEqual({ alpha: { float: -Infinity }, beta: { int: 2n ** 63n - 1n } });
  expect(buildTensor(recorded!.args[0] as CaseTensor).toArray()).toMatchObject([{ re: 1, im: -2 }]);
});

test("what is neither is refused with its name", () => {
  const path = join(folder, "broken.safetensors");
  writeFileSync(path, "no");
  expect(() => openCaseFiles(path)[0]!.cases).toThrow(
    expect.objectContaining({ code: "SAFETENSORS", where: "broken.safetensors: byte 0" }),
  );
  writeFileSync(
    join(folder, "broken.jsonl"),
    '\n{"op":"aten.relu.default","id":"1","args":[{"f32[1]":"abc"}]}\n',
  );
  expect(() => openCaseFiles(join(folder, "broken.jsonl"))[0]!.cases).toThrow(
    'line 2 is not a recorded call: no line before this one has the values "abc"',
  );
  expect(CASES_FOLDER).toMatch(/ops-cases.cases.$/);
});
