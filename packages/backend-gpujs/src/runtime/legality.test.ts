import { cpuBackend } from "@sconce/backend-cpu";
import { conditionText, type DeviceTarget, legalitiesOf } from "@sconce/device-runtime";
import { finish } from "@sconce/errors";
import type { Backend, ExportedProgram } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { gpujsBackend } from "../backend.js";
import { GpujsDevice } from "../gpujs/device.js";
import { loadGpujs } from "../gpujs/library.js";
import { floats, ints, program } from "../programs.fixture.js";
import { TARGETS } from "./legality.fixture.js";

/** The answers for a program, as text. */
function answersFor(given: ExportedProgram, target: DeviceTarget = TARGETS.webasm): Record<string, string> {
  const { answers } = finish(legalitiesOf(given, target));
  const texts = [...answers].map(([name, legality]) => {
    if (legality.kind === "yes") return [name, "yes"];
    if (legality.kind === "no") return [name, `no: ${legality.reason}`];
    return [name, conditionText(legality.conditions)];
  });
  return Object.fromEntries(texts) as Record<string, string>;
}

describe("a call is legal", () => {
  test("always, never, or when integers and indices allow it", () => {
    const given = program(
      "%x: f32[4], %w: f32[9, 4], %i: i64[4], %b: u8[4]",
      [
        "%neg: f32[4] = aten.neg.default(%x)",
        "%cast: i64[4] = aten._to_copy.default(%x, dtype=int64)",
        "%sum: i64[4] = aten.add.Tensor(%i, %i)",
        "%rows: f32[4, 4] = aten.embedding.default(%w, %sum)",
        "%picked: i64[4] = aten.gather.default(%i, 0, %sum)",
        "%bytes: u8[4] = aten.add.Tensor(%b, %b)",
        "%places: i64[4] = aten.arange.start_step(0, 4)",
        "%known: f32[4, 4] = aten.embedding.default(%w, %places)",
        "%small: i64[4] = aten.remainder.Scalar(%sum, 9)",
        "%inside: f32[4, 4] = aten.embedding.default(%w, %small)",
        "%far: i64[4] = aten.add.Scalar(%places, 40)",
        "%outside: f32[4, 4] = aten.embedding.default(%w, %far)",
      ].join("\n"),
      "neg, cast, rows, picked, bytes, known, inside, outside",
    );
    expect(answersFor(given)).toMatchInlineSnapshot(`
      {
        "bytes": "yes",
        "cast": "no: floats of any size become integers, which the device computes with exactly up to 2^24",
        "far": "yes",
        "inside": "when indices in %small lie inside of their tensor",
        "known": "yes",
        "neg": "yes",
        "outside": "no: an index may lie outside of its tensor",
        "picked": "when integers computed from %i, %sum stay below 2^24 and indices in %i, %sum lie inside of their tensor",
        "places": "yes",
        "rows": "when indices in %sum lie inside of their tensor",
        "small": "when integers computed from %sum stay below 2^24",
        "sum": "when integers computed from %i stay below 2^24",
      }
    `);
  });
  test("when loops of sizes that a run brings are short", () => {
    const given = program("%x: f32[s0]", "%y: f32[s0] = aten.cumsum.default(%x, 0)", "y");
    expect(answersFor(given)).toEqual({
      y: "when its scan takes at most 100 iterations for each element of the host",
    });
    const limit = { iterationsPerElement: Number.POSITIVE_INFINITY };
    expect(answersFor(given, { ...TARGETS.webasm, limit })).toEqual({ y: "yes" });
  });
  test("by its own loops: what a comparison rules out is not asked for", () => {
    const given = program(
      "%w: f32[9, 4]",
      [
        "%i: i64[4] = aten.arange.start_step(0, 4)",
        "%less: b8[4] = aten.lt.Scalar(%i, 0)",
        "%end: i64[4] = aten.add.Scalar(%i, 9)",
        "%place: i64[4] = aten.where.self(%less, %end, %i)",
        "%rows: f32[4, 4] = aten.embedding.default(%w, %place)",
      ].join("\n"),
      "rows",
    );
    expect(new Set(Object.values(answersFor(given)))).toEqual(new Set(["yes"]));
  });
});

