import { onceFor } from '../api/once.ts';
import { withoutSlash } from '../api/slash.ts';
import type { CheckedResource } from '../kind/checks.ts';
import { type Kind, root } from '../kind/kind.ts';
import { topOf } from '../kind/top.ts';
import { findBlocks } from '../manifest/blocks.ts';
import { showing } from '../secrets/looks-secret.ts';
import type { ManifestInput } from '../manifest/manifest.ts';
import type { Block } from '../manifest/resource.ts';
import type { StatePlace } from '../manifest/settings.ts';
import { filledText } from '../manifest/sources/var.ts';
import { type Place, nodeAt } from '../manifest/tree.ts';
import { givenElsewhere } from '../manifest/variables.ts';
import type { Whole, WholeRead } from '../manifest/whole.ts';
import { writtenOf } from '../manifest/written-fields.ts';
import { isOfProject } from '../observe/ownership.ts';

/** A thing of a platform that one root file has for itself. */
interface Claim {
  readonly what: string;
  readonly at: Place;
  /** A variable takes part in it, and a run may give it another value. */
  readonly isVariable: boolean;
  /** It is one thing for root files on all platforms. */
  readonly isAnywhere?: true;
  /** The platform keeps both. */
  readonly isHarmless: boolean;
  readonly remedy: (own: string, other: string) => string;
  /** The remedy where one line of a shared file declares it for both root files, unless that is the same. */
  readonly remedyOfShared?: (own: string, other: string) => string;
}

/** A root file with what it has for itself, by what that is. */
export interface RootClaims extends WholeRead {
  readonly claims: ReadonlyMap<string, Claim>;
}

/** A text that is known, and whether a variable takes part in it. */
interface Known {
  readonly text: string;
  readonly isVariable: boolean;
}

/** Fills the variables of a text; undefined where it has another expression, or a variable whose value is not known. */
export function fillerOf(
  { tree, values }: Whole,
  reading: Pick<ManifestInput, 'given' | 'valueFiles'>,
): (value: unknown) => Known | undefined {
  const isGiven = givenElsewhere(reading);
  const valueOf = (name: string) => {
    const node = values.get(name)?.node ?? nodeAt(tree, ['variables', name, 'default']);
    return node?.is === 'scalar' && !isGiven(name) ? node.source : undefined;
  };
  return (value) => {
    const text = textOf(value);
    const filled = text === undefined ? undefined : filledText(text, valueOf);
    return filled === undefined ? undefined : { text: filled, isVariable: filled !== text };
  };
}

/** What a root file has for itself. Values that the command line and the environment give are not known. */
export function claimsOf(whole: Whole, reading: Pick<ManifestInput, 'given' | 'valueFiles'>): RootClaims['claims'] {
  const { project } = whole.settings;
  const { blocks } = findBlocks(whole.tree, whole.kinds, []);
  const filled = fillerOf(whole, reading);
  const found = new Map<string, Claim>();
  const byAddress = new Map(blocks.map((block) => [block.address, block]));
  const top = topOf(blocks.map(({ kind }) => kind));
  const add = (block: Block, key: readonly (Known | undefined)[], { sort = block.kind.kind, ...claim }: Unplaced) => {
    if (key.includes(undefined)) return;
    const name = JSON.stringify([sort, ...key.map((part) => part?.text)]);
    found.set(name, {
      isHarmless: false,
      at: block.at,
      ...claim,
      isVariable: key.some((part) => part?.isVariable === true),
    });
  };
  const literal = (text: string): Known => ({ text, isVariable: false });
  for (const block of blocks) {
    const { kind, key, address } = block;
    const { addressedByKey, keyField, alone } = kind.identity;
    if (kind === top) {
      const remedy = (own: string, other: string) =>
        `Keep the block in one of ${own} and ${other}; in the other, write project: ${project}.`;
      const remedyOfShared = (own: string, other: string) =>
        `Move the block into ${own} or ${other}; in the other, write project: ${project}.`;
      add(block, [literal(project)], { what: `the block of the project ${project}`, remedy, remedyOfShared });
    } else if (addressedByKey === true) {
      const remedy = (own: string) => `Give ${own} another environment, or remove one of the two root files.`;
      const what = `the ${kind.kind} ${key} of the project ${project}`;
      add(block, [literal(project), literal(key)], { what, remedy });
    } else if (kind.parents[root] !== undefined && !isOfProject(kind)) {
      const remedy = (own: string, other: string) =>
        `Put it into a file that only one of ${own} and ${other} includes${kind.isSingle === true ? '' : '; the other writes its name'}.`;
      const name = keyField === undefined ? literal(key) : fieldOf(block, keyField, filled);
      add(block, [name], { what: address, remedy });
    }
    if (alone !== undefined) {
      // A value may come from elsewhere, and does not show.
      const values = alone.map((field) => fieldOf(block, field, filled));
      const shown = values.map((value) => JSON.stringify(value?.text)).join(', ');
      const what = `a ${kind.kind} with the ${alone.join(' and ')} of ${address} (${shown})`;
      const remedy = () => `Choose another ${alone.join(' or ')} for one of the two.`;
      // A host is the same in small and capital letters.
      const key = values.map((value, i) =>
        alone[i] === 'host' && value !== undefined ? { ...value, text: value.text.toLowerCase() } : value,
      );
      add(block, key, { what, at: fieldAt(block, ...alone), remedy, remedyOfShared: withVariable });
    }
    for (const [values, claim] of onServer(block, (address) => byAddress.get(address), filled))
      add(block, values, claim);
  }
  const state = stateOf(whole);
  if (state !== undefined) found.set(...state);
  return found;
}

