/**
 * @file What `npm run docs` writes: lists of operators, passes and capabilities, tables and
 * diagrams of packages, `llms.txt`.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { builtinPasses } from "@sconce/passes";
import { createSconce } from "@sconce/session";
import type { DecompositionFile } from "../conformance/decompositions.js";
import { capabilityPage, readCapabilities } from "./capability-page.js";
import { capabilityTests } from "./capability-tests.js";
import { catalogPage, examplesOf, REFUSED_FILES, type RecordedExample } from "./catalog-page.js";
import { drawnTargets } from "./drawn-targets.js";
import { readFamilies } from "./families.js";
import { loweringPage } from "./lowering-page.js";
import { networkTable } from "./network-lines.js";
import { operatorPage } from "./operator-page.js";
import { packageDiagram, packageTable, readPackages } from "./package-graph.js";
import { passPage } from "./pass-page.js";

/** Returns the page with the part between `<!-- NAME: ... -->` and `<!-- end -->` replaced. */
function withPart(page: string, name: string, part: string): string {
  const marked = new RegExp(`(<!-- ${name}:.*? -->\n)[^]*?(\n<!-- end -->)`);
  if (!marked.test(page)) throw new Error(`the page has no part "${name}"`);
  return page.replace(marked, (_, start: string, end: string) => `${start}\n${part}\n${end}`);
}

/**
 * `llms.txt`: an introduction, then the index of the documentation with links from the top of the
 * repository.
 */
function llmsText(current: string, index: string): string {
  const introduction = current.slice(0, current.indexOf("\n## "));
  const sections = index.slice(index.indexOf("\n## "));
  const linked = sections.replace(/\]\((?!https?:)([^)]+)\)/g, (_, path: string) =>
    path.startsWith("../") ? `](${path.slice(3)})` : `](docs/${path})`,
  );
  return introduction + linked.replace(/^\d+\. /gm, "- ");
}

/** Returns the pages that are made from the rows and from recorded cases. */
async function referencePages(root: URL): Promise<[path: string, text: string][]> {
  const fixture = (path: string): Buffer => readFileSync(new URL(`packages/testing/fixtures/${path}`, root));
  const families = await readFamilies(root);
  const drawn = drawnTargets(gunzipSync(fixture("random/draws.json.gz")).toString());
  const recorded = gunzipSync(fixture("decompositions/pytorch.json.gz")).toString();
  const { cases } = JSON.parse(recorded) as DecompositionFile;
  const examples = (file: string): ReturnType<typeof examplesOf> =>
    examplesOf(file, readFileSync(new URL(`packages/conformance/src/exportdb/${file}`, root), "utf8"));
  const exportDb = JSON.parse(gunzipSync(fixture("capture/exportdb.json.gz")).toString()) as Readonly<
    Record<string, RecordedExample>
  >;
  const sconce = createSconce();
  return [
    [
      "docs/reference/exportdb.md",
      catalogPage(examples("supported.fixture.ts"), REFUSED_FILES.flatMap(examples), exportDb),
    ],
    ["docs/reference/operators.md", operatorPage({ sconce, families, drawn })],
    ["docs/reference/lowerings.md", loweringPage(families, cases)],
    ["docs/reference/passes.md", passPage(builtinPasses, sconce)],
    ["docs/reference/capabilities.md", capabilityPage(readCapabilities(root), capabilityTests(root).tests)],
  ];
}

/** Returns all written pages of the repository at `root` as they should be, by path. */
export async function writtenPages(root: URL): Promise<Map<string, string>> {
  const read = (path: string): string => readFileSync(new URL(path, root), "utf8");
  const packages = readPackages(root);
  const diagram = withPart(read("docs/concepts/architecture.md"), "imports", packageDiagram(packages));
  const tableFrom = (link: string): string => packageTable(packages, link);
  return new Map([
    ...(await referencePages(root)),
    [
      "docs/tutorials/coming-from-pytorch.md",
      withPart(read("docs/tutorials/coming-from-pytorch.md"), "lines", networkTable(read)),
    ],
    ["README.md", withPart(read("README.md"), "packages", tableFrom("packages/"))],
    ["docs/concepts/architecture.md", withPart(diagram, "packages", tableFrom("../../packages/"))],
    ["llms.txt", llmsText(read("llms.txt"), read("docs/README.md"))],
  ]);
}
