import { describe, expect, test } from "vitest";
import { fixture, sconce } from "../command.fixture.js";

interface Row {
  readonly node: string;
  readonly graph?: string;
  readonly target: string;
  readonly places: Readonly<Record<string, { readonly place: string; readonly reason?: string }>>;
}

const table = (program: string, ...more: readonly string[]) => sconce("placement", fixture(program), ...more);

describe("sconce placement", () => {
  test("has a row for each node and a column for each backend, with cost and reasons", async () => {
    const { code, out, err } = await table("flow_cond_dynamic", "--backends", "wasm,cpu");
    expect([code, err]).toEqual([0, ""]);
    const lines = out.split("\n");
    expect(lines[0]).toMatch(/^node +operator +type +flop +bytes +wasm +cpu$/);
    expect(lines[1]).toMatch(/^sum_1 +aten\.sum\.default +f32\[\] +10 flop +44 B +yes +yes$/);
    expect(lines[3]).toMatch(/^cond +higher_order\.cond +- +- +host \[1\] +yes$/);
    expect(lines[7]).toMatch(/^true_graph_0\.mul +aten\.mul\.Tensor +f32\[s77\] .* host \[2\] +yes$/);
    expect(lines.slice(11)).toEqual([
      "[1] control flow runs on the host",
      "[2] inside %cond, which is not on the device",
      expect.stringMatching(/^wasm: 2 of 10 calls, \d+ % of the flop, \d+ % of the bytes$/),
      "cpu: 10 of 10 calls, 100 % of the flop, 100 % of the bytes",
      "",
    ]);
  });

  test("agrees with a run", async () => {
    const asked = JSON.parse((await table("ops_reductions", "--backends", "wasm", "--json")).out);
    const run = ["run", fixture("ops_reductions"), "--samples", "--stats", "--json"];
    const { placement } = JSON.parse((await sconce(...run, "--backend", "wasm", "--placement")).out);
    const onHost = placement.nodes.filter(({ place }: { place: string }) => place === "host");
    const rows = new Map((asked.rows as Row[]).map((row) => [row.node, row.places["wasm"]!]));
    for (const { node, target, reason } of onHost)
      if (target.startsWith("aten.") && !target.startsWith("aten._assert"))
        expect([node, rows.get(node)]).toEqual([node, { place: "host", reason }]);
    for (const { node, place } of placement.nodes)
      if (place === "device" && rows.has(node))
        expect([node, rows.get(node)?.place]).toEqual([node, "device"]);
    expect(asked.totals.wasm).toMatchObject({ device: 24, host: 8, none: 0 });
    expect(asked.assumed).toEqual({ u0: 12 });
  });

  test("--by operator counts the calls", async () => {
    const { out } = await table("ops_reductions", "--backends", "wasm,cpu", "--by", "operator");
    expect(out).toMatch(/^operator +calls +flop +bytes +wasm +cpu\n/);
    expect(out).toMatch(/\naten\.mode\.default +1 +- +- +host \[\d\] +yes\n/);
    const json = JSON.parse((await table("net_mlp", "--by", "operator", "--json")).out);
    expect(json.backends).toEqual(["cpu", "wasm", "gpujs"]);
    expect(json.operators.find(({ target }: Row) => target === "aten.linear.default")).toMatchObject({
      calls: 3,
      unknownCost: 0,
      flops: expect.any(Number),
      places: { wasm: { device: 3, host: 0, none: 0, reasons: [] } },
    });
  });

  test("a call that no backend can run is refused; programs that write are functionalized", async () => {
    const { out } = await table("pm_custom_op", "--backends", "wasm");
    expect(out).toMatch(/mylib\.sin\.default .* no \[1\]\n/);
    expect(out).toMatch(/; refuses the program because of \d calls?\n$/);
    const written = await table("pass_in_place", "--backends", "wasm", "--json");
    for (const row of JSON.parse(written.out).rows as Row[]) expect(row.target).not.toMatch(/_\.\w+$/);
  });

  test.each([
    ["UNKNOWN_BACKEND", ["--backends", "wasm,gpu"]],
    ["USAGE", ["--backends", "wasm,,cpu"]],
    ["USAGE", ["--by", "module"]],
  ])("refuses: %s %j", async (code, args) => {
    const result = await table("net_mlp", ...args);
    expect([result.code, result.out]).toEqual([2, ""]);
    expect(result.err).toContain(`error ${code}`);
  });
});
