/** @file The built-in passes on all programs. */
import { passesOnProgramsSpec } from "./passes-on-programs.fixture.js";

passesOnProgramsSpec(1);
