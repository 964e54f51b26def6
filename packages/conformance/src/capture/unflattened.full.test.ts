import { unflatten } from "@sconce/capture";
import { isSconceError } from "@sconce/errors";
import { runDecompositions } from "@sconce/passes";
import { expect, test } from "vitest";
import { DYNAMIC_NETWORKS, STATIC_NETWORKS } from "./networks.fixture.js";
import {
  fingerprintAgain,
  fingerprintsOf,
  namesText,
  readProgram,
  swapEach,
  UNFLATTENED,
  unflattenedDifference,
} from "./unflattened.fixture.js";

/**
 * Calls of modules that are empty lists; and a parameter is written, where PyTorch's call fails.
 */
const REFUSED = /^(shape_conv_sizes|pm_parameter_update\/decomposed)/;
/** PyTorch drops calls of `vmap`, and then its module fails. */
const DIFFERENT = ["flow_associative_scan/program"];

const cases = Object.entries(UNFLATTENED).filter(([key]) => !REFUSED.test(key));
const codeOf = (error: unknown): string => (isSconceError(error) ? error.code : String(error));

test.each(cases.filter(([key]) => !DIFFERENT.includes(key)))(
  "%s has PyTorch's modules, state and graphs",
  async (key, wanted) => {
    const module = unflatten(await readProgram(key));
    expect(fingerprintsOf(module)).toBe(wanted.split(" ").slice(0, 3).join(" "));
  },
);

test.each(Object.keys(UNFLATTENED).filter((key) => REFUSED.test(key)))("%s is refused", async (key) => {
  const program = await readProgram(key);
  expect(() => unflatten(program)).toThrow(expect.objectContaining({ code: "NOT_UNFLATTENABLE" }));
});

/** Custom operators. */
const NOT_RUN = /^pm_custom_(op|nonzero)\//;

test.each(cases.filter(([key]) => !NOT_RUN.test(key) && !key.startsWith("lifted_meta/")))(
  "%s gives PyTorch's numbers",
  async (key) => {
    expect(unflattenedDifference(key, await readProgram(key))).toBeUndefined();
  },
);

test.each(cases.filter(([key]) => NOT_RUN.test(key)))("%s is not run", async (key) => {
  const program = await readProgram(key);
  let error: unknown;
  try {
    unflattenedDifference(key, program);
  } catch (thrown) {
    error = thrown;
  }
  expect(codeOf(error)).toMatch(/^(NOT_RUNNABLE|UNKNOWN_OPERATOR)$/);
});

/** Programs with lanes of `vmap` or custom operators. */
const NOT_EXPORTED = /^(pm_custom_(op|nonzero)|flow_associative_scan\/program)/;
/** Programs with example inputs of a class that is not registered here. */
const UNREADABLE = new Set(["call_registered_class/program", "tree_custom_node/program"]);
/** Exports that differ in the same way where `program.module()` is exported again, or in names. */
const OTHERWISE = new Set([
  // Symbols of keyword arguments have other names.
  "net_bert/program",
  "net_bert/decomposed",
  // Values of a named tuple that is not registered here are arrays.
  "call_namedtuple/program",
  "tree_namedtuple/program",
  "lower_cond_sizes/program",
  "lower_cond_sizes/decomposed",
]);

const isExported = (key: string): boolean => !NOT_EXPORTED.test(key) && !UNREADABLE.has(key);

test.each(cases.filter(([key]) => isExported(key) && !OTHERWISE.has(key)))(
  "%s is exported again as PyTorch does",
  async (key, wanted) => {
    expect(fingerprintAgain(await readProgram(key))).toBe(wanted.split(" ")[3]);
  },
);

test.each(cases.filter(([key]) => OTHERWISE.has(key)))(
  "%s is exported again, and differs from PyTorch's",
  async (key, wanted) => {
    expect(fingerprintAgain(await readProgram(key))).not.toBe(wanted.split(" ")[3]);
  },
);

test.each(cases.filter(([key]) => UNREADABLE.has(key)))(
  "%s has example inputs that cannot be read",
  async (key) => {
    const program = await readProgram(key);
    expect(() => fingerprintAgain(program)).toThrow(expect.objectContaining({ code: "UNKNOWN_PYTREE_TYPE" }));
  },
);

test.each(cases.filter(([key]) => NOT_EXPORTED.test(key)))("%s is not exported again", async (key) => {
  const program = await readProgram(key);
  let error: unknown;
  try {
    fingerprintAgain(program);
  } catch (thrown) {
    error = thrown;
  }
  expect(codeOf(error)).toMatch(/^(NOT_RETRACEABLE|NOT_RUNNABLE|UNKNOWN_OPERATOR)$/);
});

test.each(Object.keys(UNFLATTENED).filter((key) => key.endsWith("/decomposed") && !REFUSED.test(key)))(
  "%s has the modules of the program that Sconce lowers",
  async (key) => {
    const lowered = runDecompositions(await readProgram(key.replace("/decomposed", "/program")));
    expect(namesText(unflatten(lowered))).toBe(namesText(unflatten(await readProgram(key))));
  },
);

const NETWORKS = { ...STATIC_NETWORKS, ...DYNAMIC_NETWORKS };

test("each network of the corpus is swapped", () => {
  const networks = new Set(Object.keys(UNFLATTENED).map((key) => key.split("/")[0]!));
  const names = [...networks].filter((name) => name.startsWith("net_") || name === "digits");
  expect(Object.keys(NETWORKS).sort()).toEqual(names.sort());
});

/** Networks that call no module. */
const PLAIN = new Set(["net_quantized", "net_quantized_decomposed"]);

test.each(Object.entries(NETWORKS))("%s survives swaps of each module that it calls", async (name, make) => {
  const { swapped, problems } = await swapEach(name, make, Infinity);
  expect(problems).toEqual([]);
  expect(swapped.length > 0).toBe(!PLAIN.has(name));
});
