/** @file Statements of the checked source. */
import type {
  AnyNode,
  BlockStatement,
  Class,
  ForInStatement,
  ForOfStatement,
  IfStatement,
  Statement,
  SwitchStatement,
  TryStatement,
  VariableDeclaration,
} from "acorn";
import { evaluateClass } from "./classes.js";
import {
  branch,
  closure,
  type Exits,
  type Interpreter,
  isFixedPoint,
  iterating,
  joinStates,
  MOST_ITERATIONS,
  Scope,
  type State,
  setVariable,
} from "./interpreter.js";
import { join, type Kind, NOTHING, PLAINS, truth, UNDEFINED, unknown } from "./kinds.js";
import { narrow } from "./narrow.js";

type Run<T extends AnyNode> = (node: T, scope: Scope, on: Interpreter) => void;

/** Runs a statement. Code after `return` and the like is not reached. */
export function runStatement(node: AnyNode, scope: Scope, on: Interpreter): void {
  if (on.state === null) return;
  const run = STATEMENTS[node.type] as Run<AnyNode> | undefined;
  if (run === undefined) on.evaluate(node, scope);
  else run(node, scope, on);
}

const STATEMENTS: { readonly [T in AnyNode["type"]]?: Run<Extract<AnyNode, { type: T }>> } = {
  ExpressionStatement: ({ expression }, scope, on) => void on.evaluate(expression, scope),
  BlockStatement: ({ body }, scope, on) => runBlock(body, new Scope(scope, scope.frame), on),
  EmptyStatement: () => undefined,
  DebuggerStatement: () => undefined,
  FunctionDeclaration: () => undefined,
  ClassDeclaration: (node, scope, on) => {
    const value = evaluateClass(node as Class, scope, on);
    if (node.id !== null) setVariable(on, scope.declare(node.id.name), value);
  },
  VariableDeclaration: runDeclaration,
  ReturnStatement: ({ argument }, scope, on) => {
    const value = argument ? on.evaluate(argument, scope) : UNDEFINED;
    const { frame } = scope;
    frame.returns = join(frame.returns, value);
    frame.exits = joinStates(frame.exits, on.state);
    on.state = null;
  },
  ThrowStatement: ({ argument }, scope, on) => {
    on.evaluate(argument, scope);
    scope.frame.thrown = joinStates(scope.frame.thrown, on.state);
    on.state = null;
  },
  IfStatement: runIf,
  LabeledStatement: ({ body }, scope, on) => on.run(body, scope),
  SwitchStatement: runSwitch,
  TryStatement: runTry,
  ForStatement: ({ init, test, update, body }, scope, on) => {
    const inner = new Scope(scope, scope.frame);
    if (init) on.run(init, inner);
    loop(
      on,
      () => {
        if (test && !conditionHolds(test, "for", inner, on)) return;
        on.run(body, inner);
        continueLoop(inner, on);
        if (update && on.state !== null) on.evaluate(update, inner);
      },
      inner,
    );
  },
  WhileStatement: ({ test, body }, scope, on) =>
    loop(
      on,
      () => {
        if (conditionHolds(test, "while", scope, on)) on.run(body, scope);
      },
      scope,
    ),
  DoWhileStatement: ({ test, body }, scope, on) =>
    loop(
      on,
      () => {
        on.run(body, scope);
        continueLoop(scope, on);
        if (on.state !== null) conditionHolds(test, "while", scope, on);
      },
      scope,
    ),
  ForOfStatement: (node, scope, on) => {
    const container = on.evaluate(node.right, scope);
    if (node.await) on.strict?.refuse("async", node, scope);
    on.hidden(container, "iterate", node.right, scope);
    iterating(join(container, viewedBy(node.right, scope, on)), on, () =>
      runForOf(node, on.elements(container), scope, on),
    );
  },
  ForInStatement: (node, scope, on) => {
    on.hidden(on.evaluate(node.right, scope), "any", node.right, scope);
    runForOf(node, PLAINS, scope, on);
  },
  WithStatement: (node, scope, on) => {
    on.strict?.refuse("with", node, scope);
    on.evaluate(node.object, scope);
    on.unchecked("with", "names in `with` are not followed", node, scope);
  },
  BreakStatement: (_, scope, on) => leave(scope, on, "breaks"),
  ContinueStatement: (_, scope, on) => leave(scope, on, "continues"),
};

