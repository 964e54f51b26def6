import { describe } from "vitest";
import { compareLayers } from "./compare-layers.fixture.js";
import { LAYER_CASES } from "./layer-cases.fixture.js";

describe("all layers", () => compareLayers(LAYER_CASES));
