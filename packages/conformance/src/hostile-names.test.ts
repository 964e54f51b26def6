/**
 * @file Names of a file in what is generated of a program: sources, types, diagrams, JSON, errors.
 */
import { GraphModule, unflatten } from "@sconce/capture";
import { typeDeclarations, typescriptText } from "@sconce/capture/typescript";
import { svgText } from "@sconce/drawing";
import { isSconceError, visibleLine } from "@sconce/errors";
import { dotText, mermaidText } from "@sconce/formats/views";
import { parseIr, printIr, tensorsOf } from "@sconce/ir/text";
import { verify } from "@sconce/ir/verify";
import { createSconce, extractIR, jsonIRText, programFromIR, readJsonIR } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { Tensor } from "@sconce/tensor";
import { transformSync } from "esbuild";
import { parseSync } from "oxc-parser";
import { describe, expect, test, vi } from "vitest";
import { argumentsOf, bitsOf, leavesOf, withModule } from "./built-modules.fixture.js";
import { readMarkup } from "./markup.fixture.js";

const session = createSconce();

/** Each would run `pwned()` where it left its text, comment or identifier. */
const NAMES = [
  'a";pwned();//',
  "a';pwned();//",
  "a`;pwned();//",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the name is hostile
  "${pwned()}",
  "*/pwned();/*",
  "\npwned();\n",
  "\u2028pwned();\u2029",
  "]: pwned()",
  "x;pwned()",
  "</script><script>pwned()</script>",
  "\\",
  "\u202epwned()\u0007\u001b[2J",
  "'><img src=x onerror=pwned()>",
  "]]><!--",
  "&lt;x&gt;&amp;",
  "#quot;pwned()",
  "end\n  pwned()",
  "__proto__",
  "constructor",
  "class",
  "this",
  "await",
  "",
];

const quoted = (name: string): string =>
  JSON.stringify(name).replace(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/**
 * A program with the name in every place that a file gives: state, inputs, nodes, modules, keys.
 */
function programNamed(name: string): ReturnType<typeof parseIr> {
  const [own, other, third] = [quoted(name), quoted(`p${name}`), quoted(`r${name}`)];
  const text = `program "TRAINING" {
  parameter ${other}: f32[2] grad
  input %${other}: PARAMETER ${other}
  input %${own}: USER_INPUT
  output %${third}: USER_OUTPUT
  call "" ((*), {}) -> {${own}: *} names [${own}]
  call ${other}
  examples
    example tensor f32[2]
}
graph(%${other}: f32[2] grad, %${own}: f32[2]) {
  %${third}: f32[2] = aten.mul.Tensor(%${own}, %${other}) #0
  return (%${third})
}
metadata {
  #0 {"stackTrace":${own},"nnModuleStack":[[${own},${other},${own}]],"torchFn":[${own},${own}]}
}
`;
  const values = Tensor.from([1, 2], { dtype: "float32" });
  const tensors = new Map([
    [`p${name}`, values],
    ["example.0", values],
  ]);
  return parseIr(text, { tensors });
}

/** The code of a source, without its comments and without the content of its strings. */
const codeOf = (source: string): string =>
  transformSync(source, { loader: "ts", legalComments: "none", charset: "ascii" }).code.replace(
    /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.|\$(?!\{))*`/g,
    '""',
  );

/** Returns the names that a module has as code: templates with values are in it. */
function namesIn(source: string): readonly string[] {
  const { program: tree, errors } = parseSync("model.mjs", source);
  expect(errors).toEqual([]);
  const names: string[] = [];
  JSON.stringify(tree, (_, value: unknown) => {
    const node = value as { readonly type?: string; readonly name?: string } | null;
    if (node?.type === "Identifier") names.push(node.name!);
    return typeof value === "bigint" ? null : value;
  });
  return names;
}

const UNSAFE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

/** Lines of Mermaid: names of boxes are letters, digits and `_`, labels have entities. */
const LABEL = String.raw`"(?:[\p{L}\p{N} .,_:()[\]*+/-]|#\d+;|<br/>)*"`;
const SHAPE = String.raw`(?:\[/${LABEL}/\]|\[\\${LABEL}/\]|\[\[${LABEL}\]\]|\[${LABEL}\]|\{\{${LABEL}\}\})`;
const MERMAID = new RegExp(
  String.raw`^flowchart TD\n(?: +(?:\w+${SHAPE}|\w+ -\.?->?(?:-?>)?(?:\|${LABEL}\|)? \w+|subgraph \w+\[${LABEL}\]|end)\n)*$`,
  "u",
);
/** Lines of DOT: strings end with their quotes. */
const STRING = String.raw`"(?:[^"\\\n]|\\[^\n])*"`;
const WORDS = String.raw`\[(?: ?\w+=(?:${STRING}|\w+))+\]`;
const DOT = new RegExp(
  String.raw`^digraph program \{\n(?: +(?:\w+ ${WORDS}|\w+ -> \w+(?: ${WORDS})?|label=${STRING}|subgraph \w+ \{|\})\n)*\}\n$`,
);

