/** @file The order of the files of the longer suites: those that take minutes start first. */
import { BaseSequencer } from "vitest/node";

/**
 * Files that take several minutes, the longest first. Started late, they leave one core idle. Those
 * that share an installation or a page are apart: the first makes it while others run.
 */
const LONGEST = [
  "packages/testing/src/growth/growth.full.test.ts",
  "packages/backend-gpujs/src/cases.full.test.ts",
  "examples/browser/src/page.full.test.ts",
  "packages/sconce/src/elsewhere.full.test.ts",
  "packages/site/src/site.full.test.ts",
  "packages/studio/src/page/page.full.test.ts",
  "packages/sconce/src/install.full.test.ts",
  "packages/studio/src/page/playground.full.test.ts",
  "packages/fuzz/src/run-time/run-time-gpujs.full.test.ts",
  "packages/fuzz/src/run-time/run-time-wasm.full.test.ts",
  "packages/testing/src/wasm-programs.full.test.ts",
  "packages/testing/src/passes.full.test.ts",
  "packages/testing/src/check-passes.full.test.ts",
  "packages/backend-wasm/src/unwritten.full.test.ts",
  "packages/testing/src/planted.full.test.ts",
  "packages/backend-wasm/src/memory64.full.test.ts",
  "packages/testing/src/passes-on-programs.full.test.ts",
  "packages/backend-gpujs/src/edge-values.full.test.ts",
  "packages/backend-wasm/src/threads.full.test.ts",
  "packages/codegen/src/lower/recorded-calls.full.test.ts",
  "packages/sconce/src/docs/pages.full.test.ts",
];

/**
 * Vitest's own order, which is by the sizes of files where no times are known, behind those files.
 */
export class LongestFirst extends BaseSequencer {
  async sort(files) {
    const rank = ({ moduleId }) => {
      const at = LONGEST.findIndex((path) => moduleId.replaceAll("\\", "/").endsWith(path));
      return at < 0 ? LONGEST.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
