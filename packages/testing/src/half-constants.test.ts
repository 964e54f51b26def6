/** @file Constants of halves and integers that a program makes, and ranges of halves. */
import { backendNumbersSpec } from "./backend-numbers.fixture.js";

backendNumbersSpec("half-constants");
