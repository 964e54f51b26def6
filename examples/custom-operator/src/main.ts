/** @file `node examples/custom-operator/dist/main.js`: from operators to a program that runs. */
import { createSconce, exportProgram, library, texts, torch } from "sconce";
import { RunDecoder } from "./model.js";
import runs, { decode, record } from "./operators.js";

const values = torch.tensor([1.5, 4]);
const counts = torch.tensor([2, 3]);

library.opCheck(decode, [[values, counts]]);
library.opCheck(record, [[torch.zeros(2), values]]);

const sconce = createSconce({ plugins: [runs] });
const exported = exportProgram(new RunDecoder(), [values, counts]);
const lowered = sconce.runDecompositions(exported);
console.log(texts.code(lowered.graph).trim());

const program = await sconce.load(await sconce.save(lowered));
const module = await sconce.module(program);
console.log(await module.call([values, counts]));
console.log(module.state.get("totals"));
