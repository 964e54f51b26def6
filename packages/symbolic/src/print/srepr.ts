import type { SymExpr } from "../expr/expr.js";
import { orderedFactors, orderedTerms } from "../expr/order.js";
import { printFloat } from "./print.js";

/** sympy's `srepr` text, as `.pt2` files hold it. */
export function sreprNode(e: SymExpr): string {
  switch (e.op) {
    case "Integer":
      return `Integer(${e.value})`;
    case "Rational":
      return `Rational(${e.value}, ${e.den})`;
    case "Float":
      return `Float('${printFloat(e.value as number, 17, true)}', precision=53)`;
    case "Symbol": {
      const assumptions = e.assumptions.map(([name, value]) => `, ${name}=${value ? "True" : "False"}`);
      return `Symbol('${e.name}'${assumptions.join("")})`;
    }
    case "True":
      return "true";
    case "False":
      return "false";
    case "Add":
      return `Add(${orderedTerms(e).map(sreprNode).join(", ")})`;
    case "Mul":
      return `Mul(${orderedFactors(e).map(sreprNode).join(", ")})`;
    default:
      return `${e.op}(${e.args.map(sreprNode).join(", ")})`;
  }
}
