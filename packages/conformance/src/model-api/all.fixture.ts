/** @file The models of the API around modules, all of them. */
import type { Twins } from "../twins/twin.fixture.js";
import { AUTOCAST } from "./autocast.fixture.js";
import { CALLS } from "./calls.fixture.js";
import { RANDOM } from "./distributions.fixture.js";
import { FUNC } from "./func.fixture.js";
import { LAZY } from "./lazy.fixture.js";
import { ON_META } from "./meta.fixture.js";
import { MODULES } from "./modules.fixture.js";
import { WEIGHTS } from "./weights.fixture.js";

/** Models by the names of their twins. */
export const ALL: Twins = {
  ...AUTOCAST,
  ...MODULES,
  ...RANDOM,
  ...FUNC,
  ...CALLS,
  ...LAZY,
  ...WEIGHTS,
  ...ON_META,
};
