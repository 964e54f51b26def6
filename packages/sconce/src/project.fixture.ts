/** @file A project outside of the repository, with Sconce installed from its tarballs. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { transform } from "esbuild";
import { sharedFolder } from "../../../.config/shared-folder.js";
import { packPackages, ROOT, runProgram } from "./packed.fixture.js";
import { openRegistry, type Registry } from "./registry.fixture.js";

/** A project on disk. */
export class Project {
  /**
   * @param folder where it lies; `node_modules` may lie in a folder around it
   */
  constructor(readonly folder: string) {}

  /** Writes a file, and makes the folders that it needs. */
  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  /** Runs Node in the project. */
  node(...args: readonly string[]): Promise<string> {
    return runProgram(process.execPath, args, this.folder);
  }

  /** Runs a command of an installed package: `npx` without a network. */
  bin(name: string, ...args: readonly string[]): Promise<string> {
    return runProgram("npx", ["--no-install", name, ...args], this.folder);
  }

  /** Runs a line of a shell. */
  shell(line: string): Promise<string> {
    return process.platform === "win32"
      ? runProgram(line, [], this.folder)
      : runProgram("sh", ["-c", line], this.folder);
  }

  /** Writes a TypeScript program and runs it: its types are removed first, as old Nodes need it. */
  async program(name: string, text: string): Promise<string> {
    this.write(`${name}.mts`, text);
    const { code } = await transform(text, { loader: "ts", format: "esm", target: "es2022" });
    this.write(`${name}.mjs`, code);
    return this.node(`${name}.mjs`);
  }

  /** Reports the type errors of files, as a strict project has them. */
  async typeErrors(files: readonly string[], options: Readonly<Record<string, unknown>>): Promise<string> {
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      target: "es2022",
      types: ["node"],
      noEmit: true,
      ...options,
    };
    this.write("tsconfig.check.json", JSON.stringify({ compilerOptions, files }));
    return this.tool("typescript/bin/tsc", "-p", "tsconfig.check.json").catch(
      (error: Error) => error.message,
    );
  }

  /**
   * Runs a tool of the repository, which a user would install: its `bin` file from `node_modules`.
   */
  tool(bin: string, ...args: readonly string[]): Promise<string> {
    return this.node(join(ROOT, "node_modules", bin), ...args);
  }

  /** Installs packages with a command of npm, then links the tools, which npm removes. */
  async install(command: string): Promise<void> {
    await this.shell(command);
    for (const tool of TOOLS) {
      const place = join(this.folder, "node_modules", tool);
      mkdirSync(dirname(place), { recursive: true });
      if (!existsSync(place)) symlinkSync(join(ROOT, "node_modules", tool), place, "junction");
    }
  }

  /** Returns a project in a folder of this one: it finds what is installed here. */
  inside(name: string): Project {
    mkdirSync(join(this.folder, name));
    return new Project(join(this.folder, name));
  }
}

/** Tools of the repository that a user would install: they are linked. */
const TOOLS = [
  "@types/node",
  "esbuild",
  "fast-check",
  "fastify",
  "gpu.js",
  "prom-client",
  "typescript",
  "vite",
  "vitest",
];

/** An installed project, and what removes it. */
export interface Installed {
  readonly project: Project;
  dispose(): void;
}

/** Names the registry that npm asks in a project. */
const useRegistry = (project: Project, { address }: Registry): void =>
  project.write(
    ".npmrc",
    `registry=${address}\ncache=${join(project.folder, ".cache")}\naudit=false\nfund=false\n`,
  );

/** Installs the tarballs in an empty project, with the command that `npm run pack:all` prints. */
async function installInto(folder: string): Promise<void> {
  const project = new Project(folder);
  const [packed, registry] = await Promise.all([packPackages(), openRegistry()]);
  try {
    project.write("package.json", JSON.stringify({ name: "mine", private: true, type: "module" }));
    useRegistry(project, registry);
    const [, command] = /^ {4}(npm install .*)$/m.exec(packed.printed)!;
    await project.install(command!);
  } finally {
    registry.close();
  }
}

/**
 * Returns a project with Sconce installed. The installation is made once for all test files of a
 * run; each has a copy beside it, from where the paths of the tarballs are the same.
 */
export async function installedProject(): Promise<Installed> {
  const installed = await sharedFolder("installed", installInto);
  const registry = await openRegistry();
  const folder = mkdtempSync(`${installed}-`);
  cpSync(installed, folder, { recursive: true, verbatimSymlinks: true });
  const project = new Project(folder);
  useRegistry(project, registry);
  const dispose = (): void => {
    registry.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { project, dispose };
}
