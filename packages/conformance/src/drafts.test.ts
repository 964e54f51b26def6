import { draftExport, library, torch } from "@sconce/capture";
import { createSconce } from "@sconce/session";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";

/** Operators with a kernel and without a fake: a draft records what they gave. */
const rank = library.customOp("drafts::rank", { schema: "(Tensor x) -> Tensor", mutatesArgs: [] }, (x) =>
  x.reshape(-1).argsort().to("float32"),
);
const two = library.customOp(
  "drafts::two",
  { schema: "(Tensor x) -> (Tensor, Tensor)", mutatesArgs: [] },
  (x) => [x.sin(), x.sum(0)],
);
const MODELS = {
  rank: (x: Tensor) => rank(x.mul(2)).add(1),
  two: (x: Tensor) => {
    const [a, b] = two(x.mul(2));
    return [a.cos().add(b), rank(a).sin()];
  },
};

test.each(Object.entries(MODELS))("%s is lowered, saved, loaded and run", async (_, model) => {
  const sconce = createSconce({ plugins: [library.plugin("drafts", [rank, two])] });
  const x = torch.arange(12).reshape(4, 3).div(5);
  const program = draftExport(model, [x], { onWarning: () => undefined });
  const lowered = sconce.runDecompositions(program);
  const calls = lowered.graph.nodes().filter(({ target }) => target.startsWith("drafts."));
  expect(calls.length).toBe(
    program.graph.nodes().filter(({ target }) => target.startsWith("drafts.")).length,
  );
  const loaded = await sconce.load(await sconce.save(program));
  expect(loaded.graph.size).toBe(program.graph.size);
  const wanted = [model(x)].flat().map(String);
  for (const one of [program, lowered, loaded, sconce.runDecompositions(loaded)])
    for (const backend of ["cpu", "wasm"] as const) {
      const module = await sconce.module(one, { backend });
      expect([await module.call([x])].flat().map(String)).toEqual(wanted);
    }
});
