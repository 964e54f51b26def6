import { readdirSync, readFileSync } from "node:fs";
import * as capture from "@sconce/capture";
import * as session from "@sconce/session";
import { expect, test } from "vitest";

const PACKAGES = new URL("../../../", import.meta.url);

/** Files of exports with texts of errors. */
const files = ["source-check", "torch", "capture", "symbolic"].flatMap((name) =>
  readdirSync(new URL(`${name}/src/`, PACKAGES), { recursive: true, encoding: "utf8" })
    .filter((file) => /errors\.ts$|strict-constructs\.ts$|diagnose\.ts$/.test(file))
    .map((file) => new URL(`${name}/src/${file}`, PACKAGES)),
);

/** The texts behind `fix:`, with `${...}` left out. */
const fixes = files.flatMap((file) =>
  [
    ...readFileSync(file, "utf8").matchAll(/\bfix(?:: |\s*=\s*)(?:[^,;]*\?\s*)?(["`'])([\s\S]*?[^\\])\1/g),
  ].map(([, , text]) => text!.replace(/\\`/g, "`").replace(/\$\{[^}]*\}/g, "…")),
);

const names: Readonly<Record<string, unknown>> = { ...session, ...capture };
const owners = ["torch", "nn", "sym", "library"] as const;
/** Whether a name is that of a method of tensors. */
const isMethod = (name: string): boolean => name in session.Tensor.prototype;

/** Names of functions in the code of a text that Sconce does not have. */
function unknownNames(text: string): string[] {
  const code = [...text.matchAll(/`([^`]*)`/g)].map(([, inside]) => inside!);
  return code.flatMap((part) => [
    ...[...part.matchAll(/\b(torch|nn|sym|library)\.(\w+)/g)]
      .filter(([, owner, name]) => !(name! in (names[owner as (typeof owners)[number]] as object)))
      .map(([all]) => all),
    ...[...part.matchAll(/(?<![\w.$#])([a-z]\w*)\(/g)]
      .map(([, name]) => name!)
      .filter((name) => !(name in names || isMethod(name) || OTHER_NAMES.has(name))),
  ]);
}

/** Keywords, names for functions of a model, and a method of `library.getCtx()`. */
const OTHER_NAMES = new Set(["for", "if", "forward", "super", "f", "newDynamicSize"]);

test("fixes of exports are written in TypeScript, with names that Sconce has", () => {
  expect(fixes.length).toBeGreaterThan(80);
  const python = /\btorch\._|\b[a-z]+_[a-z_]+\b|\b(?:None|True|False|self|dict)\b/;
  expect(fixes.filter((text) => python.test(text))).toEqual([]);
  expect(fixes.flatMap(unknownNames)).toEqual([]);
});
