import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { checkSource, exportProgram } from "@sconce/capture";
import { nn, noGrad, torch } from "@sconce/torch";
import { describe, expect, test, vi } from "vitest";
import type { AnyFunction } from "../source/parse-function.js";
import { strictConstructs } from "./strict-constructs.js";

const x = torch.ones([2, 3]);
const table = torch.ones([3]);
const limits = { scale: 2, other: 3 };
const list: number[] = [1, 2];
const steps = [1, 2];
const seen = new Map<string, unknown>();
let count = 0;
let sign = 1;
const fixed = 3;
const plain = { gain: 2 };
/** Code elsewhere that changes what models read. */
function change(): void {
  sign = -sign;
  limits.scale = 3;
  list.push(3);
  seen.set("again", 1);
}

/** A function of a text: compilers would change what the tests are about. */
const code = (source: string): AnyFunction => new Function(`return (${source})`)() as AnyFunction;

const found = (fn: AnyFunction | string): string[] => {
  const report = checkSource(typeof fn === "string" ? code(fn) : fn, { args: [x], strict: true });
  // Imports have another name when tests run.
  return report.refused.map(
    ({ construct, code: text }) =>
      `${construct}: ${text.replace(/\(0,\s*__vite_ssr_import_\d+__\.(\w+)\)/g, "$1")}`,
  );
};
const unchecked = (fn: AnyFunction | string): string[] => {
  const report = checkSource(typeof fn === "string" ? code(fn) : fn, { args: [x], strict: true });
  return report.unchecked.map(({ construct, message }) => `${construct}: ${message}`);
};

/* biome-ignore-start lint: the tests are about such code */
type T = any;

describe("state outside of the model", () => {
  test.each<[string, AnyFunction, string[]]>([
    [
      "a variable",
      (y: T) => {
        count += 1;
        return y;
      },
      ["outer-write: count"],
    ],
    [
      "a property",
      (y: T) => {
        limits.other = 3;
        return y;
      },
      ["outer-write: limits.other"],
    ],
    [
      "a deleted property",
      (y: T) => {
        delete (limits as T).other;
        return y;
      },
      ["outer-write: limits.other"],
    ],
    [
      "an assigned object",
      (y: T) => {
        Object.assign(limits, { other: 1 });
        return y;
      },
      ["outer-write: Object.assign(limits, { other: 1 })"],
    ],
    [
      "a defined property",
      (y: T) => {
        Object.defineProperty(limits, "other", {});
        return y;
      },
      ['outer-write: Object.defineProperty(limits, "other", {})'],
    ],
    [
      "a list",
      (y: T) => {
        steps.push(1);
        return y;
      },
      ["outer-write: steps.push(1)"],
    ],
    [
      "a map",
      (y: T) => {
        seen.set("a", y);
        return y;
      },
      ['outer-write: seen.set("a", y)'],
    ],
    [
      "a map that loses items",
      (y: T) => {
        seen.clear();
        return y;
      },
      ["outer-write: seen.clear()"],
    ],
    ["a variable that is reassigned", (y: T) => y.mul(sign), ["outer-read: sign"]],
    ["a property that other code changes", (y: T) => y.mul(limits.scale), ["outer-read: limits.scale"]],
    [
      "a list that other code changes",
      (y: T) => {
        for (const one of list) y = y.add(one);
        return y;
      },
      ["outer-read: list"],
    ],
    [
      "a global variable",
      (y: T) => {
        (globalThis as T).sconceFlag = 1;
        return y;
      },
      ["outer-write: globalThis.sconceFlag"],
    ],
  ])("%s", (_, fn, wanted) => {
    expect(found(fn)).toEqual(wanted);
  });

  test("global variables that a program sets are read", () => {
    (globalThis as T).sconceFlag = 2;
    expect(found("(y) => y.mul(sconceFlag)")).toEqual(["outer-read: sconceFlag"]);
    expect(found("(y) => y.mul(globalThis.sconceFlag)")).toEqual(["outer-read: globalThis.sconceFlag"]);
    Reflect.deleteProperty(globalThis, "sconceFlag");
  });

  test("code that is checked does not run", () => {
    expect([change.name, count, limits.scale]).toEqual(["change", 0, 2]);
  });

  test("in a function that the model calls", () => {
    const helper = (y: T): T => {
      count++;
      return y;
    };
    expect(found((y: T) => helper(y).relu())).toEqual(["outer-write: count"]);
  });

  test.each<[string, AnyFunction]>([
    ["a constant", (y: T) => y.mul(fixed).mul(plain.gain)],
    [
      "a list of the model's own",
      (y: T) => {
        const all: T[] = [];
        for (const i of [1, 2]) all.push(y.mul(i));
        return torch.cat(all);
      },
    ],
    [
      "a record of the model's own",
      (y: T) => {
        const all: T = {};
        all.a = y;
        return all.a;
      },
    ],
    [
      "a variable of the model's own",
      (y: T) => {
        let z = y;
        const add = (): void => {
          z = z.add(1);
        };
        add();
        return z;
      },
    ],
    [
      "an argument that is changed",
      (y: T, state: T = { h: 1 }) => {
        state.h = y;
        return state.h;
      },
    ],
    ["the names of the language", (y: T) => y.mul(Math.sqrt(2)).add(Number.parseInt("3", 10))],
    [
      "a function of a local name",
      (y: T) => {
        const sign = (z: T): T => z.neg();
        return sign(y);
      },
    ],
    ["gradients", (y: T) => noGrad(() => y.relu())],
  ])("%s is not", (_, fn) => {
    expect(found(fn)).toEqual([]);
  });

  test("properties of modules belong to the model", () => {
    class Counter extends nn.Module {
      calls = 0;
      last: T;
      override forward(y: T): T {
        this.calls += 1;
        this.last = y;
        return y.mul(this.calls);
      }
    }
    const model = new Counter();
    const { refused } = checkSource(model.forward as AnyFunction, {
      thisValue: model,
      args: [x],
      strict: true,
    });
    expect(refused).toEqual([]);
  });

  test("but not containers that they hold", () => {
    class History extends nn.Module {
      readonly all: T[] = [];
      override forward(y: T): T {
        this.all.push(y);
        return y;
      }
    }
    const model = new History();
    const { refused } = checkSource(model.forward as AnyFunction, {
      thisValue: model,
      args: [x],
      strict: true,
    });
    expect(refused.map(({ construct }) => construct)).toEqual(["outer-write"]);
  });
});

