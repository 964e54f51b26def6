export { type Closeness, compareTensors, sameLayout } from "@sconce/tensor";
