import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { EngineClient } from "./client.js";
import { Engine } from "./engine.js";
import type { ValueView } from "./protocol.js";
import { serveEngine } from "./serve.js";

const PROGRAMS = fileURLToPath(new URL("../../../testing/fixtures/programs/", import.meta.url));
const program = async (name: string): Promise<Blob> =>
  new Blob([new Uint8Array(await readFile(`${PROGRAMS}${name}/program.pt2`))]);
const example = async (name: string): Promise<Blob> =>
  new Blob([new Uint8Array(await readFile(`${PROGRAMS}../../../sconce/examples/${name}.pt2`))]);

const TEXT = `sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %b: USER_OUTPUT }
graph(%x: f32[2]) { %a: f32[2] = aten.add.Tensor(%x, 0) %b: f32[2] = aten.sin.default(%a) return (%b) }`;

/** The sine of large numbers makes roundings of the exponential large. */
const UNSTABLE = `sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %b: USER_OUTPUT }
graph(%x: f32[64, 64]) {
  %a: f32[64, 64] = aten.exp.default(%x)
  %m: f32[64, 64] = aten.mul.Tensor(%a, 100000000.0)
  %b: f32[64, 64] = aten.sin.default(%m)
  return (%b)
}`;

const closed = { open: [], modules: true, state: false } as const;

