import { groupBy } from '../kind/group.ts';
import type { Wanted } from '../manifest/wanted.ts';
import { referenceName } from '../manifest/reference.ts';
import type { FactKind } from './plan-file.ts';

/** The facts of one address, by their paths. */
type Facts = ReadonlyMap<string, string>;

/** The facts of one address: of the plan that was reviewed, and of the plan that is made now. */
export interface Compared {
  /** The address of the block. */
  readonly block: string;
  readonly reviewed: Facts;
  readonly now: Facts;
  /** What the block declares now, by path. */
  readonly wanted: ReadonlyMap<string, Wanted>;
}

/** Sentences about facts of one kind that differ, by the rest of their paths; there is at least one. */
type Say = (paths: readonly string[], compared: Compared) => string[];

/** The sentences by the kind of the fact. What the rows below a row have to say follows from it. */
const table: readonly Readonly<Partial<Record<FactKind, Say>>>[] = [
  {
    block: (_, { now, block }) => [
      `${block} ${now.has('block') ? 'was not declared when the plan was made' : 'is not declared any more'}`,
    ],
  },
  { lapsed: lapsedNow },
  { declared: otherDeclarations, missing: missingNow },
  {
    action: otherAction,
    moved: (from, { block }) => [`${block} gets the record of ${from.join(', ')} now`],
  },
  { id: (_, { now, block }) => [`${block} is another object now (${now.get('id') ?? ''})`] },
  {
    was: otherFields,
    warning: (texts) => [...texts],
    risk: (_, { now, block }) => [
      `to ${actionIn(now) ?? 'deploy'} ${block} puts data at risk: ${now.get('risk') ?? ''}`,
    ],
    consent: (_, { block }) => [`to take over ${block} needs consent`],
  },
  { send: (steps, { block }) => steps.map((step) => `${block} needs ${operationOf(step)} now`), member: otherMembers },
  { order: sentOtherwise, changed: sentOtherwise },
];

/**
 * What the plan that is made now does at an address and the reviewed plan did not: it may have fewer facts, not others.
 * Only of what is declared, it may not have fewer either.
 */
export function surprises(compared: Compared): string[] {
  for (const row of table) {
    const found = Object.entries(row).flatMap(([kind, say]) => {
      const paths = differing(kind as FactKind, compared); // the keys of the table are kinds
      return paths.length === 0 ? [] : say(paths, compared);
    });
    if (found.length > 0) return [...new Set(found)];
  }
  return [];
}

/** What was reviewed of an action and is not needed any more. */
export function whatIsLeftOut({ block, reviewed, now }: Omit<Compared, 'wanted'>): string[] {
  const [old, present] = [actionIn(reviewed), actionIn(now)];
  if (old === undefined) return [];
  if (present === undefined) return [`to ${old} ${block} is not needed any more`];
  if (old === 'delete' && present === 'forget') return [`${block} is gone already, and is only forgotten`];
  const done = pathsOf(reviewed, 'was').filter((path) => !now.has(`was ${path}`));
  return [
    ...(old === present ? [] : [`${block} is already where it was to be moved`]),
    ...sentence(done, (paths) => `${paths} of ${block} is already as planned`),
  ];
}

/** The facts of one kind that differ, by the rest of their paths. */
function differing(kind: FactKind, { reviewed, now }: Pick<Compared, 'reviewed' | 'now'>): string[] {
  const mustStay = kind === 'block' || kind === 'declared';
  return [...new Set([...(mustStay ? pathsOf(reviewed, kind) : []), ...pathsOf(now, kind)])].filter((rest) => {
    const path = rest === '' ? kind : `${kind} ${rest}`;
    const [old, present] = [reviewed.get(path), now.get(path)];
    // A set that others add to may have grown.
    return kind === 'was' && old !== undefined ? !isAmong(old, present ?? '') : old !== present;
  });
}

/** The paths of one kind, without the word of their kind. */
function pathsOf(facts: Facts, kind: FactKind): string[] {
  return [...facts.keys()].flatMap((path) =>
    path === kind ? [''] : path.startsWith(`${kind} `) ? [path.slice(kind.length + 1)] : [],
  );
}

/** Whether each of some digests is one of others. */
function isAmong(some: string, others: string): boolean {
  const all = others.split(' ');
  return some === '' || some.split(' ').every((one) => all.includes(one));
}

