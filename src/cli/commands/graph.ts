import { position } from '../../manifest/tree.ts';
import { defined } from '../../formats/json.ts';
import { didYouMean } from '../../diagnostics/closest.ts';
import { dependencies } from '../../graph/order.ts';
import { isWithin, normalAddress } from '../../kind/address.ts';
import { resolveAddress } from '../../kind/aliases.ts';
import { matchesGlob } from '../../formats/glob.ts';
import type { Resource } from '../../manifest/resource.ts';
import { loadManifest } from '../../project/load.ts';
import type { GraphDocument } from '../../render/document-schemas.ts';
import {
  type Format,
  type Formats,
  type Screen,
  type View,
  jsonView,
  printJson,
  textView,
} from '../../render/output-format.ts';
import { type GraphNode, edgesOf } from '../../render/graph-model.ts';
import { renderSvg } from '../../render/graph-svg.ts';
import { fold, indented } from '../../render/fold-lines.ts';
import { printable } from '../../render/printable.ts';
import type { Style } from '../../render/style.ts';
import { defineCommand } from '../command.ts';
import { loadFor } from '../connect.ts';
import { usage } from '../settle-options.ts';
import { target } from '../option-sets.ts';

/** Prints what `graph` reports. */
interface GraphView extends View {
  /** Resources of the manifest, each after its parent. */
  readonly graph: (resources: readonly Resource[]) => void;
}

const formats: Formats<GraphView> = {
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
  const { address, kind, parent, after } = resource;
  const before = after?.map((one) => one.address);
  return { address, kind: kind.kind, single: kind.isSingle, parent, dependsOn: dependencies(resource), after: before };
}

function graphJson(resources: readonly Resource[]): GraphDocument {
  return {
    format: 'trueup/graph',
    version: 1,
    resources: resources.map((resource) => {
      const { address, kind, parent, after } = resource;
      return {
        address,
        kind: kind.kind,
        ...defined({ single: kind.isSingle, parent }),
        dependsOn: dependencies(resource),
        ...defined({ after: after?.map((one) => one.address) }),
        position: position(resource.at),
      };
    }),
  };
}

/** Every resource on a line, with what it needs beside its parent. */
function renderText(nodes: readonly GraphNode[], style: Style): string {
  const lines = nodes.flatMap(({ address, kind, parent, dependsOn, after = [] }) => {
    const needs = dependsOn.filter((one) => one !== parent);
    const listed = [['needs', needs] as const, ['deploys after', after] as const];
    const words = listed.flatMap(([verb, some]) =>
      some.length === 0 ? [] : fold(`${verb} ${some.map(printable).join(', ')}`, 2, style),
    );
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

/** Prints the resources of the manifest and what each depends on. Sends nothing. */
export const command = defineCommand({
  options: target,
  examples: [
    'trueup graph',
    'trueup graph --format svg > graph.svg',
    'trueup graph --target production.compose.shop --format dot | dot -Tpng > shop.png',
  ],
  formats,
  several: { runs: 'at once' },
  execute: async (run, view, { flags }) => {
    const targets = flags.target ?? [];
    const { manifest } = await loadFor(run, loadManifest);
    const wanted = targets.map((word) => resolveAddress(word));
    view.graph(targets.length === 0 ? manifest.resources : narrowed(manifest.resources, wanted));
    return 'done';
  },
});

/** What the targets name, what is below it, and all that these need. @throws {Stop} `usage`, when one names nothing */
function narrowed(resources: readonly Resource[], targets: readonly string[]): readonly Resource[] {
  const byAddress = new Map(resources.map((resource) => [resource.address, resource]));
  const kept = new Set(targets.flatMap((target) => named(target, [...byAddress.keys()])));
  for (const address of kept) {
    const resource = byAddress.get(address);
    // The loop goes on to what is added meanwhile.
    if (resource !== undefined) for (const need of dependencies(resource)) kept.add(need);
  }
  return resources.filter(({ address }) => kept.has(address));
}

function named(target: string, known: readonly string[]): string[] {
  const address = normalAddress(target);
  const matches = known.filter((one) => (address === undefined ? matchesGlob(target, one) : one === address));
  const roots = address !== undefined && matches.length === 0 ? [address] : matches;
  const found = known.filter((one) => roots.some((root) => isWithin(one, root)));
  if (found.length > 0) return found;
  const remedy = didYouMean(target, known, 'trueup graph lists the addresses.');
  throw usage(`--target ${target}: the manifest has nothing there`, remedy);
}
