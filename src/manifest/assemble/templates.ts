import { idExpression } from '../preview.ts';
import { closest, didYouMean } from '../../diagnostics/closest.ts';
import { positionText } from '../../diagnostics/diagnostic.ts';
import { type Declaration, readDeclaration, readValue } from '../declared.ts';
import { expressionIn, notInKeys, parseExpressions } from '../expression.ts';
import type { Report } from '../report-at.ts';
import { type ExpressionSource, type TypedValue, badExpression, nextBrace } from '../sources/source.ts';
import {
  type Entry,
  type MapNode,
  type Node,
  type Place,
  eachNode,
  entriesOf,
  itemsOf,
  nodeAt,
  position,
  textOf,
} from '../tree.ts';
import { refuseReset, refuseResets } from './merge.ts';

/** A template: a block with holes. */
export interface Template {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, Parameter>;
  readonly block: MapNode;
}

interface Parameter {
  readonly declaration: Declaration;
  readonly declaredAt: Place;
  /** Where its default stands. */
  readonly defaultAt: Place | undefined;
}

function hole(name: string): ExpressionSource {
  const resolve = () => badExpression(`\${${name}:…} stands outside of a template`, 'Move it into one.');
  return { name, closing: nextBrace, files: () => [], resolve };
}

/** `${param:name}` and `${block:key}`, which templates have. Everything else in `${…}` stays for the block that comes of one. */
export const holes: readonly ExpressionSource[] = [hole('param'), hole('block')];

/** The templates of a manifest, by name; their form was checked. What is wrong in one is reported. */
export function readTemplates(tree: MapNode, report: Report): ReadonlyMap<string, Template> {
  const templates = new Map<string, Template>();
  for (const [name, { node }] of entriesOf(nodeAt(tree, ['templates']))) {
    const block = nodeAt(node, ['block']);
    const declared = nodeAt(node, ['parameters']);
    if (declared !== undefined) refuseResets(declared, report);
    if (block?.isReset === true) refuseReset(block.at, report);
    if (block?.is !== 'map') continue;
    const parameters = new Map(
      [...entriesOf(declared)].map(([parameter, entry]) => [
        parameter,
        readParameter(`templates.${name}.parameters.${parameter}`, entry, report),
      ]),
    );
    const template = { name, parameters, block };
    const used = new Set<string>();
    checkHoles(block, { ...template, used }, report);
    for (const parameter of parameters.keys()) {
      const at = entriesOf(declared).get(parameter)?.keyAt;
      if (at === undefined || used.has(parameter)) continue;
      const message = `the block of the template ${name} has no \${param:${parameter}}`;
      report('unused-parameter', message, at, `Write \${param:${parameter}} in it, or remove the parameter.`);
    }
    templates.set(name, template);
  }
  return templates;
}

function readParameter(name: string, { keyAt, node }: Entry, report: Report): Parameter {
  const written = nodeAt(node, ['default']);
  const filled = written?.is === 'scalar' ? expressionIn(String(written.value), holes) : undefined;
  if (written !== undefined && filled !== undefined)
    report(
      'bad-expression',
      `${filled} stands in a default, which nothing fills`,
      written.at,
      'Write it in the block.',
    );
  return { declaration: readDeclaration(name, node, report), declaredAt: keyAt, defaultAt: written?.at };
}

/** A template whose block is checked. */
interface Checked extends Template {
  /** The parameters that stand in its block; collected. */
  readonly used: Set<string>;
}

/** Reports holes that nothing fills. */
function checkHoles(node: Node, template: Checked, report: Report): void {
  eachNode(node, (one) => {
    for (const [key, { keyAt }] of entriesOf(one)) {
      const inKey = expressionIn(key, holes);
      if (inKey !== undefined)
        report('bad-expression', notInKeys(inKey), keyAt, 'Write the key itself, in a template of its own.');
    }
    checkText(textOf(one) ?? '', one.at, template, report);
  });
}

function checkText(text: string, at: Place, { name, parameters, used }: Checked, report: Report): void {
  const { parts, unclosed } = parseExpressions(text, holes);
  if (unclosed !== undefined) {
    const remedy = `Close it, or write $\${${unclosed.name}: for the text itself.`;
    report('bad-expression', `\${${unclosed.name}:… is never closed with }`, at, remedy);
  }
  for (const part of parts) {
    if (typeof part === 'string') continue;
    const { source, argument } = part;
    if (source.name === 'block' && argument !== 'key')
      report('bad-expression', `a block has no ${argument}`, at, 'Write ${block:key}, the key of the block.');
    if (source.name !== 'param') continue;
    const [plain = '', ...encoding] = argument.split('|');
    if (encoding.length > 0 && parameters.has(plain)) {
      used.add(plain);
      const remedy = `Encode it where it is given: with: { ${plain}: "\${secret:NAME|${encoding.join('|')}}" }.`;
      report('bad-expression', `a parameter takes no |${encoding.join('|')}`, at, remedy);
      continue;
    }
    used.add(argument);
    if (parameters.has(argument)) continue;
    // What is misspelt is used.
    used.add(closest(argument, [...parameters.keys()]) ?? argument);
    const { message, remedy } = noParameter(argument, name, parameters);
    report('bad-expression', message, at, remedy);
  }
}

