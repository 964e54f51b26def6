/** @file Views by strides of inputs, of results and of views, also of inputs with other strides. */
import { backendNumbersSpec } from "./backend-numbers.fixture.js";

backendNumbersSpec("as-strided");
