import { readFileSync } from "node:fs";
import { type ExportOptions, exportProgram, nn } from "@sconce/capture";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { torch } from "../functions/torch.js";
import { associativeScan } from "./associative-scan.js";
import { cond } from "./cond.js";
import { map } from "./map.js";
import { scan } from "./scan.js";
import { whileLoop } from "./while-loop.js";

/* biome-ignore-start lint: the tests are about such code */
type T = any;
type Model = (x: T) => unknown;

const x = torch.ones(4, 3);
const limits: T = { scale: 2 };
const steps: T[] = [];
let count = 0;
const bump = (y: T): T => {
  count++;
  return y.add(1);
};

class Counter {
  n = 0;
  #hidden: T = { v: 0 };
  add(): void {
    this.n++;
  }
  hide(): void {
    this.#hidden.v = 1;
  }
}
const counter = new Counter();

const branch = (body: Model): Model => {
  return (y) => cond(y.sum().gt(0), body, (z: T) => z.sin(), [y]);
};

/** Exports a model. Gives what the export refuses, with its code, or the warnings. */
function outcome(model: Model | nn.Module, options: ExportOptions = {}): string[] {
  const warnings: string[] = [];
  try {
    exportProgram(model as never, [x], { onWarning: (text) => warnings.push(text), ...options });
    return warnings;
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    const places = [...message.matchAll(/outer-write: `(.*)` changes a value/g)].map(([, text]) => text);
    return [code, ...places] as string[];
  }
}

const REFUSED = "CONTROL_FLOW_SIDE_EFFECT";

// PyTorch 2.14 refuses the same functions: "Mutating a variable from outside the scope of this HOP
// is not supported", or "Attribute on an outer-scope object was changed".
describe("functions that change values from outside are refused", () => {
  test.each<[string, Model, string]>([
    [
      "a variable of the model",
      (y) => {
        let k = 0;
        const body = (z: T): T => {
          k = 1;
          return z.add(1);
        };
        return branch(body)(y as T) ?? k;
      },
      "k",
    ],
    ["a variable of the file", branch(bump), "count"],
    ["in a function that it calls", branch((y) => bump(y).relu()), "count"],
    [
      "in a loop's head",
      (y) => {
        let last = 0;
        branch((z) => {
          for (last of [1, 2]) z = z.add(last);
          return z;
        })(y);
        return last;
      },
      "last",
    ],
    [
      "by destructuring",
      (y) => {
        let last = 0;
        branch((z) => {
          [last] = [1];
          return z.add(1);
        })(y);
        return last;
      },
      "last",
    ],
    [
      "a property",
      branch((y) => {
        limits.scale = 3;
        return y.add(1);
      }),
      "limits.scale",
    ],
    [
      "a property that is deleted",
      branch((y) => {
        delete limits.other;
        return y.add(1);
      }),
      "limits.other",
    ],
    [
      "properties that are copied",
      branch((y) => {
        Object.assign(limits, { scale: 4 });
        return y.add(1);
      }),
      "Object.assign(limits, { scale: 4 })",
    ],
    [
      "a list",
      branch((y) => {
        steps.push(y);
        return y.add(1);
      }),
      "steps.push(y)",
    ],
    [
      "a list by another name",
      branch((y) => {
        const own = [steps];
        own[0]!.push(1);
        return y.add(1);
      }),
      "own[0].push(1)",
    ],
    [
      "numbers of a typed array",
      (y) => {
        const numbers = new Float32Array(2);
        return branch((z) => {
          numbers.fill(1);
          return z.add(1);
        })(y);
      },
      "numbers.fill(1)",
    ],
    [
      "an object of a class",
      branch((y) => {
        counter.add();
        return y.add(1);
      }),
      "this.n",
    ],
    [
      "a private field",
      branch((y) => {
        counter.hide();
        return y.add(1);
      }),
      "this.#hidden.v",
    ],
    [
      "a tensor's property",
      branch((y) => {
        y.note = 1;
        return y.add(1);
      }),
      "y.note",
    ],
    [
      "a container of the operands",
      (y) =>
        cond(
          y.sum().gt(0),
          (all: T) => {
            all.push(1);
            return all[0].add(1);
          },
          (all: T) => all[0].sin(),
          [[y]],
        ),
      "all.push(1)",
    ],
    [
      "a variable of the function around",
      branch((y) => {
        const seen: T[] = [];
        return branch((z) => {
          seen.push(1);
          return z.add(1);
        })(y);
      }),
      "seen.push(1)",
    ],
  ])("%s", (_, model, wanted) => {
    expect(outcome(model)).toEqual([REFUSED, wanted]);
  });

  const seen: T[] = [];
  const note = (value: T): T => {
    seen.push(1);
    return value;
  };
  test.each<[string, Model]>([
    ["the second branch", (y) => cond(y.sum().gt(0), (z: T) => z.sin(), note, [y])],
    ["map", (y) => map((row: T) => note(row.sin()), y)],
    [
      "the condition of whileLoop",
      (y) =>
        whileLoop(
          (i: T) => note(i.lt(3)),
          (i: T) => [i.add(1)],
          [y.sum()],
        ),
    ],
    [
      "the body of whileLoop",
      (y) =>
        whileLoop(
          (i: T) => i.lt(3),
          (i: T) => [note(i.add(1))],
          [y.sum()],
        ),
    ],
    ["scan", (y) => scan((sum: T, row: T) => [note(sum.add(row)), sum.add(1)], y.at(0).clone(), y)],
    ["associativeScan", (y) => associativeScan((a: T, b: T) => note(a.add(b)), y, { dim: 0 })],
    [
      "a generic associativeScan",
      (y) => associativeScan((a: T, b: T) => note(a.add(b)), y, { dim: 0, combineMode: "generic" }),
    ],
  ])("in %s", (_, model) => {
    expect(outcome(model)).toEqual([REFUSED, "seen.push(1)"]);
    expect(seen).toEqual([]);
  });

  test("in an export without checks of sources they are not seen, but their tensors are", () => {
    const leaks = (y: T): T => {
      const kept: T[] = [];
      const z: T = branch((a) => {
        kept.push(a.add(1));
        return a.add(2);
      })(y);
      return z.add(kept[0]);
    };
    expect(() => exportProgram(leaks, [x], { checkSource: false })).toThrow(
      expect.objectContaining({
        code: "ESCAPED_TENSOR",
        message: "a tensor that a function of control flow made is used outside of it: float32[4, 3]",
        fix: "return the tensor from the function, and use what the call returns",
      }),
    );
    expect(outcome(leaks)).toEqual([REFUSED, "kept.push(a.add(1))"]);
  });
});

