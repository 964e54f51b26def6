import { checkOptions, isSconceError, type OptionNames } from "@sconce/errors";
import type { Backend, CompileOptions, Executable, ExportedProgram, Value } from "@sconce/ir";
import { type UnsupportedNode, unsupportedNodes } from "@sconce/passes";
import { createSconce, type Sconce } from "@sconce/session";
import * as vitest from "vitest";

export { type UnsupportedNode, unsupportedNodes };

/** A backend, the name of one that the session knows, or one that is not there, with the reason. */
export type BackendSource = string | Backend | { readonly name: string; readonly unavailable: string };

/** What a suite is given for each backend. */
export interface BackendSuite {
  /** The backend. */
  readonly backend: Backend;
  /** The name that test titles use. */
  readonly name: string;
  /** Nodes of the program that the backend refuses, with its reasons. */
  unsupported(program: ExportedProgram): readonly UnsupportedNode[];
  /** Compiles a program. */
  compile(program: ExportedProgram, options?: CompileOptions): Promise<Executable>;
  /** Runs a program once. */
  run(program: ExportedProgram, inputs: readonly Value[]): Promise<readonly Value[]>;
  /**
   * A test of one program. Where the backend does not run all of its nodes, the test is skipped,
   * with the nodes and the reasons in its title.
   */
  testProgram(
    title: string,
    program: ExportedProgram,
    body: (executable: Executable, program: ExportedProgram) => unknown,
  ): void;
}

/** How `describeBackends` finds backends and runs their tests. */
export interface DescribeBackendsOptions {
  /** The session whose backends are meant by names; a plain one when left out. */
  readonly session?: Sconce | undefined;
  /** Where suites and tests are registered; with vitest when left out. */
  readonly runner?: Runner | undefined;
}

const DESCRIBE: OptionNames<DescribeBackendsOptions> = { session: true, runner: true };

/** As much of vitest as suites are registered with. */
export interface Runner {
  /** Groups tests, as vitest's `describe`. */
  describe(title: string, body: () => void): void;
  /** Adds a test, as vitest's `test`. */
  test(title: string, body: () => unknown): void;
  /** Adds a test that is skipped. */
  skip(title: string): void;
}

const VITEST: Runner = {
  describe: (title, body) => vitest.describe(title, body),
  test: (title, body) => vitest.test(title, async () => void (await body())),
  skip: (title) => vitest.test.skip(title),
};

/**
 * Runs a suite once on each backend, under `backend NAME`. A backend that is not there shows as a
 * skipped test whose title says which and why: nothing is left out in silence.
 */
export function describeBackends(
  backends: readonly BackendSource[],
  suite: (context: BackendSuite) => void,
  options: DescribeBackendsOptions = {},
): void {
  checkOptions("describeBackends", options, DESCRIBE);
  const { session = createSconce(), runner = VITEST } = options;
  for (const source of backends) {
    const found = resolve(source, session);
    if ("unavailable" in found) runner.skip(`backend ${found.name} is not available: ${found.unavailable}`);
    else runner.describe(`backend ${found.name}`, () => suite(contextOf(found, session, runner)));
  }
}

function resolve(source: BackendSource, session: Sconce): Exclude<BackendSource, string> {
  if (typeof source !== "string") return source;
  const known = session.backends;
  return (
    known.get(source) ?? {
      name: source,
      unavailable: `the session has no backend of this name, only ${[...known.keys()].join(", ")}`,
    }
  );
}

function contextOf(backend: Backend, session: Sconce, runner: Runner): BackendSuite {
  const unsupported = (program: ExportedProgram) => unsupportedNodes(backend, program);
  return {
    backend,
    name: backend.name,
    unsupported,
    compile: (program, options) => session.compile(program, backend, options),
    async run(program, inputs) {
      using executable = await session.compile(program, backend);
      return await executable.run(inputs);
    },
    testProgram(title, program, body) {
      const refused = unsupported(program);
      if (refused.length > 0) {
        const nodes = refused.map(({ node, target, reason }) => `%${node} = ${target}: ${reason}`);
        runner.skip(`${title} (${backend.name} does not run ${nodes.join("; ")})`);
        return;
      }
      runner.test(title, async () => {
        using executable = await session.compile(program, backend);
        await body(executable, program);
      });
    },
  };
}

/** Returns the code of the error that something is refused with; undefined when it is not. */
export async function refusalOf(action: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await action();
    return undefined;
  } catch (error) {
    return isSconceError(error) ? error.code : String(error);
  }
}
