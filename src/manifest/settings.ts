import type { Profile } from '../api/contract.ts';
import * as z from 'zod';
import { closest } from '../diagnostics/closest.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import { parseExpressions } from './expression.ts';
import { adviceFor, problemOf } from './problem.ts';
import type { ExpressionSource, Variable } from './sources/source.ts';
import { reshapedSetting } from './reshape.ts';
import { settingInstead } from './short-value.ts';
import type { MapNode, Node, Place } from './tree.ts';
import { groupBy } from '../kind/group.ts';
import { toJson } from '../formats/simple-yaml.ts';
import { position } from './tree.ts';
import { neededSettings, plainScalar, secretName, settingsShape } from './settings-shape.ts';

/** What the top of `trueup.yaml` says besides the resources. */
export interface Settings {
  /** The embedded emulator, or a platform by its address. */
  readonly platform: 'emulator' | { readonly url: string };
  /** The profile of the platform; undefined: the manifest does not say. */
  readonly profile?: Profile | undefined;
  /** Id or name of the project. */
  readonly project: string;
  /** The file that the manifest begins with, as it is named below its folder. */
  readonly rootFile?: string;
  /** The manifest declares the project as a block: it is created, updated and deleted like every other object. */
  readonly ownsProject?: true;
  /** Where `project:` stands. */
  readonly projectAt?: Place;
  /** undefined: the environment may name one; otherwise it is in the folder of the manifest. */
  readonly state: StatePlace | undefined;
  readonly include: readonly string[];
  /** What was declared, by name; `undefined` for a variable that has no value. */
  readonly variables: ReadonlyMap<string, Variable>;
  readonly moved: readonly { readonly from: string; readonly to: string; readonly at: Place }[];
  /** In the order in which they are asked, after the environment. */
  readonly secrets: readonly SecretSource[];
  /** undefined: the defaults. */
  readonly drift?: DriftSettings | undefined;
  /** Where `trueup drift` reports what it finds; none when left out. */
  readonly notify?: readonly Receiver[] | undefined;
}

/** A receiver of notifications, as the manifest declares it. */
export interface Receiver {
  /** The form of its messages. */
  readonly as: 'json' | 'slack' | 'discord' | 'teams';
  /** `new`: only new, expired and resolved drift is worth a message. */
  readonly on: 'new' | 'any';
  /** The name of the secret that is its address. */
  readonly url: string;
  /** The name of the secret that signs messages. */
  readonly signature?: string | undefined;
  readonly at: Place;
}

/** What `trueup drift` leaves out, and where it remembers findings. */
export type DriftSettings = Readonly<NonNullable<z.output<typeof settingsShape.drift>>>;

/** Where the state is kept; the credentials come from the environment. */
export type StatePlace = Readonly<NonNullable<z.output<typeof settingsShape.state>>>;

/** Where secrets come from: an env file in clear, one encrypted with age, or a program that is run for each name. */
export type SecretSource = { readonly at: Place } & (
  | { readonly is: 'file' | 'age'; readonly path: string }
  | { readonly is: 'command'; readonly words: readonly string[]; readonly passes: readonly string[] }
);

