import { isSconceError, type SconceError } from "@sconce/errors";
import { type ExportedProgram, edit, graphText, pythonTuple, ref, treeSpecText } from "@sconce/ir";
import { runDecompositions } from "@sconce/passes";
import type { Tensor } from "@sconce/tensor";
import { cond, Module, ModuleList, nn, torch } from "@sconce/torch";
import { describe, expect, test } from "vitest";
import { Dim } from "../dynamic/index.js";
import { exportProgram } from "../export/export-program.js";
import type { FlatArgsAdapter } from "./flat-args-adapter.js";
import { type InterpreterModule, InterpreterModuleDispatcher } from "./interpreter-module.js";
import { unflatten } from "./unflatten.js";
import type { UnflattenedModule } from "./unflattened-module.js";

const { Buffer, Dropout, Linear, ReLU, Sequential } = nn;

interface Scaled {
  readonly z: Tensor;
}

class Sub extends Module {
  readonly l = new Linear(4, 4);
  readonly n = new Buffer(torch.zeros([1])) as Tensor;
  override forward(x: Tensor): readonly [Tensor, Scaled] {
    this.n.add_(1);
    const y = this.l(x).relu().add(this.n);
    return pythonTuple(y, { z: y.mul(2) }) as unknown as readonly [Tensor, Scaled];
  }
}

interface Shifts {
  readonly p: Tensor;
  readonly q: Tensor;
}

class Net extends Module {
  readonly a = new Sub();
  readonly b = new Sequential(new Linear(4, 4), new ReLU());
  readonly drop = new Dropout(0);
  readonly unused = new Linear(2, 2);
  override forward(x: Tensor, d: Shifts): Tensor {
    const [, { z }] = this.a(x);
    const [y] = this.a(z.add(d.p).add(d.q));
    return this.drop(this.b(y));
  }
}

const inputs = (): [Tensor, Shifts] => [torch.ones([2, 4]), { p: torch.ones([4]), q: torch.zeros([4]) }];
const exported = (preserve: readonly string[] = [], net = new Net()): ExportedProgram =>
  exportProgram(net, inputs(), {
    preserveModuleCallSignature: preserve,
    dynamicShapes: [{ 0: Dim("b") }, { p: null, q: null }],
  });
const linesOf = ({ graph }: Pick<InterpreterModule, "graph">): string[] =>
  graphText(graph)
    .split("\n")
    .slice(1)
    .map((line) => line.trim().replace(/ : \[num_users=\d+\] =/, " ="));
