/** @file Attention of sizes that only the data decide: PyTorch asks for guards on them. */
import { exportProgram, nn, sym, torch } from "@sconce/capture";
import { SconceError } from "@sconce/errors";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { fixtureJson } from "../fixtures.js";

type Sizes = readonly (number | "u0" | "u1")[];

/** A call as `oracle/attention_sizes.py` records it. */
interface Attention {
  readonly q: Sizes;
  readonly k: Sizes;
  readonly v: Sizes;
  readonly mask?: Sizes;
  readonly gqa?: boolean;
  /** What PyTorch cannot decide; null where it exports. */
  readonly question: string | null;
}
const CALLS = fixtureJson("dynamic-shapes/attention-sizes.json.gz") as readonly Attention[];

const modelOf =
  ({ q, k, v, mask, gqa }: Attention) =>
  (a: Tensor, b: Tensor): Tensor => {
    const known = { u0: a.item(), u1: b.item() };
    for (const size of Object.values(known)) {
      torch.check(sym.ge(size as never, 1));
      torch.check(sym.lt(size as never, 100));
    }
    const zeros = (sizes: Sizes): Tensor =>
      torch.zeros(sizes.map((size) => (typeof size === "string" ? known[size] : size)) as never);
    const given = [zeros(q), zeros(k), zeros(v), mask === undefined ? null : zeros(mask)] as const;
    return nn.functional.scaledDotProductAttention(...given, { enableGqa: gqa === true } as never);
  };

function questionOf(call: Attention): string | null {
  try {
    exportProgram(modelOf(call), [torch.tensor(3), torch.tensor(3)], { checkSource: false });
    return null;
  } catch (error) {
    if (!(error instanceof SconceError)) throw error;
    return /data-dependent expression (.*?) \(unhinted/.exec(error.message)?.[1] ?? error.message;
  }
}

test.each(CALLS.map((call) => [JSON.stringify({ ...call, question: undefined }), call] as const))(
  "%s",
  (_, call) => expect(questionOf(call)).toBe(call.question),
);
