/**
 * @file Documentation pages as programs: their TypeScript blocks run, their console blocks are
 * commands.
 */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { format } from "node:util";
import { run } from "@sconce/cli";
import { transform } from "esbuild";

/** The folder that paths in the documentation start from. */
export const ROOT: string = fileURLToPath(new URL("../../../../", import.meta.url));

/** A fenced block: its language, its text, and where it begins. */
export interface Block {
  /** The file that the reader puts the text into: the line before is its name and a colon. */
  readonly file: string | undefined;
  readonly language: string;
  readonly text: string;
  readonly line: number;
}

/** Returns the fenced blocks of a page, in order. */
export async function blocksOf(page: string): Promise<Block[]> {
  const text = await readFile(new URL(page, `file://${ROOT}`), "utf8");
  return [...text.matchAll(/(?:^`([\w./-]+)`:\n\n)?^```(.*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    file: match[1],
    language: match[2]!.trim(),
    text: match[3]!,
    line: text.slice(0, match.index + match[0].indexOf("```")).split("\n").length,
  }));
}

/**
 * Returns whether a page has its own tests: they are registered while tests are collected, in
 * `suites.test.ts`.
 */
export async function isSuite(page: string): Promise<boolean> {
  return (await blocksOf(page)).some(
    ({ file, language, text }) => file === undefined && language === "ts" && text.includes('from "vitest"'),
  );
}

/** What a `ts` block printed, and the `text` block that follows it, if one does. */
export interface RunBlock {
  readonly line: number;
  readonly printed: string;
  readonly shown: string | undefined;
}

/** Modules that pages may import: Sconce's, those of Node, and its optional peers. */
const KNOWN_MODULE = /^(sconce(\/.*)?|@sconce\/.*|node:.*|vitest|fast-check)$/;

const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as new (
  ...parameters: string[]
) => (modules: unknown, console: unknown, mark: (line: number) => void) => Promise<void>;

/** Runs the `ts` blocks of a page as one module; they see each other's names. */
export async function runPage(page: string): Promise<RunBlock[]> {
  const blocks = (await blocksOf(page)).filter(({ file }) => file === undefined);
  const code = blocks.flatMap((block) =>
    block.language === "ts" ? [`__mark(${block.line});`, block.text] : [],
  );
  if (code.length === 0) return [];
  const { code: script } = await transform(code.join("\n"), {
    loader: "ts",
    format: "esm",
    target: "es2022",
  });
  const { body, modules } = await bindImports(script);
  const printed = new Map<number, string>();
  let current = 0;
  const log = (...values: unknown[]): void => {
    printed.set(current, `${printed.get(current) ?? ""}${format(...values)}\n`);
  };
  await new AsyncFunction("__modules", "console", "__mark", body)(modules, { log }, (line) => {
    current = line;
    printed.set(line, "");
  });
  return blocks.flatMap((block, i) => {
    if (block.language !== "ts") return [];
    const next = blocks[i + 1];
    const shown = next?.language === "text" && isNext(block, next) ? next.text : undefined;
    return [{ line: block.line, printed: printed.get(block.line) ?? "", shown }];
  });
}

/** A text block right behind a code block is its output. */
const isNext = (block: Block, next: Block): boolean =>
  next.line - block.line <= block.text.split("\n").length + 2;

/** Imports become reads of a table: the blocks run inside of a function. */
async function bindImports(script: string): Promise<{ body: string; modules: Record<string, unknown> }> {
  const modules: Record<string, unknown> = {};
  const names = new Map<string, string>();
  const specifiers = new Set<string>();
  const bare = script.replace(/^import "([^"]+)";$/gm, (_, from: string) => {
    specifiers.add(from);
    return "";
  });
  const named = bare.replace(/^import (\w+) from "([^"]+)";$/gm, (_, name: string, from: string) => {
    specifiers.add(from);
    names.set(`default: ${name}`, from);
    return "";
  });
  const body = named.replace(/^import \{([^}]*)\} from "([^"]+)";$/gm, (_, list: string, from: string) => {
    specifiers.add(from);
    for (const item of list.split(",")) names.set(item.trim().replace(" as ", ": "), from);
    return "";
  });
  for (const from of specifiers) {
    if (!KNOWN_MODULE.test(from))
      throw new Error(`the documentation imports ${from}, which its test does not know`);
    modules[from] = await import(from);
  }
  const bindings = [...names].map(
    ([name, from]) => `const { ${name} } = __modules[${JSON.stringify(from)}];`,
  );
  return { body: `${bindings.join("\n")}\n${body}`, modules };
}

/** A command of a `console` block, with what the page shows of its output. */
export interface ShownCommand {
  readonly line: number;
  readonly args: readonly string[];
  readonly shown: string;
}

/** Returns the commands of a page: lines that begin with `$ sconce` or `$ npx sconce`. */
export async function commandsOf(page: string): Promise<ShownCommand[]> {
  const commands: ShownCommand[] = [];
  for (const { language, text, line } of await blocksOf(page)) {
    if (language !== "console") continue;
    for (const part of text.split(/^\$ /m).slice(1)) {
      const [command = "", ...output] = part.split("\n");
      commands.push({ line, args: commandArguments(command), shown: output.join("\n") });
    }
  }
  return commands;
}

/** Returns the arguments of a command line of Sconce, with or without `npx`. */
export function commandArguments(command: string): string[] {
  const [name, ...args] = words(command.replace(/^npx /, ""));
  if (name !== "sconce") throw new Error(`not a command of Sconce: ${command}`);
  return args;
}

/** Returns what the command writes, not on a terminal: its output, then its errors. */
export async function outputOf(args: readonly string[]): Promise<string> {
  const written = { out: "", err: "" };
  const write = (stream: keyof typeof written) => (text: string) => {
    written[stream] += text;
  };
  await run(args, { out: write("out"), err: write("err"), terminal: false, interactive: false });
  return written.out + written.err;
}

const words = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
