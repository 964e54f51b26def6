import { readFileSync } from "node:fs";
import { readNumbers } from "@sconce/backend-cpu";
import { cond, exportProgram, library, nn, torch, unflatten } from "@sconce/capture";
import { isSconceError } from "@sconce/errors";
import { printIr } from "@sconce/ir/text";
import { createSconce } from "@sconce/session";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { fixtureJson, PROGRAMS } from "../fixtures.js";
import { CASES, CUSTOM_MODELS, MYLIB, OPERATORS } from "./custom-operators.fixture.js";
import { exportFromCorpus, runFromCorpus } from "./harness.fixture.js";

interface Recorded {
  readonly program?: string;
  readonly lowered?: string;
  readonly error?: string;
}

const RECORDED = fixtureJson("capture/custom-operators.json.gz") as Readonly<Record<string, Recorded>>;

/** Sconce's codes for PyTorch's errors. */
const CODES: Readonly<Record<string, string>> = {
  "a guard in a fake that a size breaks": "CONSTRAINT_VIOLATION",
  "without a fake": "NO_FAKE",
  "a new size that no result gives": "FAKE_FAILED",
  "a negative bound": "NEW_DYNAMIC_SIZE",
  "a write to an operand of cond": "CONTROL_FLOW_MUTATION",
};

/** How many characters of the messages are PyTorch's. */
const SAME: Readonly<Record<string, number>> = {
  NO_FAKE: 120,
  FAKE_FAILED: 48,
  NEW_DYNAMIC_SIZE: 60,
  CONSTRAINT_VIOLATION: "Constraints violated (n)!".length,
  CONTROL_FLOW_MUTATION: "Encountered input mutation during higher order op tracing".length,
};

const comparable = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !/^\s*#\s?(File:|No stacktrace)/.test(line) && line.trim() !== "")
    .join("\n");

/**
 * Text with the numbers of names in the order of their first use: lowering may number otherwise.
 */
function renumbered(text: string): string {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  return text.replace(/(?<![\w.])[a-z_]\w*\b/g, (name) => {
    const base = name.replace(/_\d+$/, "");
    const count = counts.get(base) ?? 0;
    if (!names.has(name)) counts.set(base, count + 1);
    const known = names.get(name) ?? `${base}#${count}`;
    names.set(name, known);
    return known;
  });
}

/**
 * Lowered text without what PyTorch leaves behind: a product nothing uses, and names in messages.
 */
const loweredText = (text: string): string =>
  renumbered(
    comparable(text)
      .replace(/ on node '\w+'/g, "")
      .replace(/\n.*2 \* (floordiv_\d+); {2}\1 = mul_\d+ = None/, "")
      .replace(/= (floordiv_\d+) >= 0$/m, "= $1 >= 0;  $1 = None"),
  );

const sconce = createSconce({ plugins: [library.plugin("o", OPERATORS)] });
const exported = (name: string) => {
  const [model, args, dynamicShapes] = CASES[name]!;
  return exportProgram(model as never, args, { dynamicShapes, onWarning: () => undefined });
};

describe("functions that call custom operators", () => {
  test("are those that PyTorch recorded", () => {
    expect(Object.keys(CASES).sort()).toEqual(Object.keys(RECORDED).sort());
  });

  const cases = Object.entries(RECORDED);
  const programs = cases.filter(([, { error }]) => error === undefined);
  test.each(programs)("%s: PyTorch's program, before and after lowering [S-119, S-120]", (name, recorded) => {
    const program = exported(name);
    expect(comparable(String(program))).toBe(recorded.program);
    expect(sconce.verify(program)).toEqual([]);
    const lowered = sconce.runDecompositions(program);
    expect(loweredText(String(lowered))).toBe(loweredText(recorded.lowered!));
    expect(sconce.verify(lowered)).toEqual([]);
  });

  test.each(cases.filter(([, { error }]) => error !== undefined))("%s: refused as in PyTorch", (name) => {
    let thrown: unknown;
    try {
      exported(name);
    } catch (error) {
      thrown = error;
    }
    expect(isSconceError(thrown) && thrown.code).toBe(CODES[name]);
    const { message, where } = thrown as { readonly message: string; readonly where: string };
    expect(where).toMatch(/custom-operators\.fixture\.ts|^dynamicShapes$/);
    const [, wanted = ""] = /^\w+: (.*)$/.exec(RECORDED[name]!.error!)!;
    const length = SAME[CODES[name]!]!;
    expect(wanted.length).toBeGreaterThanOrEqual(length);
    expect(message.slice(0, length)).toBe(wanted.slice(0, length));
  });
});

