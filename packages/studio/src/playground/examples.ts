/** @file Texts to start from in the playground. */
import clamp from "../../playground/clamp.ts?raw";
import decomposition from "../../playground/decomposition.ts?raw";
import fusion from "../../playground/fusion.ts?raw";
import model from "../../playground/model.ts?raw";

/** A text to start from. */
export interface PlaygroundExample {
  readonly name: string;
  readonly title: string;
  readonly source: string;
}

/** Texts to start from: passes, rules, a decomposition, a model. */
export const PLAYGROUND_EXAMPLES: readonly PlaygroundExample[] = [
  { name: "clamp", title: "Pass: relu becomes clamp", source: clamp },
  { name: "fusion", title: "Rule: fuse x * sigmoid(x)", source: fusion },
  { name: "decomposition", title: "Decomposition: gelu by tanh", source: decomposition },
  { name: "model", title: "Model: export a module", source: model },
];
