import {
  type GraphNode,
  aroundChanges,
  edgesAcross,
  environmentsOf,
  foldServices,
  groupGraph,
} from '../graph-model.ts';
import { drawGraph } from '../graph-svg.ts';
import { counted } from '../fold-lines.ts';
import { type Markup, markup } from '../markup.ts';
import { isChange } from '../action-words.ts';
import { type Reader, readerOfCommand } from './reader-words.ts';

/** A choice of what the drawing shows. */
interface Level {
  readonly name: string;
  readonly label: string;
  readonly nodes: readonly GraphNode[];
}

/** Most resources of one drawing. */
const maxNodes = 1_200;

/** Most resources that are drawn without being asked for. */
const maxOpen = 80;

/** The dependency graph: one drawing per environment, for each level. Empty without dependencies. */
export function renderGraph(
  nodes: readonly GraphNode[],
  linkOf: (address: string) => string | undefined,
  { tooMany: fewer }: Pick<Reader, 'tooMany'> = readerOfCommand,
): Markup {
  const changes = aroundChanges(nodes);
  const services = foldServices(nodes);
  // A level that shows the same as a later one is none.
  const all: Level[] = [
    ...(changes.length < nodes.length
      ? [{ name: 'changes', label: 'changes and their neighbours', nodes: changes }]
      : []),
    ...(services.length < nodes.length ? [{ name: 'services', label: 'services', nodes: services }] : []),
    { name: 'resources', label: 'all resources', nodes },
  ];
  const some = all.filter((level) => level.nodes.length > 1);
  const drawn = some.filter((level) => level.nodes.length <= maxNodes);
  const [first] = drawn;
  if (first === undefined) return markup``;
  const tooMany = some.filter((level) => level.nodes.length > maxNodes);
  const isOpen = first.nodes.length <= maxOpen;
  return markup`<section id="dependencies" aria-labelledby="dependencies-title"><details class="fold"${isOpen ? markup` open` : ''}><summary><h2 id="dependencies-title">Dependencies</h2></summary>
<fieldset class="levels"><legend>Show</legend>${drawn.map(
    ({ name, label, nodes: members }, at) =>
      markup`<label><input type="radio" name="level" id="level-${name}"${at === 0 ? markup` checked` : ''}>${label} <b>${members.length}</b></label>`,
  )}</fieldset>
<p class="hint">What a resource needs stands to its left. Each box leads to its resource.</p>
${tooMany.map((level) => markup`<p class="hint">${counted(level.nodes.length, 'resource')} are too many for ${`“${level.label}”`}${fewer}.</p>`)}
${drawn.map((level) => renderLevel(level, linkOf))}
</details></section>`;
}

function renderLevel({ name, nodes }: Level, linkOf: (address: string) => string | undefined): Markup {
  const environments = environmentsOf(nodes);
  const across = edgesAcross(nodes);
  return markup`<div class="level level-${name}">${groupGraph(nodes).map(({ environment, nodes: members, edges }) => {
    const picture = drawGraph(members, edges, { below: environment, linkOf });
    const changed = members.filter(isChange).length;
    const title = environment ?? 'outside environments';
    const others = across.filter(({ from }) => environments.get(from) === environment);
    const [width, height] = [picture.width + 2, picture.height + 2];
    return markup`<details class="drawing" open><summary><h3><code>${title}</code></h3> <span>${counted(members.length, 'resource')}, ${counted(changed, 'change')}</span></summary><div class="scroll" role="region" tabindex="0" aria-label="Drawing of ${title}"><svg width="${width}" height="${height}" viewBox="-1 -1 ${width} ${height}">${picture.shapes}</svg></div>${
      others.length === 0
        ? ''
        : markup`<p class="hint">Needs of other groups: ${others.slice(0, maxAcross).map(({ from, to }, at) => markup`${at === 0 ? '' : ', '}<code>${from}</code> needs <code>${to}</code>`)}${others.length > maxAcross ? `, and ${others.length - maxAcross} more` : ''}.</p>`
    }</details>`;
  })}</div>`;
}

/** Dependencies on other groups that are named. */
const maxAcross = 12;