describe("attributes of modules", () => {
  class Net extends nn.Module {
    count = 0;
    readonly seen: T[] = [];
    readonly inner: T = new nn.Linear(3, 3);
    gain: T = new nn.Buffer(torch.ones(3));
    #own: T = { v: 0 };
    readonly bodies: Readonly<Record<string, Model>> = {
      number: (y) => {
        this.count += 1;
        return y.add(1);
      },
      tensor: (y) => {
        (this as T).last = y.add(1);
        return y.add(1);
      },
      buffer: (y) => {
        this.gain = this.gain.add(1);
        return y.add(1);
      },
      list: (y) => {
        this.seen.push(1);
        return y.add(1);
      },
      private: (y) => {
        this.#own.v = 1;
        return y.add(1);
      },
      method: (y) => this.step(y),
      getter: (y) => y.add(this.next),
      register: (y) => {
        this.registerBuffer("other", y.add(1));
        return y.add(1);
      },
      mode: (y) => {
        this.inner.eval();
        return this.inner(y);
      },
      reads: (y) => y.mul(this.gain).add(this.count),
    };
    constructor(readonly body: string) {
      super();
    }
    get next(): number {
      return ++this.count;
    }
    step(y: T): T {
      this.count++;
      return y.add(1);
    }
    override forward(y: T): unknown {
      return cond(y.sum().gt(0), this.bodies[this.body]!, (z: T) => z.sin(), [y]);
    }
  }

  test.each([
    ["number", [REFUSED, "this.count"]],
    ["tensor", [REFUSED, "this.last"]],
    ["buffer", [REFUSED, "this.gain"]],
    ["list", [REFUSED, "this.seen.push(1)"]],
    ["private", [REFUSED, "this.#own.v"]],
    ["method", [REFUSED, "this.count"]],
    ["getter", [REFUSED, "this.count"]],
    ["register", [REFUSED, 'this.registerBuffer("other", y.add(1))']],
    ["mode", [REFUSED, "this.inner.eval()"]],
    ["reads", []],
  ])("%s", (body, wanted) => {
    expect(outcome(new Net(body))).toEqual(wanted);
  });

  test("reading them in the check makes no inputs", () => {
    class Unused extends nn.Module {
      readonly gain = new nn.Buffer(torch.ones(3));
      readonly isOn = false;
      override forward(y: T): unknown {
        return cond(
          y.sum().gt(0),
          (z: T) => (this.isOn ? z.mul(this.gain) : z.sin()),
          (z: T) => z.cos(),
          [y],
        );
      }
    }
    const { graph } = exportProgram(new Unused(), [x], { strict: true });
    expect([...graph.nodes()].filter(({ op }) => op === "placeholder").map(({ name }) => name)).toEqual([
      "y",
    ]);
  });

  test("of a module that is a branch", () => {
    class Counting extends nn.Module {
      count = 0;
      override forward(y: T): T {
        this.count++;
        return y.add(1);
      }
    }
    const [counting, plain] = [new Counting(), new nn.Linear(3, 3)];
    expect(outcome((y: T) => cond(y.sum().gt(0), counting as T, plain as T, [y]))).toEqual([
      REFUSED,
      "this.count",
    ]);
    expect(outcome((y: T) => cond(y.sum().gt(0), plain as T, (z: T) => z.sin(), [y]))).toEqual([]);
  });
});

