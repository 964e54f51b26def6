/** @file Parts of hand-written pages that `npm run docs` writes: tables and diagrams of packages, `llms.txt`. */
import { readFileSync } from "node:fs";
import { packageDiagram, packageTable, readPackages } from "./package-graph.js";

/** The page with the part between `<!-- NAME: ... -->` and `<!-- end -->` replaced. */
function withPart(page: string, name: string, part: string): string {
  const marked = new RegExp(`(<!-- ${name}:.*? -->\n)[^]*?(\n<!-- end -->)`);
  if (!marked.test(page)) throw new Error(`the page has no part "${name}"`);
  return page.replace(marked, (_, start: string, end: string) => `${start}\n${part}\n${end}`);
}

/** `llms.txt`: an introduction, then the index of the documentation with links from the top of the repository. */
function llmsText(current: string, index: string): string {
  const introduction = current.slice(0, current.indexOf("\n## "));
  const sections = index.slice(index.indexOf("\n## "));
  const linked = sections.replace(/\]\((?!https?:)([^)]+)\)/g, (_, path: string) =>
    path.startsWith("../") ? `](${path.slice(3)})` : `](docs/${path})`,
  );
  return introduction + linked.replace(/^\d+\. /gm, "- ");
}

/** Pages of the repository at `root` as they should be, by path. */
export function writtenParts(root: URL): Map<string, string> {
  const read = (path: string): string => readFileSync(new URL(path, root), "utf8");
  const packages = readPackages(root);
  const architecture = withPart(
    withPart(read("docs/concepts/architecture.md"), "imports", packageDiagram(packages)),
    "packages",
    packageTable(packages, "../../packages/"),
  );
  return new Map([
    ["README.md", withPart(read("README.md"), "packages", packageTable(packages, "packages/"))],
    ["docs/concepts/architecture.md", architecture],
    ["llms.txt", llmsText(read("llms.txt"), read("docs/README.md"))],
  ]);
}
