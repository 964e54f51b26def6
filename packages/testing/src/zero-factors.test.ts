/** @file Sums of a tensor and a product, with factors of zero beside NaN and infinities. */
import { backendNumbersSpec } from "./backend-numbers.fixture.js";

backendNumbersSpec("zero-factors");