/** Where texts stand that look like expressions and are none there. */
interface Stray {
  readonly pattern: RegExp;
  readonly outside: string;
  readonly remedy: string;
}

const strayHoles: Stray = {
  // A shell has ${name:-default} and ${name:1}.
  pattern: /(?<!\$)\$\{(?:param:[A-Za-z_]|block:key)[^}]*\}/,
  outside: 'a template',
  remedy: 'Write the value itself, or move the text into a template.',
};

const strayIds: Stray = {
  pattern: idExpression,
  outside: 'the variables of the root file',
  remedy: 'Write ${var:NAME} here, and under variables: in the root file give it a value with the id.',
};

/** Warns of holes outside of templates: nothing fills them, and they stay as text. */
export function warnOfHoles(tree: MapNode, report: Report): void {
  for (const [key, { node }] of tree.entries) if (key !== 'templates') warnOfStray(node, strayHoles, report);
}

/** Warns of the id of a preview where it stays as text. */
export function warnOfIds(tree: MapNode, report: Report): void {
  warnOfStray(tree, strayIds, report);
}

function warnOfStray(node: Node, stray: Stray, report: Report): void {
  eachNode(node, (one) => {
    const written = stray.pattern.exec(textOf(one) ?? '')?.[0];
    if (written === undefined) return;
    const message = `${written} stands outside of ${stray.outside} and stays as text`;
    report('no-expression', message, one.at, stray.remedy);
  });
}

/** The sentence about a parameter that a template does not have. */
function noParameter(written: string, template: string, parameters: Template['parameters']) {
  const names = [...parameters.keys()];
  return {
    message: `the template ${template} has no parameter ${written}`,
    remedy: didYouMean(written, names, `It has ${names.join(', ') || 'none'}.`),
  };
}

/** The values of the parameters of a template at a use, by name. What is missing or wrong is reported, and not among them. */
export function argumentsOf(
  { name, parameters }: Template,
  given: Entry | undefined,
  { useAt, report }: { readonly useAt: Place; readonly report: Report },
): ReadonlyMap<string, Node> {
  const entries = entriesOf(given?.node);
  if (given !== undefined && given.node.is !== 'map')
    report('wrong-type', 'with must be a map of parameters', given.node.at, 'Write with: { name: value }.');
  for (const [key, { keyAt }] of entries) {
    if (parameters.has(key)) continue;
    const { message, remedy } = noParameter(key, name, parameters);
    report('unknown-key', message, keyAt, remedy);
  }
  const values = new Map<string, Node>();
  for (const [parameter, { declaration, declaredAt, defaultAt }] of parameters) {
    const written = entries.get(parameter)?.node;
    const value =
      written === undefined
        ? declaration.default && asNode(declaration.default, { ...(defaultAt ?? useAt), via: viaOf(useAt) })
        : argument(parameter, { declaration, declaredAt }, written, report);
    if (value !== undefined) values.set(parameter, value);
    else if (written === undefined) {
      const remedy = `Write with: { ${parameter}: … } beside use:, or declare a default.`;
      report('missing-key', `the template ${name} needs the parameter ${parameter}`, useAt, remedy);
    }
  }
  return values;
}

/** The uses that led to what a template gives: its own use, and those that led to that. */
export function viaOf({ via = [], ...useAt }: Place): readonly Place[] {
  return [useAt, ...via];
}

function argument(
  name: string,
  { declaration, declaredAt }: Pick<Parameter, 'declaration' | 'declaredAt'>,
  node: Node,
  report: Report,
): Node | undefined {
  // What an expression gives is checked where it stands in the end.
  const text = textOf(node) ?? '';
  if (/(?<!\$)\$\{[a-z]+:/.test(text)) {
    if (!/(?<!\$)\$\{ref:/.test(text) || (declaration.type ?? 'text') === 'text') return node;
    const message = `with.${name} is a ${declaration.type}, and \${ref:…} gives text`;
    report('wrong-type', message, node.at, 'Write the value itself, or declare the parameter as text.');
    return undefined;
  }
  const value = readValue(declaration, node, name);
  if (!('message' in value)) return asNode(value, node.at, node);
  const { hole } = node.at;
  const handedOn = hole === undefined ? '' : ` It is handed on at ${positionText(position(hole))}.`;
  const remedy = value.remedy ?? `It is declared at ${positionText(position(declaredAt))}.${handedOn}`;
  report('wrong-type', `with.${name} ${value.message}`, node.at, remedy);
  return undefined;
}

/** A value as a node; the items of a list stand where they are written. */
function asNode(value: TypedValue, at: Place, from?: Node): Node {
  const secretParts = from?.is === 'scalar' ? from.secretParts : undefined;
  if (value.written !== undefined) return { is: 'scalar', value: value.value, source: value.written, at, secretParts };
  const items = value.value.map((text, index): Node => ({
    is: 'scalar',
    value: text,
    source: text,
    at: itemsOf(from)[index]?.at ?? at,
  }));
  return { is: 'list', items, at };
}
