import { isSconceError } from "@sconce/errors";
import { expect, test } from "vitest";
import { calledDifference, exportAgain, RETRACED } from "./retraced.fixture.js";

/** Programs with lanes of `vmap`, which exports do not follow. */
const REFUSED = /^flow_associative/;
/** What differs, and why. */
const DIFFERENT: Readonly<Record<string, readonly (keyof (typeof RETRACED)[string])[]>> = {
  // PyTorch closes over a size, and asserts of a size that the branches have no longer.
  lower_cond_sizes: ["program", "modules"],
  // A node whose modules are an empty list has none in a file.
  shape_conv_sizes: ["modules"],
  // Nodes of a mixed precision region name other modules than those of PyTorch.
  text_regions: ["modules"],
};

const cases = Object.entries(RETRACED);

test.each(cases.filter(([name, { error }]) => !REFUSED.test(name) && error === undefined))(
  "%s is exported again as PyTorch does",
  async (name, wanted) => {
    const got = await exportAgain(name);
    const wrong = (["program", "modules"] as const).filter((part) => got[part] !== wanted[part]);
    expect(wrong).toEqual(DIFFERENT[name] ?? []);
  },
);

test.each(cases.filter(([name]) => REFUSED.test(name)))("%s is refused", async (name) => {
  const error: unknown = await exportAgain(name).catch((thrown: unknown) => thrown);
  expect(isSconceError(error) && error.code).toMatch(/^NOT_(RETRACEABLE|RUNNABLE)$/);
});

// There `detach_` refuses the views that its own export made.
test.each(cases.filter(([, { error }]) => error !== undefined))(
  "%s is exported, where PyTorch fails",
  async (name) => {
    expect(await exportAgain(name)).toHaveProperty("program");
  },
);

/** Mixed precision, and inputs that are not recorded. */
const NOT_CALLED = ["text_regions", "lifted_meta"];

test.each(cases.filter(([name]) => !NOT_CALLED.includes(name)))(
  "the module of %s gives PyTorch's numbers",
  async (name) => {
    expect(await calledDifference(name)).toBeUndefined();
  },
);
