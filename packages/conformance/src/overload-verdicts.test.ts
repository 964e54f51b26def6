/**
 * @file Overloads that few programs hold: those that PyTorch exports have rows, and lower as
 * PyTorch lowers them; the others are refused by class.
 */
import { readdirSync, readFileSync } from "node:fs";
import { defaultOperators, defineOp, refusedClasses } from "@sconce/ops";
import { buildCall, CallProgram, type OpCase } from "@sconce/ops-cases";
import { readAllCases } from "@sconce/ops-cases/node";
import { runDecompositions } from "@sconce/passes";
import { createSconce } from "@sconce/session";
import { describe, expect, test } from "vitest";
import { FIXTURES, fixtureJson } from "./fixtures.js";

/** The targets of the lowered program, why lowering failed, or why the export did. */
type Verdict = readonly string[] | { readonly lowering: string } | string;

const { exports: verdicts, withoutCpu } = fixtureJson("ops/overload-verdicts.json.gz") as {
  readonly exports: Readonly<Record<string, Verdict>>;
  readonly withoutCpu: readonly string[];
};
const operators = defaultOperators();
const targetOf = (name: string): string => `aten.${name}`;
const classOf = (name: string): string | undefined => operators.refusedClass(targetOf(name))?.name;
const refusedNames = [...operators.known.targets()].flatMap((target) =>
  operators.refusedClass(target) === undefined ? [] : [target.slice("aten.".length)],
);

const firstCases = new Map<string, OpCase>();
for (const one of readAllCases())
  if (one.compare !== "error" && !firstCases.has(one.target)) firstCases.set(one.target, one);

/** Targets of the calls of a lowered program of one call, as PyTorch's verdict lists them. */
function loweredTargets(one: OpCase): readonly string[] {
  const { args, kwargs } = buildCall(one);
  const { program } = new CallProgram(one.target, args, kwargs, operators);
  return [...runDecompositions(program).graph.nodes()]
    .filter(({ op, target }) => op === "call_function" && target !== "operator.getitem")
    .map(({ target }) => target);
}

/**
 * PyTorch's functionalization gives the results of these to written arguments in another order than
 * the call does, and converts them to the dtypes of what gets them. Sconce gives what the call
 * gives.
 */
const MIXED_UP: ReadonlySet<string> = new Set([
  "_amp_update_scale.out",
  "_batch_norm_with_update.out",
  "_fused_moving_avg_obs_fq_helper.out",
]);

describe("overloads that PyTorch exports", () => {
  const lowered = Object.entries(verdicts).flatMap(([name, verdict]) => {
    const one = firstCases.get(targetOf(name));
    // Effects are put around the call by the export, not by lowering.
    const isPlain = Array.isArray(verdict) && !verdict.includes("with_effects") && !MIXED_UP.has(name);
    return one !== undefined && isPlain ? [[name, one, verdict] as const] : [];
  });

  test.each(lowered)("%s lowers as PyTorch lowers it", (_, one, verdict) => {
    expect(loweredTargets(one)).toEqual(verdict);
  });

  test("are most of those that were asked", () => {
    expect(lowered.length).toBe(112);
  });
});

describe("programs of PyTorch that hold refused overloads", () => {
  const folder = `${FIXTURES}ops/refused/`;

  test.each(readdirSync(folder))("%s is refused when it is read, and with the class", async (file) => {
    const bytes = readFileSync(folder + file);
    const name = file.replace(".pt2", "");
    await expect(createSconce().load(bytes)).rejects.toMatchObject({
      code: "UNSUPPORTED_OPERATOR",
      message: expect.stringContaining(` is refused (${name}): it `),
      where: expect.stringContaining(".target"),
      fix: expect.stringContaining(refusedClasses().find((one) => one.name === name)!.fix),
    });
  });

  test("one of them is read where a plugin defines the overload", async () => {
    const plugin = {
      name: "gamma",
      ops: [
        defineOp({
          schema: "aten::_standard_gamma_grad(Tensor self, Tensor output) -> Tensor",
          decompose: (emit, { self, output }) => emit("aten.mul.Tensor", [self, output]),
        }),
      ],
    };
    const bytes = readFileSync(`${folder}approximated.pt2`);
    const program = await createSconce({ plugins: [plugin] }).load(bytes);
    expect(program.opHistogram().get("aten._standard_gamma_grad.default")).toBe(1);
  });
});

describe("overloads that are refused", () => {
  test("each has a class, and each class has overloads", () => {
    const open = [...operators.known.targets()].filter(
      (target) => operators.get(target) === undefined && operators.refusedClass(target) === undefined,
    );
    expect(open).toEqual([]);
    const names = refusedClasses().map(({ name }) => name);
    expect(new Set(refusedNames.map(classOf))).toEqual(new Set(names));
  });

  test("PyTorch fails to export those that read values, and nested ones", () => {
    const asked = Object.keys(verdicts).filter((name) => ["values", "nested"].includes(classOf(name) ?? ""));
    // It gives the sizes of a packed sequence wrongly, and layers that take one fail.
    const kept = asked.filter((name) => typeof verdicts[name] !== "string");
    expect(kept.sort()).toEqual(["_pack_padded_sequence.default", "linear_backward.default"]);
    expect(asked.length).toBeGreaterThan(20);
  });

  test("those of a device have no kernel for the CPU, or one that fails there", () => {
    const without = new Set(withoutCpu);
    const others = refusedNames.filter((name) => classOf(name) === "device" && !without.has(name));
    const functional = others.filter((name) => !/out$/.test(name));
    expect(functional.sort()).toMatchInlineSnapshot(`
      [
        "_cufft_clear_plan_cache.default",
        "_cufft_get_plan_cache_max_size.default",
        "_cufft_get_plan_cache_size.default",
        "_cufft_set_plan_cache_max_size.default",
        "_nnpack_spatial_convolution.default",
        "_propagate_xla_data.default",
        "_scaled_dot_product_fused_attention_overrideable.default",
        "_scaled_dot_product_fused_attention_overrideable_backward.default",
        "_scaled_grouped_mm_v2.default",
        "_thnn_fused_lstm_cell_backward.default",
        "convolution_backward_overrideable.default",
        "convolution_overrideable.default",
      ]
    `);
  });

  test("they are known to the table by the class alone", () => {
    const error = operators.refusalOf("aten.to_sparse.default");
    expect(error?.code).toBe("UNSUPPORTED_OPERATOR");
    expect(error?.message).toMatch(/^aten\.to_sparse\.default is refused \(sparse\): it takes or gives/);
    expect(() => operators.require("aten.to_sparse.default")).toThrow(error!.message);
    expect(operators.refusalOf("aten.relu.default")).toBeUndefined();
    expect(operators.refusalOf("mylib.to_sparse.default")).toBeUndefined();
  });
});
