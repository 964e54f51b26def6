import {
  check,
  DictSpec,
  Dim,
  draftExport,
  dynamicSpec,
  type Exportable,
  exportProgram,
  guard,
  guardInt,
  IntVar,
  nn,
  ObjectSpec,
  ParamsSpec,
  SeqSpec,
  ShapesSpec,
  ShapeVar,
  slice,
  sym,
  TensorSpec,
  torch,
} from "@sconce/capture";
import { typescriptModule } from "@sconce/capture/typescript";
import { SconceError } from "@sconce/errors";
import { type ExportedProgram, float } from "@sconce/ir";
import { runDecompositions } from "@sconce/passes";
import { createSconce } from "@sconce/session";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { sampled } from "../../../../.config/sampled.js";
import { exportModule, runModule } from "../capture/source-out.fixture.js";
import { fixtureJson } from "../fixtures.js";

/** What PyTorch makes of a model with a specification. */
interface Wanted {
  /** Why the specification itself is refused. */
  readonly refused?: string;
  readonly spec?: string;
  readonly json?: string;
  readonly text?: string;
  readonly textRefused?: string;
  readonly strict?: string;
  readonly strictRefused?: string;
  readonly lowered?: string;
  readonly loweredRefused?: string;
  /** The lowered text of the file that PyTorch wrote; false where it is `lowered`. */
  readonly loaded?: string | false;
}

/** A model with a specification, as `oracle/shapes_specs.py` records it. */
interface SpecifiedModel {
  readonly typescript: string;
  readonly parameters?: string;
  readonly tsParameters?: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly rest?: readonly unknown[];
  readonly kwargs?: readonly string[];
  readonly vars: Readonly<Record<string, readonly ["ShapeVar" | "IntVar", Readonly<Record<string, number>>]>>;
  readonly params: Readonly<Record<string, unknown>>;
  readonly assumptions?: readonly unknown[];
  readonly decorated?: boolean;
  readonly strict?: boolean;
  readonly mode?: "draft" | "deferred" | "both";
  readonly wanted: Wanted;
}

const MODELS = fixtureJson("dynamic-shapes/shapes-specs.json.gz") as readonly SpecifiedModel[];
const DTYPES: Readonly<Record<string, "int64" | "bool">> = { i64: "int64", bool: "bool" };
const SCOPE = { torch, slice, F: nn.functional, sym, guard, guardInt, check, float };

function exampleOf(sizes: unknown): unknown {
  if (!Array.isArray(sizes))
    return typeof sizes === "object" && sizes !== null
      ? Object.fromEntries(Object.entries(sizes).map(([key, part]) => [key, exampleOf(part)]))
      : sizes;
  if (Array.isArray(sizes[0])) return sizes.map(exampleOf);
  const dtype = DTYPES[String(sizes[0])];
  return dtype === undefined
    ? torch.ones(sizes as number[])
    : torch.ones(sizes.slice(1) as number[], { dtype });
}

type Variables = ReadonlyMap<string, IntVar>;
const OPERATORS: Readonly<Record<string, (a: never, b: never) => unknown>> = {
  "+": sym.add,
  "-": sym.sub,
  "*": sym.mul,
  "//": sym.floorDiv,
  "%": sym.mod,
  "==": sym.eq,
  "!=": sym.ne,
  "<": sym.lt,
  "<=": sym.le,
  ">": sym.gt,
  ">=": sym.ge,
  max: sym.max,
  min: sym.min,
};

function leafOf(given: unknown, variables: Variables): unknown {
  if (typeof given === "string") return variables.get(given);
  if (!Array.isArray(given)) return given;
  const [operator, a, b] = given as [string, unknown, unknown];
  return OPERATORS[operator]!(leafOf(a, variables) as never, leafOf(b, variables) as never);
}

function partOf(given: unknown, variables: Variables): unknown {
  if (!Array.isArray(given)) return leafOf(given, variables);
  const [kind, inner] = given as [string, never];
  const list = (): never => (inner as unknown[]).map((one) => partOf(one, variables)) as never;
  const fields = (): never =>
    Object.fromEntries(Object.entries(inner).map(([key, one]) => [key, partOf(one, variables)])) as never;
  if (kind === "T") return new TensorSpec((inner as unknown[]).map((one) => leafOf(one, variables)) as never);
  if (kind === "Dim") return new TensorSpec([Dim(inner)] as never);
  if (kind === "D") return new DictSpec(fields());
  if (kind === "S") return new SeqSpec(list());
  if (kind === "O") return new ObjectSpec(fields());
  return leafOf(given, variables);
}

