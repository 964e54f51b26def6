import type { Declare } from "../command-entry.js";
import { JSON_OPTION } from "../shared-options.js";
import type { DoctorOptions } from "./doctor-action.js";

export const doctorCommand: Declare = (command, io) => {
  command
    .option(...JSON_OPTION)
    .action(async (options: DoctorOptions) => (await import("./doctor-action.js")).doctor(options, io));
};
