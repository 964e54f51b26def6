/** @file Places of findings in models that a tool compiles when they are imported, as tsx does. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInThisContext } from "node:vm";
import { exportProgram, nn, torch } from "@sconce/capture";
import { isSconceError } from "@sconce/errors";
import { transformSync } from "esbuild";
import { afterAll, expect, test } from "vitest";

const TEXT = `const { nn, torch } = globalThis.placesOfTest;
class First extends nn.Module {
  override forward(x: Tensor): Tensor { return x.maskedFill(x.gt(0), -1e9); }
}
class Second extends nn.Module {
  override forward(x: Tensor): Tensor { return x.maskedFill(x.gt(0), -1e9); }
}
class Masked extends nn.Module {
  override forward(x: Tensor, mask?: Tensor): Tensor {
    let s = x.mul(2);
    if (mask !== undefined) s = s.maskedFill(mask.eq(0), -1e9);
    return s;
  }
}
class Integer extends nn.Module {
  override forward(x: Tensor): Tensor { return x.maskedFill(x.gt(0), 1000000); }
}
class Wrong extends nn.Module {
  override forward(x: Tensor, mask?: Tensor): Tensor {
    let s = x.mul(2);
    if (s.sum().gt(0)) s = s.neg();
    return s;
  }
}
globalThis.placesOfTest = { First, Second, Masked, Integer, Wrong };
`;

const folder = mkdtempSync(join(tmpdir(), "sconce-places-"));
const file = join(folder, "models.ts");
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** The script has the name of the source, and its map in its own text. */
function models(): Readonly<Record<string, new () => nn.Module>> {
  const host = globalThis as { placesOfTest?: unknown };
  host.placesOfTest = { nn, torch };
  writeFileSync(file, TEXT);
  const { code } = transformSync(TEXT, {
    loader: "ts",
    sourcefile: file,
    sourcemap: "inline",
    keepNames: true,
    minifyWhitespace: true,
    target: "node20",
  });
  runInThisContext(`{${code.replace("//# sourceMappingURL", "}\n//# sourceMappingURL")}`, { filename: file });
  const found = host.placesOfTest;
  delete host.placesOfTest;
  return found as Readonly<Record<string, new () => nn.Module>>;
}

const MODELS = models();
const lineOf = (name: string, code: string): number => {
  const lines = TEXT.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`class ${name} `));
  return lines.findIndex((line, i) => i >= start && line.includes(code)) + 1;
};

test.each([
  ["First", [torch.ones(3)]],
  ["Second", [torch.ones(3)]],
  ["Masked", [torch.ones(3), torch.zeros(3)]],
])("a float in %s is reported at its line", (name, args) => {
  const warnings: string[] = [];
  exportProgram(new MODELS[name]!(), args, { onWarning: (message) => warnings.push(message) });
  expect(warnings).toEqual([expect.stringContaining(`\n  ${file}:${lineOf(name, "-1e9")}: -1e9:`)]);
});

test("an integer that the tool writes as 1e6 is not a float", () => {
  const warnings: string[] = [];
  exportProgram(new MODELS["Integer"]!(), [torch.ones(3)], {
    onWarning: (message) => warnings.push(message),
  });
  expect(warnings).toEqual([]);
});

test("an error has the file and the line", () => {
  try {
    exportProgram(new MODELS["Wrong"]!(), [torch.ones(3)]);
    expect.fail("nothing was thrown");
  } catch (error) {
    if (!isSconceError(error)) throw error;
    expect(error.where).toBe(`${file}:${lineOf("Wrong", "if (s.sum")}`);
  }
});