describe("models of the corpus with custom operators", () => {
  test.each(Object.entries(CUSTOM_MODELS))(
    "%s exports to PyTorch's program [S-119, S-120]",
    async (name, make) => {
      const { text, wanted, lowered, problems } = await exportFromCorpus(name, make);
      expect(text).toBe(wanted);
      expect(problems).toEqual([]);
      expect(lowered?.[0]).toBe(lowered?.[1]);
    },
  );

  test.each(Object.entries(CUSTOM_MODELS))("%s gives PyTorch's numbers [S-119]", async (name, make) => {
    expect(await runFromCorpus(name, make)).toEqual({ program: [], eager: undefined });
  });
});

describe("programs with custom operators", () => {
  const known = createSconce({ plugins: [library.plugin("mylib", MYLIB)] });
  const unknown = createSconce();
  const file = (name: string): Buffer => readFileSync(`${PROGRAMS}${name}/program.pt2`);
  const x = Tensor.from([
    [1, 0],
    [2, 3],
  ]);

  test("are saved as IR text and loaded, with and without the operators [S-121]", async () => {
    const program = exportProgram(CUSTOM_MODELS["pm_custom_nonzero"]!().model as never, [x]);
    const text = printIr(program.with({ exampleInputs: null }));
    for (const session of [known, unknown]) {
      const again = session.parseIr(text);
      expect(String(again)).toBe(String(program));
      expect(printIr(again)).toBe(text);
    }
    const module = await known.module(known.parseIr(text));
    const [indices, count] = (await module.call([x])) as [Tensor, number];
    expect([indices.tolist(), count]).toEqual([
      [
        [1, 1],
        [2, 1],
        [2, 2],
      ],
      3,
    ]);
    expect(() => unknown.compile(unknown.parseIr(text))).toThrow(
      expect.objectContaining({
        code: "OPAQUE_OPERATORS",
        message: expect.stringContaining('mylib.custom_nonzero.default (node "custom_nonzero")'),
        fix: expect.stringContaining("library.plugin"),
      }),
    );
  });

  test("are saved as .pt2 files and loaded, with and without the operators [S-121]", async () => {
    const program = exportProgram(CUSTOM_MODELS["pm_custom_op"]!().model as never, [torch.ones(3, 4)]);
    await expect(unknown.save(program)).rejects.toMatchObject({ code: "NOT_SAVABLE" });
    const bytes = await known.save(program);
    const [opaque, again] = [await unknown.load(bytes), await known.load(bytes)];
    expect([String(opaque), String(again)]).toEqual([String(program), String(program)]);
    // What nothing defines is written as the file has it.
    expect(await unknown.save(opaque)).toEqual(bytes);
    expect(await known.save(again)).toEqual(bytes);
    const module = await known.module(again);
    const result = (await module.call([torch.zeros(3, 4)])) as Tensor;
    expect(numbers(result)).toEqual(new Array(12).fill(0));
    expect(() => unknown.compile(opaque)).toThrow(expect.objectContaining({ code: "OPAQUE_OPERATORS" }));
  });

  test.each(Object.keys(CUSTOM_MODELS))(
    "%s of PyTorch's file loads, runs with the operators, and is refused without them [S-121]",
    async (name) => {
      const bytes = file(name);
      const [opaque, program] = [await unknown.load(bytes), await known.load(bytes)];
      expect(String(opaque)).toBe(String(program));
      expect(known.verify(program)).toEqual([]);
      expect(await known.module(program)).toBeDefined();
      expect(() => unknown.compile(opaque)).toThrow(expect.objectContaining({ code: "OPAQUE_OPERATORS" }));
    },
  );
});

