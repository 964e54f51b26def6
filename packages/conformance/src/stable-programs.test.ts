/** @file Each 32nd program; `stable-programs.full.test.ts` takes all. */
import { stableProgramsSpec } from "./stable-programs.fixture.js";

stableProgramsSpec(32);
