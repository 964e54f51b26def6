/** @file Targets of the small languages: expressions, guards, pipelines, patterns, trees. */
import { Budget, parsePlainJson } from "@sconce/errors";
import {
  dictSpec,
  flattenTree,
  LEAF,
  listSpec,
  parseTreeSpec,
  type TreeSpec,
  treeSpecJson,
  treeSpecText,
  tupleSpec,
  unflattenTree,
} from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import {
  builtinPasses,
  type Pattern,
  type PipelineItem,
  parsePattern,
  parsePipeline,
  patternText,
  printPipeline,
  propagateShapes,
} from "@sconce/passes";
import { extractIR, type JsonIR, jsonIRText, mermaidText, programFromIR, readJsonIR } from "@sconce/session";
import {
  evaluate,
  evaluateGuard,
  freeSymbols,
  type GuardNode,
  parseGuard,
  parseSrepr,
  printExpr,
  printGuard,
  type SymValue,
  toSrepr,
} from "@sconce/symbolic";
import type { FuzzTarget } from "../support/driver.js";
import { notJson } from "../support/errors.js";
import { mutateJsonText, mutateText, type Random } from "../support/random.js";
import { expression, HEADS } from "./expressions.js";

const SOURCES = ["L['x'].size()[0]", "L['x'].stride()[1]", "x", "L['d']['k'][0]", "L['n']", "k.a.size()[2]"];

function guard(random: Random, depth: number): string {
  if (depth === 0) return random.pick([...SOURCES, "1", "2.5", "True", "None", "'text'", "math.inf"]);
  const inner = (): string => guard(random, depth - 1);
  switch (random.below(6)) {
    case 0:
      return `${inner()} ${random.pick(["==", "!=", "<", "<=", ">", ">="])} ${inner()}`;
    case 1:
      return `(${inner()} ${random.pick(["+", "-", "*", "//", "/", "%", "**"])} ${inner()})`;
    case 2:
      return `${inner()} ${random.pick(["and", "or"])} ${inner()}`;
    case 3:
      return `not ${inner()}`;
    case 4:
      return `${random.pick(["max", "min", "abs", "math.floor", "torch.sym_max", "round"])}(${inner()})`;
    default:
      return `(${inner()} if ${inner()} else ${inner()})`;
  }
}

const PASSES = new Map(builtinPasses.map((pass) => [pass.name, pass]));

function pipeline(random: Random, depth: number): string {
  const item = (): string => {
    if (depth > 0 && random.once(4))
      return `repeat{max=${random.below(5) + 1}}(${pipeline(random, depth - 1)})`;
    const { name, options } = random.pick(builtinPasses);
    const given = Object.entries(options).filter(() => random.once(3));
    const texts = given.map(([option, { default: value }]) =>
      Array.isArray(value) ? `${option}=[aten.linear.default]` : `${option}=${String(value) || "x"}`,
    );
    return texts.length === 0 ? name : `${name}{${texts.join(",")}}`;
  };
  return [item(), ...random.list(3, item)].join(random.pick([",", ", ", " ,\n"]));
}

function pattern(random: Random, depth: number): string {
  if (depth === 0)
    return random.pick(["$x", "$y", "_", "1", "2.5", "float32", "none", '"text"', "device(cpu)"]);
  const inner = (): string => pattern(random, depth - 1);
  const target = (): string => random.pick(["aten.add.Tensor", "aten.relu.default", "aten.mm.default"]);
  switch (random.below(5)) {
    case 0:
      return `[${random.list(3, inner).join(", ")}]`;
    case 1:
      return `[${inner()}, $xs...]`;
    case 2:
      return `${target()}|${target()}(${inner()}, ...) as $n`;
    case 3:
      return `${target()}(${inner()}, alpha=${inner()})`;
    default:
      return `${target()}(${[inner(), ...random.list(2, inner)].join(", ")})`;
  }
}

function tree(random: Random, depth: number): TreeSpec {
  if (depth === 0 || random.once(3)) return LEAF;
  const children = random.list(3, () => tree(random, depth - 1));
  const named = (type: string, context: unknown): TreeSpec => ({ type, context, children });
  switch (random.below(6)) {
    case 0:
      return listSpec(children);
    case 1:
      return dictSpec(children.map((child, i) => [random.pick(["k", "__proto__", "1", ""]) + i, child]));
    case 2:
      return named("collections.namedtuple", "test.Point");
    case 3:
      return named("collections.defaultdict", {
        default_factory_name: "builtins.list",
        dict_context: children.map((_, i) => i),
      });
    case 4:
      return named("test.Data", [children.map((_, i) => `f${i}`), []]);
    default:
      return tupleSpec(children);
  }
}

const texts = (
  name: string,
  readers: readonly string[],
  generate: (random: Random) => string,
  read: (text: string) => unknown,
  use: (result: never) => unknown,
  words: readonly string[] = [],
): FuzzTarget<string> => ({
  name,
  readers,
  generate,
  mutate: (text, random) => mutateText(text, random, words),
  read,
  use,
});

const OPERATORS = { operators: defaultOperators() };

/** Returns a chain of calls as JSON IR. */
function jsonIR(random: Random): string {
  const calls = [
    "relu.default(%x)",
    "add.Tensor(%x, 2)",
    "sum.dim_IntList(%x, [0], true)",
    "index.Tensor(%x, [none, %i])",
  ];
  const lines = [
    "%r0 = aten.mul.Tensor(%x, %w)",
    ...random.list(3, () => random.pick(calls)).map((call, i) => `%r${i + 1} = aten.${call}`),
  ];
  const text = `program "ATEN" {
  parameter "w": f32[2, 3]
  input %w: PARAMETER "w"
  input %x: USER_INPUT
  input %i: USER_INPUT
  output %r0: USER_OUTPUT
}
graph(%w: f32[2, 3], %x: f32[2, 3], %i: i64[4]) {
  ${lines.join("\n  ")}
  return (%r0)
}`;
  return jsonIRText(extractIR(propagateShapes(parseIr(text), OPERATORS.operators)));
}

