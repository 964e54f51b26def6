/**
 * @file `node examples/lowering-script/dist/main.js`: the digit classifier, lowered for a device.
 */
import { createSconce, texts } from "sconce";
import { lower, openDigits, report } from "./lower.js";

const sconce = createSconce();
const { program, rows } = lower(sconce, await openDigits(sconce));
for (const line of report(rows)) console.log(line);
console.log(`\n${texts.code(program.graph)}`);
