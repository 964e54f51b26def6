import { expect, test } from "vitest";
import { GraphBuilder } from "../graph/builder.js";
import { Graph } from "../graph/graph.js";
import { parseGraph } from "../ir-text/parse-program.js";
import { complex, device, dict, float, operator, ref, tuple } from "../values/argument.js";
import { codeText } from "./code.js";
import { graphText } from "./graph-text.js";
import { readableText } from "./readable.js";

test("a graph prints as str(graph), .code and print_readable() of torch.fx do [S-094, S-097]", () => {
  const graph = parseGraph(`graph(%x: f32[s77, 6], %n: int(s86)) {
    %sym_size_int_1: int(s77) = aten.sym_size.int(%x, 0)
    %mul: int(2*s77) = operator.mul(%sym_size_int_1, 2) #0
    %view: f32[2*s77, 3] = aten.view.default(%x, [%mul, -1]) #0
    %topk: (f32[2], i64[2]) = aten.topk.default(%view, 2, sorted=true)
    %getitem: f32[2] = operator.getitem(%topk, 0)
    %getitem_1: i64[2] = operator.getitem(%topk, 1)
    return (%getitem, none, -1, "it's")
  }
  metadata {
    #0 {"stackTrace": "  File \\"model.py\\", line 24, in forward\\n    y=x.view(x.shape[0]*2,-1)\\n"}
  }`);
  expect(graphText(graph)).toBe(`graph():
    %x : [num_users=2] = placeholder[target=x]
    %n : [num_users=0] = placeholder[target=n]
    %sym_size_int_1 : [num_users=1] = call_function[target=torch.ops.aten.sym_size.int](args = (%x, 0), kwargs = {})
    %mul : [num_users=1] = call_function[target=operator.mul](args = (%sym_size_int_1, 2), kwargs = {})
    %view : [num_users=1] = call_function[target=torch.ops.aten.view.default](args = (%x, [%mul, -1]), kwargs = {})
    %topk : [num_users=2] = call_function[target=torch.ops.aten.topk.default](args = (%view, 2), kwargs = {sorted: True})
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%topk, 0), kwargs = {})
    %getitem_1 : [num_users=0] = call_function[target=operator.getitem](args = (%topk, 1), kwargs = {})
    return (getitem, None, -1, "it's")`);
  expect(readableText(graph)).toBe(`class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[s77, 6]", n: "Sym(s86)"):
        # No stacktrace found for following nodes
        sym_size_int_1: "Sym(s77)" = torch.ops.aten.sym_size.int(x, 0)

        # File: model.py:24 in forward, code: y=x.view(x.shape[0]*2,-1)
        mul: "Sym(2*s77)" = sym_size_int_1 * 2;  sym_size_int_1 = None
        view: "f32[2*s77, 3]" = torch.ops.aten.view.default(x, [mul, -1]);  x = mul = None

        # No stacktrace found for following nodes
        topk = torch.ops.aten.topk.default(view, 2, sorted = True);  view = None
        getitem: "f32[2]" = topk[0]
        getitem_1: "i64[2]" = topk[1];  topk = getitem_1 = None
        return (getitem, None, -1, "it's")
`);
});

/** The same graph made with torch.fx 2.14 gave the texts below. */
function oddities(): Graph {
  const b = new GraphBuilder({ unknownTargets: "allow" });
  const x = b.placeholder("x");
  b.placeholder("input_1", {}, "input");
  b.placeholder("math_ceil");
  b.placeholder("device_1", {}, "device");
  const add = b.call("add_tensor", "aten.add.Tensor", [x, complex(0, 2)]);
  const add1 = b.call("add_tensor_1", "aten.add.Tensor", [add, complex(1, -2.5)], {
    alpha: complex(1, NaN),
    k: device("cuda", 0),
  });
  const not = b.call("not_", "operator.not_", [add1]);
  const ceil = b.call("ceil", "math.ceil", [not]);
  b.call("abs_1", "builtins.abs", [ceil]);
  b.call(
    "auto_functionalized_v2",
    "higher_order.auto_functionalized_v2",
    [
      operator("aten.add_.Tensor"),
      operator("higher_order.cond"),
      dict([
        ["a", x],
        ["it's", [float(1), tuple(["q"])]],
      ]),
    ],
    { z: dict([["k", x]]) },
  );
  b.call("_sym_sqrt", "torch._sym_sqrt", [ceil]);
  const max = b.call("sym_max", "torch.sym_max", [
    ceil,
    float(1e16),
    1e-5,
    float(123456789),
    float(-0),
    5e-324,
    2n ** 63n - 1n,
  ]);
  b.call("matmul", "operator.matmul", [max, true]);
  b.call("concat", "operator.concat", [max, ['a"b', "it's\"", "\n\u0000\u00e9\u200b"]]);
  b.output(
    tuple([
      x,
      complex(0, 2),
      device("cpu"),
      [add, tuple([add1])],
      dict([["k", add]]),
      operator("aten.add.Tensor"),
    ]),
  );
  return b.build();
}

