/** @file Type-checks a folder of TypeScript modules, as a strict project does. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const OPTIONS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  target: "es2022",
  module: "nodenext",
  types: [],
  skipLibCheck: true,
  noEmit: true,
};

/**
 * Returns the errors of all modules in a folder inside of the repository; empty without errors.
 * Rejects where the compiler fails without a word on the modules.
 */
export function typeErrors(folder: string): Promise<string> {
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: OPTIONS, include: ["*.ts"] }),
  );
  const tsc = createRequire(import.meta.url)
    .resolve("typescript/package.json")
    .replace("package.json", "bin/tsc");
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [tsc, "-p", "."], { cwd: folder, maxBuffer: 2 ** 26 }, (error, stdout) => {
      const errors = stdout.trim();
      if (error !== null && (errors === "" || typeof error.code !== "number")) reject(error);
      else resolve(errors);
    });
  });
}
