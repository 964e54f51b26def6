import { describe, expect, it } from "vitest";
import { ALL_OPS, defaultOperators } from "./families/all.js";
import { ATEN_SCHEMAS } from "./schema/aten-schemas.js";

const PYTORCH: ReadonlySet<string> = new Set(ATEN_SCHEMAS.map((line) => `aten::${line}`));
const aten = ALL_OPS.filter((row) => row.schema.namespace === "aten");

describe("operator rows", () => {
  it("have PyTorch's schemas, to the letter", () => {
    expect(aten.map((row) => row.schemaText).filter((text) => !PYTORCH.has(text))).toEqual([]);
  });

  it("say what an operator gives or what it becomes", () => {
    const empty = ALL_OPS.filter((row) => row.meta === undefined && row.decompose === undefined);
    expect(empty.map((row) => row.target)).toEqual([]);
  });

  it("give in-place overloads PyTorch's schemas too", () => {
    const table = defaultOperators();
    const inPlace = [...PYTORCH]
      .map((text) => /^aten::(\w+[^_]_)(?:\.(\w+))?\(/.exec(text))
      .filter((match) => match !== null);
    const derived = inPlace.map(([, name, overload = "default"]) => table.get(`aten.${name}.${overload}`));
    const wrong = derived.filter((row) => row !== undefined && !PYTORCH.has(row.schemaText));
    expect(wrong.map((row) => row?.schemaText)).toEqual([]);
    expect(derived.filter((row) => row !== undefined).length).toBeGreaterThan(150);
  });
});