describe("what a trace runs once", () => {
  test.each<[string, AnyFunction | string, string[]]>([
    ["a random number", (y: T) => y.mul(Math.random()), ["random: Math.random()"]],
    ["random bytes", "(y) => y.mul(crypto.getRandomValues(new Uint8Array(1))[0])", ["random: crypto"]],
    [
      "the random bytes of Node",
      (y: T) => {
        randomBytes(1);
        return y;
      },
      ["random: randomBytes(1)"],
    ],
    ["the time", (y: T) => y.mul(Date.now()), ["clock: Date.now()"]],
    ["a date", (y: T) => y.mul(+new Date()), ["clock: new Date()"]],
    ["a timer", (y: T) => y.mul(performance.now()), ["clock: performance.now()"]],
    [
      "the console",
      (y: T) => {
        console.log(y);
        return y;
      },
      ["host: console.log(y)"],
    ],
    [
      "a file",
      (y: T) => {
        readFileSync("a");
        return y;
      },
      ['host: readFileSync("a")'],
    ],
    ["the process", "(y) => { process.exitCode = 1; return y; }", ["host: process"]],
    ["the page", "(y) => { document.title = 'a'; return y; }", ["host: document"]],
    ["the network", "(y) => { fetch('a'); return y; }", ["host: fetch"]],
    ["a later call", "(y) => { setTimeout(() => 0); return y; }", ["host: setTimeout"]],
    [
      "an alias",
      (y: T) => {
        const log = console.warn;
        log(1);
        return y;
      },
      ["host: log(1)"],
    ],
  ])("%s", (_, fn, wanted) => {
    expect(found(fn)).toEqual(wanted);
  });

  test("an alias of a function of the console that was replaced meanwhile", () => {
    const { warn } = console;
    console.warn = () => undefined;
    const fn = (y: T): T => {
      const log = console.warn;
      log(1);
      return y;
    };
    try {
      expect(found(fn)).toEqual(["host: log(1)"]);
    } finally {
      console.warn = warn;
    }
  });

  test("a date of a number is not the time", () => {
    expect(found((y: T) => y.mul(new Date(5).getTime()))).toEqual([]);
  });
});

