import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readSafetensors, writeSafetensors } from "@sconce/tensor";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sconce } from "../command.fixture.js";

const FOLDER = new URL("../../../testing/fixtures/meta-state/", import.meta.url);
const at = (name: string): string => fileURLToPath(new URL(name, FOLDER));
const META = at("meta.pt2");
const PART = at("part.pt2");
const CHANNELS = at("channels.pt2");
const values = (name = "values"): string[] => ["--weights", at(`${name}.safetensors`)];
const inputs = ["--inputs", at("inputs.safetensors")];
const channels = {
  inputs: ["--inputs", at("channels-inputs.safetensors")],
  expected: ["--expect", at("channels-expected.safetensors")],
  values: values("channels-values"),
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-values-"));
});
afterAll(() => rm(folder, { recursive: true }));

const PART_MISSING = [
  '"branch.weight" (p_branch_weight, first read by cond / true_graph_0.linear)',
  '"norm.running_var" (b_norm_running_var, first read by batch_norm)',
  '"offset" (c_offset, first read by add)',
];

describe("commands that need values refuse, with every tensor and its reader", () => {
  test.each<[string, string, readonly string[]]>([
    ["run", "running the program", ["run", PART, ...inputs]],
    ["run --first-nonfinite", "running the program", ["run", PART, ...inputs, "--first-nonfinite"]],
    ["run --lower", "running the program", ["run", PART, ...inputs, "--lower"]],
    ["run on gpujs", "running the program", ["run", PART, ...inputs, "--backend", "gpujs:cpu"]],
    ["bisect", "checking passes", ["bisect", PART, "--passes", "decompose,cse"]],
    ["lower", "writing the weights", ["lower", PART, "-o", "OUT"]],
  ])("%s", async (title, action, args) => {
    const words = args.map((word) => (word === "OUT" ? join(folder, "part.sir") : word));
    const { code, out, err } = await sconce(...words);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(`error NO_VALUES: ${action} needs the values of 3 tensors that have none: `);
    if (title !== "run --lower") for (const one of PART_MISSING) expect(err).toContain(one);
    expect(err).toContain(
      "\n  fix give the values: program.withState(tensors), or --weights FILE.safetensors",
    );
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([
    ["fold-constants", ['"table" (c_table, first read by permute)']],
    [
      "fold-batch-norm",
      [
        '"conv.weight" (p_conv_weight, first read by convolution)',
        '"norm.running_var" (b_norm_running_var, first read by _native_batch_norm_legit_no_training)',
      ],
    ],
  ])("%s", async (pass, wanted) => {
    const { code, out, err } = await sconce("print", CHANNELS, "--passes", `decompose,${pass}`);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("error NO_VALUES: ");
    for (const one of wanted) expect(err).toContain(one);
  });
});

describe("commands that need none work", () => {
  test.each([
    ["print", META],
    ["print", META, "--lower"],
    ["print", META, "--format", "ir"],
    ["print", META, "--format", "json"],
    ["print", META, "--format", "loops"],
    ["print", META, "--passes", "decompose,propagate-shapes{sizes=[s77=7]},canonicalize,cse,dce"],
    ["print", META, "--passes", "decompose,convert-dtype{to=bfloat16},remove-type-promotion"],
    ["print", META, "--passes", "decompose,sink-transposes,fuse-regions"],
    ["print", META, "--passes", "functionalize,partition"],
    ["history", META, "--passes", "decompose,cse,dce"],
    ["explain", META],
    ["diff", META, META],
  ])("%s", async (...args) => {
    expect(await sconce(...args)).toMatchObject({ code: 0, err: "" });
  });

  test("info --loops gives the loops of the program with its weights", async () => {
    const [without, given] = await Promise.all(
      [[], channels.values].map(async (words) => {
        const { out } = await sconce("print", CHANNELS, "--format", "loops", ...words);
        return out;
      }),
    );
    expect(without).toBe(given);
    const { code, out } = await sconce("info", CHANNELS, "--loops");
    expect([code, out.match(/loops: .*/)?.[0]]).toEqual([0, "loops: 3 nests for 3 calls"]);
  });
});

describe("info and verify report it", () => {
  test("info lists the tensors", async () => {
    const { out } = await sconce("info", PART);
    expect(out).toContain(
      `state without values (give it with --weights to run the program):\n  ${PART_MISSING.join("\n  ")}\n`,
    );
    expect((await sconce("info", PART, "--json")).out).toContain('"name": "norm.running_var"');
  });

  test("verify calls no program valid without a word on it", async () => {
    const { code, out } = await sconce("verify", PART);
    expect(code).toBe(0);
    expect(out).toContain(
      ": valid, 30 nodes, dialect TRAINING; it cannot run: 3 tensors have no values (give them with --weights)\n",
    );
    for (const one of PART_MISSING) expect(out).toContain(`  ${one}\n`);
    const report: unknown = JSON.parse((await sconce("verify", PART, "--json")).out);
    expect(report).toMatchObject({
      valid: true,
      runnable: false,
      withoutValues: [
        { name: "branch.weight", dtype: "float32", shape: [4, 4], placeholder: "p_branch_weight" },
        { name: "norm.running_var", reader: "batch_norm" },
        { name: "offset", reader: "add" },
      ],
    });
  });

  test("with the weights there is nothing to report", async () => {
    const { out } = await sconce("verify", PART, ...values());
    expect(out).toMatch(/: valid, 30 nodes, dialect TRAINING\n$/);
  });
});

describe("--weights", () => {
  test.each(["part.pt2", "meta_flat.pt2"])("%s runs as PyTorch does", async (name) => {
    const expected = ["--expect", at("expected.safetensors")];
    const { code, out, err } = await sconce("run", at(name), ...inputs, ...values(), ...expected);
    expect([code, err, out]).toEqual([0, "", "o0: float32[5, 4]\noutputs are as expected\n"]);
  });

  test.each([[["--lower"]], [["--backend", "gpujs:cpu"]]])("%s", async (more) => {
    const { code, out } = await sconce(
      "run",
      CHANNELS,
      ...channels.inputs,
      ...channels.values,
      ...channels.expected,
      ...more,
    );
    expect([code, out]).toEqual([0, "o0: float32[2, 2]\noutputs are as expected\n"]);
  });

  test("what is still missing is named; a tensor that may be tied to it is suggested", async () => {
    const { code, err } = await sconce("run", META, ...inputs, ...values());
    expect(code).toBe(2);
    expect(err).toContain(
      'needs the values of 1 tensor that has none: "second.weight" (p_second_weight, first read by linear)',
    );
    expect(err).toContain(
      'if "second.weight" is tied to "first.weight", which no node reads, give it the same tensor',
    );
  });

  test("state that no node reads may stay without values", async () => {
    const read = new Map(readSafetensors(await readFile(at("values.safetensors"))).tensors);
    for (const name of ["unread", "norm.num_batches_tracked"]) read.delete(name);
    const some = join(folder, "some.safetensors");
    await writeFile(some, writeSafetensors(read));
    const words = [at("meta_flat.pt2"), "--weights", some];
    const expected = ["--expect", at("expected.safetensors")];
    for (const more of [expected, [...expected, "--backend", "gpujs:cpu"], ["--first-nonfinite"]])
      expect(await sconce("run", ...words, ...inputs, ...more)).toMatchObject({ code: 0, err: "" });
    expect(await sconce("bisect", ...words, "--passes", "decompose,cse")).toMatchObject({ code: 0 });
    const { out } = await sconce("verify", ...words);
    expect(out).toContain('; 2 tensors have no values, which no node reads\n  "unread" (b_unread)');
    await rm(some);
  });

  test("lower writes them, and what it writes runs; examples stay without values", async () => {
    const out = join(folder, "channels.sir");
    expect(await sconce("lower", CHANNELS, "-o", out, ...channels.values)).toMatchObject({ code: 0 });
    const { code } = await sconce("run", out, ...channels.inputs, ...channels.expected);
    expect(code).toBe(0);
    expect((await sconce("print", out, "--format", "ir")).out).toContain(
      "example tensor f32[2, 3, 4, 4] no_values",
    );
    await rm(join(folder, "channels.safetensors"));
    const alone = await sconce("run", out, ...channels.inputs);
    expect(alone.err).toMatch(/^error FILE: .*\n {2}fix .*--weights FILE\.safetensors/);
    expect(
      await sconce("run", out, ...channels.inputs, ...channels.expected, ...channels.values),
    ).toMatchObject({ code: 0 });
    await rm(out);
  });

  test("bisect and folding take them", async () => {
    const words = ["--passes", "decompose,fold-constants,cse", ...channels.values];
    expect(await sconce("bisect", CHANNELS, ...words)).toMatchObject({ code: 0 });
    expect((await sconce("print", CHANNELS, ...words)).out).toContain("c__folded_0");
  });

  test("unknown names and other shapes are refused, with the file", async () => {
    const { code, err } = await sconce(
      "run",
      PART,
      ...inputs,
      "--weights",
      at("channels-values.safetensors"),
    );
    expect(code).toBe(2);
    expect(err).toMatch(
      /^error UNKNOWN_STATE: the program has no parameter, buffer or constant .*"conv\.weight"/,
    );
    expect(err).toContain("channels-values.safetensors");
  });
});
