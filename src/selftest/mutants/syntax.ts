import { tsPlugin } from '@sveltejs/acorn-typescript';
import { type AnyNode, Parser } from 'acorn';

const TypeScriptParser = Parser.extend(tsPlugin());

/** A node of the syntax tree and the nodes around it, the nearest last. */
export interface NodeInTree {
  readonly node: AnyNode;
  readonly around: readonly AnyNode[];
}

/** Every node of a file that runs; types are not among them. Throws a `SyntaxError` for text that cannot be parsed. */
export function placesOf(text: string): NodeInTree[] {
  const places: NodeInTree[] = [];
  const walk = (node: AnyNode, around: readonly AnyNode[]): void => {
    // `x as T` and the like run as `x`. Every other node of TypeScript is a type.
    const isType = node.type.startsWith('TS');
    if (!isType) places.push({ node, around });
    const inside = isType ? around : [...around, node];
    for (const [field, value] of Object.entries(node)) {
      if (isType && field !== 'expression') continue;
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, inside);
    }
  };
  walk(TypeScriptParser.parse(text, { sourceType: 'module', ecmaVersion: 'latest' }), []);
  return places;
}

/** Whether Node can parse it. */
export function isParsable(text: string): boolean {
  try {
    placesOf(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** The names of the functions, classes and constants around a node, such as `sqlAnalytics.report`. */
export function nameOf(around: readonly AnyNode[]): string {
  return around.flatMap((node) => ownName(node) ?? []).join('.');
}

function ownName(node: AnyNode): string | undefined {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
    case 'VariableDeclarator':
      return node.id?.type === 'Identifier' ? node.id.name : undefined;
    case 'MethodDefinition':
    case 'PropertyDefinition':
    case 'Property':
      return node.key.type === 'Identifier' || node.key.type === 'PrivateIdentifier'
        ? node.key.name
        : undefined;
    default:
      return undefined;
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