describe("functions may", () => {
  test.each<[string, Model]>([
    [
      "change what they make",
      branch((y: T) => {
        const list: T[] = [];
        const record: T = {};
        const known = new Map();
        const own = new Counter();
        let k = 0;
        const inner = (): void => {
          k++;
          list.push(k);
        };
        inner();
        for (let i = 0; i < 3; i++) list.push(i);
        record.a = 1;
        known.set(1, 2);
        own.n = 3;
        [k] = [3];
        y = y.add(1);
        return y.add(k + list.length + record.a);
      }),
    ],
    ["read what is around", branch((y) => y.add(limits.scale + count + steps.length))],
    ["print", branch((y) => (console.debug("a branch", count), y.add(1)))],
    [
      "call operators by their overloads",
      branch((y) => torch.ops.aten.add.Tensor(y, torch.ops.aten.sin.default(y))),
    ],
    ["make tensors", branch((y) => y.add(Tensor.from([1, 2, 3])))],
    ["be functions of Sconce", (y) => cond(y.sum().gt(0), torch.sin, torch.cos, [y])],
    [
      "change what a function around them keeps, outside of them",
      (y) => {
        let k = 0;
        const z: T = branch((a) => a.add(k))(y);
        k = 1;
        return z.add(k);
      },
    ],
  ])("%s", (_, model) => {
    expect(outcome(model)).toEqual([]);
  });

  test("change values where the predicate is a constant; they run more often where it is not", () => {
    let k = 0;
    const body = (y: T): T => {
      k++;
      return y.add(1);
    };
    exportProgram((y: T) => cond(true, body, body, [y]), [x], { onWarning: () => undefined });
    expect(k).toBe(1);
    cond(true, body, body, [x]);
    expect(k).toBe(2);
    // Both branches are traced before one of them runs.
    cond(torch.tensor(true), body, body, [x]);
    expect(k).toBe(5);
  });
});

describe("what the check cannot follow", () => {
  const bound = bump.bind(null);
  const unchecked = (model: Model): string[] => {
    const found: string[] = [];
    exportProgram(model, [x], {
      onUnchecked: ({ construct, code, message }) => found.push(`${construct} ${code}: ${message}`),
    });
    return found;
  };

  test("is handed out once", () => {
    const model = branch((y: T) => bound(y));
    expect(unchecked(model)).toEqual(["call bound(y): `bound bump` has no source"]);
    expect(unchecked((y) => map(bound as T, y))).toEqual([
      "function bound bump: the function has no source that can be read",
    ]);
  });

  test("is a warning otherwise", () => {
    expect(outcome(branch((y: T) => bound(y)))).toEqual([
      expect.stringMatching(
        /^The source check could not follow functions of control flow everywhere\. .*\n.*: `bound bump` has no source: bound\(y\)$/,
      ),
    ]);
  });
});

test("functions of torch.ops have none, though they are made when they are read first", () => {
  const program = exportProgram(branch((y: T) => torch.ops.aten.mul.Tensor(y, 2)) as never, [x]);
  expect(String(program)).toMatch(/aten\.mul\.Tensor\(\w+, 2\)/);
});

test("the error has place, construct and rewrite", () => {
  const lines = readFileSync(new URL(import.meta.url), "utf8").split("\n");
  const at = lines.findIndex((line) => line.includes("count++;")) + 1;
  const place = expect.stringContaining(`side-effects.test.ts:${at}:`);
  expect(() => exportProgram(branch(bump) as never, [x])).toThrow(
    expect.objectContaining({
      code: REFUSED,
      where: place,
      message: expect.stringMatching(
        /^torch\.cond: Mutating a variable from outside the scope of this HOP is not supported\. .*\n.*, in bump: outer-write: `count` changes a value from outside of the function$/,
      ),
      fix: "return the value from the function, let a loop carry it as a tensor, or keep it in a variable of the function",
    }),
  );
});
/* biome-ignore-end lint: the tests are about such code */