/** Runs statements in order; functions that they declare are there from the start. */
export function runBlock(body: readonly (Statement | AnyNode)[], scope: Scope, on: Interpreter): void {
  for (const node of body)
    if (node.type === "FunctionDeclaration" && node.id !== null)
      setVariable(on, scope.declare(node.id.name), closure(node, scope));
  for (const node of body) on.run(node, scope);
}

function runDeclaration(node: VariableDeclaration, scope: Scope, on: Interpreter): void {
  const { declarations, kind } = node;
  if (/using/.test(kind)) on.strict?.refuse("using", node, scope);
  for (const { id, init } of declarations) {
    if (!init && kind === "var") continue;
    const value = init ? on.evaluate(init, scope) : UNDEFINED;
    on.assign(id, value, scope, kind === "var" ? "var" : "let");
  }
}

function runIf({ test, consequent, alternate }: IfStatement, scope: Scope, on: Interpreter): void {
  const value = on.evaluate(test, scope);
  on.condition(value, "if", test, scope);
  const decided = truth(value);
  const otherwise = (): void => {
    if (alternate) on.run(alternate, scope);
  };
  if (decided === true) on.run(consequent, scope);
  else if (decided === false) otherwise();
  else
    branch(
      on,
      () => {
        narrow(test, true, scope, on);
        on.run(consequent, scope);
      },
      () => {
        narrow(test, false, scope, on);
        otherwise();
      },
    );
}

function runSwitch({ discriminant, cases }: SwitchStatement, scope: Scope, on: Interpreter): void {
  const value = on.evaluate(discriminant, scope);
  const inner = new Scope(scope, scope.frame);
  inLoop(
    inner,
    () => {
      const before = on.state && new Map(on.state);
      for (const { test, consequent } of cases) {
        // Any case may be the first that runs.
        on.state = joinStates(on.state && new Map(on.state), before && new Map(before));
        if (test) on.identity(value, on.evaluate(test, inner), "switch", test, inner);
        runBlock(consequent, inner, on);
      }
      on.state = joinStates(on.state, before);
    },
    on,
  );
}

function runTry(node: TryStatement, scope: Scope, on: Interpreter): void {
  const { block, handler, finalizer } = node;
  const operators = on.strict?.operators;
  const before = on.state && new Map(on.state);
  const thrown = runProtected(block.body, scope, on);
  if (on.strict?.operators !== operators) refuseTry(node, scope, on, before);
  if (handler) {
    const after = on.state;
    on.state = joinStates(before, thrown);
    const inner = new Scope(scope, scope.frame);
    if (handler.param) on.assign(handler.param, unknown("an error"), inner, "let");
    on.run(handler.body, inner);
    on.state = joinStates(after, on.state);
  }
  if (finalizer) {
    const after = on.state;
    on.state ??= before;
    on.run(finalizer, scope);
    if (after === null) on.state = null;
  }
}

const VIEWS = /^(?:keys|values|entries)$/;

/** Returns the container that `list.entries()` and the like go through. */
function viewedBy(node: AnyNode, scope: Scope, on: Interpreter): Kind {
  if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return NOTHING;
  const { object, property } = node.callee;
  return property.type === "Identifier" && VIEWS.test(property.name) ? on.evaluate(object, scope) : NOTHING;
}

/** Functions that compilers call for `using`, where the engine does not have it. */
const DISPOSES = /^(?:__using|__callDispose|__addDisposableResource|__disposeResources|_usingCtx\d*)$/;

