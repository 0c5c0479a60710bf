import { dependencies } from '../../graph/order.ts';
import type { Resource } from '../../manifest/resource.ts';
import { resourcePosition } from '../../manifest/resource.ts';
import type { GraphDocument } from '../documents.ts';
import type { Format, Formats, Screen, View } from '../format.ts';
import type { GraphNode } from '../graph-model.ts';
import { edgesOf } from '../graph-model.ts';
import { renderSvg } from '../graph-svg.ts';
import { jsonView, printJson } from '../json-view.ts';
import { fold, indented } from '../lines.ts';
import { printable } from '../printable.ts';
import type { Style } from '../style.ts';
import { textView } from '../text-view.ts';

/** Prints what `graph` reports. */
export interface GraphView extends View {
  /** Resources of the manifest, each after its parent. */
  readonly graph: (resources: readonly Resource[]) => void;
}

/** The formats of `graph`. */
export const graphFormats: Formats<GraphView> = {
  text: pictured((nodes, { outStyle }) => renderText(nodes, outStyle)),
  json: (screen) => ({ ...jsonView(screen), graph: (resources) => printJson(screen, graphJson(resources)) }),
  dot: pictured((nodes) => renderDot(nodes)),
  svg: pictured((nodes) => renderSvg(nodes)),
};

function pictured(render: (nodes: readonly GraphNode[], screen: Screen) => string): Format<GraphView> {
  return (screen) => ({
    ...textView(screen),
    graph: (resources) => screen.out(render(resources.map(nodeOf), screen)),
  });
}

function nodeOf(resource: Resource): GraphNode {
  const { address, kind, parent } = resource;
  return { address, kind: kind.kind, parent, dependsOn: dependencies(resource) };
}

function graphJson(resources: readonly Resource[]): GraphDocument {
  return {
    format: 'trueup/graph',
    version: 1,
    resources: resources.map((resource) => {
      const { address, kind, parent } = resource;
      return {
        address,
        kind: kind.kind,
        ...(parent === undefined ? {} : { parent }),
        dependsOn: dependencies(resource),
        position: resourcePosition(resource),
      };
    }),
  };
}

/** Every resource on a line, with what it needs beside its parent. */
function renderText(nodes: readonly GraphNode[], style: Style): string {
  const lines = nodes.flatMap(({ address, kind, parent, dependsOn }) => {
    const needs = dependsOn.filter((one) => one !== parent).map(printable);
    const words = needs.length === 0 ? [] : fold(`needs ${needs.join(', ')}`, 2, style);
    return [`${printable(address)} ${style.paint('faint', `(${printable(kind)})`)}`, ...indented(words, 2)];
  });
  return lines.map((line) => `${line}\n`).join('');
}

/** The language of Graphviz; an arrow points to what a resource needs. */
function renderDot(nodes: readonly GraphNode[]): string {
  const names = new Map(nodes.map(({ address }, at) => [address, `r${at}`]));
  const lines = [
    ...nodes.map(({ address, kind }, at) => `r${at} [label=${quoted(address)}, tooltip=${quoted(kind)}];`),
    ...edgesOf(nodes).map(({ from, to }) => `${names.get(from)} -> ${names.get(to)};`),
  ];
  return `digraph trueup {\n  rankdir=RL;\n  node [shape=box, fontname=monospace];\n${indented(lines, 2).join('\n')}\n}\n`;
}

/** A text as Graphviz shows it as it is: it knows escapes and the entities of HTML. */
function quoted(text: string): string {
  const clean = printable(text).replaceAll('&', '&amp;').replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  return `"${clean}"`;
}