const ONE = { schema: "(Tensor x) -> Tensor", mutatesArgs: [] } as const;
const wave = library
  .customOp("t::wave", ONE, (given) => given.sin())
  .registerFake((given) => torch.emptyLike(given));
const x = Tensor.from([1.5, 2, 3]);
const numbers = (tensor: Tensor): number[] => Array.from(readNumbers(tensor), Number);

// PyTorch's `unflatten` drops the call, too.
test("unflatten knows custom operators, and drops a call that nothing uses", () => {
  const unused = exportProgram(
    (given: Tensor) => {
      wave(given);
      return given.cos();
    },
    [x],
  );
  expect(unused.opHistogram().has("t.wave.default")).toBe(true);
  const module = unflatten(unused);
  expect([...module.graph.nodes()].map(({ name }) => name)).toEqual(["given", "cos", "output"]);
  expect(numbers(module(x) as Tensor)).toEqual(numbers(x.cos()));
});

describe("a plugin of custom operators", () => {
  class Model extends nn.Module {
    override forward(given: Tensor): Tensor {
      return cond(
        given.sum().gt(0),
        (own: Tensor) => wave(own),
        (own: Tensor) => own.neg(),
        [given],
      );
    }
  }
  const program = exportProgram(new Model(), [x]);

  test("runs programs on the interpreter with the kernels", async () => {
    const session = createSconce({ plugins: [library.plugin("t", [wave])] });
    expect(session.backendsFor("t.wave.default")).toEqual(["cpu"]);
    const module = await session.module(session.runDecompositions(program));
    expect(numbers((await module.call([x])) as Tensor)).toEqual(numbers(x.sin()));
  });

  test("compares each result with the fake", async () => {
    const wrong = library
      .customOp("t::wrong", ONE, (given) => given.sum())
      .registerFake((given) => torch.emptyLike(given));
    const session = createSconce({ plugins: [library.plugin("t", [wrong])] });
    const module = await session.module(exportProgram((given: Tensor) => wrong(given), [x]));
    await expect(module.call([x])).rejects.toMatchObject({
      code: "PLUGIN_FAILED",
      message: expect.stringContaining("returned float32[] where the shape rule says float32[3]"),
    });
  });

  test("keeps the bounds of each new size, in whatever order the results have them", async () => {
    const options = { schema: "(Tensor x) -> (Tensor, Tensor)", mutatesArgs: [] } as const;
    const parts = library
      .customOp("t::parts", options, () => [torch.ones(5), torch.ones(2)])
      .registerFake((given) => {
        const few = library.getCtx().newDynamicSize({ max: 3 });
        const many = library.getCtx().newDynamicSize({ min: 4, max: 7 });
        return [given.newEmpty([many]), given.newEmpty([few])];
      });
    const session = createSconce({ plugins: [library.plugin("t", [parts])] });
    const lowered = session.runDecompositions(exportProgram((given: Tensor) => parts(given), [x]));
    expect([...lowered.rangeConstraints]).toEqual([
      ["u0", { min: 0, max: 3 }],
      ["u1", { min: 4, max: 7 }],
    ]);
    const [first, second] = (await (await session.module(lowered)).call([x])) as [Tensor, Tensor];
    expect([first.shape, second.shape]).toEqual([[5], [2]]);
  });

  test("without the operator, programs are refused by name", async () => {
    await expect(async () => createSconce().compile(program)).rejects.toMatchObject({
      code: "OPAQUE_OPERATORS",
      message: expect.stringContaining("t.wave.default"),
    });
  });
});
