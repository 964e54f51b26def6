import { describe, expect, test } from "vitest";
import { exportFromCorpus, runFromCorpus } from "./harness.fixture.js";
import { DYNAMIC_NETWORKS, STATIC_NETWORKS } from "./networks.fixture.js";

const NETWORKS = { ...STATIC_NETWORKS, ...DYNAMIC_NETWORKS };
/**
 * Programs in which PyTorch reads an equal size again, which takes a number: it does so for each
 * `SymNode` object, of which its shape rules make new ones for equal sizes. Numbers are compared by
 * their order.
 */
const SHARES = new Set(["net_diffusion", "net_bert", "net_llama_prefill"]);

function renumbered(text: string): string {
  const names = new Map<string, string>();
  return text.replace(/\b(sym_size_int|le)(?:_\d+)?\b(?!\.)/g, (name, base: string) => {
    if (!names.has(name)) names.set(name, `${base}<${names.size}>`);
    return names.get(name)!;
  });
}

describe("networks of the corpus, written in TypeScript", () => {
  test.each(Object.entries(NETWORKS))("%s exports to PyTorch's program", async (name, make) => {
    const { text, wanted, lowered, problems } = await exportFromCorpus(name, make);
    const shown = SHARES.has(name) ? renumbered : String;
    expect(shown(text)).toBe(shown(wanted));
    expect(problems).toEqual([]);
    if (lowered !== undefined) expect(shown(lowered[0])).toBe(shown(lowered[1]));
  });

  test.each(Object.entries(NETWORKS))("%s gives PyTorch's numbers", async (name, make) => {
    expect(await runFromCorpus(name, make)).toEqual({ program: [], eager: undefined });
  });
});
