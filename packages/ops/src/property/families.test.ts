/**
 * @file Random shapes, dtypes and layouts: shape rules predict the run, with numbers and with
 * symbols alike.
 */
import { createEvaluator } from "@sconce/backend-cpu";
import { isSconceError } from "@sconce/errors";
import { FakeTensor, type IntLike } from "@sconce/ir";
import { bindArgs, defaultOperators, metaOf, refuseDTypes } from "@sconce/ops";
import { comparePrediction, predict } from "@sconce/ops-cases";
import { printExpr, substitute } from "@sconce/symbolic";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sampledCount } from "../../../../.config/sampled.js";
import { FAMILIES } from "./families.fixture.js";
import { NUMBER_OF, type RandomCall, side, symbolicWorld } from "./random-call.fixture.js";

const operators = defaultOperators();
const evaluate = createEvaluator({ operators });

type Outcome = { readonly value: unknown } | { readonly refused: string };

/** What a rule or a run gives, or that it refuses; faults are not refusals. */
function outcomeOf(run: () => unknown): Outcome {
  try {
    return { value: run() };
  } catch (error) {
    if (isSconceError(error) && error.code !== "INTERNAL") return { refused: error.message };
    throw error;
  }
}

const sizeText = (value: IntLike): string => {
  const number = substitute(value, NUMBER_OF);
  return typeof number === "object" ? printExpr(number) : String(number);
};

/**
 * A result of a shape rule with the symbols' numbers put in. A stride that no element is reached by
 * may be any: PyTorch too gives others on symbols, where it cannot look whether sizes multiply to
 * 1.
 */
const numbered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(numbered);
  if (!(value instanceof FakeTensor)) return null;
  const { dtype, strides, storageOffset } = value;
  const shape = value.shape.map(sizeText);
  const reaches = (d: number): boolean => shape[d] !== "1" && !shape.includes("0");
  return {
    dtype,
    shape,
    strides: strides.map((stride, d) => (reaches(d) ? sizeText(stride) : "any")),
    offset: sizeText(storageOffset),
  };
};

function check({ target, args }: RandomCall): void {
  const reals = side(args, "real") as never[];
  const predicted = outcomeOf(() => predict(operators, target, reals, {}));
  const got = outcomeOf(() => evaluate(target, reals));
  // Rules accept what PyTorch exports. Its kernels refuse more, when they run.
  const row = operators.require(target);
  const judged = outcomeOf(() => refuseDTypes(row, bindArgs(row.schema, reals, {})));
  if ("refused" in judged) {
    expect(got).toHaveProperty("refused");
    return;
  }
  const symbolic = outcomeOf(() =>
    metaOf(operators, target, side(args, "symbolic") as unknown[], {}, symbolicWorld()),
  );
  if ("refused" in predicted) {
    expect(got).toHaveProperty("refused");
    expect(symbolic).toHaveProperty("refused");
    return;
  }
  // A run may refuse what is in the data; nothing here is out of range.
  expect(got).not.toHaveProperty("refused");
  expect(symbolic).not.toHaveProperty("refused");
  const options = { source: "the run gives", strides: "all" } as const;
  expect(comparePrediction(predicted.value, (got as { value: unknown }).value, options)).toBeUndefined();
  expect(numbered((symbolic as { value: unknown }).value)).toEqual(numbered(predicted.value));
}

test.each(Object.entries(FAMILIES))(
  "%s: the rule predicts the run, on numbers and on symbols",
  (_, family) => {
    fc.assert(
      fc.property(fc.gen(), (draw) => {
        const call = family(draw);
        try {
          check(call);
        } catch (error) {
          throw new Error(`${call.target}(${described(side(call.args, "real"))}): ${String(error)}`);
        }
      }),
      { seed: 20_240, numRuns: sampledCount(400, 3) },
    );
  },
);

const described = (value: unknown): string =>
  JSON.stringify(value, (_, item) =>
    typeof item === "object" && item !== null && "storage" in item
      ? `${item.dtype}[${item.shape}] strides [${item.strides}]`
      : item,
  );
