import type { AnyNode, Literal, TemplateLiteral } from 'acorn';
import { isSql, sqlChanges, type TextEdit } from './sql-edits.ts';
import type { NodeInTree } from './syntax.ts';

/** The kinds of change, and what each does. */
export const operators = {
  comparison: 'a comparison is negated, or its boundary moved by one',
  arithmetic: '`+` becomes `-`, rounding goes the other way, `min` becomes `max`',
  condition: 'a condition always or never holds, `&&` becomes `||`, a default is dropped',
  sql: 'a predicate, an order, an aggregate or a constant in SQL',
  lock: '`await` or a transaction is dropped',
  constant:
    'a number is one more or less, a boolean is flipped, a string or an anchor of a pattern is dropped',
  statement: 'a statement is dropped',
  field: 'a field of an object or an element of a list is dropped',
  arguments: 'two neighbouring arguments change places',
} as const;
export type Operator = keyof typeof operators;

/** A change to the text of a file. */
interface Edit extends TextEdit {
  readonly operator: Operator;
}

/** Every change to a node itself; its parts are nodes of their own. */
export function editsOf({ node, around }: NodeInTree, text: string): Edit[] {
  const parent = around.at(-1);
  const edit = (operator: Operator, at: Range, mutant: string): Edit => ({
    operator,
    start: at.start,
    end: at.end,
    text: mutant,
  });
  const source = (at: Range): string => text.slice(at.start, at.end);
  const tested = (test: Range, values: readonly string[]): Edit[] =>
    values.map((value) => edit('condition', test, value));

  switch (node.type) {
    case 'BinaryExpression': {
      const at = operatorOf(node, text);
      const isText = [node.left, node.right].some(isTextual);
      return [
        ...(comparisons[node.operator] ?? []).map((mutant) => edit('comparison', at, mutant)),
        ...(isText ? [] : (calculations[node.operator] ?? [])).map((mutant) =>
          edit('arithmetic', at, mutant),
        ),
      ];
    }
    case 'LogicalExpression':
      return node.operator === '??'
        ? [edit('condition', node, source(node.left))]
        : [edit('condition', operatorOf(node, text), node.operator === '&&' ? '||' : '&&')];
    case 'AssignmentExpression': {
      const mutant = { '+=': '-=', '-=': '+=' }[String(node.operator)];
      return mutant === undefined ? [] : [edit('arithmetic', operatorOf(node, text), mutant)];
    }
    case 'UpdateExpression':
      return [
        edit('arithmetic', node, source(node).replace(node.operator, node.operator === '++' ? '--' : '++')),
      ];
    case 'UnaryExpression':
      if (node.operator === '!') return [edit('condition', node, source(node.argument))];
      return node.operator === '-' ? [edit('arithmetic', node, source(node.argument))] : [];
    case 'IfStatement':
    case 'ConditionalExpression':
      return tested(node.test, ['true', 'false']);
    case 'WhileStatement':
    case 'DoWhileStatement':
      return tested(node.test, ['false']);
    case 'ForStatement':
      return node.test ? tested(node.test, ['false']) : [];
    case 'AwaitExpression':
      return [edit('lock', node, source(node.argument))];
    case 'ExpressionStatement':
      return 'directive' in node ? [] : [edit('statement', node, ';')];
    case 'ThrowStatement':
    case 'BreakStatement':
      return [edit('statement', node, ';')];
    case 'ObjectExpression':
      return node.properties.map((property, index) => dropped(node.properties, property, index));
    case 'ArrayExpression':
      return node.elements.flatMap((element, index) =>
        element === null ? [] : [dropped(node.elements, element, index)],
      );
    case 'CallExpression':
    case 'NewExpression':
      return [...callEdits(node, text), ...swaps(node.arguments, source)];
    case 'Literal':
      return isName(node, parent) ? [] : literalEdits(node, text);
    case 'TemplateLiteral':
      return parent?.type === 'TaggedTemplateExpression' ? [] : templateEdits(node, text);
    default:
      return [];
  }
}

interface Range {
  readonly start: number;
  readonly end: number;
}

const comparisons: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
};
const calculations: Readonly<Record<string, readonly string[]>> = {
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
};
const otherMath: Readonly<Record<string, string>> = {
  ceil: 'floor',
  floor: 'ceil',
  round: 'floor',
  max: 'min',
  min: 'max',
};

function operatorOf(node: { operator: string; left: Range; right: Range }, text: string): Range {
  const start = text.indexOf(node.operator, node.left.end);
  return { start, end: start + node.operator.length };
}