/** Reads the settings of the root file; problems go into `diagnostics`. */
export function readSettings(
  root: MapNode,
  {
    given,
    platformUrl,
    sources,
  }: {
    readonly given: (name: string) => string | undefined;
    /** The address of the platform where the manifest names none: TRUEUP_URL. */
    readonly platformUrl?: string | undefined;
    readonly sources: readonly ExpressionSource[];
  },
  diagnostics: Diagnostic[],
): Settings | undefined {
  const before = diagnostics.length;
  const read = <K extends keyof typeof settingsShape>(key: K): z.output<(typeof settingsShape)[K]> | undefined => {
    const entry = root.entries.get(key);
    const report = (code: 'missing-key' | 'wrong-type', message: string, place: Place, remedy = remedies[key]) =>
      diagnostics.push(diagnostic(code, message, { remedy, position: position(place) }));
    if (entry === undefined) {
      if (neededSettings.has(key)) report('missing-key', `${key} is missing`, root.at);
      return undefined;
    }
    const value = toJson(entry.node);
    const result = settingsShape[key].safeParse(value);
    if (result.success) return result.data as z.output<(typeof settingsShape)[K]>; // the shape's own output
    const refused = { name: key, value, isSecret: key === 'secrets' };
    for (const error of byPlace(result.error)) {
      const { message, place, unknownKey } = problemOf(error, entry.node, refused);
      const guess =
        unknownKey === undefined ? undefined : closest(unknownKey, keysOf(z.toJSONSchema(settingsShape[key], forKeys)));
      const meant = settingInstead(key, reshapedSetting(value), settingsShape[key]);
      const advice = meant ?? (unknownKey === undefined && key === 'platform' ? adviceFor(error, refused) : undefined);
      report('wrong-type', message, place, guess === undefined ? advice : `Did you mean ${guess}?`);
    }
    return undefined;
  };
  read('trueup');
  const state = read('state');
  const platform = root.entries.has('platform') ? read('platform') : platformAt(platformUrl);
  if (!root.entries.has('platform') && platform === undefined) {
    const why = platformUrl === undefined ? '' : ', and TRUEUP_URL is no address of a platform';
    const about = { remedy: remedies.platform, position: position(root.at) };
    diagnostics.push(diagnostic('missing-key', `platform is missing${why}`, about));
  }
  const written = read('project');
  const project = typeof written === 'string' ? written : written?.name;
  const include = read('include');
  const variables = read('variables');
  const moved = read('moved');
  refuseProto(root, diagnostics);
  const secrets = read('secrets');
  const drift = read('drift');
  read('outputs');
  for (const key of Object.keys(settingsShape)) {
    const node = root.entries.get(key)?.node;
    // A block takes expressions, except in its name.
    const plain = key === 'project' && node?.is === 'map' ? node.entries.get('name')?.node : node;
    if (plain !== undefined && key !== 'outputs') refuseExpressions([key], plain, sources, diagnostics);
  }
  if (diagnostics.length > before || platform === undefined || project === undefined) return undefined;
  const itemAt = (key: 'moved' | 'secrets', index: number): Place => {
    const list = root.entries.get(key)?.node;
    return (list?.is === 'list' ? list.items[index]?.at : undefined) ?? root.at;
  };
  return {
    ...platformOf(platform),
    project,
    ...(typeof written === 'string' ? {} : ({ ownsProject: true } as const)),
    projectAt: root.entries.get('project')?.node.at ?? root.at,
    state,
    include: include ?? [],
    variables: new Map(
      Object.entries(variables ?? {}).map(([name, declared]) => [name, variable(root, name, given(name), declared)]),
    ),
    moved: (moved ?? []).map((item, index) => ({ ...item, at: itemAt('moved', index) })),
    secrets: (secrets ?? []).map((source, index) => secretSource(source, itemAt('secrets', index))),
    ...(drift === undefined ? {} : { drift }),
    ...(drift?.notify === undefined ? {} : { notify: receivers(root, drift.notify) }),
  };
}

/**
 * The problems of a value by their places. What a map lacks beside an unknown key is probably what that key was meant to be.
 */
function byPlace({ issues }: z.ZodError): z.ZodError[] {
  const placeOf = ({ path }: z.core.$ZodIssue) => JSON.stringify(path);
  const unknown = new Set(issues.filter(({ code }) => code === 'unrecognized_keys').map(placeOf));
  const reported = issues.filter((issue) => issue.code !== 'custom' || !unknown.has(placeOf(issue)));
  return [...groupBy(reported.map((issue) => [placeOf(issue), issue])).values()].map((some) => new z.ZodError(some));
}

const forKeys = { io: 'input', unrepresentable: 'any' } as const;

/** All keys of maps in a JSON Schema. */
function keysOf(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(keysOf);
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'properties'
      ? [...Object.keys(value as object), ...Object.values(value as object).flatMap(keysOf)]
      : keysOf(value),
  );
}

function receivers(root: MapNode, written: NonNullable<DriftSettings['notify']>): Receiver[] {
  const drift = root.entries.get('drift')?.node;
  const list = drift?.is === 'map' ? drift.entries.get('notify')?.node : undefined;
  const nameIn = (reference: string) => secretName.exec(reference)?.[1] ?? '';
  return written.map(({ url, as, on = 'new', signature }, index) => ({
    as,
    on,
    url: nameIn(url),
    ...(signature === undefined ? {} : { signature: nameIn(signature) }),
    at: (list?.is === 'list' ? list.items[index]?.at : undefined) ?? root.at,
  }));
}

/** The platform at the address that the environment gives; undefined: it gives none. */
function platformAt(url: string | undefined): z.output<typeof settingsShape.platform> {
  return settingsShape.platform.safeParse(url === undefined ? url : { url }).data;
}

/** A platform as it is written, and its profile. Never throws. */
export function platformOf(
  written: NonNullable<z.output<typeof settingsShape.platform>>,
): Pick<Settings, 'platform' | 'profile'> {
  if (written === 'emulator') return { platform: written };
  const { profile: named } = written;
  return {
    platform: 'url' in written ? { url: written.url } : 'emulator',
    ...(named === undefined ? {} : { profile: named }),
  };
}

