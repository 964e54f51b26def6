/** @file What is published: the tarballs of all packages. */
import { basename, posix } from "node:path";
import { checkPackage, createPackageFromTarballData, type Package } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { describe, expect, test } from "vitest";
import { bytesOf, packPackages } from "./packed.fixture.js";

const { tarballs } = await packPackages();

/** A packed package, with the paths of its files from its own folder. */
class Packed {
  readonly #content: Package;
  readonly #root: string;
  readonly files: ReadonlySet<string>;

  constructor(tarball: string) {
    this.#content = createPackageFromTarballData(bytesOf(tarball));
    this.#root = `/node_modules/${this.#content.packageName}/`;
    this.files = new Set(this.#content.listFiles().map((path) => path.slice(this.#root.length)));
  }

  text(path: string): string {
    return this.#content.readFile(`${this.#root}${path}`);
  }

  manifest(): Record<string, unknown> {
    return JSON.parse(this.text("package.json"));
  }

  /** Names that `read` finds in the files that match, and that are not in the package. */
  missing(pattern: RegExp, read: (text: string) => Iterable<string>): string[] {
    const found: string[] = [];
    for (const path of this.files) {
      if (!pattern.test(path)) continue;
      for (const name of read(this.text(path))) {
        const target = posix.normalize(posix.join(posix.dirname(path), name));
        const isFolder = [...this.files].some((file) => file.startsWith(`${target}/`));
        if (!this.files.has(target) && !isFolder) found.push(`${path}: ${name}`);
      }
    }
    return found;
  }
}

/** Every file that a manifest names in its exports and commands. */
const namedFiles = (value: unknown): string[] =>
  typeof value === "string" ? [value] : Object.values(value ?? {}).flatMap(namedFiles);

test("every published package is packed", () => {
  expect(tarballs.map((path) => basename(path).replace(/-[\d.]+\.tgz$/, "")).sort()).toMatchSnapshot();
});

describe.each(tarballs.map((path) => [basename(path), path]))("%s", (_, path) => {
  const packed = new Packed(path);
  const manifest = packed.manifest();

  test("has the license, a README, and a manifest that says what it is", () => {
    expect([...packed.files]).toEqual(expect.arrayContaining(["LICENSE", "README.md"]));
    for (const field of ["description", "keywords", "homepage", "repository", "engines", "license"])
      expect(manifest[field], field).toBeTruthy();
    expect(manifest).not.toHaveProperty("devDependencies");
  });

  test("exports only files that it has", () => {
    const files = namedFiles([manifest["exports"], manifest["bin"] ?? {}]);
    expect(files.filter((file) => !file.includes("*") && !packed.files.has(file.replace("./", "")))).toEqual(
      [],
    );
  });

  test("has the sources that its source maps name, and no test", () => {
    const sources = (text: string): string[] => (JSON.parse(text) as { sources: string[] }).sources;
    expect(packed.missing(/\.map$/, sources)).toEqual([]);
    expect([...packed.files].filter((file) => file.endsWith(".js.map")).length).toBeGreaterThan(0);
    expect([...packed.files].filter((file) => /\.(test|fixture)\./.test(file))).toEqual([]);
  });

  test("has the documents that its documents link to", () => {
    const links = function* (text: string): Iterable<string> {
      for (const [, link] of text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/\]\(([^()\s#]+)[^()\s]*\)/g))
        if (!/^[a-z]+:/.test(link!)) yield link!;
    };
    expect(packed.missing(/\.md$/, links)).toEqual([]);
  });

  test("passes publint", async () => {
    const tarball = bytesOf(path).buffer as ArrayBuffer;
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg!))).toEqual([]);
  });

  // Sconce is for `import` only: Node 20.19 and later can also `require` its modules.
  test("has types that resolve as its modules do", async () => {
    const result = await checkPackage(createPackageFromTarballData(bytesOf(path)));
    const isOld = (problem: object): boolean =>
      "resolutionKind" in problem && /^node10$|^node16-cjs$/.test(String(problem.resolutionKind));
    expect(result.types && result.problems.filter((problem) => !isOld(problem))).toEqual([]);
  });
});