/** Reports a `try` that catches errors of operators. Compilers make one of `using`. */
function refuseTry(node: TryStatement, scope: Scope, on: Interpreter, before: State): void {
  const { block, handler, finalizer } = node;
  // Without errors, `finally` runs in the trace as in the model.
  if (!handler) return;
  const names = [...calledNames(block), ...(finalizer ? calledNames(finalizer) : [])];
  const state = on.state;
  // The block may have returned.
  on.state ??= before;
  on.strict?.refuse(names.some((name) => DISPOSES.test(name)) ? "using" : "try", node, scope);
  on.state = state;
}

/** Returns the names of the functions that the statements of a block call. */
function calledNames({ body }: BlockStatement): string[] {
  return body.flatMap((statement) => {
    if (statement.type === "ExpressionStatement") return calledName(statement.expression);
    if (statement.type !== "VariableDeclaration") return [];
    return statement.declarations.flatMap(({ init }) => (init ? calledName(init) : []));
  });
}

const calledName = (node: AnyNode): string[] =>
  node.type === "CallExpression" && node.callee.type === "Identifier" ? [node.callee.name] : [];

/**
 * Runs the statements of a `try` block; returns the variables as an error in any of them finds
 * them.
 */
function runProtected(body: readonly Statement[], scope: Scope, on: Interpreter): State {
  const { frame } = scope;
  const outer = frame.thrown;
  frame.thrown = null;
  const inner = new Scope(scope, frame);
  runBlock(
    body.filter(({ type }) => type === "FunctionDeclaration"),
    inner,
    on,
  );
  for (const node of body) {
    runBlock([node], inner, on);
    frame.thrown = joinStates(frame.thrown, on.state && new Map(on.state));
  }
  const thrown = frame.thrown as State;
  frame.thrown = outer;
  return thrown;
}

function runForOf(node: ForOfStatement | ForInStatement, item: Kind, scope: Scope, on: Interpreter): void {
  loop(
    on,
    () => {
      const inner = new Scope(scope, scope.frame);
      const { left } = node;
      if (left.type === "VariableDeclaration")
        on.assign(left.declarations[0]!.id, item, inner, left.kind === "var" ? "var" : "let");
      else on.assign(left, item, inner);
      on.run(node.body, inner);
    },
    scope,
  );
}

/** Returns whether the body of a loop may run. */
function conditionHolds(test: AnyNode, construct: string, scope: Scope, on: Interpreter): boolean {
  const value = on.evaluate(test, scope);
  on.condition(value, construct, test, scope);
  const decided = truth(value);
  const exits = exitsOf(scope);
  if (decided !== true) exits.breaks = joinStates(exits.breaks, on.state && new Map(on.state));
  else exits.isEndless = true;
  if (decided === false) on.state = null;
  return decided !== false;
}

const exitsOf = ({ frame }: Scope): Exits => frame.loops.at(-1)!;

function leave(scope: Scope, on: Interpreter, where: "breaks" | "continues"): void {
  // Labels are not distinguished: every loop around may be left.
  for (const exits of scope.frame.loops)
    exits[where] = joinStates(exits[where], on.state && new Map(on.state));
  on.state = null;
}

function continueLoop(scope: Scope, on: Interpreter): void {
  const exits = exitsOf(scope);
  on.state = joinStates(on.state, exits.continues);
  exits.continues = null;
}

function inLoop(scope: Scope, body: () => void, on: Interpreter): void {
  const stack = scope.frame.loops;
  const exits: Exits = { breaks: null, continues: null, isEndless: false };
  stack.push(exits);
  body();
  stack.pop();
  on.state = joinStates(on.state, exits.breaks);
}

function loop(on: Interpreter, iteration: () => void, scope: Scope): void {
  const stack = scope.frame.loops;
  const exits: Exits = { breaks: null, continues: null, isEndless: false };
  stack.push(exits);
  for (let count = 0; count < MOST_ITERATIONS && on.state !== null; count++) {
    const head = new Map(on.state);
    exits.isEndless = false;
    iteration();
    on.state = joinStates(on.state, exits.continues);
    // Functions that the body makes may use its variables later.
    on.state = joinStates(head, on.state);
    if (isFixedPoint(on.state, head)) break;
  }
  stack.pop();
  const end = exits.isEndless ? null : on.state;
  on.state = joinStates(end, exits.breaks);
}
