/** @file Why Node does not load a plugin module: the cause, the line, and the fix. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isSconceError, type SconceError, shellPath, shellWord, thrownText } from "@sconce/errors";
import { pluginError } from "./errors.js";

/** Returns the code of an error of Node. */
export const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;

/** Returns the error about a module that exists and does not load. */
export function loadFailure(name: string, path: string, error: unknown): SconceError {
  const failed = pluginError(name, `cannot be loaded: ${thrownText(error)}`, remedyOf(path, error), error);
  const place = placeOf(path, error);
  return place === undefined ? failed : failed.at(place);
}

/** Returns the file and the line of a failure, as `file:line`. */
export function placeOf(path: string, error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const stack = error.stack ?? "";
  const [head = ""] = stack.split("\n");
  // Errors of links begin with the line; those of the parser have no line of the module.
  const link = /^(file:\/\/\/.*:\d+)$/.exec(head);
  if (link !== null) return filePlace(link[1]!);
  const frames = [...stack.matchAll(/^ +at .*?(file:\/\/\/[^\n]*?:\d+):\d+\)?$/gm)].map(
    ([, place]) => place!,
  );
  const own = frames.find((place) => place.startsWith(`${pathToFileURL(path).href}:`));
  if (own !== undefined) return filePlace(own);
  return error instanceof SyntaxError ? syntaxPlace(path) : undefined;
}

function filePlace(place: string): string {
  const [, url, line] = /^(.*):(\d+)$/.exec(place)!;
  return `${fileURLToPath(url!)}:${line}`;
}

/** Where Node's parser stops; nothing of the module runs. */
function syntaxPlace(path: string): string | undefined {
  const { stderr } = spawnSync(process.execPath, ["--check", path], { encoding: "utf8", timeout: 5_000 });
  const found = /^(?:file:\/\/)?(.*:\d+)\r?\n/.exec(stderr ?? "");
  return found?.[1];
}

/** Returns what to do about a module that Node does not load. */
function remedyOf(path: string, error: unknown): string {
  if (isSconceError(error)) return error.fix ?? "correct the module";
  return importRemedy(error) ?? (/\.[cm]?tsx?$/.test(path) ? typeScriptRemedy(error) : remedy(path, error));
}

function remedy(path: string, error: unknown): string {
  if (codeOf(error) === "ERR_UNSUPPORTED_DIR_IMPORT")
    return "give the path of a file in the folder, such as dist/index.js";
  if (codeOf(error) === "ERR_UNKNOWN_FILE_EXTENSION") return "give the path of a JavaScript module";
  if (error instanceof SyntaxError)
    return `correct the syntax; \`node ${shellPath(path)}\` shows the line, also of modules that it imports`;
  return "correct the module: its code throws while it is loaded";
}

/** About a module that a plugin imports and that does not exist, or lacks a name. */
function importRemedy(error: unknown): string | undefined {
  const text = thrownText(error);
  const [, missing, from] = /^Cannot find (?:module|package) '(.+?)' imported from (.+)$/.exec(text) ?? [];
  if (missing !== undefined) {
    if (text.startsWith("Cannot find package"))
      return `run \`npm install ${shellWord(missing)}\` in the folder of ${from}, or correct the import`;
    const source = missing.replace(/\.([cm]?)js$/, ".$1ts");
    return source !== missing && existsSync(source)
      ? `write the import in ${from} with the extension of the file, ${source.slice(source.lastIndexOf("."))}: Node does not replace .js (TypeScript: \`rewriteRelativeImportExtensions\`)`
      : `correct the import in ${from}: the file does not exist`;
  }
  const [, module, name] =
    /requested module '(.+?)' does not provide an export named '(.+?)'/.exec(text) ?? [];
  return name === undefined
    ? undefined
    : `correct the import of ${name} from "${module}"; in TypeScript, import a type with \`import { type ${name} }\``;
}

function typeScriptRemedy(error: unknown): string {
  const compile =
    "compile the module (`npx tsc --noEmit false --outDir dist`) and give the path of the JavaScript file";
  switch (codeOf(error)) {
    case "ERR_UNKNOWN_FILE_EXTENSION":
      return `${compile}; Node 22.18, 23.6 and later also run TypeScript, this is ${process.version}`;
    case "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING":
      return `${compile}: Node does not run TypeScript below node_modules`;
    case "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX":
      return `${compile}: Node only removes types, and the module has other syntax of TypeScript, such as \`enum\``;
    default:
      return `correct the module, or ${compile}`;
  }
}
