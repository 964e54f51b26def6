import { fileURLToPath } from "node:url";
import { typescriptLanguage } from "@codemirror/lang-javascript";
import { expect, test } from "vitest";
import { apiData } from "../../api-data.js";
import { fittingNames, nameAt } from "./names.js";

const api = apiData(fileURLToPath(new URL("../../dist/playground/sconce.d.ts", import.meta.url)));

/** The names that fit at the sign `|` in a text. */
function namesIn(marked: string): readonly string[] {
  const at = marked.indexOf("|");
  const text = marked.slice(0, at) + marked.slice(at + 1);
  return (
    fittingNames(api, typescriptLanguage.parser.parse(text), text, at)?.names.map(({ name }) => name) ?? []
  );
}

const IMPORT = 'import { createSconce, definePass, edit, nn, Tensor, torch } from "sconce";\n';

test.each([
  ["const a: ExportedProgram = b;\na.|", ["graph", "graphSignature", "with"]],
  ["const a: ExportedProgram = b;\na.graph.|", ["nodes", "subgraphs", "users"]],
  [
    "function f(program: ExportedProgram) { for (const node of program.graph.nodes()) { node.| } }",
    ["target", "args"],
  ],
  ["const { graph } = (x as ExportedProgram);\ngraph.|", ["nodes"]],
  ["definePass({ name: 'a', run: (program) => program.| })", ["graph", "with"]],
  ["definePass({ name: 'a', run(program) { return program.| } })", ["graph", "with"]],
  ["definePass({ | })", ["name", "doc", "run", "requires"]],
  ["edit(graph, (e) => { e.| })", ["replaceNode", "insertBefore", "remove"]],
  ["Tensor.|", ["from", "empty"]],
  ["Tensor.from([1]).|", ["shape", "dtype", "toArray"]],
  ["new nn.Linear(1, 2).|", ["forward", "weight"]],
  ["nn.|", ["Linear", "Module"]],
  ["torch.|", ["randn", "tensor"]],
  ["createSconce().transform(p, 'dce').|", ["graph"]],
  ["export default { pa| } satisfies Plugin;", ["passes", "rules", "decompositions"]],
  ["defi|", ["definePass", "defineRule"]],
])("names that fit in %s", (text, want) => {
  expect(namesIn(IMPORT + text)).toEqual(expect.arrayContaining(want));
});

test("an import has the names of the module; texts and comments have none", () => {
  expect(namesIn('import { de| } from "sconce";')).toContain("definePass");
  expect(namesIn("// program.|")).toEqual([]);
  expect(namesIn('"a.|"')).toEqual([]);
  expect(namesIn("unknown.|")).toEqual([]);
});

test("a name is described by its declaration", () => {
  const text = `${IMPORT}definePass({ name: "a", run: (program) => program.with({}) });`;
  const tree = typescriptLanguage.parser.parse(text);
  const at = (name: string) => nameAt(api, tree, text, text.lastIndexOf(name));
  expect(at("definePass")?.text).toContain("function definePass");
  expect(at("definePass")?.doc).toContain("Defines a pass");
  expect(at("with")?.text).toMatch(/^with\(/);
  expect(at("name")?.doc).toBeDefined();
});
