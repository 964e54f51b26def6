/**
 * @file `node examples/custom-pass/dist/main.js`: what the plugin changes in the digit classifier.
 */
import { difference, fuse, openDigits, openSession, PIPELINE } from "./fuse.js";

const sconce = openSession();
const program = await openDigits(sconce);
const { program: fused, steps } = fuse(sconce, program);
console.log(`${PIPELINE}\n${steps.map((step) => `  ${step}`).join("\n")}`);
console.log("\nAgainst decompose,dce:");
for (const line of difference(sconce, program, fused)) console.log(line);
