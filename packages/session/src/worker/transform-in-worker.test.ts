/**
 * @file Passes in a worker; `transform-in-worker.full.test.ts` has those that end it in other ways.
 */
import { MessageChannel } from "node:worker_threads";
import type { SconceError } from "@sconce/errors";
import { historyToJson } from "@sconce/ir/history";
import { printIr, tensorsOf } from "@sconce/ir/text";
import type { PassEvent, Plugin } from "@sconce/passes";
import { describe, expect, test, vi } from "vitest";
import { sampled } from "../../../../.config/sampled.js";
import { createSconce, serveSession } from "../index.js";
import { passWorker } from "../worker-entries/worker-node.js";
import { failure, fixture, HOSTILE, mlp, placeOf, sconce } from "./hostile.fixture.js";
import type { WorkerLike } from "./port.js";

const hostile = ((await import(HOSTILE)) as { readonly default: Plugin }).default;

/** A session of the same thread behind a port: as fast as none, and all is cloned. */
function served(sent: unknown[] = []): WorkerLike {
  const { port1, port2 } = new MessageChannel();
  serveSession(createSconce({ plugins: [hostile] }), port2);
  const post = port1.postMessage.bind(port1);
  port1.postMessage = (message: unknown, transfer: never[]) => {
    sent.push(message);
    post(message, transfer);
  };
  return Object.assign(port1, { terminate: () => port1.close() }) as unknown as WorkerLike;
}

/** What an observer sees, without times. */
const facts = ({ pass, step, before, after, fired, refused, notes, check }: PassEvent): unknown => ({
  pass: pass.name,
  step,
  isChanged: before !== after,
  text: printIr(after),
  fired: [...fired],
  refused,
  notes,
  check,
});

describe("transformInWorker", () => {
  test.each([
    ["net_mlp", "decompose,fold-constants{weights=true},scale-weights,cse,dce", {}],
    ["net_mlp", "functionalize,scale-weights,repeat(relu-to-clamp,canonicalize),strip-metadata,dce", {}],
    ["shape_auto", "decompose,relu-to-clamp,dce", { record: false }],
    ["net_mlp", "decompose,relu-to-clamp", { check: true, timeRules: true }],
    ["tree_nested", "decompose{keep=[aten.linear.default]},convert-dtype,dce", {}],
  ])(
    "gives the program, history and events of the same passes in the thread: %s %s",
    async (name, passes, options) => {
      const program = await fixture(name);
      const own = createSconce({ plugins: [hostile] });
      const [here, there]: [PassEvent[], PassEvent[]] = [[], []];
      const wanted = await own.transformAsync(program, passes, {
        ...options,
        observers: [(event) => here.push(event)],
      });
      const starts: string[] = [];
      const got = await sconce.transformInWorker(program, passes, {
        ...options,
        worker: served,
        observers: [(event) => there.push(event)],
        onStart: (place) => starts.push(place),
      });
      expect(await sconce.save(got)).toEqual(await sconce.save(wanted));
      expect(historyToJson(got)).toBe(historyToJson(wanted));
      expect(there.map(facts)).toEqual(here.map(facts));
      expect(starts.length).toBe(here.length);
      const [before, kept, after] = [program, wanted, got].map((one) => tensorsOf(one));
      for (const [key, tensor] of kept!)
        expect([...before!.values()].includes(tensor)).toBe([...before!.values()].includes(after!.get(key)!));
    },
  );
  test("copies values only for passes that may read them, and for nothing else", async () => {
    const kinds = async (passes: string): Promise<readonly string[]> => {
      const sent: { readonly kind: string }[] = [];
      await sconce.transformInWorker(mlp, passes, { worker: () => served(sent) });
      return sent.map(({ kind }) => kind);
    };
    expect(await kinds("decompose,relu-to-clamp,dce")).toEqual(["transform"]);
    expect(await kinds("decompose,fold-constants")).toEqual(["transform", "values"]);
    expect(await kinds("scale-weights")).toEqual(["transform", "values"]);
    const refused = await failure(sconce.transformInWorker(mlp, "touch-values", { worker: served }));
    expect(refused.code).toBe("PASS_FAILED");
    expect((refused.cause as SconceError).code).toBe("VALUES_NOT_LOADED");
  });
  test("errors are those of the same passes in the thread", async () => {
    const own = createSconce({ plugins: [hostile] });
    const parts = ({ code, message, where, fix, cause }: SconceError): unknown => ({
      code,
      message,
      where,
      fix,
      cause: String(cause),
    });
    for (const passes of [
      "throw",
      "promise",
      "dce,break-graph",
      "write-values",
      "nope",
      "dce{x=1}",
      "dce{",
      "convert-dtype",
    ]) {
      const there = await failure(sconce.transformInWorker(mlp, passes, { worker: served }));
      expect(parts(there), passes).toEqual(parts(await failure(own.transformAsync(mlp, passes))));
    }
    const { cause } = await failure(sconce.transformInWorker(mlp, "throw", { worker: served }));
    expect((cause as Error).stack).toContain("hostile-passes.js");
  });
  const endless = [
    ["relu-to-clamp,spin", "spin", 2],
    ["spin-in-steps", "spin-in-steps", 1],
  ] as const;
  test.each(sampled(endless, 2))(
    "ends a worker whose pass does not end, and names the pass: %s",
    async (passes, name, step) => {
      // The time passes when the pass runs, however slow the machine is.
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      try {
        const late = failure(
          sconce.transformInWorker(mlp, passes, {
            worker: () => passWorker([HOSTILE]),
            milliseconds: 3000,
            onStart: (at) => void vi.advanceTimersByTime(at.includes("spin") ? 3000 : 0),
          }),
        );
        expect(await late).toMatchObject({
          code: "PASS_TIMEOUT",
          where: placeOf(name, step),
          message: expect.stringContaining("within 3000 ms"),
        });
      } finally {
        vi.useRealTimers();
      }
    },
  );
  test("what the worker sends is checked, and errors of callbacks name them", async () => {
    const answering = (...replies: readonly object[]): WorkerLike => {
      const { port1, port2 } = new MessageChannel();
      for (const reply of replies) port2.postMessage(reply);
      return Object.assign(port1, { terminate: () => port1.close() }) as unknown as WorkerLike;
    };
    const step = { pass: { name: "x", doc: "" }, step: 0, notes: [] };
    const change = { storages: [], tensors: [], names: [], history: "{}" };
    const codeFor = async (...replies: readonly object[]): Promise<string> =>
      (await failure(sconce.transformInWorker(mlp, "dce", { worker: () => answering(...replies) }))).code;
    expect(await codeFor({ kind: "step" })).toBe("PASS_WORKER");
    expect(await codeFor({ kind: "step", step: { ...step, change } })).toBe("HISTORY_FORMAT");
    const options = { worker: served };
    const throwing = (): never => {
      throw new Error("mine");
    };
    for (const more of [{ observers: [throwing] }, { onStart: throwing }, { onProgress: throwing }])
      expect((await failure(sconce.transformInWorker(mlp, "dce", { ...options, ...more }))).code).toBe(
        "OBSERVER_FAILED",
      );
    for (const wrong of [{}, { worker: 1 }, { ...options, milliseconds: 0 }, { ...options, check: {} }])
      expect((await failure(sconce.transformInWorker(mlp, "dce", wrong as never))).code).toBe("OPTION_VALUE");
    expect(() => passWorker("x" as never)).toThrow(/list of modules/);
    expect(() => passWorker([], { maxBytes: 5 })).toThrow(/maxBytes/);
  });
});
