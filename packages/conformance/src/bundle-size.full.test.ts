import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build as bundle } from "esbuild";
import { build, type Rolldown } from "vite";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../sconce/", import.meta.url));

/** What a page takes: bytes are minified and gzipped. */
interface PageSize {
  /** What it loads at once: its module and what that imports. */
  readonly first: number;
  /** The same with all chunks that `import()` loads later, if ever. */
  readonly all: number;
  /** Packages from elsewhere among what it loads at once. */
  readonly libraries: readonly string[];
}

/** Bundles as vite does by default, without its own code that preloads modules. */
async function sizeOf(contents: string): Promise<PageSize> {
  const page = "virtual:page.js";
  const { output } = (await build({
    root: ROOT,
    configFile: false,
    logLevel: "error",
    resolve: { conditions: ["@sconce/source", "browser", "module"] },
    // vite sets this itself, but for `NODE_ENV` of the tests.
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [
      {
        name: "page",
        resolveId: (id) => (id === page ? page : undefined),
        load: (id) => (id === page ? contents : undefined),
      },
    ],
    build: {
      write: false,
      modulePreload: false,
      rolldownOptions: { input: page, preserveEntrySignatures: "strict" },
    },
  })) as Rolldown.RolldownOutput;
  const chunks = new Map(output.flatMap((part) => (part.type === "chunk" ? [[part.fileName, part]] : [])));
  const names = new Set([...chunks.values()].flatMap(({ fileName, isEntry }) => (isEntry ? fileName : [])));
  for (const name of names) for (const imported of chunks.get(name)!.imports) names.add(imported);
  let [first, all] = [0, 0];
  const libraries = new Set<string>();
  for (const [name, { code, modules }] of chunks) {
    const size = gzipSync(code, { level: 9 }).byteLength;
    all += size;
    if (!names.has(name)) continue;
    first += size;
    for (const [file, { renderedLength }] of Object.entries(modules)) {
      const library = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
      if (library !== undefined && renderedLength > 0) libraries.add(library);
    }
  }
  return { first, all, libraries: [...libraries].sort() };
}

const everythingOf = (packages: readonly string[]): string =>
  packages.map((name) => `export * from "${name}";`).join("\n");

test.each([
  {
    what: "reading and printing",
    contents: [
      'import { readPt2, texts } from "sconce";',
      "export const used = [readPt2, texts.code, texts.graph, texts.signature, texts.readable];",
    ].join("\n"),
    limits: { first: 55_000, all: 90_500 },
    libraries: [],
  },
  {
    what: "the core without the verifier",
    contents: everythingOf(["@sconce/tensor", "@sconce/symbolic", "@sconce/ir", "@sconce/formats"]),
    limits: { first: 108_500, all: 127_000 },
    libraries: [],
  },
  {
    // Rows are there from the start, 13 kB of them for overloads that few programs hold, because
    // verifiers and printers ask for them without waiting; their kernels are loaded on demand. So
    // are the rules of outputs that share memory, of memory layouts, and of names while lowering.
    // The backend `wasm`, 112 kB, is loaded when a program is compiled for the first time. The
    // writer, with its rules of names for PyTorch, is loaded when a program is saved.
    what: "a session",
    contents: 'export { createSconce } from "sconce";',
    limits: { first: 497_000, all: 847_500 },
    libraries: ["reflect-metadata", "tslib", "tsyringe"],
  },
])(
  "$what takes at most $limits.first bytes in a page, $limits.all with later chunks",
  async ({ contents, limits, libraries }) => {
    const size = await sizeOf(contents);
    expect(size.libraries).toEqual(libraries);
    expect(size.first).toBeLessThanOrEqual(limits.first);
    expect(size.all).toBeLessThanOrEqual(limits.all);
    expect(size.first).toBeGreaterThan(limits.first / 3);
  },
);

test("sconce/read takes no more when esbuild splits it", async () => {
  const { metafile, outputFiles } = await bundle({
    stdin: { contents: 'export * from "sconce/read";', resolveDir: ROOT },
    bundle: true,
    splitting: true,
    metafile: true,
    write: false,
    outdir: "out",
    minify: true,
    format: "esm",
    platform: "browser",
    conditions: ["@sconce/source"],
  });
  const names = new Set(Object.keys(metafile.outputs).filter((name) => name.includes("stdin")));
  for (const name of names)
    for (const { kind, path } of metafile.outputs[name]!.imports)
      if (kind === "import-statement") names.add(path);
  const files = outputFiles.filter(({ path }) => [...names].some((name) => path.endsWith(name)));
  const sizes = files.map(({ contents }) => gzipSync(contents, { level: 9 }).byteLength);
  expect(files).toHaveLength(names.size);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(55_000);
});

test("everything that sconce exports bundles for a browser, and needs nothing of Node's", async () => {
  const { outputFiles } = await bundle({
    stdin: { contents: everythingOf(["sconce"]), resolveDir: ROOT },
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    platform: "browser",
    conditions: ["@sconce/source"],
  });
  expect(gzipSync(outputFiles[0]!.contents).byteLength).toBeGreaterThan(100_000);
});