/** What a conversion gives, or the text of its typed error. */
function given(convert: () => string): { readonly text: string; readonly isError: boolean } {
  try {
    return { text: convert(), isError: false };
  } catch (error) {
    if (!isSconceError(error)) throw error;
    return { text: `${error.describe()}`, isError: true };
  }
}

describe.each(NAMES.map((name) => [JSON.stringify(name), name] as const))("the name %s", (_, name) => {
  const program = programNamed(name);

  test("does not become code in a TypeScript module, nor in types", () => {
    for (const convert of [() => typescriptText(program), () => typeDeclarations(program)]) {
      const { text, isError } = given(convert);
      if (isError) expect(text).not.toMatch(UNSAFE);
      else expect(codeOf(text)).not.toContain("pwned()");
    }
  });

  test("stays a name in a built module, which runs", async () => {
    const pwned = vi.fn();
    vi.stubGlobal("pwned", pwned);
    const x = Tensor.from([5, 7], { dtype: "float32" });
    for (const target of ["wasm", "js"] as const) {
      const results = await withModule(program, { targets: [target] }, async ({ load }, { files }) => {
        expect(namesIn(new TextDecoder().decode(files.get("model.mjs")))).not.toContain("pwned");
        return (await load()).run(argumentsOf(program, [x]));
      });
      expect(Object.keys(results as object)).toEqual([name]);
      expect(leavesOf(results).map(bitsOf)).toEqual([bitsOf(Tensor.from([5, 14], { dtype: "float32" }))]);
    }
    expect(pwned).not.toHaveBeenCalled();
    vi.unstubAllGlobals();
  });

  test("is text in diagrams: their whole text follows the grammar of its language", () => {
    for (const text of [mermaidText(program), dotText(program)]) expect(text).not.toMatch(UNSAFE);
    expect(mermaidText(program, { modules: true })).toMatch(MERMAID);
    expect(dotText(program, { modules: true })).toMatch(DOT);
  });

  test("is text in a drawing", () => {
    const drawing = svgText(program, { state: true });
    expect(drawing).not.toMatch(UNSAFE);
    const { elements, attributes, texts } = readMarkup(drawing);
    const known = ["svg", "style", "defs", "marker", "path", "rect", "g", "title", "text", "tspan"];
    expect(elements.filter((element) => !known.includes(element))).toEqual([]);
    expect(attributes.filter((attribute) => /^on|href/i.test(attribute))).toEqual([]);
    expect(texts.some((text) => text.includes(visibleLine(name)))).toBe(true);
  });

  test("stays the same in IR text and in JSON IR", () => {
    const again = parseIr(printIr(program), { tensors: tensorsOf(program) });
    expect(printIr(again)).toBe(printIr(program));
    expect([...again.stateDict.keys()]).toEqual([`p${name}`]);
    const ir = readJsonIR(jsonIRText(extractIR(program)));
    if (name === "")
      expect(() => programFromIR(ir, session)).toThrow(expect.objectContaining({ code: "JSON_IR_GRAPH" }));
    else expect([...programFromIR(ir, session).stateDict.keys()]).toEqual([`p${name}`]);
  });

  test("is escaped in problems of the verifier, and in errors", async () => {
    for (const { message } of verify(program, { operators: session.operators }))
      expect(message).not.toMatch(UNSAFE);
    const { text } = given(() => String(unflatten(program).namedModules().length));
    expect(text).not.toMatch(UNSAFE);
    const outcome = await session
      .module(program)
      .then((module) => module.call([]))
      .catch((error: unknown) => error);
    if (isSconceError(outcome)) expect(outcome.describe()).not.toMatch(UNSAFE);
    else expect(outcome).not.toBeInstanceOf(Error);
  });
});