/** The name of the action. */
function actionIn(facts: Facts): string | undefined {
  return pathsOf(facts, 'action')[0]?.split(' ')[0];
}

function otherDeclarations(paths: readonly string[], compared: Compared): string[] {
  const { reviewed, now, wanted, block } = compared;
  // What the plan did not know it does not say: what comes of it now is no request that was reviewed.
  const known = paths.filter(
    (path) => !isInBoth(path, compared) || reviewed.get(`missing ${path}`) === now.get(`missing ${path}`),
  );
  const concealed = known.filter((path) => isInBoth(path, compared) && wanted.get(path)?.isSecret === true);
  const edited = known.filter((path) => !concealed.includes(path));
  return [
    ...sentence(edited, (all) => `${all} of ${block} was changed after the plan was made`),
    ...sentence(
      concealed,
      (all) => `${all} of ${block} changed: a secret or a variable of the environment in it has another value`,
    ),
  ];
}

function lapsedNow(paths: readonly string[], { now, block }: Compared): string[] {
  return paths.map(
    (path) => `${path} of ${block} was accepted until ${now.get(`lapsed ${path}`) ?? ''}, which has passed`,
  );
}

function missingNow(paths: readonly string[], compared: Compared): string[] {
  const known = paths.filter((path) => isInBoth(path, compared));
  return sentence(known, (all) => `${all} of ${compared.block} needs a secret that this run does not have`);
}

function isInBoth(path: string, { reviewed, now }: Compared): boolean {
  return reviewed.has(`declared ${path}`) && now.has(`declared ${path}`);
}

/** Says what happened to an object; an update of what was to stay as it is has its reason in its fields. */
function otherAction([outcome = '']: readonly string[], compared: Compared): string[] {
  const { block, now } = compared;
  const fields = differing('was', compared);
  const [action = ''] = outcome.split(' ');
  switch (action) {
    case 'create':
      return [`${block} is not on the platform any more`];
    case 'adopt':
      return [`${block} exists on the platform by now (${now.get('id') ?? ''})`];
    case 'move':
      return [`${block} was moved on the platform`];
    case 'deploy':
      return [`${block} has to be deployed now`];
    case 'run':
      return [`${block} has to run now`];
    case 'update':
      return actionIn(compared.reviewed) === undefined && fields.length > 0
        ? otherFields(fields, compared)
        : [`${block} has to be updated now`];
    default:
      return [`to ${action} ${block} is not in the plan`];
  }
}

/** Says why fields are overwritten that were not to be, or that are not what they were. */
function otherFields(paths: readonly string[], { reviewed, wanted, block }: Compared): string[] {
  const secret = paths.filter((path) => reviewed.has(`missing ${path}`));
  const plain = paths.filter((path) => !reviewed.has(`missing ${path}`));
  // What was to be overwritten all the same is another value of the platform, not of a reference.
  const references = plain.flatMap((path) => (reviewed.has(`was ${path}`) ? [] : (wanted.get(path)?.references ?? [])));
  const refersTo = [...new Set(references.map(referenceName))].join(', ');
  return [
    ...sentence(secret, (all) => `${all} of ${block} needs a secret that the plan was made without`),
    ...sentence(
      plain,
      (all) => `${all} of ${block}${refersTo === '' ? '' : `, or ${refersTo} in it,`} was changed on the platform`,
    ),
  ];
}

/** Says which members of reviewed requests were not reviewed. */
function otherMembers(paths: readonly string[], { reviewed, block }: Compared): string[] {
  const members = groupBy(paths.map((path) => path.split(' ')).map(([step = '', name = '']) => [step, name]));
  return [...members]
    .filter(([step]) => reviewed.has(`send ${step}`))
    .map(([step, names]) => `${operationOf(step)} would send another ${[...new Set(names)].join(', ')} for ${block}`);
}

function sentOtherwise(_paths: readonly string[], { block }: Compared): string[] {
  return [`what is sent for ${block} would be sent otherwise`];
}

function operationOf(step: string): string {
  return step.replace(/:.*$/, '');
}

/** One sentence about some fields; none when there are none. */
function sentence(paths: readonly string[], say: (paths: string) => string): string[] {
  return paths.length === 0 ? [] : [say(paths.join(', '))];
}
