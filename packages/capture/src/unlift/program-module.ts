import { Module } from "@sconce/torch";
import { fixedMode } from "./errors.js";

/** A module that runs a graph of a program, which has the mode of the export. */
export class ProgramModule extends Module {
  /** Refused: the graph keeps its mode. @throws SconceError `FIXED_MODE` */
  override train(): this {
    throw fixedMode("train", this.constructor.name);
  }

  /** Refused: the graph keeps its mode. @throws SconceError `FIXED_MODE` */
  override eval(): this {
    throw fixedMode("eval", this.constructor.name);
  }
}
