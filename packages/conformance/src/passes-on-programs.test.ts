/** @file Each 16th program; `passes-on-programs.full.test.ts` takes all. */
import { passesOnProgramsSpec } from "./passes-on-programs.fixture.js";

passesOnProgramsSpec(16);
