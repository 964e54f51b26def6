/** @file The gradient of logit at the ends of its domain. */
import { backendNumbersSpec } from "./backend-numbers.fixture.js";

backendNumbersSpec("logit-gradients");
