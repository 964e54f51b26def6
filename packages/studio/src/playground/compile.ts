/**
 * @file Modules in TypeScript as scripts that a browser runs: without types, and with `sconce` from
 * the worker. Lines stay where they are.
 */
import { type ImportDeclaration, type Node, type Program, parse } from "acorn";
import { transform } from "sucrase";
import type { CodeProblem } from "./messages.js";

/** Lines before the user's first one. */
export const LINES_BEFORE = 1;

/** The name under which a script finds the modules that it imports. */
export const MODULES = "sconceModules";

/** What modules export, by their names. */
export type KnownModules = ReadonlyMap<string, ReadonlySet<string>>;

/** A script, or what is wrong with the text. */
export type Compiled =
  | { readonly code: string; readonly problem?: undefined }
  | { readonly problem: CodeProblem };

/** Removes the types of a module, and connects its imports. */
export function compile(source: string, modules: KnownModules): Compiled {
  let script: string;
  try {
    script = transform(source, { transforms: ["typescript"], disableESTransforms: true }).code;
  } catch (error) {
    return { problem: syntaxProblem(error, source, source) };
  }
  let program: Program;
  try {
    program = parse(script, { ecmaVersion: "latest", sourceType: "module", locations: true });
  } catch (error) {
    return { problem: syntaxProblem(error, script, source) };
  }
  return connected(program, script, source, modules);
}

const syntax = (message: string, line?: number, column?: number): CodeProblem => ({
  title: "Syntax error",
  message,
  code: undefined,
  where: undefined,
  fix: undefined,
  line,
  column,
});

/** Both parsers put `(line:column)` behind their messages; sucrase counts columns from 1. */
function syntaxProblem(error: unknown, script: string, source: string): CodeProblem {
  const text = error instanceof Error ? error.message : String(error);
  const [, message = text, line, column] =
    /^(?:Error transforming [^:]*: )?(.*) \((\d+):(\d+)\)$/s.exec(text) ?? [];
  if (line === undefined) return syntax(message);
  const counted = Number(column) + (script === source ? 0 : 1);
  return syntax(message, Number(line), columnIn(source, script, Number(line), counted));
}

/** Returns the column, where the text of the line is as it was written up to there. */
function columnIn(source: string, script: string, line: number, column: number): number | undefined {
  const start = (text: string) => text.split("\n")[line - 1]?.slice(0, column - 1);
  return start(source) === start(script) ? column : undefined;
}

function connected(program: Program, script: string, source: string, modules: KnownModules): Compiled {
  const values: string[] = [];
  let code = script;
  for (const node of program.body) {
    const name = "source" in node ? node.source?.value : undefined;
    if (typeof name !== "string") continue;
    const known = modules.get(name);
    if (known === undefined)
      return {
        problem: placed(
          `there is no module "${name}" in the playground: it has ${[...modules.keys()].join(", ")}`,
          node,
          script,
          source,
        ),
      };
    if (node.type !== "ImportDeclaration")
      return { problem: placed("import the name, and export it by itself", node, script, source) };
    const missing = node.specifiers.find(
      (one) => one.type === "ImportSpecifier" && !known.has(importedName(one.imported)),
    );
    if (missing?.type === "ImportSpecifier")
      return {
        problem: placed(
          `"${name}" does not export ${importedName(missing.imported)}`,
          missing,
          script,
          source,
        ),
      };
    values.push(...bindings(node, name));
    const blank = script.slice(node.start, node.end).replace(/[^\n]/g, " ");
    code = code.slice(0, node.start) + blank + code.slice(node.end);
  }
  const before = values.length === 0 ? "" : `const ${values.join(", ")};`;
  return { code: `${before}\n${code}` };
}

const importedName = (imported: { name: string } | { value?: unknown }): string =>
  "name" in imported ? imported.name : String(imported.value);

/** Returns the names that an import declares, and what they are. */
function bindings({ specifiers }: ImportDeclaration, name: string): string[] {
  const module = `globalThis.${MODULES}[${JSON.stringify(name)}]`;
  return specifiers.map((one) => {
    const { name: local } = one.local;
    if (one.type === "ImportNamespaceSpecifier") return `${local} = ${module}`;
    const member = one.type === "ImportSpecifier" ? importedName(one.imported) : "default";
    return `${local} = ${module}[${JSON.stringify(member)}]`;
  });
}

function placed(message: string, { loc }: Node, script: string, source: string): CodeProblem {
  const { line, column } = loc!.start;
  return {
    ...syntax(message, line, columnIn(source, script, line, column + 1)),
    title: "Import",
  };
}
