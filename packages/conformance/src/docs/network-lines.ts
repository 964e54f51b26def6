/** @file Lines of the networks of the corpus, in Python and in TypeScript. */

/** The width of lines in this repository; Python's longer lines count as several. */
const WIDTH = 110;

/** Lines with code: without empty lines, comments, and lines of closing brackets alone. */
const codeLines = (text: string): number =>
  text
    .replace(/\/\*\*[\s\S]*?\*\/|"""[\s\S]*?"""/g, "")
    .split("\n")
    .filter((line) => /\w/.test(line.replace(/(?:#|\/\/).*/, "")))
    .reduce((count, line) => count + Math.ceil(line.length / WIDTH), 0);

/**
 * Texts of classes, and of helpers of TypeScript, by name: up to the next declaration. Interfaces
 * are not among them.
 */
function classesOf(source: string): ReadonlyMap<string, string> {
  const texts = source.matchAll(/^(?:export )?(?:class|const) (\w+)\b.*\n(?:(?:[ \t})].*)?\n)*/gm);
  return new Map(Array.from(texts, ([text, name]) => [name!, text]));
}

/** Names of classes that a text uses, and that these use. */
function used(text: string, classes: ReadonlyMap<string, string>, found = new Set<string>()): Set<string> {
  for (const [name, own] of classes)
    if (!found.has(name) && new RegExp(`(?<!\\w|(?<!\\.\\.)\\.)${name}\\(`).test(text))
      used(own, classes, found.add(name));
  return found;
}

const linesOf = (text: string, classes: ReadonlyMap<string, string>): number =>
  [...used(text, classes)].reduce((count, name) => count + codeLines(classes.get(name)!), 0);

interface NetworkLines {
  readonly programs: string[];
  readonly python: number;
  readonly typescript: number;
}

/** Lines of each network. Programs that share their classes are one row. */
export function networkLines(python: string, typescript: string): NetworkLines[] {
  const [there, here] = [classesOf(python), classesOf(typescript)];
  const rows = new Map<string, NetworkLines>();
  for (const [body, name] of python.matchAll(/^@program\("(\w+)".*\n(?:def _.*\n)(?:(?:[ \t].*)?\n)*/gm)) {
    const key = [...used(body, there)].sort().join();
    const count = { python: linesOf(body, there), typescript: linesOf(body, here) };
    const row = rows.get(key) ?? { programs: [], ...count };
    row.programs.push(name!);
    rows.set(key, row);
  }
  return [...rows.values()];
}

/** Returns the lines as a table, of the sources of the repository. */
export function networkTable(read: (path: string) => string): string {
  const sources = ["networks", "transformers"].map((name) =>
    read(`packages/conformance/src/capture/${name}.fixture.ts`),
  );
  const rows = networkLines(read("packages/testing/oracle/programs/networks.py"), sources.join("\n"));
  const lines = rows.map(
    ({ programs, python, typescript }) =>
      `| ${programs.map((name) => `\`${name}\``).join(", ")} | ${python} | ${typescript} |`,
  );
  return ["| network | Python | TypeScript |", "| --- | --: | --: |", ...lines].join("\n");
}
