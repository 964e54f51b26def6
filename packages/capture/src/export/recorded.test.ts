import { runDecompositions } from "@sconce/passes";
import type { Tensor } from "@sconce/tensor";
import { Module, torch } from "@sconce/torch";
import { describe, expect, test } from "vitest";
import { exportProgram } from "./export-program.js";
import { asRecorded, type Recorded } from "./recorded.js";

class Adds extends Module {
  override forward(x: Tensor, const_: Tensor): Tensor {
    return x.add(const_).add(1).mul(2);
  }
}

const args = [torch.ones(2), torch.ones(2)];

function exported(recorded: Recorded) {
  const warnings: string[] = [];
  const program = exportProgram(asRecorded(new Adds(), recorded), args, {
    onWarning: (text) => warnings.push(text),
  });
  return { program, warnings, names: [...program.graph.nodes()].map(({ name }) => name) };
}

describe("asRecorded", () => {
  test("nodes have the recorded numbers, and outputs follow", () => {
    const { program, names, warnings } = exported({ numbers: { add: [1, null], mul: [7] } });
    expect(names).toEqual(["x", "const_", "add_1", "add", "mul_7", "output"]);
    expect(program.userOutputs).toEqual([{ name: "mul_7" }]);
    expect(warnings).toEqual([]);
  });

  test("an argument has a name that JavaScript has a word for", () => {
    const { program, names } = exported({ arguments: { const_: "const" } });
    expect(names.slice(0, 2)).toEqual(["x", "const"]);
    expect(program.moduleCallGraph[0]!.signature!.forwardArgNames).toEqual(["x", "const"]);
  });

  test("an export is lowered", () => {
    expect(exported({ lowered: runDecompositions, numbers: { mul: [3] } }).program.dialect).toBe("ATEN");
    expect(exported({ lowered: runDecompositions, numbers: { mul: [3] } }).names).toContain("mul_3");
    expect(exported({}).program.dialect).toBe("TRAINING");
  });

  test("numbers that no longer fit are counted anew, with a warning", () => {
    const { names, warnings } = exported({ numbers: { add: [1], mul: [7] } });
    expect(names).toEqual(["x", "const_", "add", "add_1", "mul_7", "output"]);
    expect(warnings).toEqual([expect.stringContaining('1 numbers for nodes "add", and the model makes 2')]);
  });

  test("numbers that give two nodes one name are counted anew, with a warning", () => {
    const { names, warnings } = exported({ numbers: { add: [1, 1], mul: [7] } });
    expect(names).toEqual(["x", "const_", "add", "add_1", "mul", "output"]);
    expect(warnings).toEqual([expect.stringContaining("two nodes one name")]);
  });

  test("the containers are those of the recorded call, which fit the model", () => {
    const leaf = '{"type": null, "context": null, "children_spec": []}';
    const tree = (leaves: number): string =>
      `[1, {"type": "builtins.tuple", "context": "null", "children_spec": [{"type": "collections.deque", "context": "null", "children_spec": [${Array(leaves).fill(leaf).join(", ")}]}, {"type": "builtins.dict", "context": "[]", "children_spec": []}]}]`;
    expect(exported({ inSpec: tree(2) }).program.inSpec!.children[0]!.type).toBe("collections.deque");
    expect(() => exported({ inSpec: tree(3) })).toThrow(expect.objectContaining({ code: "EXPORT_OPTION" }));
  });

  test("a write to an input of a lowered program is the value that is returned for it", () => {
    class Writes extends Module {
      override forward(x: Tensor): Tensor {
        const value = x.mul(2);
        x.copy_(value);
        return value.add(1);
      }
    }
    const program = exportProgram(asRecorded(new Writes(), { lowered: runDecompositions }), [torch.ones(2)]);
    expect([...program.userInputsToMutate.keys()]).toEqual(["mul"]);
    expect(program.opHistogram().has("aten.copy.default")).toBe(false);
  });

  test("a table that is none is refused", () => {
    const wrong = { add: "1 2" } as never;
    expect(() => asRecorded(new Adds(), { numbers: wrong })).toThrow(
      expect.objectContaining({ code: "EXPORT_OPTION" }),
    );
  });
});
