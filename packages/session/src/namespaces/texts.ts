/** @file Programs and graphs as text. */
export {
  codeText as code,
  dotText as dot,
  graphText as graph,
  mermaidText as mermaid,
  moduleCallRepr as moduleCall,
  printIr as ir,
  printPipeline as pipeline,
  printTensor as tensor,
  rangeConstraintsText as rangeConstraints,
  readableText as readable,
  signatureRepr,
  signatureText as signature,
  typeText as type,
} from "../index.js";
