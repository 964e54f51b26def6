import { existsSync, readdirSync, readFileSync } from "node:fs";
import { Budget, isSconceError } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { parseIr, printIr, tensorsOf } from "@sconce/ir/text";
import { describe, expect, test } from "vitest";
import { sampled } from "../../../../../.config/sampled.js";
import { parseJson } from "../../json/parse.js";
import { programNameFindings } from "../../security/program-names.js";
import { makeZip, utf8 } from "../../zip/zip.fixture.js";
import { entriesOf, operators, read, saved } from "../write/saved.fixture.js";
import { FileNames } from "./file-names.js";
import { visitJsonTexts } from "./json-texts.js";
import { type TextKind, textFault } from "./rules.js";

const programs = new URL("../../../../testing/fixtures/programs/", import.meta.url);
const NAMES = readdirSync(programs)
  .filter((name) => existsSync(new URL(`${name}/program.pt2`, programs)))
  .sort();
const bytesOf = (name: string): Uint8Array => readFileSync(new URL(`${name}/program.pt2`, programs));

const decoder = new TextDecoder();
const isText = (name: string): boolean => /^models\/.*\.json$|_config\.json$/.test(name);

/** The texts of a file that are not safe: kind, text and reason. */
function faultsOf(entries: ReadonlyMap<string, Uint8Array>): string[] {
  const faults: string[] = [];
  for (const [name, bytes] of entries) {
    if (!isText(name)) continue;
    const budget = new Budget(100 * bytes.length);
    visitJsonTexts(parseJson(bytes, name, budget), budget, (kind, text, path) => {
      const fault = kind === "unknown" ? "is in no field of the schema" : textFault(kind, text);
      if (fault !== undefined) faults.push(`${path.join(".")} ${kind} ${JSON.stringify(text)} ${fault}`);
    });
  }
  return faults;
}

describe("every string of a file has a kind, and what PyTorch writes is safe", () => {
  test.each(sampled(NAMES, 3))("%s", (name) => {
    expect(faultsOf(entriesOf(bytesOf(name)))).toEqual([]);
  });
});

/** Names that end strings, lines and statements of Python, or represent something else. */
const WORST = [
  "x = 1; __import__('os').system('touch pwned') #",
  "a\n    __import__('os').system('touch pwned')\n    b",
  "w\");__import__('os').system('touch pwned')#",
  "w');__import__('os').system('touch pwned')#",
  "x=__import__('os').system('touch pwned')",
  "{__import__('os').system('touch pwned')}",
  "a\\",
  "a\r\nb",
  "a\u2028b",
  "a\u0000b",
  "*x",
  "**x",
  "x: __import__('os')",
  "lambda: 0",
  "class",
  "None",
  "__debug__",
  "__class__",
  "__proto__",
  "constructor",
  "self",
  "torch",
  "pytree",
  "getattr",
  "forward",
  "\ufb01",
  "gr\u00f6\u00dfe",
  "1a",
  "",
  " ",
  "a.b",
  "..",
  "a..b",
  "../../etc/passwd",
  "# COUNTER: 3",
  "a,b",
  "a;b",
  "torch.os.system",
  "torch.ops.load_library.__call__.__call__",
  "torch.ops.aten.add.__init__",
  "_operator.attrgetter",
  "math.__loader__.create_module",
  "Symbol('s'); __import__('os')",
  "Symbol",
  "L['x'].size()[0] == __import__('os').getpid()",
  'L[\'a"+__import__("os").system("touch pwned")+"\'].size()[0] == 3',
  "\u202e\u200b",
];

/** Programs that have all kinds of texts between them. */
const VARIED = NAMES.filter((_, i) => i % 16 === 0);

/** The strings of a program's JSON, each once, but for texts that PyTorch only keeps. */
function stringsOf(entries: ReadonlyMap<string, Uint8Array>): string[] {
  const found = new Set<string>();
  for (const [name, bytes] of entries) {
    if (!isText(name)) continue;
    const budget = new Budget(100 * bytes.length);
    visitJsonTexts(parseJson(bytes, name, budget), budget, (_, text) => found.add(text));
  }
  return [...found].filter((text) => text !== "" && text.length < 200);
}