test("names that would hide a builtin, Python functions, and every kind of argument [S-066]", () => {
  expect(codeText(oddities())).toBe(
    [
      "",
      "",
      "",
      "def forward(self, x, input, math_ceil, device):",
      "    input_1 = input",
      "    device_1 = device",
      "    add_tensor = torch.ops.aten.add.Tensor(x, complex(0.0, 2.0))",
      "    add_tensor_1 = torch.ops.aten.add.Tensor(add_tensor, (1-2.5j), alpha = complex(1.0, nan), " +
        "k = device(type='cuda', index=0))",
      "    not_ = _operator_not_(add_tensor_1)",
      "    ceil = math_ceil_1(not_);  not_ = None",
      "    abs_1 = abs(ceil);  abs_1 = None",
      "    auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.aten.add_.Tensor, " +
        "torch.ops.higher_order.cond, {'a': x, \"it's\": [1.0, ('q',)]}, z = {'k': x});  auto_functionalized_v2 = None",
      "    _sym_sqrt = torch._sym_sqrt(ceil);  _sym_sqrt = None",
      "    sym_max = torch.sym_max(ceil, 1e+16, 1e-05, 123456789.0, -0.0, 5e-324, 9223372036854775807);  ceil = None",
      "    matmul = sym_max @ True;  matmul = None",
      "    concat = _operator_concat(sym_max, ['a\"b', 'it\\'s\"', '\\n\\x00\u00e9\\u200b']);  sym_max = concat = None",
      "    return (x, complex(0.0, 2.0), device(type='cpu'), [add_tensor, (add_tensor_1,)], {'k': add_tensor}, " +
        "torch.ops.aten.add.Tensor)",
      "    ",
    ].join("\n"),
  );
  const lines = graphText(oddities()).split("\n    ");
  expect(lines).toContain(
    "%add_tensor_1 : [num_users=2] = call_function[target=torch.ops.aten.add.Tensor]" +
      "(args = (%add_tensor, (1-2.5j)), kwargs = {alpha: (1+nanj), k: cuda:0})",
  );
  expect(lines).toContain(
    "%auto_functionalized_v2 : [num_users=0] = call_function[target=torch.ops.higher_order." +
      "auto_functionalized_v2](args = (aten.add_.Tensor, cond, {a: %x, it's: [1.0, (q,)]}), kwargs = {z: {k: %x}})",
  );
  expect(lines.at(-1)).toBe(
    "return (x, 2j, device(type='cpu'), [add_tensor, (add_tensor_1,)], {'k': add_tensor}, " +
      "<OpOverload(op='aten.add', overload='Tensor')>)",
  );
});

test("nested graphs are nested classes; strides, device and expanded parameters on request", () => {
  const graph = parseGraph(`graph(%x: f32[2, 3]{1, 2} device(cuda:0)) {
    %body = get_attr body
    %call = higher_order.wrap(%body, %x)
    %getitem: f32[2, 3] = operator.getitem(%call, 0)
    return (%getitem)
    graph body(%x: f32[2, 3]) {
      %add: f32[2, 3] = aten.add.Tensor(%x, 1)
      return (%add)
    }
  }`);
  expect(
    readableText(graph, { includeStride: true, includeDevice: true, expandedDef: true }),
  ).toBe(`class GraphModule(torch.nn.Module):
    def forward(
        self,
        x: "f32[2, 3][1, 2]cuda:0",
    ):
        # No stacktrace found for following nodes
        body = self.body
        call = torch.ops.higher_order.wrap(body, x);  body = x = None
        getitem: "f32[2, 3][3, 1]cpu" = call[0];  call = None
        return (getitem,)

    class body(torch.nn.Module):
        def forward(self, x: "f32[2, 3][3, 1]cpu"):
            # No stacktrace found for following nodes
            add: "f32[2, 3][3, 1]cpu" = torch.ops.aten.add.Tensor(x, 1);  x = None
            return (add,)
`);
});

test("annotations of the user are cut at 40 characters", () => {
  const graph = new Graph([
    {
      name: "a",
      op: "call_function",
      target: "aten.rand.default",
      args: [[1]],
      kwargs: {},
      meta: { custom: { k: "v".repeat(50), n: 1 } },
    },
    { name: "output", op: "output", target: "output", args: [tuple([ref("a")])], kwargs: {}, meta: {} },
  ]);
  expect(readableText(graph).split("\n")[2]).toBe(
    `        # Annotation: {'k': '${"v".repeat(40)}...', 'n': 1} No stacktrace found for following nodes`,
  );
});

test("empty graphs", () => {
  expect(graphText(new Graph([]))).toBe("graph():");
  expect(codeText(new Graph([]))).toBe("\n\n\ndef forward(self):\n    pass\n    ");
  expect(codeText(parseGraph("graph() { return () }"))).toBe("\n\n\ndef forward(self):\n    return ()\n    ");
});
