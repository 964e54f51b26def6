/** @file Opens programs for scoring, and keeps the last ones. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { thrownText } from "@sconce/errors";
import { openPt2File } from "@sconce/formats/node";
import type { Plugin } from "@sconce/passes";
import { createSconce } from "@sconce/session";
import { hasThreads, isKnownBackend, loadBackend } from "@sconce/session/backends";
import { badPlugin } from "../errors.js";
import type { OpenTask } from "../task.js";
import { loadMap } from "./map-module.js";
import { Scorer } from "./scorer.js";

/** Programs that a thread keeps: a queue may have shards of several runs. */
const MOST_SCORERS = 2;

/** Scorers of a thread, the last used one last; keys hold what decides about results. */
const scorers = new Map<string, Promise<Scorer>>();

/** Returns the scorer for a task; it is opened for the first one. */
export async function scorerFor(task: OpenTask): Promise<Scorer> {
  const { options, program, map, plugins } = task;
  const key = JSON.stringify([options, program, map, plugins]);
  const scorer = scorers.get(key) ?? openScorer(task);
  scorers.delete(key);
  scorers.set(key, scorer);
  const [oldest] = scorers;
  if (scorers.size > MOST_SCORERS && oldest !== undefined) {
    scorers.delete(oldest[0]);
    (await oldest[1].catch(() => undefined))?.dispose();
  }
  try {
    return await scorer;
  } catch (error) {
    // What failed is tried again: a file may be there later.
    scorers.delete(key);
    throw error;
  }
}

async function openScorer({ options, program: path, map, plugins }: OpenTask): Promise<Scorer> {
  const { backend, threads, batchSize, model, keep } = options;
  const loaded = await Promise.all(plugins.map(loadPlugin));
  // The interpreter belongs to every session.
  const known =
    isKnownBackend(backend) && backend !== "cpu"
      ? [await loadBackend(backend, hasThreads(backend) ? { threads } : {})]
      : [];
  const session = createSconce({ plugins: loaded, backends: known });
  const { operators, pytreeTypes } = session;
  const program = await openPt2File(path, { operators, pytreeTypes, ...(model !== undefined && { model }) });
  const functions = map === undefined ? {} : await loadMap(map);
  const executable = await session.compile(program, backend);
  return new Scorer(program, operators, executable, batchSize, functions, keep);
}

/** Loads a module that exports a plugin as `default` or as `plugin`; the session checks it. */
async function loadPlugin(name: string): Promise<Plugin> {
  let found: { readonly default?: unknown; readonly plugin?: unknown };
  try {
    found = (await import(pathToFileURL(resolve(name)).href)) as typeof found;
  } catch (error) {
    throw badPlugin(name, `cannot be loaded: ${thrownText(error)}`, "correct the module or its path", error);
  }
  const plugin = found.default ?? found.plugin;
  if (typeof plugin === "object" && plugin !== null) return plugin as Plugin;
  throw badPlugin(name, "exports no plugin", "export an object with a `name` as default or as `plugin`");
}
