/** @file Tokens of the container: one for each service, and one for what came from plugins. */

import type { PluginSet } from "../plugins/plugin-set.js";
import type { InjectionToken } from "./injection.js";
import type { Services } from "./services.js";

type Tokens = { readonly [Name in keyof Services]: InjectionToken<Services[Name]> };

export const SERVICES: Tokens = {
  operators: Symbol("operators"),
  backends: Symbol("backends"),
  decompositions: Symbol("decompositions"),
  evaluator: Symbol("evaluator"),
  verifier: Symbol("verifier"),
  passManagers: Symbol("passManagers"),
  clock: Symbol("clock"),
  logger: Symbol("logger"),
  random: Symbol("random"),
};

/** The parts of all plugins. */
export const PLUGINS: InjectionToken<PluginSet> = Symbol("plugins");