/** Refuses a variable `__proto__` and a wrong output of that name: a record of zod drops the key instead of checking it. */
function refuseProto(root: MapNode, diagnostics: Diagnostic[]): void {
  const entryIn = (key: 'variables' | 'outputs') => {
    const node = root.entries.get(key)?.node;
    return node?.is === 'map' ? node.entries.get('__proto__') : undefined;
  };
  const report = (message: string, remedy: string, place: Place) =>
    diagnostics.push(diagnostic('wrong-type', message, { remedy, position: position(place) }));
  const [variable, output] = [entryIn('variables'), entryIn('outputs')];
  if (variable !== undefined) {
    report('variables: a variable cannot have the name __proto__', 'Choose another name.', variable.keyAt);
  }
  if (output !== undefined && !plainScalar.safeParse(toJson(output.node)).success) {
    report('outputs.__proto__ must be text, a number or a boolean', remedies.outputs, output.node.at);
  }
}

/** Its form was checked: one of the three is there. */
function secretSource(
  { file, age, command = [], env = [] }: NonNullable<z.output<typeof settingsShape.secrets>>[number],
  at: Place,
): SecretSource {
  if (file !== undefined) return { is: 'file', path: file, at };
  return age === undefined ? { is: 'command', words: command, passes: env, at } : { is: 'age', path: age, at };
}

function variable(
  root: MapNode,
  name: string,
  given: string | undefined,
  declared: { readonly default?: string | number | boolean | undefined } | null,
): Variable {
  const value = given ?? declared?.default;
  const declarations = root.entries.get('variables')?.node;
  const node = declarations?.is === 'map' ? declarations.entries.get(name)?.node : undefined;
  const source = node?.is === 'map' ? node.entries.get('default')?.node : undefined;
  const isNumber = given === undefined && typeof value !== 'string' && source?.is === 'scalar';
  return { value, written: isNumber ? source.source : String(value) };
}

/** Settings decide where values come from, so they hold none of them; only the addresses and keys of receivers are secrets. */
function refuseExpressions(
  path: readonly string[],
  node: Node,
  sources: readonly ExpressionSource[],
  diagnostics: Diagnostic[],
): void {
  if (node.is === 'list')
    for (const [at, item] of node.items.entries()) refuseExpressions([...path, String(at)], item, sources, diagnostics);
  else if (node.is === 'map')
    for (const [key, { node: value }] of node.entries.entries())
      refuseExpressions([...path, key], value, sources, diagnostics);
  else if (typeof node.value === 'string' && !ofReceiver.test(path.join('.'))) {
    const { parts, unclosed } = parseExpressions(node.value, sources);
    const first = unclosed ?? parts.find((part) => typeof part === 'object')?.source;
    if (first === undefined) return;
    diagnostics.push(
      diagnostic('bad-expression', `${path[0]} must not hold \${${first.name}:…}: settings take no expressions`, {
        remedy: 'Write the value itself. Expressions work in the fields of resources.',
        position: position(node.at),
      }),
    );
  }
}

/** Its form is checked: `${secret:NAME}` and nothing else. */
const ofReceiver = /^drift\.notify\.\d+\.(?:url|signature)$/;

/** The form of the names of variables and outputs, in words. */
const ruleOfNames = 'a name begins with a letter or "_", and has only letters, digits, "_" and "-".';

const remedies: Record<keyof typeof settingsShape, string> = {
  trueup: 'Write trueup: 1 at the top of the file.',
  state:
    'Write state: { backend: local }, { backend: postgres } or { backend: s3, endpoint: https://…, bucket: … }, or leave it out. Credentials come from the environment: docs/state.md.',
  include: 'Write a list of files: include: [environments/*.yaml].',
  variables: `Write variables: { name: { default: value } }; ${ruleOfNames}`,
  outputs: `Write outputs: { name: "\${ref:address.output}" }; ${ruleOfNames}`,
  moved: 'Write a list: moved: [{ from: address, to: address }].',
  secrets:
    'Write a list of { file: secrets.env }, { age: secrets.env.age } and { command: [pass, show, "shop/{name}"] }. The identity for age comes from TRUEUP_AGE_IDENTITY or TRUEUP_AGE_IDENTITY_FILE.',
  drift:
    'Write drift: { ignore: [{ address: production.compose.shop, field: env.REGION }], notify: [{ url: "${secret:HOOK}", as: slack }] }. docs/drift.md has all keys.',
  platform: 'Write platform: { url: https://… }, or set TRUEUP_URL. To try things out, write platform: emulator.',
  project: 'Write project: with the name of the project, or with its id, which stands in the address of its page.',
};