const at = <M = InterpreterModule>(module: Module, path: string): M => module.getSubmodule(path) as M;
const paths = (module: Module): string[] => module.namedModules().map(([path]) => path);
function failure(run: () => unknown): SconceError {
  try {
    run();
  } catch (error) {
    if (isSconceError(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

// The graphs are PyTorch 2.14's.
describe("modules of a program [S-133]", () => {
  test("have the names and the state of the model", () => {
    const net = new Net();
    const module = unflatten(exported([], net));
    expect(paths(module)).toEqual([...paths(net), "a@1"]);
    expect([...module.stateDict().keys()].filter((name) => !name.startsWith("a@1"))).toEqual([
      ...net.stateDict().keys(),
    ]);
    expect(module.namedParameters().map(([name]) => name)).toEqual(
      net.namedParameters().map(([name]) => name),
    );
    expect(module.namedBuffers().map(([name]) => name)).toEqual(["a.n"]);
    expect(module.typeName()).toBe("__main__.Net");
    expect(at(module, "b.0").typeName()).toBe("torch.nn.modules.linear.Linear");
    expect(String(module).split("\n").slice(0, 3)).toEqual([
      "UnflattenedModule(",
      "  (a): InterpreterModule(",
      "    (l): InterpreterModule()",
    ]);
  });

  test("have the parts of the graph", () => {
    const module = unflatten(exported());
    expect(linesOf(module)).toEqual([
      "%x = placeholder[target=x]",
      "%d_p = placeholder[target=d_p]",
      "%d_q = placeholder[target=d_q]",
      "%a = call_module[target=a](args = (%x,), kwargs = {})",
      "%getitem = call_function[target=operator.getitem](args = (%a, 0), kwargs = {})",
      "%getitem_1 = call_function[target=operator.getitem](args = (%a, 1), kwargs = {})",
      "%add_1 = call_function[target=torch.ops.aten.add.Tensor](args = (%getitem_1, %d_p), kwargs = {})",
      "%add_2 = call_function[target=torch.ops.aten.add.Tensor](args = (%add_1, %d_q), kwargs = {})",
      "%a_1 = call_module[target=a@1](args = (%add_2, %getitem), kwargs = {})",
      "%b = call_module[target=b](args = (%a_1,), kwargs = {})",
      "%drop = call_module[target=drop](args = (%b,), kwargs = {})",
      "return (drop,)",
    ]);
    expect(linesOf(at(module, "a@1"))).toEqual([
      "%add_2 = placeholder[target=add_2]",
      "%add_ = placeholder[target=add_]",
      "%add__1 = call_function[target=torch.ops.aten.add_.Tensor](args = (%add_, 1), kwargs = {})",
      "%l_1 = call_module[target=l](args = (%add_2,), kwargs = {})",
      "%relu_1 = call_function[target=torch.ops.aten.relu.default](args = (%l_1,), kwargs = {})",
      "%add_3 = call_function[target=torch.ops.aten.add.Tensor](args = (%relu_1, %add__1), kwargs = {})",
      "return add_3",
    ]);
    expect(at(module, "b").code).toContain('_0 = getattr(self, "0")(add_3);  add_3 = None');
    expect(at(module, "b").printReadable()).toContain('def forward(self, add_3: "f32[s77, 4]")');
    expect(at(module, "a@1.l")).toBe(at(module, "a.l"));
  });

  test("compute what the model computes, and keep buffers", () => {
    for (const preserve of [[], ["a"]]) {
      const net = new Net();
      const program = exported(preserve, net);
      for (const given of [program, runDecompositions(program)]) {
        const model = given.module();
        const module = unflatten(given);
        for (let i = 0; i < 2; i++) expect(String(module(...inputs()))).toBe(String(model(...inputs())));
        expect(String(at<Sub>(module, "a").n)).toBe("tensor([4.])");
      }
      expect(String(program.tensor("a.n"))).toBe("tensor([0.])");
    }
  });

  test("share tied parameters, and read the bodies of branches", () => {
    class Tied extends Module {
      readonly first = new Linear(2, 2);
      readonly list = new ModuleList([new Linear(2, 2), this.first]);
      override forward(x: Tensor): Tensor {
        const y = this.first(x);
        return cond(
          x.sum().gt(0),
          (v: Tensor) => this.list.at(0)(v),
          (v: Tensor) => v.sin(),
          [y],
        );
      }
    }
    const net = new Tied();
    const module = unflatten(exportProgram(net, [torch.ones([2, 2])]));
    expect(paths(module)).toEqual(["", "first", "list", "list.0", "list.1", "true_graph_0", "false_graph_0"]);
    expect([...module.stateDict().keys()]).toEqual([...net.stateDict().keys()]);
    expect(at<nn.Linear>(module, "list.1").weight).toBe(at<nn.Linear>(module, "first").weight);
    for (const sign of [1, -1]) {
      const x = torch.ones([2, 2]).mul(sign);
      expect(String(module(x))).toBe(String(net(x)));
    }
  });

  test("are one for a function", () => {
    const module = unflatten(exportProgram((x: Tensor) => x.sin().add(1), [torch.ones([2])]));
    expect(paths(module)).toEqual([""]);
    expect(module.typeName()).toBeNull();
    expect(String(module(torch.zeros([2])))).toBe("tensor([1., 1.])");
  });

  test("check inputs, and refuse other modes", () => {
    const module = unflatten(exported());
    const [, d] = inputs();
    expect((module(torch.ones([3, 4]), d) as Tensor).shape).toEqual([3, 4]);
    expect(failure(() => module(torch.ones([2, 5]), d)).message).toContain(
      "Expected input at *args[0].shape[1] to be equal to 4, but got 5",
    );
    expect(failure(() => module.eval()).code).toBe("FIXED_MODE");
    expect(failure(() => at(module, "drop").train()).code).toBe("FIXED_MODE");
  });

  test("are exported again, after a change", () => {
    const module = unflatten(exported());
    const relu = at(module, "b.1");
    relu.graph = edit(relu.graph, (editor) => {
      const [input] = relu.graph.placeholders();
      const added = editor.insertAfter(input!.name, {
        op: "call_function",
        target: "aten.tanh.default",
        args: [ref(input!.name)],
      });
      editor.replaceAllUses(input!.name, added, [added.name]);
    });
    const again = exportProgram(module, inputs());
    expect([...again.opHistogram().keys()].slice(-2)).toEqual(["aten.tanh.default", "aten.dropout.default"]);
    expect(again.graph.find("tanh")!.meta.nnModuleStack!.map(([key]) => key)).toEqual([
      "L__self__",
      "L__self__b",
      "L__self__b.1",
    ]);
    expect(again.moduleCallGraph.map(({ fqn }) => fqn)).toContain("a.l");
    expect(String(again.module()(...inputs()))).toBe(String(unflatten(again)(...inputs())));
  });
});

describe("preserved calls", () => {
  test("are dispatched in order, and from the first again [S-135]", () => {
    const module = unflatten(exported(["a"]));
    const dispatcher = at<InterpreterModuleDispatcher>(module, "a");
    expect(dispatcher).toBeInstanceOf(InterpreterModuleDispatcher);
    expect(paths(module)).toEqual(paths(new Net()));
    const [first, second] = dispatcher.callModules();
    expect(linesOf(second!)).toEqual([
      "%_positional_arg_0 = placeholder[target=_positional_arg_0]",
      "%n = get_attr[target=n]",
      "%_spec_0 = get_attr[target=_spec_0]",
      "%tree_flatten_spec = call_function[target=torch.fx._pytree.tree_flatten_spec](args = (((%_positional_arg_0,), {}), %_spec_0), kwargs = {})",
      "%add_2 = call_function[target=operator.getitem](args = (%tree_flatten_spec, 0), kwargs = {})",
      "%add__1 = call_function[target=torch.ops.aten.add_.Tensor](args = (%n, 1), kwargs = {})",
      "%l_1 = call_module[target=l](args = (%add_2,), kwargs = {})",
      "%relu_1 = call_function[target=torch.ops.aten.relu.default](args = (%l_1,), kwargs = {})",
      "%add_3 = call_function[target=torch.ops.aten.add.Tensor](args = (%relu_1, %add__1), kwargs = {})",
      "%_spec_1 = get_attr[target=_spec_1]",
      "%tree_unflatten = call_function[target=torch.utils._pytree.tree_unflatten](args = ((%add_3, None), %_spec_1), kwargs = {})",
      "return tree_unflatten",
    ]);
    // The second call does not compute `z`, which the model does not use.
    const call = (): unknown => (dispatcher(torch.ones([2, 4])) as unknown as readonly unknown[])[1];
    const empty = { z: null };
    expect(call()).not.toEqual(empty);
    expect(call()).toEqual(empty);
    expect(call()).not.toEqual(empty);
    expect(failure(() => dispatcher()).code).toBe("MODULE_ARGUMENTS");
    expect(call()).not.toEqual(empty);
    expect(first!.typeName()).toBe("__main__.Sub");
    expect(dispatcher.printReadable().match(/class InterpreterModule/g)).toHaveLength(2);
  });

  test("allow swaps by modules that were exported alone [S-137]", () => {
    class Doubled extends Sub {
      override forward(x: Tensor): readonly [Tensor, Scaled] {
        return pythonTuple(x.mul(2), { z: x }) as unknown as readonly [Tensor, Scaled];
      }
    }
    class Plain extends Net {
      override readonly a = new Doubled();
    }
    const net = new Net();
    const other = new Plain();
    other.loadStateDict(net.stateDict());
    const program = exported(["a"], net);
    const alone = exportProgram(new Doubled(), [torch.ones([2, 4])]);
    for (const replacement of [unflatten(alone), alone.module(), new Doubled()]) {
      const module = unflatten(program);
      (module as UnflattenedModule & { a: Module }).a = replacement;
      expect(String(module(...inputs()))).toBe(String(other(...inputs())));
      expect(module.getSubmodule("a")).toBe(replacement);
    }
  });

  // PyTorch gives it two arguments, too, and the call fails.
  test("are given to a swapped module alone [S-137]", () => {
    class Flat extends Module {
      override forward(x: Tensor): Tensor {
        return x.view(x.size(0), -1).add(1);
      }
    }
    class Outer extends Module {
      readonly block = new Flat();
      override forward(x: Tensor): Tensor {
        return this.block(x.sin()).mul(x.size(0));
      }
    }
    const module = unflatten(
      exportProgram(new Outer(), [torch.ones([3, 4])], {
        preserveModuleCallSignature: ["block"],
        dynamicShapes: [{ 0: Dim("b") }],
      }),
    );
    expect(linesOf(module)).toContain(
      "%block = call_module[target=block](args = (%x, %getitem_2), kwargs = {})",
    );
    const before = String(module(torch.ones([5, 4])));
    module.setSubmodule("block", new Flat());
    expect(String(module(torch.ones([5, 4])))).toBe(before);
  });

  test("are what swaps need [S-137]", () => {
    const module = unflatten(exported(["a"]));
    const swap = failure(() => module.setSubmodule("b.0", new Linear(4, 4)));
    expect(swap).toMatchObject({
      code: "UNSAFE_SWAP",
      where: "b.0",
      fix: 'export the model with `preserveModuleCallSignature: ["b.0"]`, and unflatten that program',
    });
    expect(failure(() => Object.assign(module, { drop: new Linear(4, 4) })).code).toBe("UNSAFE_SWAP");
    expect(failure(() => Object.assign(module, { a: 3 })).code).toBe("LAYER_ARGUMENTS");
    const own = module.getSubmodule("b");
    module.setSubmodule("b", own);
    expect(module.getSubmodule("b")).toBe(own);
  });

  // PyTorch fails here: it looks for the graph of the first call.
  test.each([[["a"]], [["a", "a.l"]]])("may be calls that nothing uses: %j [S-135]", (names) => {
    class Both extends Module {
      readonly l = new Linear(4, 4);
      override forward(x: Tensor): readonly [Tensor, Tensor] {
        return [this.l(x).relu(), x];
      }
    }
    class Last extends Module {
      readonly a = new Both();
      override forward(x: Tensor): Tensor {
        const [, same] = this.a(x);
        return this.a(same)[0];
      }
    }
    const model = new Last();
    const args = [torch.ones([2, 4])] as const;
    const module = unflatten(exportProgram(model, args, { preserveModuleCallSignature: names }));
    for (let round = 0; round < 2; round++) expect(String(module(...args))).toBe(String(model(...args)));
    class Swapped extends Module {
      override forward(x: Tensor): readonly [Tensor, Tensor] {
        return [x.mul(3), x];
      }
    }
    module.setSubmodule("a", new Swapped());
    expect(String(module(...args))).toBe(String(args[0].mul(3)));
  });

  test("take keywords, and are preserved again", () => {
    class Gained extends Module {
      readonly l = new Linear(4, 4);
      override forward(x: Tensor, { gain }: { gain: Tensor }): Tensor {
        return this.l(x).mul(gain);
      }
    }
    class Outer extends Module {
      readonly g = new Gained();
      override forward(x: Tensor, { gain }: { gain: Tensor }): Tensor {
        return this.g(this.g(x, { gain }), { gain });
      }
    }
    const x = torch.ones([2, 4]);
    const kwargs = { gain: torch.tensor(2) };
    const net = new Outer();
    const options = { kwargs, preserveModuleCallSignature: ["g"] };
    const module = unflatten(exportProgram(net, [x], options));
    expect(String(module(x, kwargs))).toBe(String(net(x, kwargs)));
    expect(String(at<Gained>(module, "g")(x, kwargs))).toBe(String(net.g(x, kwargs)));
    const again = exportProgram(module, [x], options).moduleCallGraph.find(({ fqn }) => fqn === "g");
    expect(treeSpecText(again!.signature!.inSpec)).toContain("TreeSpec(dict, ['gain'], [*])");
  });
});

describe("arguments of another structure [S-134]", () => {
  const swapped = (): [Tensor, Shifts] => {
    const [x, { p, q }] = inputs();
    return [x, { q, p }];
  };

  test("need an adapter", () => {
    const module = unflatten(exported());
    expect(failure(() => module(...swapped()))).toMatchObject({
      code: "NO_FLAT_ARGS_ADAPTER",
      message: expect.stringMatching(
        /^There is no flat args adapter specified\. .*TreeSpec\(dict, \['q', 'p'\]/s,
      ) as unknown,
    });
    expect(failure(() => module(inputs()[0])).code).toBe("NO_FLAT_ARGS_ADAPTER");
  });

  test("are given the structure of the export by an adapter", () => {
    const given: unknown[] = [];
    const adapter: FlatArgsAdapter = {
      adapt(targetSpec, inputSpec, [x, first, second], { unflattenedModule }, args) {
        given.push(treeSpecText(targetSpec), treeSpecText(inputSpec), unflattenedModule, args.length);
        return [x, second, first];
      },
    };
    const net = new Net();
    const module = unflatten(exported([], net), adapter);
    expect(String(module(...swapped()))).toBe(String(unflatten(exported([], net))(...inputs())));
    expect(given.slice(2, 4)).toEqual([module, 2]);
    expect(given[0]).toContain("TreeSpec(dict, ['p', 'q']");
    expect(given[1]).toContain("TreeSpec(dict, ['q', 'p']");
    const [, d] = inputs();
    const wrong = failure(() => module(torch.ones([2, 5]), { q: d.q, p: d.p }));
    expect(wrong.message).toContain("Expected input at *args.<unknown location>.shape[1] to be equal to 4");
  });

  test("are refused where the adapter gives too few", () => {
    const module = unflatten(exported(), { adapt: (_target, _spec, [x]) => [x] });
    expect(failure(() => module(...swapped()))).toMatchObject({
      code: "FLAT_ARGS_ADAPTER",
      message: "Flat args adaption failed, number of args mismatch. Adapted: 1. Exported module: 3",
    });
  });
});

describe("errors", () => {
  test("name the module, the node and the user's line [S-132]", () => {
    const module = unflatten(exported());
    const error = failure(() => at<nn.Linear>(module, "b.0")(torch.ones([2, 3])));
    expect(error.code).toBe("SHAPE_MISMATCH");
    expect(error.where).toMatch(
      /^module "b\.0": node "linear_2" \(aten\.linear\.default\), .*unflatten\.test\.ts:\d+/,
    );
    expect(failure(() => at(module, "b.0")()).message).toBe(
      "the graph of the module takes 1 arguments (add_3), got 0",
    );
  });

  test("refuse nodes that name no module", () => {
    const program = exported();
    const graph = edit(program.graph, (editor) => editor.setMeta("relu", {}));
    expect(
      failure(() => unflatten(program.with({ graph, graphSignature: program.graphSignature }))),
    ).toMatchObject({
      code: "NOT_UNFLATTENABLE",
      where: 'node "relu" (aten.relu.default)',
    });
  });
});