function withVariable(own: string, other: string): string {
  return `One line says it for both: write a variable into it, and give it another value in ${own} and ${other}.`;
}

/** The place of the state of a root file; undefined: it names none, and each has its own. */
function stateOf({ settings: { state }, tree }: Whole): readonly [string, Claim] | undefined {
  const at = tree.entries.get('state')?.keyAt;
  const named = state === undefined || state.backend === 'local' ? undefined : placeOf(state);
  if (named === undefined || at === undefined) return undefined;
  const { key, what, member } = named;
  const remedy = (own: string) => `Write another ${member} into ${own}.`;
  return [
    JSON.stringify(['state', ...key]),
    { what, at, isVariable: false, isHarmless: false, isAnywhere: true, remedy },
  ];
}

function placeOf(state: Exclude<StatePlace, { backend: 'local' }>) {
  if (state.backend === 's3') {
    const { endpoint, bucket, prefix } = state;
    if (prefix === undefined) return undefined;
    const what = `the state ${withoutSlash(prefix)} in the bucket ${bucket}`;
    return { key: [withoutSlash(endpoint), bucket, withoutSlash(prefix)], what, member: 'prefix' };
  }
  const { schema = '', name } = state;
  return name === undefined ? undefined : { key: [schema, name], what: `the state ${name}`, member: 'name' };
}

/** A claim without its place. */
type Unplaced = Pick<Claim, 'what' | 'remedy'> & Partial<Claim> & { readonly sort?: string };

/** Folders that hold no data of a service, such as that of the socket of Docker. */
const ofSystem = /^\/(?:etc|proc|sys|dev|run|usr|var\/run)(?:\/|$)/;

/** The fields of a kind that name a volume or a folder. */
const dataOf = onceFor(({ fields }: Kind) =>
  Object.entries(fields).flatMap(([field, { inPreviews: rule }]) =>
    rule === 'volume' || rule === 'folder' ? [{ field, rule } as const] : [],
  ),
);

/** The ports, volumes and folders of its server that a block takes, as far as they are known. */
function onServer(
  block: Block,
  at: (address: string) => Block | undefined,
  filled: (value: unknown) => Known | undefined,
): readonly (readonly [values: readonly (Known | undefined)[], claim: Unplaced])[] {
  const { kind, parent = '' } = block;
  const [publishes, onDisk] = [kind.checks?.publishes, dataOf(kind)];
  if (publishes === undefined && onDisk.length === 0) return [];
  const service = at(parent) ?? block;
  const server = fieldOf(service, 'serverId', filled);
  if (server === undefined && writtenOf(service, 'serverId').length > 0) return [];
  const place: Known = server ?? { text: 'null', isVariable: false };
  const checked = (one: Block | undefined) => one && knownFields(one, filled);
  const ports = publishes?.(knownFields(block, filled), (address) => checked(at(address))) ?? [];
  const placed = (field: string, why: string) => ({
    at: fieldAt(block, field),
    remedy: () => `Choose another ${field} for one of the two: ${why}.`,
    remedyOfShared: withVariable,
    isHarmless: true,
  });
  return [
    // Those of each machine may be on two machines, and root files that name no platform on two platforms.
    ...ports.flatMap(({ field, port, protocol, isPerMachine }) => {
      if (isPerMachine === true) return [];
      const values = [fieldOf(block, field, filled), filled(String(protocol)), place];
      const what = `the published port ${String(port)} (${String(protocol)}) of one server`;
      return [[values, { sort: 'published', what, ...placed(field, 'Docker starts only one of them') }] as const];
    }),
    ...onDisk.flatMap(({ field, rule }) => {
      const value = fieldOf(block, field, filled);
      if (value === undefined || ofSystem.test(value.text)) return [];
      const what = `the ${rule} ${value.text} of one server`;
      const claim = { sort: rule, what, ...placed(field, 'both write the same data') };
      return [[[value, place], claim] as const];
    }),
  ];
}

/** The fields of a block whose values are known, for the checks of its kind. */
function knownFields(block: Block, filled: (value: unknown) => Known | undefined): CheckedResource {
  const { address, kind, key, parent } = block;
  const values: Record<string, string | number> = {};
  const unknown: string[] = [];
  for (const field of Object.keys(kind.fields)) {
    const known = fieldOf(block, field, filled)?.text;
    if (known !== undefined) values[field] = /^\d+$/.test(known) ? Number(known) : known;
    else if (writtenOf(block, field).length > 0) unknown.push(field);
  }
  const written = (name: string) => values[name];
  return { address, kind: kind.kind, key, parent, values, unknown, written, maps: {}, shown: showing() };
}

/** The value of a field, or its default; undefined: it is not known. */
function fieldOf(block: Block, field: string, filled: (value: unknown) => Known | undefined): Known | undefined {
  const { kind, key } = block;
  const node = writtenOf(block, field)[0]?.node;
  if (node !== undefined) return node.is === 'scalar' ? filled(node.value) : undefined;
  return filled(field === kind.identity.keyField ? key : kind.fields[field]?.otherwise);
}

/** The place of the first of some fields that is written; that of the block, where none is. */
function fieldAt(block: Block, ...fields: readonly string[]): Place {
  return fields.flatMap((field) => writtenOf(block, field))[0]?.node.at ?? block.at;
}

function textOf(value: unknown): string | undefined {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}
