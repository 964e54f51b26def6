import { createSconce, exportProgram, isSconceError, library, type Tensor, torch } from "sconce";
import { describe, expect, test } from "vitest";
import { RunDecoder } from "./model.js";
import runs, { decode, record } from "./operators.js";

const values = torch.tensor([1.5, 4]);
const counts = torch.tensor([2, 3]);
const numbers = (tensor: unknown): unknown => (tensor as Tensor).tolist();

describe("operators of runs", () => {
  test("agree with their fakes and with what they say they write to", () => {
    const samples = [
      [values, counts],
      [values, torch.tensor([0, 0])],
    ];
    expect(library.opCheck(decode, samples).samples).toBe(2);
    expect(library.opCheck(record, [[torch.zeros(2), values]]).samples).toBe(1);
  });

  test("run in a model, whose program gives the same results after it was saved", async () => {
    const sconce = createSconce({ plugins: [runs] });
    const model = new RunDecoder();
    expect(numbers(model(values, counts))).toEqual([3, 3, 8, 8, 8]);
    expect(numbers(model.totals)).toEqual([5, 15]);

    const lowered = sconce.runDecompositions(exportProgram(new RunDecoder(), [values, counts]));
    expect([...lowered.rangeConstraints.values()]).toEqual([{ min: 0, max: 1000 }]);
    const module = await sconce.module(await sconce.load(await sconce.save(lowered)));
    expect(numbers(await module.call([values, counts]))).toEqual([3, 3, 8, 8, 8]);
    expect(numbers(await module.call([values, torch.tensor([0, 1])]))).toEqual([8]);
    expect(numbers(module.state.get("totals"))).toEqual([6, 19]);
  });

  test("are asked for by name where a session does not have them", () => {
    const program = exportProgram(new RunDecoder(), [values, counts]);
    let thrown: unknown;
    try {
      createSconce().compile(program);
    } catch (error) {
      thrown = error;
    }
    expect(isSconceError(thrown, "OPAQUE_OPERATORS")).toBe(true);
    expect((thrown as Error).message).toContain("runs.decode.default");
  });
});