describe("the engine", () => {
  const engine = new Engine();
  beforeAll(async () => {
    await engine.open(await program("net_gpt"), "gpt.pt2", {});
  });

  test("opens archives and IR text, and draws them", async () => {
    expect(engine.version(0)).toEqual({
      id: 0,
      parent: undefined,
      title: "gpt.pt2",
      nodes: 49,
      dialect: "TRAINING",
    });
    const { items, scene, marks } = await engine.scene({ version: 0, ...closed });
    expect(scene.boxes.map(({ item }) => new Map(items).get(item)!.title)).toEqual(
      expect.arrayContaining(["ids", "tok", "blocks.0", "norm", "head", "output"]),
    );
    expect(marks).toEqual([]);
    const text = new Engine();
    expect(await text.open(new Blob([TEXT]), "x.ir", {})).toMatchObject({ nodes: 4, title: "x.ir" });
  });

  test("finds items by words, with the groups around them", () => {
    const [first, ...others] = engine.search(0, "SCALED attention");
    expect(others).toEqual([]);
    expect(first).toMatchObject({ title: "scaled_dot_product_attention", detail: "f32[s23, 2, s27, 8]" });
    expect(first!.groups).toHaveLength(2);
    expect(engine.search(0, "nothing has this")).toEqual([]);
    // Calls, modules, weights, and then what is in a module of that name.
    const found = engine.search(0, "head").map(({ key }) => key);
    expect(found).toEqual([expect.stringMatching(/head$/), ":p_head_weight", ":linear_4"]);
    expect(engine.search(0, "  ")).toEqual([]);
  });

  test("gives all that is known of a node: text, type, neighbors, source", () => {
    const details = engine.details(0, ":scaled_dot_product_attention")!;
    expect(details.text).toMatch(/^%scaled_dot_product_attention : \[num_users=1\] = call_function/);
    expect(details.facts).toContainEqual({ name: "shape", value: "[s23, 2, s27, 8]" });
    expect(details.facts).toContainEqual({ name: "module", value: "blocks.0.attn" });
    expect(details.inputs).toHaveLength(3);
    expect(details.users.map(({ node }) => node)).toEqual(["transpose_3"]);
    expect(details.stackTrace).toContain("networks.py");
    expect(engine.details(0, ":missing")).toBeUndefined();
    expect(engine.details(0, ":p_head_weight")!.facts).toContainEqual({
      name: "parameter",
      value: "head.weight",
    });
  });

  test("runs passes: a version for each that changes something, with what it changed", async () => {
    const steps = await engine.runPasses(0, "decompose,cse,dce", {});
    expect(steps.map(({ pass, changed, version }) => [pass, changed, version])).toEqual([
      ["decompose", true, 1],
      ["cse", true, 2],
      ["dce", false, 2],
    ]);
    expect(steps[1]).toMatchObject({ added: 0, removed: 2 });
    expect(engine.version(2)).toMatchObject({ parent: 1, title: "cse", dialect: "ATEN" });
    const { marks } = await engine.scene({ version: 1, ...closed, open: "all", compareWith: 0 });
    expect(new Set(marks.map(([, mark]) => mark))).toContain("added");
    const { marks: inGroups } = await engine.scene({ version: 1, ...closed, compareWith: 0 });
    expect(inGroups.map(([, mark]) => mark)).toContain("changed");
    const { marks: before } = await engine.scene({ version: 1, ...closed, open: "all", compareWith: 2 });
    expect(new Set(before.map(([, mark]) => mark))).toEqual(new Set(["removed", "changed"]));
    const { nodes } = await engine.difference(1, 2, {});
    expect(nodes.filter(({ mark }) => mark === "removed")).toHaveLength(2);
    expect(engine.details(1, ":addmm")!.provenance[0]).toBe(
      "decompose made addmm = aten.addmm.default from linear",
    );
  });

  test("says where a backend runs each call, and where two backends differ", async () => {
    const { rows } = await engine.placement(0, "wasm", {});
    expect(rows.length).toBeGreaterThan(20);
    const { rows: compared, first } = await engine.compare(0, ["cpu", "wasm"], {});
    expect(first).toBeUndefined();
    expect(compared.map(({ node }) => node)).toContain("scaled_dot_product_attention");
    const profile = await engine.profile(0, "cpu", {});
    expect(profile.rows.length).toBeGreaterThan(20);
    expect(profile.results[0]).toMatch(/^tensor\(/);
  });

  test("counts and marks what two backends compute differently", async () => {
    const own = new Engine();
    await own.open(new Blob([UNSTABLE]), "x.ir", {});
    const { first, rows, tolerances } = await own.compare(0, ["cpu", "wasm"], {});
    expect(first).toBe("b");
    expect(tolerances).toEqual([{ dtype: "float32", atol: 1e-5, rtol: 1e-4 }]);
    expect(rows.map(({ differing }) => differing > 0)).toEqual([false, false, true]);
    expect(rows[2]).toMatchObject({ key: ":b", elements: 4096, differs: true });
    const { items, marks } = await own.scene({ version: 0, ...closed, differing: [":b"] });
    expect(marks.map(([id, mark]) => [new Map(items).get(id)!.key, mark])).toEqual([[":b", "differs"]]);
  });

  test("marks each closed group in which something changed", async () => {
    const own = new Engine();
    const bytes = await readFile(
      new URL("../../../testing/fixtures/programs/net_resnet/program.pt2", import.meta.url),
    );
    const { id } = await own.open(new Blob([bytes]), "net_resnet.pt2", {});
    const [step] = await own.runPasses(id, "decompose", {});
    const view = { version: step!.version, modules: true, state: false, compareWith: id };
    const marked = async (open: "all" | readonly string[]): Promise<string[]> => {
      const { items, marks } = await own.scene({ ...view, open });
      const keys = new Map(items.map(([item, { key }]) => [item, key]));
      return marks.map(([item]) => keys.get(item)!);
    };
    const groups = (await marked("all")).map((key) => own.details(step!.version, key)!.groups[0] ?? key);
    expect(new Set(await marked([]))).toEqual(new Set(groups));
    expect(groups.length).toBeGreaterThan(5);
  });

  test("shows the kernels of a run with their nodes of the opened program, modules and memory", async () => {
    const { rows, plan, memory } = await engine.profile(0, "wasm", {});
    expect(plan!.kernels.length).toBe(rows.filter(({ place }) => place === "device").length);
    expect(plan!.kernels[0]).toMatchObject({ language: "kernel", loops: expect.stringContaining("nest ") });
    const product = rows.find(({ target, key }) => target === "aten.addmm.default" && key !== undefined)!;
    expect(engine.details(0, product.key!)!.facts).toContainEqual({
      name: "target",
      value: "aten.linear.default",
    });
    expect(product.modules.length).toBeGreaterThan(0);
    expect(memory!.kind).toBe("plan");
    for (const { from, to } of memory!.values) expect(from).toBeLessThanOrEqual(to);
  });

  test("counts what a call and what a module cost", async () => {
    const cost = async (key: string) => (await engine.cost(0, key, {}))!;
    const linear = await cost(":linear");
    expect(linear).toMatchObject({ calls: 1, unknown: [] });
    expect(linear.flops).toBeGreaterThan(0);
    const [group] = engine.details(0, ":linear")!.groups;
    const whole = await cost(group!);
    expect(whole.calls).toBeGreaterThan(1);
    expect(whole.flops).toBeGreaterThan(linear.flops);
    expect(await engine.cost(0, "nothing", {})).toBeUndefined();
  });

  test("goes through the rewrites inside of a pass", async () => {
    const own = new Engine();
    const text = TEXT.replace("add.Tensor(%x, 0)", "mul.Tensor(%x, 1)")
      .replace(" %b: f32", " %m: f32[2] = aten.mul.Tensor(%a, 1) %b: f32")
      .replace("default(%a)", "default(%m)");
    await own.open(new Blob([text]), "x.ir", {});
    const [step] = await own.runPasses(0, "canonicalize", {});
    expect(step).toMatchObject({ call: "canonicalize", before: 0, version: 1 });
    const made = await own.rewrites(0, "canonicalize");
    expect(made).toHaveLength(2);
    expect(made.map(({ rule }) => rule)).toEqual(["mul-1", "mul-1"]);
    const first = await own.afterRewrites(0, "canonicalize", 1);
    expect(first.parent).toBe(0);
    expect(first.title).toBe("1 rewrite of canonicalize");
    expect(await own.afterRewrites(0, "canonicalize", 1)).toEqual(first);
    const { nodes } = await own.difference(0, first.id, {});
    expect(nodes.map(({ mark }) => mark)).toContain("removed");
    const all = await own.afterRewrites(0, "canonicalize", 2);
    expect((await own.difference(1, all.id, {})).nodes).toEqual([]);
  });

  test("shows the elements of a node: statistics, a histogram, pictures", async () => {
    const own = new Engine();
    await own.open(await program("net_unet"), "unet.pt2", {});
    expect(await own.values(0, own.search(0, "leakyrelu call")[0]!.key, {})).toMatchObject({
      reason: expect.stringMatching(/^Select a node/),
    });
    const node = own.search(0, "leaky_relu f32")[0]!;
    const elements = (await own.values(0, node.key, {})) as ValueView;
    expect(elements.statistics.map(({ name }) => name)).toEqual([
      "elements",
      "least",
      "greatest",
      "mean",
      "std",
    ]);
    const count = Number(elements.statistics[0]!.value);
    expect(elements.histogram.reduce((sum, part) => sum + part, 0)).toBe(count);
    expect(elements.pictures).toHaveLength(4);
    expect(Math.max(...elements.pictures.flatMap(({ gray }) => [...gray]))).toBe(255);
    expect(elements.text).toMatch(/^tensor\(/);
    expect(await own.values(0, ":missing", {})).toHaveProperty("reason");
  });

  test("shows the elements of inputs, weights, buffers and complex values, and says why not of others", async () => {
    const own = new Engine();
    await own.open(await example("digits"), "digits.pt2", {});
    for (const [key, text] of [
      [":image", /^tensor\(\[\[\[\[/],
      [":p_conv1_weight", /^tensor\(\[\[\[\[/],
      [":b_bn1_running_mean", /^tensor\(\[/],
    ] as const)
      expect(await own.values(0, key, {})).toMatchObject({ text: expect.stringMatching(text) });
    expect((await own.slice(0, ":image", ["cpu"], { index: [0, 0], row: 0, column: 0 }, {}))!.rows).toBe(8);
    const complex = new Engine();
    await complex.open(await program("ops_complex"), "complex.pt2", {});
    for (const key of [":_conj", ":fft_rfft"])
      expect(await complex.values(0, key, {})).toMatchObject({ text: expect.stringContaining("j") });
    expect(await complex.values(0, ":output", {})).toMatchObject({
      reason: expect.stringContaining("Select one of its inputs"),
    });
    const nested = new Engine();
    await nested.open(await program("flow_cond_nested"), "nested.pt2", {});
    const [inner] = nested.search(0, "linear");
    expect(nested.details(0, inner!.key)).toMatchObject({ title: "linear", runBy: { node: "cond" } });
    expect(await nested.values(0, inner!.key, {})).toMatchObject({
      reason: expect.stringContaining("nested graph"),
    });
  });

  test("finds in what two opened files differ, though nothing has read their weights", async () => {
    const own = new Engine();
    await own.open(await program("net_mlp"), "mlp.pt2", {});
    await own.open(await program("net_mlp_train"), "mlp_train.pt2", {});
    const { nodes } = await own.difference(0, 1, {});
    expect(nodes.length).toBeGreaterThan(0);
    const other = new Engine();
    await other.open(await program("net_gru"), "gru.pt2", {});
    await other.open(await program("net_lstm"), "lstm.pt2", {});
    const { marks } = await other.scene({ version: 1, ...closed, open: "all", compareWith: 0 });
    expect(marks.length).toBeGreaterThan(0);
  });

  test("shows slices of a value on one backend and on two", async () => {
    const own = new Engine();
    await own.open(await program("net_unet"), "unet.pt2", {});
    const { key } = own.search(0, "leaky_relu f32")[0]!;
    const start = { index: [0, 1], row: 0, column: 0 };
    const one = (await own.slice(0, key, ["cpu"], start, {}))!;
    expect(one).toMatchObject({ start, dtype: "float32", problem: undefined });
    expect(one.tables).toHaveLength(1);
    expect(one.marks).toBeUndefined();
    const two = (await own.slice(0, key, ["cpu", "wasm"], start, {}))!;
    expect(two.tables.map(({ backend }) => backend)).toEqual(["cpu", "wasm"]);
    expect(two.tables[0]!.texts).toEqual(one.tables[0]!.texts);
    expect(two).toMatchObject({ differing: 0, firstDifference: undefined });
    expect(two.marks!.flat()).not.toContain("differs");
    expect(await own.slice(0, ":missing", ["cpu"], start, {})).toBeUndefined();
  });

  test("slices of values that are written to show what the call gave", async () => {
    const own = new Engine();
    const text = `sconce-ir 1
program "TRAINING" { input %x: USER_INPUT output %b: USER_OUTPUT }
graph(%x: i64[2]) { %a: i64[2] = aten.add.Tensor(%x, 1) %w: i64[2] = aten.mul_.Tensor(%a, 0) %b: i64[2] = aten.add.Tensor(%w, 5) return (%b) }`;
    await own.open(new Blob([text]), "x.ir", {});
    const at = { index: [], row: 0, column: 0 };
    for (const backends of [["cpu"], ["cpu", "wasm"]]) {
      const a = (await own.slice(0, ":a", backends, at, {}))!;
      expect(a.tables[0]!.texts.flat()).not.toContain("0");
      expect(a.tables).toHaveLength(backends.length);
      const w = (await own.slice(0, ":w", backends, at, {}))!;
      expect(w.tables.map(({ texts }) => texts.flat())).toEqual(backends.map(() => ["0", "0"]));
    }
  });

  test("names the rules that fire at a node, and completes pipelines", async () => {
    const own = new Engine();
    await own.open(new Blob([TEXT]), "x.ir", {});
    const rows = await own.explain(0, ":a");
    expect(rows.filter(({ fires }) => fires).map(({ rule }) => rule)).toContain("add-0");
    expect(await own.complete("decompose,fold")).toContain("decompose,fold-constants");
  });

  test("gives texts", async () => {
    expect(await engine.text(0, "program")).toMatch(/^ExportedProgram:/);
    expect(await engine.text(0, "graph")).toMatch(/^graph\(\):/);
    expect(await engine.text(0, "ir")).toMatch(/^sconce-ir/);
    expect(await engine.text(0, "signature")).toContain("head.weight");
  });
});

describe("requests of a page", () => {
  /** A client whose messages are cloned on the way, as those of a worker are. */
  function connected(): EngineClient {
    const answer = serveEngine((message) => client.receive(structuredClone(message)));
    const client = new EngineClient((message) => answer(structuredClone(message)));
    return client;
  }

  test("are answered, with progress", async () => {
    const client = connected();
    const stages: string[] = [];
    const info = await client.request("open", [await program("net_mlp"), "mlp.pt2"], {
      onProgress: ({ phase }) => stages.push(phase),
    });
    expect(info.title).toBe("mlp.pt2");
    expect(new Set(stages)).toEqual(new Set(["load"]));
    const { scene } = await client.request("scene", [{ version: 0, ...closed }]);
    expect(scene.boxes.length).toBeGreaterThan(2);
  });

  test("fail with the code, the place and the fix of the error", async () => {
    const client = connected();
    await expect(client.request("open", [new Blob(["no archive"]), "x.pt2"])).rejects.toMatchObject({
      name: "RequestError",
      code: expect.stringMatching(/^[A-Z_]+$/),
      fix: expect.any(String),
    });
    await expect(client.request("version", [3])).rejects.toMatchObject({ code: "STUDIO_VERSION" });
  });

  test("can be canceled", async () => {
    const client = connected();
    await client.request("open", [await program("net_gpt"), "gpt.pt2"]);
    const controller = new AbortController();
    const answer = client.request("runPasses", [0, "decompose,cse,dce"], { signal: controller.signal });
    controller.abort();
    await expect(answer).rejects.toMatchObject({ code: "ABORTED" });
    expect((await client.request("runPasses", [0, "cse"])).map(({ pass }) => pass)).toEqual(["cse"]);
  });

  test("fail when the worker has ended", async () => {
    const client = new EngineClient(() => {});
    const waiting = client.request("version", [0]);
    client.lose("out of memory");
    await expect(waiting).rejects.toMatchObject({ code: "STUDIO_ENGINE" });
    await expect(client.request("version", [0])).rejects.toMatchObject({ code: "STUDIO_ENGINE" });
  });
});
