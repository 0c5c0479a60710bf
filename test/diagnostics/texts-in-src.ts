import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** A text of src: what stands between its expressions, and the property or constant that it is in. */
export interface TextInSrc {
  readonly parts: readonly string[];
  readonly name: string;
}

/** The texts of src with a space that fit a pattern. Tables of codes, the command line, what is printed and the platform are left out. */
export function textsInSrc(pattern: RegExp): readonly TextInSrc[] {
  return readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/^(?:cli|ci|render|emulator|api|diagnostics)\//.test(path))
    .flatMap((path) => {
      const written = readFileSync(`src/${path}`, 'utf8');
      return pattern.test(written) ? textsIn(written).filter(({ parts }) => pattern.test(parts.join('_'))) : [];
    });
}

function textsIn(written: string): readonly TextInSrc[] {
  const source = ts.createSourceFile('src.ts', written, ts.ScriptTarget.Latest, true);
  const found: TextInSrc[] = [];
  const visit = (node: ts.Node, name: string): void => {
    const isNamed = ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node);
    const parts = partsOf(node);
    if (parts.join('').includes(' ')) found.push({ parts, name });
    ts.forEachChild(node, (child) => visit(child, isNamed ? node.name.getText() : name));
  };
  visit(source, '');
  return found;
}

/** Texts that are added to one another are one text. */
function partsOf(node: ts.Node): readonly string[] {
  if (ts.isStringLiteralLike(node)) return isPiece(node) ? [] : [node.text];
  if (ts.isTemplateExpression(node)) return isPiece(node) ? [] : templateParts(node);
  return ts.isBinaryExpression(node) && !isPiece(node) ? sumOf(node) : [];
}

const templateParts = ({ head, templateSpans }: ts.TemplateExpression): readonly string[] => [
  head.text,
  ...templateSpans.map(({ literal }) => literal.text),
];

/** Whether a text is only a piece of a sum. */
function isPiece({ parent }: ts.Node): boolean {
  return ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.PlusToken;
}

function sumOf(node: ts.Expression): readonly string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) return templateParts(node);
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return ['', ''];
  const [left, right] = [sumOf(node.left), sumOf(node.right)];
  return [...left.slice(0, -1), (left.at(-1) ?? '') + (right[0] ?? ''), ...right.slice(1)];
}
