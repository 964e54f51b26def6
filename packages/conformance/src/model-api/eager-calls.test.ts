import { describe, expect, test } from "vitest";
import { areSame, CALLS, type EagerCall, resultOf } from "./eager-calls.fixture.js";

/** Reasons that are worded in another way: a part of ours for the beginning of PyTorch's. */
const OTHER_WORDS: readonly (readonly [got: RegExp, wanted: RegExp])[] = [
  [/the module is 3/, /'int' object has no attribute 'named_parameters'/],
  [/functional\.linear does not take the arguments/, /^linear\(\): argument 'weight'/],
  [
    /torch\.(cond|map): (unsupported branch return type|HOP: non torch\.Tensor leaf)/,
    /HOP body output unsupported/,
  ],
  [/expected both branches to return a tensor, or both an int/, /expected both a and b to be FakeTensor/],
  // A write to a tensor from around, which the function returns.
  [/does not support aliasing\. Input-to-output/, /Encountered input mutation during/],
  [/to have same number of outputs/, /to have same number of outputs/],
  [/is not a place in the list/, /^'-1'$|^\(?"?'float' object cannot be interpreted as an integer/],
  [/window overlap add min: 1/, /window overlap add min: 1/],
  [/the combine_fn needs to be pointwise/, /the combine_fn needs to be pointwise/],
];

/** Returns PyTorch's reason without what only Python has: names of functions, structures. */
const reasonOf = (refused: string): string =>
  refused
    .replace(/^stack_module_state: /, "")
    // What TorchDynamo says in front of the reason, and behind it.
    .replace(/^.*(Got graph break\/error:\n\n|got (RuntimeError|AssertionError)\("| RuntimeError: )/s, "")
    .replace(/("\)\n|\n\n?( {2}Higher Order Operator|from user code)).*$/s, "")
    .replace(/, where lhs is .*$/s, "")
    .replace(/^vmap\(.*?(\(<inputs>\)|\.\.\.\)|=[^ ]*\)): /s, "")
    .replaceAll("`<lambda>`", "the function")
    .replaceAll("TreeSpec(tuple", "TreeSpec(list")
    .replace(/(but got|got:|of type|got type) <class .*?$/s, "$1")
    .replace(/\bTrue\b/g, "true")
    .replace(/Got None$/, "Got null")
    .replace(/^(['"])(?:module )?(.*)\1$/s, "$2")
    .replaceAll("\\'", "'");

const isSameReason = (got: string, wanted: string): boolean =>
  got.includes(reasonOf(wanted)) ||
  OTHER_WORDS.some(([ours, theirs]) => ours.test(got) && theirs.test(wanted));

/** Returns what differs from PyTorch: the result, or the refusal. */
function difference(call: EagerCall): readonly string[] {
  const { typescript, wanted } = call;
  const got = resultOf(call);
  const isSame =
    "refused" in wanted
      ? "refused" in got && isSameReason(got.refused, wanted.refused)
      : areSame(got, wanted);
  return isSame ? [] : [`${typescript}\n  got ${JSON.stringify(got)}\n  wanted ${JSON.stringify(wanted)}`];
}

const SECTIONS = [...new Set(CALLS.map(({ section }) => section))];

describe("calls that run at once have PyTorch's numbers and refusals", () => {
  test.each(SECTIONS)("%s", (section) => {
    const calls = CALLS.filter((call) => call.section === section);
    expect(calls.flatMap(difference)).toEqual([]);
  });
});