function specOf({ vars, params, assumptions }: SpecifiedModel): ParamsSpec | ShapesSpec {
  const variables = new Map(
    Object.entries(vars).map(([name, [kind, { min, max, optimization_hint: optimizationHint }]]) => [
      name,
      new (kind === "IntVar" ? IntVar : ShapeVar)(name, { min, max, optimizationHint }),
    ]),
  );
  const parts = Object.entries(params).map(([key, inner]) => {
    if (key === "*args" && Array.isArray(inner)) return [key, inner.map((one) => partOf(one, variables))];
    if (key === "**kwargs" && typeof inner === "object")
      return [
        key,
        Object.fromEntries(
          Object.entries(inner as object).map(([name, one]) => [name, partOf(one, variables)]),
        ),
      ];
    return [key, partOf(inner, variables)];
  });
  const given = new ParamsSpec(Object.fromEntries(parts));
  if (assumptions === undefined) return given;
  return new ShapesSpec(given, { assumptions: assumptions.map((one) => leafOf(one, variables)) as never });
}

function modelOf({ typescript, inputs, parameters, tsParameters, kwargs }: SpecifiedModel): Exportable {
  const given = tsParameters ?? parameters ?? Object.keys(inputs).join(", ");
  expect(kwargs === undefined || tsParameters !== undefined).toBe(true);
  const make = new Function(...Object.keys(SCOPE), `return (${given}) => ${typescript}`);
  return make(...Object.values(SCOPE)) as Exportable;
}

function exported(model: SpecifiedModel, spec: ParamsSpec | ShapesSpec, strict: boolean): ExportedProgram {
  const { inputs, kwargs: keywords = [], rest = [], decorated, mode } = model;
  const made = modelOf(model);
  const isAttached = decorated === true || mode === "both";
  const target = isAttached ? dynamicSpec(spec)(made as never) : made;
  const args = Object.entries(inputs).flatMap(([name, sizes]) =>
    keywords.includes(name) ? [] : [exampleOf(sizes)],
  );
  const kwargs = Object.fromEntries(keywords.map((name) => [name, exampleOf(inputs[name])]));
  const given = [...args, ...rest.map(exampleOf)];
  const dynamicShapes = decorated === true ? null : spec;
  if (mode === "draft") return draftExport(target as Exportable, given, { kwargs, dynamicShapes });
  const checkSource = strict ? undefined : false;
  const preferDeferredRuntimeAssertsOverGuards = mode === "deferred";
  const options = { kwargs, dynamicShapes, strict, checkSource, preferDeferredRuntimeAssertsOverGuards };
  return exportProgram(target as Exportable, given, options);
}

const linesOf = (program: ExportedProgram): string =>
  String(program)
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.trim().startsWith("#"))
    .join("\n");