function isTextual(node: AnyNode): boolean {
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');
}

/** One of a list without it, and without one comma beside it. */
function dropped(all: readonly (AnyNode | null)[], one: AnyNode, index: number): Edit {
  const next = all[index + 1];
  const last = all[index - 1];
  if (next) return { operator: 'field', start: one.start, end: next.start, text: '' };
  return { operator: 'field', start: last?.end ?? one.start, end: one.end, text: '' };
}

function callEdits(
  node: Extract<AnyNode, { type: 'CallExpression' | 'NewExpression' }>,
  text: string,
): Edit[] {
  const { callee } = node;
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return [];
  const { name, start, end } = callee.property;
  const [only] = node.arguments;
  if (name === 'transaction' && only !== undefined)
    return [
      { operator: 'lock', start: node.start, end: node.end, text: `(${text.slice(only.start, only.end)})()` },
    ];
  const other = otherMath[name];
  return other !== undefined && callee.object.type === 'Identifier' && callee.object.name === 'Math'
    ? [{ operator: 'arithmetic', start, end, text: other }]
    : [];
}

function swaps(given: readonly AnyNode[], source: (at: Range) => string): Edit[] {
  return given.flatMap((one, index) => {
    const next = given[index + 1];
    if (next === undefined || !isSwappable(one) || !isSwappable(next)) return [];
    const between = source({ start: one.end, end: next.start });
    const text = `${source(next)}${between}${source(one)}`;
    return [{ operator: 'arguments' as const, start: one.start, end: next.end, text }];
  });
}

/** A handler in the place of a path only keeps the service from starting. */
function isSwappable({ type }: AnyNode): boolean {
  return !['SpreadElement', 'ArrowFunctionExpression', 'FunctionExpression', 'ObjectExpression'].includes(
    type,
  );
}

/** Whether a literal names something: a module, a field. Elements of lists are dropped as such. */
function isName(node: Literal, parent: AnyNode | undefined): boolean {
  switch (parent?.type) {
    case 'ImportDeclaration':
    case 'ImportExpression':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ExpressionStatement':
    case 'ArrayExpression':
      return true;
    case 'Property':
    case 'PropertyDefinition':
      return parent.key === node && !parent.computed;
    default:
      return false;
  }
}

function literalEdits(node: Literal, text: string): Edit[] {
  const constant = (mutant: string): Edit => ({
    operator: 'constant',
    start: node.start,
    end: node.end,
    text: mutant,
  });
  const { value } = node;
  if (typeof value === 'boolean') return [constant(String(!value))];
  if (typeof value === 'number')
    return [value + 1, ...(value >= 1 ? [value - 1] : [])].map(String).map(constant);
  if (node.regex) {
    const { flags, pattern } = node.regex;
    return [...withoutAnchors(pattern, flags), ...(flags === '' ? [] : [`/${pattern}/`])].map(constant);
  }
  if (typeof value !== 'string') return [];
  const raw = text.slice(node.start + 1, node.end - 1);
  if (isSql(value)) return within(node.start + 1, sqlChanges(raw));
  // Sentences for people: no interface promises one.
  if (isProse(value)) return [];
  const quote = text.charAt(node.start);
  const anchors = [/^\^/, /\$$/]
    .filter((anchor) => anchor.test(raw))
    .map((anchor) => raw.replace(anchor, ''));
  return ['', ...anchors].filter((each) => each !== raw).map((each) => constant(`${quote}${each}${quote}`));
}

function withoutAnchors(pattern: string, flags: string): string[] {
  return [/^\^/, /\$$/]
    .filter((anchor) => anchor.test(pattern))
    .map((anchor) => `/${pattern.replace(anchor, '')}/${flags}`);
}

function templateEdits(node: TemplateLiteral, text: string): Edit[] {
  const raw = text.slice(node.start + 1, node.end - 1);
  if (isSql(raw))
    return node.quasis.flatMap((quasi) =>
      within(quasi.start, sqlChanges(text.slice(quasi.start, quasi.end))),
    );
  if (node.quasis.some((quasi) => isProse(quasi.value.raw))) return [];
  return [{ operator: 'constant', start: node.start, end: node.end, text: '``' }];
}

function within(from: number, changes: readonly TextEdit[]): Edit[] {
  return changes.map(({ start, end, text }) => ({
    operator: 'sql',
    start: from + start,
    end: from + end,
    text,
  }));
}

function isProse(text: string): boolean {
  return /[a-z]{2,} [a-z]+/i.test(text);
}