describe("values of tensors on the host", () => {
  test.each<[string, AnyFunction, string[]]>([
    ["a list", (y: T) => (table.toArray()[0] ? y : y.neg()), ["host-read: table.toArray"]],
    ["the memory", (y: T) => y.mul((table as T).data[0]), ["host-read: table.data"]],
    ["a text", (y: T) => (String(table) === "a" ? y : y.neg()), ["host-read: String(table)"]],
    ["a template", (y: T) => (`${table}` === "a" ? y : y.neg()), ["host-read: table"]],
    ["its method", (y: T) => (table.toString() === "a" ? y : y.neg()), ["host-read: table"]],
    ["JSON", (y: T) => y.mul(JSON.stringify(table).length), ["host-read: JSON.stringify(table)"]],
  ])("%s", (_, fn, wanted) => {
    expect(found(fn)).toEqual(wanted);
  });

  test("numbers of tensors are found by the source check", () => {
    const { errors } = checkSource(code("(y) => (y.sum().item() > 0 ? y : y.neg())"), {
      args: [x],
      strict: true,
    });
    expect(errors.map(({ construct }) => construct)).toEqual([">"]);
  });
});

describe("containers that loops change", () => {
  test.each<[string, string, string[]]>([
    [
      "a list",
      "(y) => { const l = [1]; for (const a of l) l.push(a); return y; }",
      ["iterated-mutation: l.push(a)"],
    ],
    [
      "a set",
      "(y) => { const s = new Set([1]); for (const a of s) s.delete(a); return y; }",
      ["iterated-mutation: s.delete(a)"],
    ],
    [
      "in a callback",
      "(y) => { const l = [1]; l.forEach(() => l.pop()); return y; }",
      ["iterated-mutation: l.pop()"],
    ],
    [
      "in a callback of a map",
      "(y) => { const m = new Map([[1, y]]); m.forEach((v, k) => m.delete(k)); return y; }",
      ["iterated-mutation: m.delete(k)"],
    ],
    ["another list", "(y) => { const l = [1], r = []; for (const a of l) r.push(a); return y; }", []],
    ["a copy", "(y) => { const l = [1]; for (const a of [...l]) l.push(a); return y; }", []],
  ])("%s", (_, source, wanted) => {
    expect(found(source)).toEqual(wanted);
  });
});

describe("the control flow of the language", () => {
  test.each<[string, string, string[]]>([
    ["errors around operators", "(y) => { try { return y.relu(); } catch { return y; } }", ["try: try"]],
    ["what follows operators", "(y) => { try { y = y.relu(); } finally { y = y.neg(); } return y; }", []],
    ["errors around other code", "(y) => { try { JSON.parse('a'); } catch { } return y; }", []],
    ["generators", "function* f(y) { yield y; }", ["generator: function* f(y)"]],
    ["asynchronous functions", "async (y) => y", ["async: async (y) =>"]],
    ["promises", "(y) => { Promise.resolve(1); return y; }", ["async: Promise.resolve(1)"]],
    ["imports", "(y) => { import('a'); return y; }", ["async: import('a')"]],
    ["texts that are run", "(y) => { eval('1'); return y; }", ["eval: eval"]],
    ["functions of texts", "(y) => new Function('a')(y)", ["eval: new Function('a')"]],
    ["names of an object", "function f(y) { with (y) { return y; } }", ["with: with (y)"]],
    ["arguments", "function f(y) { return arguments[0]; }", ["arguments: arguments"]],
  ])("%s", (_, source, wanted) => {
    expect(found(source)).toEqual(wanted);
  });

  test("context managers, where the engine has `using`", () => {
    const fn = (): void => undefined;
    const { toString } = Function.prototype;
    const text = "(y) => { using m = y; return y.sin(); }";
    // Node 22 and earlier cannot make such a function.
    const shown = vi.spyOn(Function.prototype, "toString").mockImplementation(function (this: AnyFunction) {
      return this === fn ? text : toString.call(this);
    });
    try {
      expect(found(fn)).toEqual(["using: using m = y;"]);
    } finally {
      shown.mockRestore();
    }
  });

  test("context managers, as compilers write them for engines without `using`", () => {
    const typescript =
      "(y) => { const env = { stack: [] }; try { const m = __addDisposableResource(env, y, false); return y.sin(); } catch (e) { env.error = e; } finally { __disposeResources(env); } }";
    expect(found(typescript)).toEqual(["using: try"]);
    const esbuild =
      "(y) => { var stack = []; try { const m = __using(stack, y); return y.sin(); } catch (_) { var error = _; } finally { __callDispose(stack, error, true); } }";
    expect(found(esbuild)).toEqual(["using: try"]);
  });
});

