/**
 * @file Finds the tests that show a capability: the title of such a test ends with the ids of the
 * capabilities in brackets, `test("a static loop unrolls [S-024, S-052]", ...)`. The titles are
 * found in the text of the test files, which are not run.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** A test that carries the ids of capabilities. */
export interface CapabilityTest {
  readonly ids: readonly string[];
  /** The title without the ids. */
  readonly title: string;
  /** The file, from the root of the repository. */
  readonly path: string;
}

/** The tests of a file, and the ids that do not stand at the end of a title of a test that runs. */
export interface CapabilityTests {
  readonly tests: readonly CapabilityTest[];
  readonly misplaced: readonly string[];
}

const IDS = /\[((?:[ST]-\d+)(?:, [ST]-\d+)*)\]/g;
/**
 * A call of `test`, `it` or `describe`, also with a table of cases, whose title ends with ids.
 * Files with tests that may be skipped do not count; the runner refuses suites without tests.
 */
const TITLED = new RegExp(
  `^ *(?:(?:test|it|describe)(?:\\.each\\((?:(?!\\)\\(["'\`]).)*\\))?|\\]\\))\\(\\s*(["'\`])((?:(?!\\1).)*) ${IDS.source}\\1`,
  "gm",
);

/** Returns the tests of the text of a file. */
export function testsOfText(path: string, text: string): CapabilityTests {
  const found = /\b(?:skip|skipIf|runIf|todo|only)\b *[(.]/.test(text) ? [] : [...text.matchAll(TITLED)];
  const tests = found.map(([, , title, ids]) => ({
    ids: ids!.split(", "),
    title: title!,
    path,
  }));
  const ends = new Set(found.map(({ index, 0: whole }) => index + whole.length - 1));
  const misplaced = [...text.matchAll(IDS)].filter(({ index, 0: ids }) => !ends.has(index + ids.length));
  return { tests, misplaced: misplaced.map(([ids]) => `${path}: ${ids}`) };
}

/**
 * Returns the test files that `npm test` and `npm run test:full` run, from the root of the
 * repository.
 */
function testFiles(root: URL): string[] {
  return ["packages", "examples"].flatMap((top) =>
    readdirSync(new URL(`${top}/`, root)).flatMap((name) => {
      const folder = new URL(`${top}/${name}/src/`, root);
      if (!existsSync(folder)) return [];
      const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
      const found = files.map((file) => `${top}/${name}/src/${file.replaceAll("\\", "/")}`);
      return found.filter((path) => path.endsWith(".test.ts")).sort();
    }),
  );
}

/** Returns all tests of the repository at `root` that carry ids. */
export function capabilityTests(root: URL): CapabilityTests {
  const files = testFiles(root).map((path) => testsOfText(path, readFileSync(new URL(path, root), "utf8")));
  return {
    tests: files.flatMap(({ tests }) => tests),
    misplaced: files.flatMap(({ misplaced }) => misplaced),
  };
}
