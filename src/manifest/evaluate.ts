import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Json } from '../kind/json.ts';
import { secret } from '../secrets/secret.ts';
import type { Expression } from './expression.ts';
import { parseExpressions } from './expression.ts';
import type { Node, Place, ScalarNode } from './tree.ts';
import { position } from './tree.ts';
import type { Variable } from './settings.ts';
import type { Content, Reference, Shape, Wanted } from './wanted.ts';

/** Where the values of expressions come from. */
export interface Sources {
  readonly env: (name: string) => string | undefined;
  readonly variable: (name: string) => Variable | undefined;
  readonly secret: (name: string) => string | undefined;
  /** The text of a file named relative to the file at `from`; or why it cannot be had. */
  readonly file: (path: string, from: Place) => { readonly text: string } | { readonly problem: string };
  /** Called with every value that must not show in text that comes from elsewhere. */
  readonly addSecret: (value: string) => void;
}

/** What evaluating needs besides the node. */
export interface Evaluation {
  readonly sources: Sources;
  /** Finds a reference from the place of the resource; or says why there is none. */
  readonly find: (path: string) => Reference | { readonly problem: string; readonly remedy?: string };
  /** Finds the resource of a kind that bears a key, wherever it is referred to. */
  readonly named: (kind: string, key: string) => Reference | undefined;
  readonly diagnostics: Diagnostic[];
  readonly address: string;
  /** Takes numbers and booleans as they were written, for maps of text. */
  readonly asWritten?: true;
}

/** Turns a YAML value into what the user wants: expressions that are known now are filled in. */
export function evaluate(node: Node, evaluation: Evaluation): Wanted {
  const found: Found = { isSecret: false, references: [], missing: [], evaluation };
  const shape = shapeOf(node, found);
  const plainValue = valueOf(shape);
  const content: Content = plainValue === undefined ? { hollow: true, shape } : { hollow: false, value: plainValue };
  return {
    at: node.at,
    isSecret: found.isSecret,
    references: found.references,
    missing: found.missing,
    content: secret(content),
    ...(found.written === undefined ? {} : { written: found.written }),
  };
}

/** A wanted value that is no text of the user's, such as a default. */
export function constant(value: Json, at: Place): Wanted {
  return { at, isSecret: false, references: [], missing: [], content: secret({ hollow: false, value }) };
}

/** The value of an output, wanted where a name was written. */
export function referring(reference: Reference, { at, isSecret }: Wanted): Wanted {
  const shape: Shape = { is: 'text', pieces: [reference] };
  return { at, isSecret, references: [reference], missing: [], content: secret({ hollow: true, shape }) };
}

interface Found {
  isSecret: boolean;
  readonly references: Reference[];
  readonly missing: string[];
  readonly evaluation: Evaluation;
  written?: string;
}

function shapeOf(node: Node, found: Found): Shape {
  switch (node.is) {
    case 'scalar':
      return scalarShape(node, found);
    case 'list':
      return { is: 'list', items: node.items.map((item) => shapeOf(item, found)) };
    case 'map':
      return {
        is: 'map',
        entries: [...node.entries].map(([key, entry]) => [key, shapeOf(entry.node, found)] as const),
      };
    default:
      return node satisfies never;
  }
}

function scalarShape(node: ScalarNode, found: Found): Shape {
  const { evaluation } = found;
  if (typeof node.value !== 'string') {
    return { is: 'value', value: evaluation.asWritten === true && node.value !== null ? node.source : node.value };
  }
  const { parts, unclosed } = parseExpressions(node.value);
  if (unclosed !== undefined) {
    const remedy = `Close it, or write $\${${unclosed}: for the text itself.`;
    complain(found, node.at, `\${${unclosed}:… is never closed with }`, remedy);
    return { is: 'value', value: node.value };
  }
  const pieces = parts.map((part) => (typeof part === 'string' ? part : evaluateExpression(part, node.at, found)));
  const [only] = pieces;
  if (pieces.length === 1 && typeof only === 'object' && 'written' in only && evaluation.asWritten !== true) {
    found.written = only.written;
    return { is: 'value', value: only.value ?? only.written };
  }
  const joined: (string | Reference | { secret: string })[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    const plain = typeof piece === 'object' && 'written' in piece ? piece.written : piece;
    if (typeof plain === 'object') joined.push(plain);
    else if (typeof last === 'string') joined[joined.length - 1] = last + plain;
    else joined.push(plain);
  }
  const [text] = joined;
  return joined.length === 1 && typeof text === 'string'
    ? { is: 'value', value: text }
    : { is: 'text', pieces: joined };
}

