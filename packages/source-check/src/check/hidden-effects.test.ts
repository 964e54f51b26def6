import { checkSource, exportProgram } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { cond, guard, manualSeed, map, nn, noGrad, sym, torch } from "@sconce/torch";
import { describe, expect, test } from "vitest";
import type { AnyFunction } from "../source/parse-function.js";
import { HIDDEN_EFFECTS } from "./hidden-effects.fixture.js";
import { ORDINARY_MODELS } from "./ordinary-models.fixture.js";
import type { Snippet } from "./snippet.fixture.js";

const x = torch.ones([2, 3]);

const names = { torch, nn, cond, map, noGrad, sym, guard, manualSeed };

/** Functions of one text, which compilers do not change. */
const functionsOf = (all: readonly Partial<Snippet>[]): AnyFunction[] =>
  new Function(
    ...Object.keys(names),
    `return [${all.map(({ around = "", fn }) => `(() => {\n${around}\nreturn (${fn});\n})()`).join(",\n")}];`,
  )(...Object.values(names)) as AnyFunction[];

const models = functionsOf(HIDDEN_EFFECTS);

describe("what a model hides from the trace is refused, or listed as unchecked [S-005]", () => {
  test.each(HIDDEN_EFFECTS.map(({ name, found }, i) => [name, found, models[i]!] as const))(
    "%s: %s",
    (_, wanted, fn) => {
      const { refused, unchecked } = checkSource(fn, { args: [x], strict: true });
      const found = refused.map(({ construct, line }) => `${construct}@${line}`);
      if (wanted !== "unchecked") expect(found).toContain(wanted);
      else expect(unchecked.map(({ message }) => message)).not.toEqual([]);
    },
  );
});

const ordinary = functionsOf(ORDINARY_MODELS);

test.each(ORDINARY_MODELS.map(({ name }, i) => [name, ordinary[i]!] as const))(
  "strict mode finds nothing in %s, and follows all of it [S-005]",
  (_, fn) => {
    const { errors, refused, unchecked } = checkSource(fn, { args: [x], strict: true });
    const shown = [...errors, ...refused, ...unchecked].map(
      ({ construct, code, message }) => `${construct}: ${code}: ${message}`,
    );
    expect(shown).toEqual([]);
  },
);

test("a seed is refused at the line of the model, and in no other place [S-005]", () => {
  class Seeded extends nn.Module {
    override forward(y: Tensor): Tensor {
      manualSeed(7);
      return y.add(torch.rand(3));
    }
  }
  expect(() => exportProgram(new Seeded(), [x], { strict: true })).toThrow(
    expect.objectContaining({
      code: "STRICT_MODE",
      where: expect.stringContaining("hidden-effects.test.ts:"),
      message: expect.not.stringContaining("eager.ts"),
    }),
  );
});

describe("modules", () => {
  const noise = (y: Tensor): Tensor => y.mul(Math.random());

  class Inner extends nn.Module {
    readonly #scale: { valueOf(): number } = { valueOf: () => Math.random() };
    readonly #noise = noise;

    get now(): number {
      return Date.now();
    }

    override forward(y: Tensor): Tensor {
      return y.mul(performance.now());
    }

    helper(y: Tensor): Tensor {
      return noise(y);
    }

    converted(y: Tensor): Tensor {
      return y.mul(Number(this.#scale));
    }

    held(y: Tensor): Tensor {
      return this.#noise(y);
    }
  }

  class OwnLinear extends nn.Linear {
    override get training(): boolean {
      return Math.random() > 0.5;
    }
    override set training(_value: boolean) {}
  }

  class Container extends nn.Module {
    readonly inner = new Inner();
    readonly fc = new OwnLinear(3, 3);
    readonly layers = new nn.Sequential(new nn.Linear(3, 3), new Inner());
    readonly act = noise;
    readonly run: (self: Container, y: Tensor) => unknown;

    constructor(run: (self: Container, y: Tensor) => unknown) {
      super();
      this.run = run;
    }

    override forward(y: Tensor): unknown {
      return this.run(this, y);
    }
  }

  test.each<[string, (self: Container, y: Tensor) => unknown, string]>([
    ["a submodule", ({ inner }, y) => inner(y), "clock in forward"],
    ["a submodule of a layer", ({ layers }, y) => layers(y), "clock in forward"],
    ["a method of a submodule", ({ inner }, y) => inner.helper(y), "random in noise"],
    ["a getter of a submodule", ({ inner }, y) => y.mul(inner.now), "clock in get now"],
    ["a private field that is converted", ({ inner }, y) => inner.converted(y), "random in valueOf"],
    ["a private field that is called", ({ inner }, y) => inner.held(y), "random in noise"],
    ["a class of a layer", ({ fc }, y) => fc(y), "random in get training"],
    ["a function that is held", ({ act }, y) => act(y), "random in noise"],
  ])("%s is followed [S-005]", (_, run, wanted) => {
    const model = new Container(run);
    const { refused } = checkSource(model.forward as AnyFunction, {
      thisValue: model,
      args: [x],
      strict: true,
    });
    expect(refused.map(({ construct, function: name }) => `${construct} in ${name}`)).toEqual([wanted]);
  });
});
