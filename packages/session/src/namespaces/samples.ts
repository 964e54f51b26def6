/** @file Inputs for programs. */
export { exampleInputs as example, randomInputs as random } from "../index.js";