/** An archive in which a text is another one wherever it stands, within tree specifications too. */
function replaced(entries: ReadonlyMap<string, Uint8Array>, old: string, text: string): Uint8Array {
  const swap = (json: string): string =>
    [3, 2, 1].reduce((result, depth) => {
      const [from, to] = [quoted(old, depth), quoted(text, depth)];
      return result.replaceAll(from, () => to);
    }, json);
  return makeZip(
    [...entries].map(([name, bytes]) => ({
      name: `archive/${name}`,
      data: isText(name) ? utf8(swap(decoder.decode(bytes))) : bytes,
    })),
  );
}

/** A text as JSON has it in a string that is itself in so many strings of JSON. */
function quoted(text: string, depth: number): string {
  let result = JSON.stringify(text);
  for (let i = 1; i < depth; i++) result = JSON.stringify(result).slice(1, -1);
  return result;
}

/** What became of a program with a text: how it was refused, or the faults of what was written. */
async function outcomeOf(make: () => Promise<ExportedProgram>): Promise<string | string[]> {
  try {
    const again = await saved(await make());
    return faultsOf(entriesOf(again));
  } catch (error) {
    if (!isSconceError(error)) throw error;
    return error.code;
  }
}

/** Names and strings of IR text: `%x`, `"net.weight"`, and words of calls and symbols. */
const tokensOf = (text: string): string[] => [
  ...new Set(text.match(/%[A-Za-z_]\w*|"[^"\\\n]{1,80}"|\b[A-Za-z_]\w*(?==)|\bs\d+\b/g) ?? []),
];

/** A program of IR text in which a token is a text, wherever it stands. */
function withToken(program: ExportedProgram, ir: string, token: string, text: string): ExportedProgram {
  const name = token.startsWith('"') ? token.slice(1, -1) : token.replace(/^%/, "");
  const bare = token.startsWith("%") ? `%${JSON.stringify(text)}` : JSON.stringify(text);
  const changed = token.startsWith('"')
    ? ir.replaceAll(token, () => bare)
    : ir.replace(new RegExp(`${token}\\b`, "g"), () => bare);
  const tensors = new Map([...tensorsOf(program)].map(([key, value]) => [key === name ? text : key, value]));
  return parseIr(changed, { tensors, operators });
}

const seen = new Set<string>();

/** Tries texts one by one, and checks what is written; `make` gives the program with a text. */
async function tryAll(
  olds: readonly string[],
  first: number,
  make: (old: string, text: string) => Promise<ExportedProgram> | ExportedProgram,
): Promise<void> {
  let next = first;
  for (const old of olds) {
    const text = WORST[next++ % WORST.length]!;
    const outcome = await outcomeOf(async () => make(old, text));
    if (typeof outcome !== "string") expect([old, text, outcome]).toEqual([old, text, []]);
    seen.add(typeof outcome === "string" ? outcome : "written");
  }
}

describe("a program with a bad text at any place is refused, or written with safe texts only", () => {
  test.each(sampled(VARIED, 3))("%s as a file", { timeout: 120_000 }, async (name) => {
    const entries = entriesOf(bytesOf(name));
    await tryAll(stringsOf(entries), name.length, (old, text) => read(replaced(entries, old, text)));
  });

  test.each(sampled(VARIED, 3))("%s as IR text", { timeout: 120_000 }, async (name) => {
    const program = await read(bytesOf(name));
    const ir = printIr(program);
    const tokens = tokensOf(ir).filter((_, i) => i % 3 === name.length % 3);
    await tryAll(tokens, name.length + 7, (old, text) => withToken(program, ir, old, text));
  });

  test("both happen, and nothing breaks", () => {
    expect([...seen]).toEqual(expect.arrayContaining(["written", "UNSAFE_TEXT"]));
    expect([...seen]).not.toContain("INTERNAL");
  });
});

const SIMPLE = `program "ATEN" {
  input %x: USER_INPUT
  output %"y z": USER_OUTPUT
}

graph(%x: f32[2]) {
  %"y z": f32[2] = aten.neg.default(%x)
  %y_z: f32[2] = aten.abs.default(%"y z")
  %"y-z": f32[2] = aten.relu.default(%y_z)
  %class: f32[2] = aten.relu.default(%"y-z")
  return (%"y z")
}
`;

describe("names of values", () => {
  test("get other names in the file, unique and always the same, and a warning says so", async () => {
    const warnings: string[] = [];
    const options = { onWarning: (message: string): void => void warnings.push(message) };
    const program = parseIr(SIMPLE, { operators });
    const bytes = await saved(program, options);
    expect(warnings).toEqual([
      'names that are not Python identifiers are renamed in the file: "y z" as y_z_1, "y-z" as y_z_2, "class" as class_1',
    ]);
    expect(await saved(program)).toEqual(bytes);
    const again = await read(bytes);
    expect([...again.graph.nodes()].map(({ name }) => name)).toEqual([
      "x",
      "y_z_1",
      "y_z",
      "y_z_2",
      "class_1",
      "output",
    ]);
    expect(again.graphSignature.outputSpecs.map(({ arg }) => arg.name)).toEqual(["y_z_1"]);
  });

  test("the error of an input names it, its place and what to do", async () => {
    const program = parseIr(SIMPLE.replaceAll("%x", '%"x; y"'), { operators });
    await expect(saved(program)).rejects.toMatchObject({
      code: "UNSAFE_TEXT",
      message:
        'the program cannot be written as .pt2: the name of an input, "x; y", is not a Python identifier; in PyTorch it becomes a parameter in the Python source of the graph',
      where: 'node "x; y"',
      fix: "rename it: give each input a name that is a Python identifier",
    });
  });
});

/** PyTorch loads such files, and its modules fail: `device(type='cpu')` calls the input. */
test.each([
  ["device", "aten.ones.default([2], device=device(cpu))"],
  ["inf", "aten.full.default([2], inf)"],
  ["nan", "aten.full.default([2], nan)"],
])("an input named %s is refused where a call holds such a literal", async (name, call) => {
  const text = (made: string): string => `program "ATEN" {
  input %${name}: USER_INPUT
  output %y: USER_OUTPUT
}

graph(%${name}: f32[2]) {
  %made: f32[2] = ${made}
  %y: f32[2] = aten.add.Tensor(%${name}, %made)
  return (%y)
}
`;
  await expect(saved(parseIr(text(call), { operators }))).rejects.toMatchObject({ code: "UNSAFE_TEXT" });
  const other = parseIr(text(`aten.neg.default(%${name})`), { operators });
  expect(faultsOf(entriesOf(await saved(other)))).toEqual([]);
});

/** PyTorch registers nested graphs as modules: of such a name it cannot, or calls another one. */
test.each(["_guards_fn", "meta", "code"])("a nested graph named %s gets another name", async (name) => {
  const [source] = NAMES.filter((one) => printedGraphs(one).includes("true_graph_0"));
  const program = await read(bytesOf(source!));
  const text = printIr(program).replaceAll("true_graph_0", name);
  const again = parseIr(text, { tensors: tensorsOf(program), operators });
  const graphs = [...(await read(await saved(again))).graph.subgraphs.keys()];
  expect(graphs).not.toContain(name);
  expect(graphs.some((one) => one.startsWith(name))).toBe(true);
});

/** The texts of a program of the fixtures. */
const printedGraphs = (name: string): string =>
  [...entriesOf(bytesOf(name))].map(([entry, bytes]) => (isText(entry) ? decoder.decode(bytes) : "")).join();

describe("inputs whose keys and texts PyTorch writes into guards", () => {
  // PyTorch executes each of these when such a file's module runs, or is decomposed.
  const KEY = "+str(__import__('os').getpid())+";
  const TEXT = "'+str(__import__('os').getpid())+'";
  const withInputs = (key: string, text: string): ExportedProgram =>
    parseIr(
      `program "ATEN" {
  input %x: USER_INPUT
  input constant %m = ${JSON.stringify(text)}: USER_INPUT
  output %y: USER_OUTPUT
  call "" (({"a": [{${JSON.stringify(key)}: *}]}, *), {}) -> * names ["x", "m"]
}

graph(%x: f32[2], %m: const ${JSON.stringify(text)}) {
  %y: f32[2] = aten.neg.default(%x)
  return (%y)
}
`,
      { operators },
    );

  test.each([
    [KEY, "up", "key"],
    ["it's", "up", "key"],
    ["k", TEXT, "text"],
    ["k", "a\\", "text"],
  ])("%j and %j are refused, and are findings", async (key, text, what) => {
    const program = withInputs(key, text);
    await expect(saved(program)).rejects.toMatchObject({
      code: "UNSAFE_TEXT",
      message: expect.stringContaining(what),
    });
    const found = programNameFindings(program);
    expect(found.map(({ names }) => names)).toEqual([[what === "key" ? key : text]]);
  });

  test("others are written, and files with such texts are found unsafe", async () => {
    const entries = entriesOf(await saved(withInputs("a b", "up")));
    expect(faultsOf(entries)).toEqual([]);
    expect(faultsOf(entriesOf(replaced(entries, "up", TEXT)))).toHaveLength(2);
    expect(faultsOf(entriesOf(replaced(entries, "a b", KEY)))).toHaveLength(1);
  });
});

test("modules that PyTorch imports for a tree are named in a warning, and nothing but modules", async () => {
  const bytes = bytesOf("api_static_loop");
  const program = await read(bytes);
  const [root] = program.moduleCallGraph;
  const withFactory = (module: string, name: string): ExportedProgram => {
    const context = { default_factory_module: module, default_factory_name: name, dict_context: [] };
    const tree = { type: "collections.defaultdict", context, children: [] };
    return program.with({
      moduleCallGraph: [{ fqn: "", signature: { ...root!.signature!, outSpec: tree } }],
    });
  };
  const warnings: string[] = [];
  const onWarning = (message: string): void => void warnings.push(message);
  await saved(withFactory("builtins", "list"), { onWarning });
  expect(warnings).toEqual([]);
  await saved(withFactory("mylib.maps", "Map"), { onWarning });
  expect(warnings).toEqual(["torch.export.load imports the modules of mylib.maps.Map"]);
  await expect(saved(withFactory("os;x", "system"))).rejects.toMatchObject({ code: "UNSAFE_TEXT" });
});

describe("the rules of names are PyTorch's", () => {
  // What torch.export.load and module() of PyTorch 2.14 take, run and give the right numbers for.
  const TAKEN: readonly (readonly [TextKind, readonly string[]])[] = [
    [
      "state",
      [
        "a b",
        "a'b",
        "gr\u00f6\u00dfe",
        "__x__",
        "x-y",
        "0",
        "a{b",
        "print",
        "torch",
        "a\u2028b",
        "a\tb",
        "a#b",
        "a;b",
        "a,b",
        "layers.0.weight",
      ],
    ],
    [
      "input",
      ["x", "print", "getattr", "slice", "inf", "device", "complex", "match", "type", "_", "forward", "w"],
    ],
    ["key", ["x", "a b", "a\\b", "a\nb", "a{b}", "%s", "#", "", "\0", "\u2028", "L[x]"]],
    ["constant", ["up", "", "a b", "a{b}", "%", "a\tb", "gr\u00f6\u2028"]],
    ["keyword", ["x", "gr\u00f6\u00dfe", "\u2118", "print", "match", "args"]],
    ["symbol", ["s0", "s77", "u0", "zuf1", "batch", "Batch", "_dx"]],
    [
      "target",
      [
        "torch.ops.aten.add.Tensor",
        "torch.ops.aten.__and__.Tensor",
        "torch.ops.higher_order.cond",
        "_operator.mul",
        "math.trunc",
        "torch.sym_max",
        "#ns:op.name",
      ],
    ],
    ["guard", ["L['x'].size()[0] <= 5", "L['d']['a b'].size()[1] % 2 == 0"]],
  ];
  // What becomes code, does not compile, or reads something else.
  const REFUSED: readonly (readonly [TextKind, readonly string[]])[] = [
    [
      "state",
      [
        'a"b',
        "a\\b",
        "class",
        "None",
        "\ufb01",
        "a\nb",
        "\u{1d4b3}",
        "a\0b",
        "\u00aa",
        "\ud800",
        "",
        "a.",
        "forward",
        "__class__",
        "__init__",
        "state_dict",
        "a# COUNTER: 3",
      ],
    ],
    [
      "input",
      [
        "1a",
        "a b",
        "class",
        "True",
        "__debug__",
        "self",
        "torch",
        "pytree",
        "fx_pytree",
        "a.b",
        "x=1",
        "*x",
        "gr\u00f6\u00dfe",
        "",
      ],
    ],
    ["graph", ["_guards_fn", "meta", "code", "graph", "_parameters", "training", "range_constraints"]],
    ["shadow", ["device", "inf", "nan"]],
    ["key", ["it's", 'a"b', "a'b\"c", "'", "+str(__import__('os').getpid())+"]],
    ["constant", ["it's", 'a"b', "a\\b", "a\\", "a\nb", "a\rb", "\0", "'+str(__import__('os').getpid())+'"]],
    ["keyword", ["class", "\ufb01", "self", "torch", "a b", ""]],
    ["symbol", ["Symbol", "Max", "lambda", "s 0", "s')", "user", "s\u00f6", ""]],
    [
      "target",
      [
        "torch.os.system",
        "torch.ops.load_library.__call__.__call__",
        "torch.ops.aten.add.__init__",
        "torch.ops.aten.add",
        "_operator.attrgetter",
        "math.__loader__",
        "os.system",
        "torch.ops.aten.add.Tensor\n",
      ],
    ],
    [
      "guard",
      [
        'L["x"].size()[0] == 3',
        "L['a\\'b'].size()[0] == 3",
        "print(1)",
        "__import__('os')",
        "L['a\nb'].size()[0] == 3",
        "",
      ],
    ],
  ];

  test.each(TAKEN)("%s: these are safe", (kind, texts) => {
    expect(texts.filter((text) => textFault(kind, text) !== undefined)).toEqual([]);
  });

  test.each(REFUSED)("%s: these are not", (kind, texts) => {
    expect(texts.filter((text) => textFault(kind, text) === undefined)).toEqual([]);
  });
});

test("a name of many combining marks is refused at once", () => {
  const text = `a${"\u0301".repeat(1_000_000)}`;
  const start = performance.now();
  expect(textFault("state", text)).toBe("is a name that Python reads as another one");
  expect(performance.now() - start).toBeLessThan(1000);
});

test("many names that differ in signs only are renamed in time that grows with their number", async () => {
  const count = 20_000;
  const signs = (i: number): string => i.toString(4).replace(/\d/g, (digit) => "!?&-"[Number(digit)]!);
  const names = Array.from({ length: count }, (_, i) => `%"${signs(i)}"`);
  const lines = names.map(
    (name, i) => `  ${name}: f32[2] = aten.neg.default(${i === 0 ? "%x" : names[i - 1]})`,
  );
  const text = SIMPLE.slice(0, SIMPLE.indexOf("graph(")).replace('"y z"', names.at(-1)!.slice(1));
  const program = parseIr(
    `${text}graph(%x: f32[2]) {\n${lines.join("\n")}\n  return (${names.at(-1)})\n}\n`,
    { operators },
  );
  const values = FileNames.ofValues(program.graph);
  const start = performance.now();
  const given = new Set(names.map((name) => values.of(JSON.parse(name.slice(1)) as string)));
  expect(performance.now() - start).toBeLessThan(2000);
  expect(given.size).toBe(count);
});