/** JSON IR with dynamic sizes, scalars and a buffer that is written back. */
const DYNAMIC_IR = jsonIRText(
  extractIR(
    parseIr(`program "ATEN" {
  buffer "b": f32[3]
  range "s0" [2, 9]
  hint "s0" 4
  input %b: BUFFER "b" persistent
  input %x: USER_INPUT
  output %add: BUFFER_MUTATION "b"
  output %view: USER_OUTPUT
  output symint %size: USER_OUTPUT
}
graph(%b: f32[3], %x: f32[s0, 3]) {
  %size: int(s0) = aten.sym_size.int(%x, 0)
  %mul: int(3*s0) = operator.mul(%size, 3)
  %view: f32[3*s0] = aten.view.default(%x, [%mul])
  %add: f32[3] = aten.add.Tensor(%b, 1)
  return (%add, %view, %size)
}`),
  ),
);

/** JSON IR with nested graphs, one of which two calls take. */
const NESTED_IR = jsonIRText(
  extractIR(
    parseIr(`program "ATEN" {
  input %p: USER_INPUT
  input %x: USER_INPUT
  output %b: USER_OUTPUT
}
graph(%p: b8[], %x: f32[3]) {
  %yes = get_attr yes
  %no = get_attr no
  %c: (f32[3]) = higher_order.cond(%p, %yes, %no, [%x])
  %a: f32[3] = operator.getitem(%c, 0)
  %d: (f32[3]) = higher_order.wrap_with_set_grad_enabled(false, %no, %a)
  %b: f32[3] = operator.getitem(%d, 0)
  return (%b)
  graph yes(%y: f32[3]) { %r: f32[3] = aten.neg.default(%y) return (%r,) }
  graph no(%z: f32[3]) { %r: f32[3] = aten.mul.Tensor(%z, 2) return (%r,) }
}`),
  ),
);

const JSON_SAMPLES = [
  '{"a": [1, 2.5, null, true], "b": {"__proto__": "\\u0041"}}',
  "[[[]], -0, 1e9]",
  '"text"',
];

/** The targets of this file. */
export const LANGUAGE_TARGETS: readonly FuzzTarget<string>[] = [
  texts(
    "symbolic expressions",
    ["parseSrepr"],
    (random) => expression(random, 4),
    (text) => parseSrepr(text),
    (value: SymValue) => {
      printExpr(value);
      parseSrepr(toSrepr(value));
      const bindings = [...freeSymbols(value).keys()].map((symbol, i) => [symbol, i + 2] as const);
      evaluate(value, new Map(bindings));
    },
    [...HEADS, "**", "//", "Symbol(", "Rational(1, 0)"],
  ),
  texts(
    "guards",
    ["parseGuard"],
    (random) => guard(random, 3),
    (text) => parseGuard(text),
    (node: GuardNode) => {
      printGuard(node);
      evaluateGuard(node, () => 3);
    },
    [...SOURCES, "lambda", "import", "__class__", "."],
  ),
  texts(
    "pipelines",
    ["parsePipeline"],
    (random) => pipeline(random, 2),
    (text) => parsePipeline(text, PASSES),
    (items: readonly PipelineItem[]) => parsePipeline(printPipeline(items), PASSES),
    ["repeat(", "{", "}", "=", "[a,b]", "dce"],
  ),
  texts(
    "patterns",
    ["parsePattern"],
    (random) => pattern(random, 3),
    (text) => parsePattern(text),
    (result: Pattern) => parsePattern(patternText(result)),
    ["...", "$", "as $n", "|", "aten.add.Tensor("],
  ),
  {
    name: "JSON IR",
    readers: ["readJsonIR"],
    generate: (random) => random.pick([DYNAMIC_IR, NESTED_IR, jsonIR(random)]),
    mutate: (text, random) =>
      mutateJsonText(text, random, [
        "producer_node",
        "__proto__",
        "[]",
        "null",
        "1.0",
        "s0 + 1",
        "u0",
        "scalar",
        "subgraphs",
        "get_attr",
        "input",
      ]),
    read: (text) => readJsonIR(text),
    use: (ir: JsonIR) => {
      readJsonIR(jsonIRText(ir));
      mermaidText(programFromIR(ir, OPERATORS));
    },
  },
  {
    name: "tree specifications",
    readers: ["parseTreeSpec"],
    generate: (random) => treeSpecJson(tree(random, 4)),
    mutate: (text, random) => mutateJsonText(text, random, ["children_spec", "context", "null"]),
    read: (text) => parseTreeSpec(text),
    use: (spec: TreeSpec) => {
      treeSpecText(spec);
      parseTreeSpec(treeSpecJson(spec));
      const leaves = new Array<number>(1000).fill(1);
      const value = unflattenTree(leaves, spec);
      flattenTree(value, spec);
      flattenTree([1, { a: 2 }], spec);
    },
  },
  texts(
    "plain JSON",
    ["parsePlainJson"],
    (random) => random.pick(JSON_SAMPLES),
    (text) =>
      parsePlainJson(text, {
        budget: new Budget(text.length),
        depth: 8,
        unique: true,
        fail: notJson,
      }),
    (value: never) => JSON.stringify(value),
    ["[", "{", '":', "\\u", "}]"],
  ),
];
