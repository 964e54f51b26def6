import { expect, test } from "vitest";

const { rankOf } = (await import(
  new URL("../../tools/.vitepress/search-rank.mjs", import.meta.url).href
)) as { readonly rankOf: (address: string) => number };

test("guides come first in the search, then concepts, and lists of names last", () => {
  const addresses = [
    "/tutorials/how-do-i.html#run",
    "/concepts/wasm.html",
    "/reference/cli.html",
    "/api/sconce/",
  ];
  const ranks = addresses.map(rankOf);
  expect(ranks).toEqual(ranks.toSorted((a, b) => b - a));
  expect(new Set(ranks).size).toBe(4);
  expect(rankOf("/sconce/tutorials/run-in-a-page")).toBe(ranks[0]);
  expect(rankOf("/changelog.html")).toBe(ranks[3]);
});

test("the function is whole without its module, as it is sent to the page", () => {
  const sent = new Function(`return (${rankOf})`)() as typeof rankOf;
  expect(sent("/operators/aten.html")).toBeLessThan(1);
});
