import { createSconce } from "sconce";
import { exportStep, generate, makeDecoder } from "./generate.js";

const sconce = createSconce();
const program = exportStep(makeDecoder());
console.log(String(program));

const lowered = sconce.transform(program, "decompose,fold-constants,cse,dce");
const step = await sconce.module(lowered);
console.log("tokens", await generate(step, [7, 21, 3], 20));
