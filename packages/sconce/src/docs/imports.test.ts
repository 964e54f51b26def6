/** @file What users read imports only `sconce` and its entry points. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ROOT } from "./page.fixture.js";

/** The files of a folder, from the root of the repository. */
const filesOf = (folder: string): string[] =>
  readdirSync(`${ROOT}${folder}`, { recursive: true })
    .map((name) => `${folder}/${String(name).replaceAll("\\", "/")}`)
    .filter((path) => /\.(md|ts|json|html)$/.test(path) && !/\/(node_modules|dist)\//.test(path));

const FILES = [
  "README.md",
  "packages/sconce/README.md",
  ...filesOf("docs/tutorials"),
  ...filesOf("examples"),
];

test.each(FILES)("%s imports no package but sconce", (path) => {
  const text = readFileSync(`${ROOT}${path}`, "utf8");
  const imports = [...text.matchAll(/\b(?:from|import)\s*\(?\s*"(@sconce\/[^"]+)"/g)].map(([, name]) => name);
  expect(imports).toEqual([]);
});

test.each(FILES.filter((path) => path.endsWith("package.json")))("%s depends on sconce alone", (path) => {
  const { dependencies, peerDependencies, devDependencies } = JSON.parse(
    readFileSync(`${ROOT}${path}`, "utf8"),
  );
  const names = Object.keys({ ...dependencies, ...peerDependencies, ...devDependencies });
  expect(names.filter((name) => /^@?sconce(\/|$)/.test(name))).toEqual(["sconce"]);
});

test("concept pages import no package but sconce", () => {
  const own = filesOf("docs/concepts").flatMap((path) => {
    const imports = readFileSync(`${ROOT}${path}`, "utf8").matchAll(
      /^(?:import .*)?\} from "(@sconce\/[^"]+)"/gm,
    );
    return [...imports].map(([, name]) => `${path} ${name}`);
  });
  expect(own).toEqual([]);
});