test.each(["\ud800", "a\udfffb", "\udc00\ud800"])("JSON IR refuses half of a surrogate pair: %j", (half) => {
  const text = (name: string, word: string): string => `sconce-ir 1
program "TRAINING" {
  input %x: USER_INPUT
  output %${quoted(name)}: USER_OUTPUT
}
graph(%x: f32[2]) {
  %${quoted(name)}: f32[2] = aten.div.Tensor_mode(%x, %x, rounding_mode=${quoted(word)})
  return (%${quoted(name)})
}
`;
  for (const [name, word] of [
    [half, "floor"],
    ["y", half],
  ] as const) {
    const program = session.parseIr(text(name, word));
    expect(() => jsonIRText(extractIR(program))).toThrow(
      expect.objectContaining({ code: "JSON_IR_UNSUPPORTED", where: expect.stringMatching(/^string "/) }),
    );
  }
  const pair = session.parseIr(text("\ud83d\ude00", "floor"));
  const again = programFromIR(readJsonIR(jsonIRText(extractIR(pair))), session);
  expect(again.graph.node("\ud83d\ude00").op).toBe("call_function");
});

test("most names can be written as TypeScript", () => {
  const written = NAMES.filter((name) => !given(() => typescriptText(programNamed(name))).isError);
  const declared = NAMES.filter((name) => !given(() => typeDeclarations(programNamed(name))).isError);
  expect(written.length).toBeGreaterThan(NAMES.length / 2);
  expect(declared.length).toBeGreaterThan(NAMES.length / 2);
});

describe.each(["__proto__", "constructor", "toString", "forward", "stateDict"])(
  "a parameter with the name %s of a member of all objects or modules",
  (name) => {
    const text = `program "ATEN" {
  parameter ${quoted(name)}: f32[2]
  input %p: PARAMETER ${quoted(name)}
  input %x: USER_INPUT
  output %r: USER_OUTPUT
  call "" ((*), {}) -> {${quoted(name)}: *, "z": *} names ["x"]
}
graph(%p: f32[2], %x: f32[2]) {
  %r: f32[2] = aten.mul.Tensor(%x, %p)
  return (%r, %r)
}
`.replace("  output %r: USER_OUTPUT\n", "  output %r: USER_OUTPUT\n".repeat(2));
    const values = Tensor.from([2, 3], { dtype: "float32" });
    const program = parseIr(text, { tensors: new Map([[name, values]]) });

    test("is a name of state and a key of results as any other", async () => {
      expect([...session.transform(program, "decompose,cse,dce").stateDict.keys()]).toEqual([name]);
      const module = await session.module(program);
      const result = await module.call([Tensor.from([5, 7], { dtype: "float32" })]);
      const found =
        result instanceof Map ? result.get(name) : Object.getOwnPropertyDescriptor(result, name)?.value;
      expect([...(found as Tensor).toArray().flat()]).toEqual([10, 21]);
      expect(Object.getPrototypeOf(result)).not.toBe(found);
    });

    test("does not take the place of a member of a module", () => {
      const error = { code: "LAYER_ARGUMENTS", message: `attribute '${name}' already exists` };
      expect(() => unflatten(program)).toThrow(expect.objectContaining(error));
      expect(() => new GraphModule(program)).toThrow(expect.objectContaining(error));
    });
  },
);

test.each(["cpu", "wasm", "gpujs:cpu"])("no name reaches the code of kernels: %s", async (backend) => {
  const pwned = vi.fn();
  vi.stubGlobal("pwned", pwned);
  const devices = createSconce({
    backends: backend === "cpu" ? [] : [await loadBackend(backend, backend === "wasm" ? { threads: 1 } : {})],
  });
  for (const name of NAMES) {
    const program = programNamed(name);
    using compiled = await devices.compile(program, backend);
    const [result] = await compiled.run([Tensor.from([5, 7], { dtype: "float32" })]);
    expect([...(result as Tensor).toArray().flat()]).toEqual([5, 14]);
  }
  expect(pwned).not.toHaveBeenCalled();
  vi.unstubAllGlobals();
});
