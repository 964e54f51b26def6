export { compareTensors, sameLayout } from "@sconce/tensor";