type Piece = string | Variable | Reference | { secret: string };

function evaluateExpression({ source, name }: Expression, at: Place, found: Found): Piece {
  const { sources, find } = found.evaluation;
  switch (source) {
    case 'var': {
      const value = sources.variable(name);
      if (value?.value !== undefined) return value;
      if (value === undefined) {
        complain(found, at, `there is no variable ${name}`, 'Declare it under variables:, with a default or without.');
      } else {
        const remedy = `Give it one with --var ${name}=… or TRUEUP_VAR_${name}, or declare a default.`;
        complain(found, at, `the variable ${name} has no value`, remedy);
      }
      return '';
    }
    case 'env': {
      // A manifest from a pull request must not be able to write the key of the run anywhere.
      if (/^\s*TRUEUP_/i.test(name)) {
        found.evaluation.diagnostics.push(
          diagnostic('hostile-setting', `\${env:${name}} is not readable from a manifest`, {
            remedy:
              'Settings of Trueup itself, the API key among them, stay out of manifests. Secrets are ${secret:NAME}.',
            address: found.evaluation.address,
            position: position(at),
          }),
        );
        return '';
      }
      const value = sources.env(name);
      found.isSecret = true;
      if (value !== undefined) {
        sources.addSecret(value);
        return value;
      }
      if (!/^[^\s=]+$/.test(name)) {
        complain(found, at, `${JSON.stringify(name)} is no name of an environment variable`, 'Write ${env:NAME}.');
        return '';
      }
      complain(
        found,
        at,
        `the environment variable ${name} is not set`,
        `Set ${name}, or use \${var:…} with a default.`,
      );
      return '';
    }
    case 'secret': {
      const value = sources.secret(name);
      found.isSecret = true;
      if (value !== undefined) {
        sources.addSecret(value);
        return value;
      }
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
        const remedy = 'A name is made of letters, digits and underscores: ${secret:NAME}.';
        complain(found, at, `${JSON.stringify(name)} is no name of a secret`, remedy);
      }
      found.missing.push(name);
      return { secret: name };
    }
    case 'file': {
      const file = sources.file(name, at);
      if ('text' in file) return file.text;
      const remedy = 'Write ${file:path} with the path of a text file in the workspace, relative to this file.';
      complain(found, at, file.problem, remedy, 'file-unreadable');
      return '';
    }
    case 'ref': {
      const reference = find(name);
      if ('problem' in reference) {
        complain(found, at, reference.problem, reference.remedy, 'bad-reference');
        return '';
      }
      found.references.push(reference);
      return reference;
    }
    default:
      return source satisfies never;
  }
}

function complain(
  found: Found,
  at: Place,
  message: string,
  remedy?: string,
  code: 'bad-expression' | 'bad-reference' | 'file-unreadable' = 'bad-expression',
): void {
  const { diagnostics, address } = found.evaluation;
  diagnostics.push(diagnostic(code, message, { remedy, address, position: position(at) }));
}

function valueOf(shape: Shape): Json | undefined {
  switch (shape.is) {
    case 'value':
      return shape.value;
    case 'text':
      return undefined;
    case 'list': {
      const items = shape.items.map(valueOf);
      return items.includes(undefined) ? undefined : (items as Json[]); // none is undefined
    }
    case 'map': {
      const entries = shape.entries.map(([key, item]) => [key, valueOf(item)] as const);
      return entries.some(([, value]) => value === undefined)
        ? undefined
        : (Object.fromEntries(entries) as { [key: string]: Json }); // none is undefined
    }
    default:
      return shape satisfies never;
  }
}
