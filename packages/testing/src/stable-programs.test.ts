/** @file Each 16th program; `stable-programs.full.test.ts` takes all. */
import { stableProgramsSpec } from "./stable-programs.fixture.js";

stableProgramsSpec(16);
