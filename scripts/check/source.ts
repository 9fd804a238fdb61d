// Reads TypeScript and JavaScript with the compiler. TypeScript 7 has no stable API, hence `typescript-5`.

import ts from 'typescript-5';

/** An identifier, or the comments before a token. */
export interface Excerpt {
  text: string;
  /** The offset in the source. */
  at: number;
}

/** The specifiers of `import … from`, `export … from`, `import '…'`, `import('…')` and `import type`. */
export const specifiersIn = (path: string, source: string): string[] =>
  nodesIn(path, source).flatMap((node) => {
    const specifier = importSpecifier(node);
    return specifier && ts.isStringLiteralLike(specifier) ? [specifier.text] : [];
  });

function importSpecifier(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0];
  return ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
}

export const identifiersIn = (path: string, source: string): Excerpt[] =>
  nodesIn(path, source)
    .filter((node) => ts.isIdentifier(node) || ts.isPrivateIdentifier(node))
    .map(({ text, end }) => ({ text, at: end - text.length }));

/** All nodes of a file in their order, without punctuation and comments. */
function nodesIn(path: string, source: string): ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(parse(path, source));
  return nodes;
}

/** The comments of a file. Comments without code between them are one excerpt, with the space around them. */
export function commentsIn(path: string, source: string): Excerpt[] {
  const file = parse(path, source);
  const comments: Excerpt[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    if (!ts.isToken(node)) return node.getChildren(file).forEach(visit);
    const text = source.slice(node.pos, node.getStart(file));
    if (text.trim()) comments.push({ text, at: node.pos });
  };
  visit(file);
  return comments;
}

export const lineAt = (source: string, offset: number): number => source.slice(0, offset).split('\n').length;

const parse = (path: string, source: string): ts.SourceFile =>
  ts.createSourceFile(path, source, ts.ScriptTarget.Latest, false);
