/**
 * Writes the API reference as Markdown: `node api.mjs OUTPUT ENTRIES`, where ENTRIES is a JSON file
 * with the specifier and the source of each entry point.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Application, OptionDefaults } from "typedoc";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const [output, entriesFile] = process.argv.slice(2);
const entries = JSON.parse(readFileSync(entriesFile, "utf8"));

const app = await Application.bootstrapWithPlugins({
  plugin: ["typedoc-plugin-markdown"],
  outputs: [{ name: "markdown", path: output }],
  entryPoints: entries.map(({ source }) => join(root, source)),
  tsconfig: fileURLToPath(new URL("tsconfig.api.json", import.meta.url)),
  basePath: root,
  router: "module",
  hideBreadcrumbs: true,
  hidePageHeader: true,
  disableSources: true,
  disableGit: true,
  excludePrivate: true,
  excludeInternal: true,
  excludeExternals: true,
  readme: "none",
  entryFileName: "index.md",
  sanitizeComments: true,
  blockTags: [...OptionDefaults.blockTags, "@file"],
  logLevel: "Warn",
  // The types are checked by the build of the packages, with the newer TypeScript.
  skipErrorChecking: true,
  useCodeBlocks: true,
  useHTMLAnchors: true,
  tableColumnSettings: {
    hideDefaults: true,
    hideInherited: true,
    hideModifiers: true,
    hideOverrides: true,
    hideSources: true,
  },
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  typeDeclarationFormat: "table",
  validation: { invalidLink: false, notExported: false, notDocumented: false },
});

const project = await app.convert();
if (project === undefined) process.exit(1);
const specifiers = new Map(
  entries.map(({ specifier, source }) => [source.replace(/(\/index)?\.ts$/, ""), specifier]),
);
for (const module of project.children) {
  const specifier = specifiers.get(module.name);
  if (specifier === undefined) throw new Error(`${module.name} is not an entry point`);
  module.name = specifier;
}
// A class lists its own members; those that it inherits are with the class that has them.
for (const reflection of Object.values(project.reflections))
  if (reflection.inheritedFrom !== undefined) project.removeReflection(reflection);
await app.generateOutputs(project);
if (app.logger.hasErrors()) process.exitCode = 1;
