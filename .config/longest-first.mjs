/** @file The order of the files of the longer suites: those that take minutes start first. */
import { BaseSequencer } from "vitest/node";

/**
 * Files that take a minute or more, the longest first. Started late, they leave a core idle. Those
 * that share an installation or a page are apart: the first makes it while others run.
 */
const LONGEST = [
  "packages/site/src/site.full.test.ts",
  "packages/conformance/src/growth/growth.full.test.ts",
  "packages/backend-gpujs/src/cases.full.test.ts",
  "examples/browser/src/page.full.test.ts",
  "packages/sconce/src/elsewhere.full.test.ts",
  "packages/fuzz/src/run-time/run-time-wasm.full.test.ts",
  "packages/conformance/src/backend-numbers.full.test.ts",
  "packages/fuzz/src/fuzz.full.test.ts",
  "packages/sconce/src/install.full.test.ts",
  "packages/conformance/src/gpujs-programs.full.test.ts",
  "packages/conformance/src/passes.full.test.ts",
  "packages/fuzz/src/run-time/run-time-gpujs.full.test.ts",
  "packages/conformance/src/stable-programs.full.test.ts",
  "packages/studio/src/page/page.full.test.ts",
  "packages/conformance/src/check-passes.full.test.ts",
  "packages/conformance/src/wasm-programs.full.test.ts",
  "packages/conformance/src/gpujs-models.full.test.ts",
  "packages/formats/src/pt2/damage.full.test.ts",
  "packages/studio/src/page/playground.full.test.ts",
  "packages/bench/src/models.full.test.ts",
  "packages/conformance/src/planted.full.test.ts",
  "packages/backend-wasm/src/edges.full.test.ts",
  "packages/fuzz/src/flips.full.test.ts",
  "packages/conformance/src/properties.full.test.ts",
  "packages/backend-wasm/src/matrix/matrix.full.test.ts",
  "packages/backend-wasm/src/host-operators.full.test.ts",
  "packages/session/src/files/save-large.full.test.ts",
  "packages/backend-wasm/src/spec.full.test.ts",
  "packages/backend-wasm/src/cases.full.test.ts",
  "packages/backend-wasm/src/unwritten.full.test.ts",
  "packages/backend-gpujs/src/device-calls.full.test.ts",
  "packages/backend-gpujs/src/spec.full.test.ts",
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
