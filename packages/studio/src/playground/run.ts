/** @file Runs a module of the playground: its passes on a program, or the export of its model. */

import { isSconceError, thrownText } from "@sconce/errors";
import { historyTensors, historyToJson } from "@sconce/ir/history";
import { tensorsOf } from "@sconce/ir/text";
import { noPlugin, noProgram } from "../errors.js";
import { compile, LINES_BEFORE, MODULES } from "./compile.js";
import type { CodeProblem, FromPlayground, SentProgram, SentRun, ToPlayground } from "./messages.js";
import { ranPass } from "./ran-pass.js";
import * as sconce from "./sconce.js";
import {
  type DynamicShapes,
  type Exportable,
  exportProgram,
  type PassEvent,
  type Plugin,
  type Tensor,
} from "./sconce.js";
import { packProgram, packTensors, unpackProgram } from "./transfer.js";

/** The modules that a text may import. */
const modules = new Map([["sconce", new Set(Object.keys(sconce))]]);

/** How a script is run. */
export interface Host {
  /** Runs a script as a module, and returns what it exports. */
  readonly importScript: (script: string) => Promise<Readonly<Record<string, unknown>>>;
  /** The name of the script in stack traces. */
  readonly isScript: (url: string) => boolean;
}

/** Runs a module, and returns what came of it; an error is a result, too. */
export async function runModule({ source, program }: ToPlayground, host: Host): Promise<FromPlayground> {
  const compiled = compile(source, modules);
  if (compiled.problem !== undefined) return { kind: "problem", problem: compiled.problem };
  Object.assign(globalThis, { [MODULES]: Object.freeze({ sconce }) });
  try {
    const exported = await host.importScript(compiled.code);
    if ("model" in exported) return captured(exported);
    if (program === undefined) throw noProgram();
    return { kind: "ran", run: await ran(exported, program) };
  } catch (error) {
    return { kind: "problem", problem: problemOf(error, host) };
  }
}

/** Exports the model of a module, as `sconce export` does. */
function captured(exported: Readonly<Record<string, unknown>>): FromPlayground {
  const { model, args, kwargs, dynamicShapes } = exported;
  const program = exportProgram(model as Exportable, (args ?? []) as readonly unknown[], {
    kwargs: kwargs as Record<string, unknown> | undefined,
    dynamicShapes: dynamicShapes as DynamicShapes | undefined,
  });
  const type = (model as object).constructor.name;
  return {
    kind: "captured",
    name: type === "Function" ? (model as { readonly name: string }).name || "function" : type,
    program: packProgram(program),
  };
}

/** Runs the passes of a plugin, as `--plugin` of the command does. */
async function ran(exported: Readonly<Record<string, unknown>>, sent: SentProgram): Promise<SentRun> {
  const plugin = exported["default"] ?? exported["plugin"];
  if (typeof plugin !== "object" || plugin === null) throw noPlugin();
  const session = sconce.createSconce({ plugins: [plugin as Plugin] });
  await session.prepare();
  const program = unpackProgram(sent, (text, options) => session.parseIr(text, options));
  const given = exported["pipeline"];
  const pipeline = typeof given === "string" ? given : pipelineOf(plugin as Plugin);
  const events: PassEvent[] = [];
  const after = session.transform(program, pipeline, { observers: [(event) => void events.push(event)] });
  const own = new Map<Tensor, string>([...tensorsOf(program)].map(([name, tensor]) => [tensor, name]));
  const named = new Map([...tensorsOf(after), ...historyTensors(after)]);
  return {
    pipeline,
    passes: events.map(ranPass),
    history: historyToJson(after),
    tensors: packTensors(new Map([...named].filter(([, tensor]) => !own.has(tensor)))),
    kept: [...named].flatMap(([name, tensor]) =>
      own.has(tensor) ? [[name, own.get(tensor)!] as const] : [],
    ),
  };
}

/** Returns what a plugin has, one after the other: its rules, its passes, its decompositions. */
function pipelineOf({ passes = [], rules = [], decompositions = {} }: Plugin): string {
  const calls = passes.map(({ name }) => name);
  if (rules.length > 0) calls.unshift(`rewrite{rules=[${rules.map(({ name }) => name).join(",")}]}`);
  const entries = decompositions instanceof Map ? decompositions.size : Object.keys(decompositions).length;
  if (entries > 0) calls.push("decompose");
  if (calls.length === 0) throw noPlugin();
  return calls.join(",");
}

/** Returns an error with the line of the user's text that threw it. */
function problemOf(error: unknown, host: Host): CodeProblem {
  const typed = isSconceError(error) ? error : undefined;
  const place = placeOf(error, host);
  return {
    title: typed?.code ?? (error instanceof Error ? error.name : "Thrown"),
    message: typed?.message ?? thrownText(error),
    code: typed?.code,
    where: typed?.where,
    fix: typed?.fix,
    ...place,
  };
}

/** Returns the innermost frame in the user's text, of the error or of its cause. */
function placeOf(error: unknown, host: Host): Pick<CodeProblem, "line" | "column"> {
  let found: Pick<CodeProblem, "line" | "column"> = { line: undefined, column: undefined };
  const seen = new Set<unknown>();
  for (let next = error; next instanceof Error && !seen.has(next); next = next.cause) {
    seen.add(next);
    for (const [, url = "", line = "0"] of (next.stack ?? "").matchAll(
      /\(?([\w-]+:[^\s()]*):(\d+):\d+\)?$/gm,
    )) {
      if (!host.isScript(url)) continue;
      // Columns are those of the script without types.
      found = { line: Number(line) - LINES_BEFORE, column: undefined };
      break;
    }
  }
  return found;
}