/** Numbers of variables begin at 0. */
function renumbered(text: string): string {
  const numbers = [...text.matchAll(/#(\d+)/g)].map(([, number]) => Number(number));
  const least = Math.min(...numbers);
  return text.replaceAll(/#(\d+)/g, (_, number: string) => `#${Number(number) - least}`);
}

const refusalOf = (error: unknown): string => {
  if (!(error instanceof SconceError)) throw error;
  const [message] = error.message.split(/; got self|\n\nIt is not the same for all sizes/);
  return message!.replaceAll("\n\n", "\n");
};

function recordedOf(model: SpecifiedModel): Wanted {
  let spec: ParamsSpec | ShapesSpec;
  try {
    spec = specOf(model);
  } catch (error) {
    return { refused: renumbered(refusalOf(error)) };
  }
  const result: Record<string, string> = {
    spec: renumbered(String(spec)),
    json: renumbered(JSON.stringify(spec.toJsonable())),
  };
  for (const key of model.strict === false ? ["text"] : ["text", "strict"]) {
    let program: ExportedProgram;
    try {
      program = exported(model, spec, key === "strict");
      result[key] = linesOf(program);
    } catch (error) {
      result[`${key}Refused`] = refusalOf(error);
      continue;
    }
    try {
      if (key === "text") result["lowered"] = linesOf(runDecompositions(program));
    } catch (error) {
      result["loweredRefused"] = refusalOf(error);
    }
  }
  return result;
}

/** Texts that differ, with the reason. */
const DIFFERENT: readonly (readonly [model: string, key: string, reason: string])[] = [
  [
    "((n) => (check(sym.eq(n, x.size(0))), x.view(n, 3)))(y.item())",
    "strict",
    "TorchDynamo computes the condition once more, so that names have other numbers",
  ],
];
/** Lowered programs whose texts differ, in memory, with the reason. */
const LOWERED_DIFFERENT: Readonly<Record<string, string>> = {
  "x.reshape(-1, 3)": "a cache of shapes has the layout of the view",
  "x.cumsum(0)": "a cache of shapes has no layout of the result",
  "x.add(y)": "sizes that are equal for 0 only: PyTorch asserts it, and Sconce takes it for known",
  "torch.cat([x, y], 1)": "the same",
  "F.scaledDotProductAttention(q, k, v, { enableGqa: true })":
    "a copy in memory order is known to be contiguous, without a question",
  "F.cosineSimilarity(x, x, -1)": "the same",
  "F.maxPool2d(x, 2)": "the same",
  "F.pixelUnshuffle(x, 2)": "the same",
  "((n) => (check(sym.eq(n, x.size(0))), x.view(n, 3)))(y.item())":
    "a number that is read has the symbol of the size that it was found equal to",
};
/** So many lowered programs differ: some models have several specifications. */
const LOWERED_DIFFER = 12;

/** PyTorch words refusals of operators in other ways in its two modes. */
const isSameRefusal = (got: string | undefined, wanted: string | undefined): boolean =>
  got === wanted ||
  (/size/.test(got ?? "") && /must match/.test(got ?? "") && /must match/.test(wanted ?? ""));

function differences(): readonly Readonly<Record<string, string | undefined>>[] {
  return sampled(MODELS, 3).flatMap((model) => {
    const got = recordedOf(model) as Readonly<Record<string, string>>;
    const wanted = { ...model.wanted } as Record<string, string>;
    if (wanted["json"] !== undefined) wanted["json"] = JSON.stringify(JSON.parse(wanted["json"]));
    delete wanted["loaded"];
    return [...new Set([...Object.keys(got), ...Object.keys(wanted)])].flatMap((key) => {
      const isSame = key.endsWith("Refused")
        ? isSameRefusal(got[key], wanted[key])
        : got[key] === wanted[key] ||
          DIFFERENT.some(([typescript, of]) => typescript === model.typescript && of === key);
      return isSame ? [] : [{ model: model.typescript, key, got: got[key], wanted: wanted[key] }];
    });
  });
}

test("models with a ShapesSpec have PyTorch's programs, texts and refusals", () => {
  expect(MODELS.length).toBeGreaterThan(420);
  const found = differences();
  expect(found.filter(({ key }) => !key!.startsWith("lowered"))).toEqual([]);
  const lowered = found.filter(({ key }) => key!.startsWith("lowered"));
  expect(lowered.filter(({ model }) => !(model! in LOWERED_DIFFERENT))).toEqual([]);
  expect(lowered.length).toBeLessThanOrEqual(LOWERED_DIFFER);
});

/** The same after `save` and `load`: files have one symbol for sizes that were found equal. */
const LOADED_DIFFERENT: Readonly<Record<string, string>> = {
  "x.reshape(-1, 3)": "a cache of shapes has the layout of the view",
  "x.cumsum(0)": "a cache of shapes has no layout of the result",
  "F.scaledDotProductAttention(q, k, v, { enableGqa: true })":
    "a copy in memory order is known to be contiguous, without a question",
  "F.cosineSimilarity(x, x, -1)": "the same",
  "F.maxPool2d(x, 2)": "the same",
  "F.pixelUnshuffle(x, 2)": "the same",
  "x.at(slice(null, n)).add(y)": "the assertion of the slice is made once more",
  "((n) => (check(sym.eq(n, x.size(0))), x.view(n, 3)))(y.item())":
    "a number that is read has the symbol of the size that it was found equal to",
};

/** So many loaded programs differ. */
const LOADED_DIFFER = 9;

test("programs with a ShapesSpec have PyTorch's text when they are loaded and lowered", async () => {
  const session = createSconce();
  const wrong: Readonly<Record<string, string>>[] = [];
  for (const model of sampled(MODELS, 3)) {
    const { loaded, lowered } = model.wanted;
    if (loaded === undefined) continue;
    const program = await session.load(await session.save(exported(model, specOf(model), false)));
    const got = linesOf(session.runDecompositions(program));
    const wanted = loaded === false ? lowered! : loaded;
    if (got !== wanted) wrong.push({ model: model.typescript, got, wanted });
  }
  expect(wrong.filter(({ model }) => !(model! in LOADED_DIFFERENT))).toEqual([]);
  expect(wrong.length).toBeLessThanOrEqual(LOADED_DIFFER);
});

/** Models with an assertion that follows from the one before it, which the text has first. */
const WRITTEN_DIFFERENT: readonly string[] = ["F.maxPool2d(x, 2)", "F.avgPool2d(x, 2)"];

/** How often a program that was written as TypeScript comes back equal, or says why it does not. */
test("programs with a ShapesSpec come back equal when they are written and exported again", () => {
  const wrong = sampled(MODELS, 8).flatMap((model) => {
    if (model.wanted.text === undefined || model.decorated === true) return [];
    const program = exported(model, specOf(model), false);
    const { text, differences: noted } = typescriptModule(program);
    const again = linesOf(exportModule(runModule(text)));
    const isListed = noted.length > 0 || WRITTEN_DIFFERENT.includes(model.typescript);
    return again === linesOf(program) || isListed ? [] : [{ text, again, wanted: linesOf(program) }];
  });
  expect(wrong).toEqual([]);
});

const batch = new ShapeVar("batch", { min: 2, max: 128 });
const sums = exportProgram(
  (x: Tensor, y: Tensor, z: Tensor) => x.sum(0).add(y.sum(0)).add(z.sum(0)),
  [torch.ones(8, 3), torch.ones(16, 3), torch.ones(64, 3)],
  {
    dynamicShapes: new ShapesSpec(
      {
        x: new TensorSpec([batch, 3]),
        y: new TensorSpec([sym.mul(batch, 2), 3]),
        z: new TensorSpec([sym.mul(batch, batch), 3]),
      },
      { assumptions: [sym.eq(sym.mod(batch, 2), 0)] },
    ),
  },
);

test("a choice by sizes is refused with sizes that decide it in different ways", () => {
  const size = new ShapeVar("n", { min: 2 });
  const options = {
    dynamicShapes: new ShapesSpec(
      { x: new TensorSpec([size, 3]) },
      { assumptions: [sym.eq(sym.mod(size, 2), 0)] },
    ),
  };
  const message = (model: (x: Tensor) => Tensor): string | undefined => {
    try {
      exportProgram(model, [torch.ones(8, 3)], options);
    } catch (error) {
      return (error as SconceError).message.split("\n\n").at(-1);
    }
    return undefined;
  };
  expect(message((x) => (guard(sym.gt(x.size(0), 4)) ? x : x.neg()))).toBe(
    "It is not the same for all sizes:\n  - True for L['x'].size()[0] = 8\n  - False for L['x'].size()[0] = 4",
  );
  expect(message((x) => x.mul(guardInt(x.size(0))))).toBe(
    "It is not the same for all sizes:\n  - 8 for L['x'].size()[0] = 8\n  - 6 for L['x'].size()[0] = 6",
  );
  expect(message((x) => (guard(sym.ge(x.size(0), 2)) ? x : x.neg()))).toBeUndefined();
});

test.each(["cpu", "wasm"])("%s runs sizes that a ShapesSpec admits, and no others", async (backend) => {
  const sconce = createSconce();
  const saved = await sconce.load(await sconce.save(sums));
  for (const program of [sums, sconce.runDecompositions(sums), saved, sconce.runDecompositions(saved)]) {
    const module = await sconce.module(program, { backend });
    const run = async (...sizes: readonly number[]): Promise<string> => {
      try {
        const inputs = sizes.map((size) => torch.ones(size, 3));
        return String(((await module.call(inputs)) as Tensor).tolist());
      } catch (error) {
        return (error as SconceError).code;
      }
    };
    expect(await run(4, 8, 16)).toBe("28,28,28");
    expect(await run(2, 4, 4)).toBe("10,10,10");
    expect(await run(4, 9, 16)).toBe("INPUT_MISMATCH");
    expect(await run(4, 8, 17)).toBe("INPUT_MISMATCH");
    expect(await run(3, 6, 9)).toBe("ASSERTION_FAILED");
    expect(await run(0, 0, 0)).toBe("ASSERTION_FAILED");
    expect(await run(130, 260, 16_900)).toBe("GUARD_FAILED");
  }
});

test.each([ShapeVar, IntVar])(
  "a variable whose bounds exclude each other is refused as in PyTorch",
  (Var) => {
    expect(() => new Var("b", { min: 5, max: 2 })).toThrow(
      expect.objectContaining({
        code: "SHAPES_SPEC",
        message: expect.stringMatching(/^Invalid ranges \[5:2\] of the variable b$/m),
      }),
    );
    expect(new Var("b", { min: 5, max: 5 }).max).toBe(5);
  },
);
