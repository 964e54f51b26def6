import { Dim, type Exportable, exportProgram, map, nn, pytree, slice, sym, torch } from "@sconce/capture";
import { SconceError } from "@sconce/errors";
import { float } from "@sconce/ir";
import { expect, test } from "vitest";
import { sampled } from "../../../../.config/sampled.js";
import { fixtureJson } from "../fixtures.js";

type Sizes = readonly [kind: "i64" | "bool", ...sizes: number[]] | readonly number[];

/** A call on tensors with dynamic sizes, as `oracle/guarded_calls.py` records it. */
interface GuardedCall {
  readonly typescript: string;
  readonly inputs: Readonly<Record<string, Sizes>>;
  readonly dims: Readonly<Record<string, readonly number[]>>;
  readonly kind?: "dynamic" | "one" | "named" | "deferred";
  readonly wanted:
    | { readonly text: string; readonly guards: readonly string[] }
    | { readonly refused: readonly string[] };
}

const CALLS = fixtureJson("dynamic-shapes/guarded-calls.json.gz") as readonly GuardedCall[];
const DTYPES = { i64: "int64", bool: "bool" } as const;

const SCOPE = { torch, F: nn.functional, sym, slice, map, pytree, float };

function modelOf({ typescript, inputs }: GuardedCall): Exportable {
  const make = new Function(
    ...Object.keys(SCOPE),
    `return (${Object.keys(inputs).join(", ")}) => ${typescript}`,
  );
  return make(...Object.values(SCOPE)) as Exportable;
}

function tensorOf(sizes: Sizes): unknown {
  const [kind, ...rest] = sizes;
  return typeof kind === "string"
    ? torch.ones(rest as number[], { dtype: DTYPES[kind] })
    : torch.ones(sizes as number[]);
}

function shapesOf({ inputs, dims, kind }: GuardedCall): Record<string, Record<number, unknown>> {
  const one = Dim("n");
  const dimOf = (name: string, at: number): unknown => {
    if (kind === undefined) return Dim.AUTO;
    if (kind === "dynamic" || kind === "deferred") return Dim.DYNAMIC;
    return kind === "one" ? one : Dim(`${name}${at}`);
  };
  const shapeOf = (name: string) =>
    Object.fromEntries((dims[name] ?? []).map((at) => [at, dimOf(name, at)] as const));
  return Object.fromEntries(Object.keys(inputs).map((name) => [name, shapeOf(name)]));
}

function recordedOf(call: GuardedCall): GuardedCall["wanted"] {
  try {
    const program = exportProgram(modelOf(call), Object.values(call.inputs).map(tensorOf), {
      dynamicShapes: shapesOf(call) as never,
      checkSource: false,
      preferDeferredRuntimeAssertsOverGuards: call.kind === "deferred",
    });
    const lines = String(program).split("\n");
    const text = lines.filter((line) => line.trim() !== "" && !line.trim().startsWith("#")).join("\n");
    return { text, guards: program.guardsCode };
  } catch (error) {
    if (!(error instanceof SconceError)) throw error;
    const [message] = error.message.split("Sizes that break it");
    const lines = message!.split("\n").map((line) => line.trim());
    return { refused: lines.filter((line) => line.startsWith("- ")) };
  }
}

test("calls on dynamic sizes have PyTorch's symbols, guards and refusals", () => {
  expect(CALLS.length).toBeGreaterThan(1000);
  const differences = sampled(CALLS, 3).flatMap((call) => {
    const got = recordedOf(call);
    return JSON.stringify(got) === JSON.stringify(call.wanted)
      ? []
      : [[call.typescript, call.kind, got, call.wanted]];
  });
  expect(differences).toEqual([]);
});