describe("calls that are not followed are unchecked", () => {
  test.each<[string, AnyFunction | string, string[]]>([
    [
      "a bound function",
      (() => {
        const bound = ((y: T) => y.relu()).bind(null);
        return (y: T) => bound(y);
      })(),
      ["call: `bound ` has no source"],
    ],
    ["an unknown name", "(y) => anything(y)", ["call: `anything` is defined outside of the function"]],
    [
      "a private method",
      (() => {
        class A {
          #m(y: T): T {
            return y;
          }
          f(y: T): T {
            return this.#m(y);
          }
        }
        return A.prototype.f as AnyFunction;
      })(),
      ["call: `#m` is private"],
    ],
    ["functions of the language", (y: T) => y.add("a".length + Math.max(1, 2) + Object.keys({}).length), []],
  ])("%s", (_, fn, wanted) => {
    expect(unchecked(fn)).toEqual(wanted);
  });
});
/* biome-ignore-end lint: the tests are about such code */

test("the documentation lists all constructs", () => {
  const page = readFileSync(new URL("../../../../docs/concepts/strict-mode.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `([\w-]+)` \| .* \| .* \| .* \|$/gm)].map(([, id]) => id);
  expect(rows.slice(0, strictConstructs.length)).toEqual(strictConstructs);
});

describe("a strict export", () => {
  class Net extends nn.Module {
    override forward(y: T): T {
      count += 100; // the first line
      const scaled = y.mul(Math.random()); // the second line
      return scaled ? scaled : y;
    }
  }
  const lines = readFileSync(new URL(import.meta.url), "utf8").split("\n");
  const place = (mark: string, text: string): string => {
    const at = lines.findIndex((line) => line.includes(`// ${mark}`));
    return `strict.test.ts:${at + 1}:${lines[at]!.indexOf(text) + 1}`;
  };

  test("reports all places with construct, function, line, column and rewrite [S-005]", () => {
    const first = place("the first line", "count");
    const second = place("the second line", "Math");
    expect(() => exportProgram(new Net(), [x], { strict: true })).toThrow(
      expect.objectContaining({
        code: "STRICT_MODE",
        where: expect.stringContaining(first),
        fix: "return the value, or keep it in a buffer of the module: `this.registerBuffer(name, tensor)`",
        message: expect.stringMatching(
          new RegExp(
            `${first}, in forward: outer-write: \`count\` changes .*; instead: return .*\n.*${second}, in forward: random: \`Math.random\\(\\)\` .*\n.*in forward: \\?:: \`scaled\` is a tensor`,
          ),
        ),
      }),
    );
  });

  test("needs the source", () => {
    expect(() => exportProgram(new Net(), [x], { strict: true, checkSource: false })).toThrow(
      expect.objectContaining({ code: "EXPORT_OPTION", where: "checkSource" }),
    );
  });

  test("warns of calls that it cannot follow", () => {
    const bound = ((y: T) => y.relu()).bind(null);
    const warnings: string[] = [];
    exportProgram((y: T) => bound(y), [x], { strict: true, onWarning: (text) => warnings.push(text) });
    expect(warnings).toEqual([expect.stringContaining("`bound ` has no source: bound(y)")]);
  });
});
