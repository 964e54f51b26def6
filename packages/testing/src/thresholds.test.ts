/** @file Activations and comparisons at numbers that their dtype does not hold. */
import { backendNumbersSpec } from "./backend-numbers.fixture.js";

backendNumbersSpec("thresholds");
