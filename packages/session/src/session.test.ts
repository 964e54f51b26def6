import { createRandomSource } from "@sconce/backend-cpu";
import { ATEN, type Backend, type ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { defineOp } from "@sconce/ops";
import { definePass } from "@sconce/passes";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { createSconce, type Sconce, type ServiceOverrides } from "./index.js";

const programOf = (call: string, dialect = "ATEN"): ExportedProgram =>
  parseIr(`sconce-ir 1
program "${dialect}" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[4]) { %y: f32[4] = ${call} return (%y) }`);
const relu = programOf("aten.relu.default(%x)");
const twice = defineOp({
  schema: "mylib::twice(Tensor x) -> Tensor",
  decompose: (emit, { x }) => emit("aten.add.Tensor", [x, x]),
});

describe("registries", () => {
  test("late registration works until the session is used", () => {
    const sconce = createSconce();
    sconce.operators.register([twice]);
    const lowered = sconce.transform(programOf("mylib.twice.default(%x)", "TRAINING"), "decompose");
    expect([...lowered.opHistogram().keys()]).toEqual(["aten.add.Tensor"]);
  });

  test.each<[string, (sconce: Sconce) => unknown]>([
    ["transform", (sconce) => sconce.transform(relu, "dce")],
    ["runDecompositions", (sconce) => sconce.runDecompositions(relu)],
    ["compile", (sconce) => sconce.compile(relu)],
    ["module", (sconce) => sconce.module(relu).catch(() => {})],
    ["load", (sconce) => sconce.load(new Uint8Array()).catch(() => {})],
    ["verify", (sconce) => sconce.verify(relu)],
  ])("they freeze with the first %s", async (_, use) => {
    const sconce = createSconce();
    await use(sconce);
    const frozen = expect.objectContaining({ code: "REGISTRY_FROZEN" });
    expect(() => sconce.operators.register([twice])).toThrow(frozen);
    expect(sconce.operators.get("mylib.twice.default")).toBeUndefined();
  });

  test("one session's use does not freeze another", () => {
    createSconce().verify(relu);
    const other = createSconce();
    other.operators.register([twice]);
    expect(other.operators.get("mylib.twice.default")).toBe(twice);
  });
});

describe("dialects of plugins", () => {
  const noRelu = {
    ...ATEN,
    name: "NO_RELU",
    refuse: (target: string) => (target === "aten.relu.default" ? "relu is not for this device" : undefined),
  };
  const enter = definePass({
    name: "enter",
    doc: "Claims the dialect.",
    ensures: "NO_RELU",
    run: (program) => program.with({ dialect: "NO_RELU" }),
  });
  const within = definePass({
    name: "within",
    doc: "Needs it.",
    requires: "NO_RELU",
    run: (program) => program,
  });
  const sconce = createSconce({ plugins: [{ name: "device", dialects: [noRelu], passes: [enter, within] }] });

  test("are known to the verifier, of the session and between passes", () => {
    expect(sconce.verify(programOf("aten.neg.default(%x)", "NO_RELU"))).toEqual([]);
    expect(sconce.verify(programOf("aten.relu.default(%x)", "NO_RELU"))[0]?.message).toContain(
      "not for this device",
    );
    expect(createSconce().verify(programOf("aten.neg.default(%x)", "NO_RELU"))[0]?.code).toBe(
      "UNKNOWN_DIALECT",
    );
    expect(() => sconce.transform(relu, "enter")).toThrow(
      /not valid after pass "enter" of plugin "device".*not for/,
    );
  });

  test("may be required and ensured", () => {
    const neg = programOf("aten.neg.default(%x)");
    expect(sconce.transform(neg, "enter,within").dialect).toBe("NO_RELU");
    expect(() => sconce.transform(neg, "within")).toThrow(/needs a program in the NO_RELU dialect/);
  });
});

describe("an application replaces", () => {
  const x = Tensor.from([-1, 2, -3, 4], [4], "float32");

  test("the verifier", () => {
    const sconce = createSconce({
      services: { verifier: { verify: () => [{ code: "NO", message: "not on a Friday" }] } },
    });
    expect(sconce.verify(relu)).toEqual([{ code: "NO", message: "not on a Friday" }]);
    expect(() => sconce.transform(relu, "dce", { verify: true })).toThrow(/not on a Friday/);
  });

  test("the clock", () => {
    let time = 0;
    const now = () => (time += 5);
    const took: number[] = [];
    createSconce({ services: { clock: { now } } }).transform(relu, "dce,cse", {
      observers: [({ milliseconds }) => took.push(milliseconds)],
    });
    expect(took).toEqual([5, 5]);
  });

  test("the logger, which receives what plugins replace, once", () => {
    const warnings: string[] = [];
    const sconce = createSconce({
      plugins: [
        {
          name: "quick",
          kernels: { "aten.relu.default": ({ self }) => self },
          decompositions: { "aten.silu.default": (emit, args) => emit("aten.relu.default", [args["self"]]) },
        },
      ],
      services: { logger: { warn: (message) => warnings.push(message) } },
    });
    sconce.verify(relu);
    sconce.verify(relu);
    expect(warnings).toEqual([
      'plugin "quick" replaces the kernel of aten.relu.default',
      'plugin "quick" replaces the decomposition of aten.silu.default',
    ]);
  });

  test("the random source, also with one that was given", async () => {
    const draw = async (sconce: Sconce): Promise<unknown> => {
      using executable = await sconce.compile(programOf("aten.rand_like.default(%x)"));
      return ((await executable.run([x]))[0] as Tensor).data.toString();
    };
    const services = (): ServiceOverrides => ({ random: createRandomSource(7) });
    const seven = await draw(createSconce({ random: createRandomSource(7) }));
    expect(await draw(createSconce({ services: services() }))).toBe(seven);
    expect(await draw(createSconce({ services: services(), random: createRandomSource(1) }))).toBe(seven);
    expect(await draw(createSconce())).not.toBe(seven);
  });

  test("the backends: one more, one in another's place, or the whole list", async () => {
    const cpu = createSconce().backends.get("cpu")!;
    const named = (name: string): Backend => ({
      ...cpu,
      name,
      compile: () => Promise.reject(new Error(name)),
    });
    const opened = (backends: NonNullable<ServiceOverrides["backends"]>) =>
      createSconce({ services: { backends } });
    const more = opened((own) => [...own, named("more")]);
    expect([...more.backends.keys()]).toEqual(["auto", "cpu", "wasm", "more"]);
    const instead = opened([named("cpu")]);
    await expect(instead.compile(relu)).rejects.toThrow("cpu");
    const only = opened([named("only")]);
    expect([...only.backends.keys()]).toEqual(["only"]);
    await expect(only.compile(relu)).rejects.toThrow("only");
    expect(() => opened([]).compile(relu)).toThrow("the session has no backend");
  });

  test("the operators, which the interpreter and the evaluator then run by", () => {
    const sconce = createSconce({
      services: { operators: (own) => own.extend([twice]) },
    });
    expect(sconce.describeSupport("mylib.twice.default").get("cpu")).toBe("decomposition");
    const result = sconce.services.evaluator.evaluate("mylib.twice.default", [x], {}) as Tensor;
    expect([...(result.data as Float32Array)]).toEqual([-2, 4, -6, 8]);
  });

  test("the decompositions, of which each reader gets a fresh table", () => {
    const sconce = createSconce({
      services: {
        decompositions: (own) => {
          own.delete("aten.silu.default");
          return own;
        },
      },
    });
    expect(sconce.defaultDecompositions().has("aten.silu.default")).toBe(false);
    sconce.defaultDecompositions().delete("aten.addcmul.default");
    expect(sconce.defaultDecompositions().has("aten.addcmul.default")).toBe(true);
  });

  test("no service that does not exist", () => {
    const services = { bakends: [] } as ServiceOverrides;
    expect(() => createSconce({ services })).toThrow(
      expect.objectContaining({ code: "UNKNOWN_SERVICE", fix: expect.stringContaining("backends") }),
    );
  });
});