describe("placement", () => {
  const rows = program(
    "%w: f32[4, 2], %i: i64[3]",
    "%rows: f32[3, 2] = aten.embedding.default(%w, %i)\n%neg: f32[3, 2] = aten.neg.default(%rows)",
    "neg",
  );
  test("reports conditions before a run, and what failed after it", async () => {
    using executable = await gpujsBackend({ mode: "webasm" }).compile(rows);
    const condition = "when indices in %i lie inside of their tensor";
    const [target, neg] = [
      "aten.embedding.default",
      { node: "neg", target: "aten.neg.default", source: "neg", place: "device" },
    ];
    const onDevice = [{ node: "rows", target, source: "rows", place: "device", condition }, neg];
    expect(executable.placement!().nodes).toEqual(onDevice);
    const w = floats([0, 1, 2, 3, 4, 5, 6, 7], [4, 2]);
    await expect(executable.run([w, ints([0, 9, 1])])).rejects.toThrow();
    const reason = "an index may lie outside of its tensor";
    const onHost = { node: "rows", target, source: "rows", place: "host", reason };
    expect(executable.placement!().nodes).toEqual([onHost, neg]);
    await executable.run([w, ints([0, 3, 1])]);
    expect(executable.placement!().nodes).toEqual(onDevice);
  });
  test("a region is divided when a run first needs it, once for the same calls", async () => {
    const interpreter = cpuBackend();
    let compiled = 0;
    const host: Backend = {
      ...interpreter,
      compile: (...given) => {
        compiled++;
        return interpreter.compile(...given);
      },
    };
    const sums = program(
      "%i: i64[2], %j: i64[2]",
      "%a: i64[2] = aten.add.Tensor(%i, %i)\n%b: i64[2] = aten.add.Tensor(%j, %j)",
      "a, b",
    );
    using executable = await gpujsBackend({ mode: "webasm", host }).compile(sums);
    const [low, high] = [ints([1, 2]), ints([3, 2 ** 30])];
    const counts: unknown[] = [];
    for (const [i, j] of [
      [low, low],
      [high, low],
      [low, high],
      [high, low],
      [low, low],
    ] as const) {
      const results = (await executable.run([i, j])) as Tensor[];
      expect(results.map((one) => one.toArray()[1])).toEqual(
        [i, j].map((one) => 2n * (one.toArray()[1] as bigint)),
      );
      counts.push([executable.placement!().fallbacks.join(), compiled]);
    }
    expect(counts).toEqual([
      ["", 0],
      ["a", 1],
      ["b", 2],
      ["a", 2],
      ["", 2],
    ]);
  });
  test("names calls of buffers that are too large before a run, but not of values that are in no memory", async () => {
    const library = await loadGpujs();
    const small = async () => Object.assign(new GpujsDevice(library, "webasm", "small"), { maxBytes: 256 });
    const large = program(
      "%x: f32[8, 8]",
      [
        "%wide: f32[8, 8, 8] = aten.expand.default(%x, [8, 8, 8])",
        "%sum: f32[8] = aten.sum.dim_IntList(%wide, [0, 1])",
        "%double: f32[8, 8] = aten.add.Tensor(%x, %x)",
        "%twice: f32[2, 8, 8] = aten.stack.default([%double, %x])",
      ].join("\n"),
      "sum, twice",
    );
    using executable = await gpujsBackend({ mode: "webasm", devices: { webasm: small } }).compile(large);
    const before = executable.placement!().nodes.filter(({ place }) => place === "host");
    expect(before.map(({ node }) => node)).toEqual(["twice"]);
    expect(before[0]!.reason).toBe("it takes a buffer of 512 bytes, the device's largest has 256");
    const x = floats(
      Array.from({ length: 64 }, (_, i) => i),
      [8, 8],
    );
    const [sum, twice] = (await executable.run([x])) as Tensor[];
    expect([sum!.toArray()[7], twice!.toArray()[63]]).toEqual([8 * (7 * 8 + 28 * 8), 126]);
  });
});
