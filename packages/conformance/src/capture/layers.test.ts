import { describe } from "vitest";
import { compareLayers } from "./compare-layers.fixture.js";
import { LAYER_CASES } from "./layer-cases.fixture.js";

/** Every twelfth case; `layers.full.test.ts` has all. */
const SAMPLE = LAYER_CASES.filter((_, i) => i % 12 === 0);

describe("layers", () => compareLayers(SAMPLE));
