import { symbolByName } from "@sconce/symbolic";
import { type BodyCall, RetraceEnv } from "@sconce/trace";
import { expect, test, vi } from "vitest";
import { numberSymbols } from "./body-symbols.js";

/** The numbers that the runs of a call take, and those that the traced bodies show. */
function numbered(
  call: BodyCall,
  mode: "metadata" | "trace",
  reads: Readonly<Record<string, number>> = {},
): { readonly made: string[]; readonly shown: Record<string, string> } {
  const made: string[] = [];
  const env = new RetraceEnv();
  for (const [name, depth] of Object.entries(reads)) env.noteOperandReads([name], depth);
  if (mode === "trace") env.restart();
  vi.spyOn(env, "freshLike").mockImplementation(({ name }) => {
    made.push(name);
    return symbolByName(`u${99 + made.length}`);
  });
  vi.spyOn(env, "skipName").mockImplementation(() => void made.push(""));
  const shown = numberSymbols(call, env, (name) => name === "u9");
  return { made, shown: Object.fromEntries([...shown].map(([name, { name: to }]) => [name, to])) };
}

const cond = (...bodies: BodyCall["bodies"]): BodyCall => ({ target: "higher_order.cond", bodies });

test("both branches run three times for what is known, and four times for a trace", () => {
  const call = cond(["u0"], ["u1"]);
  expect(numbered(call, "metadata")).toEqual({ made: ["u0", "u1", "u0", "u1", "u0", "u1"], shown: {} });
  const { made, shown } = numbered(call, "trace");
  expect(made).toHaveLength(8);
  expect(shown).toEqual({ u0: "u104", u1: "u105" });
});

test("a loop has no schema, and its condition has no results", () => {
  const call = { target: "higher_order.while_loop", bodies: [["u0"], ["u1"]] };
  expect(numbered(call, "metadata").made).toEqual(["u0", "u1", "u1"]);
  expect(numbered(call, "trace").made).toEqual(["u0", "u1", "u0", "u1", "u1"]);
});

test("tracers of a loop make the integers that it carries, and the loop gives others", () => {
  const call = { target: "higher_order.while_loop", bodies: [[], []], carried: ["u0"], results: ["u1"] };
  expect(numbered(call, "metadata")).toEqual({ made: [""], shown: {} });
  expect(numbered(call, "trace")).toEqual({ made: ["u0", ""], shown: { u0: "u100" } });
  const inside = numbered(cond([call]), "trace");
  expect(inside.made).toEqual(["u0", "u1", "u0", "u1", "u0", "u1", "u1"]);
  expect(inside.shown).toEqual({ u0: "u104", u1: "u105" });
});

test("a call in a body runs its bodies in each run", () => {
  const call = cond([cond(["u0"])]);
  expect(numbered(call, "metadata").made).toHaveLength(7);
  expect(numbered(call, "trace")).toEqual({ made: new Array<string>(9).fill("u0"), shown: { u0: "u106" } });
});

test("bodies that are shared too often keep their names", () => {
  let call = cond(["u0"], ["u0"]);
  for (let depth = 0; depth < 40; depth++) {
    const body = [call];
    call = cond(body, body);
  }
  expect(numbered(call, "trace")).toEqual({ made: [], shown: {} });
});

test("runs on the same operands share what they read, but for those of a schema", () => {
  const call = cond(["u0"], ["u0"]);
  expect(numbered(call, "metadata", { u0: 0 }).made).toEqual(["u0", "u0", "u0"]);
  expect(numbered(call, "trace", { u0: 0 })).toEqual({ made: ["u0", "u0", "u0"], shown: { u0: "u102" } });
});

test("what the enclosing graph shows keeps its name, and its schema has others", () => {
  expect(numbered(cond(["u9"]), "trace", { u9: 0 })).toEqual({ made: ["u9"], shown: {} });
});

test("an operand that a body makes is another one in each run of the body", () => {
  const call = cond([cond(["u0"], ["u0"])]);
  const shared = numbered(call, "trace", { u0: 0 }).made.length;
  expect(numbered(call, "trace", { u0: 1 }).made.length).toBeGreaterThan(shared);
});

test("sizes in which branches differ are made by the call", () => {
  expect(numbered({ ...cond(["u0"], ["u0"]), results: ["u1"] }, "metadata", { u0: 0 }).made).toEqual([
    "u0",
    "u0",
    "u0",
    "",
  ]);
});
