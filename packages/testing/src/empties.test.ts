/** @file Values with a dimension of size 0: static ones, and sizes that are 0 in some runs. */
import { backendNumbersSpec } from "./backend-numbers.fixture.js";

backendNumbersSpec("empties");
