import { describe, expect, test } from "vitest";
import { fixture, sconce } from "../command.fixture.js";

const MLP = fixture("net_mlp");

describe("sconce history", () => {
  test("what each pass changed", async () => {
    const { code, out, err } = await sconce(
      "history",
      MLP,
      "--passes",
      "decompose,fold-constants{weights=true},cse,dce",
    );
    expect([code, err]).toEqual([0, ""]);
    expect(out.split("\n")).toEqual([
      "0  as read: 18 nodes, dialect TRAINING",
      expect.stringMatching(/^1 {2}decompose: 21 nodes, \+\d+ -\d+ ~\d+; also graphSignature, dialect$/),
      expect.stringMatching(
        /^2 {2}fold-constants\{weights=true\}: 21 nodes, \+3 -3 ~3; also graphSignature, constants/,
      ),
      "",
    ]);
  });

  test("passes that change nothing are omitted", async () => {
    const { out } = await sconce("history", MLP, "--passes", "dce");
    expect(out).toBe("0  as read: 18 nodes, dialect TRAINING\nno pass changed anything\n");
  });

  test("--node leads to passes, nodes and the user's line", async () => {
    const { code, out } = await sconce("history", MLP, "--passes", "decompose", "--node", "addmm");
    expect(code).toBe(0);
    expect(out).toMatch(
      /^addmm\n {2}step 1, decompose: made addmm = aten\.addmm\.default of linear\n {2}from linear = aten\.linear\.default {2}# File: /,
    );
  });

  test("--json", async () => {
    const { out } = await sconce("history", MLP, "--passes", "decompose", "--node", "addmm", "--json");
    expect(JSON.parse(out)).toMatchObject({
      steps: [{ pass: "decompose", nodes: 21 }],
      provenance: { node: "addmm", steps: [{ step: 0, from: ["linear"] }], sources: [{ node: "linear" }] },
    });
  });

  test("a node that is not there", async () => {
    const { code, err } = await sconce("history", MLP, "--passes", "decompose", "--node", "nope");
    expect(code).toBe(2);
    expect(err).toMatch(/^error NODE_NOT_FOUND: /);
  });
});
