import type { Beside } from './beside.ts';
import type { NamedPlatform } from '../api/profile.ts';
import * as z from 'zod';
import { keptIn, onceFor } from '../api/once.ts';
import { withoutSlash } from '../api/slash.ts';
import { closest } from '../diagnostics/closest.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { adviceFor, byPlace, problemOf } from './problem.ts';
import { reshapedSetting } from './reshape.ts';
import { refuseExpressions } from './settings-expressions.ts';
import { settingInstead } from './short-value.ts';
import { toJson } from '../formats/yaml-node.ts';
import type { Recipe } from '../secrets/generate-secret.ts';
import { type Report, reportInto } from './report-at.ts';
import { type MapNode, type Node, type Place, entriesOf, nodeAt, placeAt } from './tree.ts';
import type { OwnEnvironment } from './assemble/environment.ts';
import { includedKeys, neededSettings, plainScalar, secretName, settingsShape } from './settings-shape.ts';
import { readDuration } from '../formats/units.ts';
import { examplePreview } from './preview.ts';
import { type SecretSource, readRecipes, readSource } from './secret-source-shape.ts';

/** What the top of `trueup.yaml` says besides the resources. */
export interface Settings {
  readonly platform: NamedPlatform;
  /** Id or name of the project. */
  readonly project: string;
  /** The file that the manifest begins with, as it is named below its folder. */
  readonly rootFile?: string;
  /** The manifest declares the project as a block: it is created, updated and deleted like every other object. */
  readonly ownsProject?: true | undefined;
  /** Where `project:` stands. */
  readonly projectAt?: Place;
  /** The environment that the sections at the top of the files belong to. */
  readonly environment?: OwnEnvironment | undefined;
  /** undefined: the environment may name one; otherwise it is in the folder of the manifest. */
  readonly state: StatePlace | undefined;
  readonly moved: readonly { readonly from: string; readonly to: string; readonly at: Place }[];
  /** The preview that the manifest is read for; undefined: the root file has no `preview:`. */
  readonly preview?: Preview | undefined;
  /** In the order in which they are asked, after the environment. */
  readonly secrets: readonly SecretSource[];
  /** What `trueup secret generate` makes, by name. */
  readonly generated: ReadonlyMap<string, Recipe>;
  /** undefined: the defaults. */
  readonly drift?: DriftSettings | undefined;
  /** Where `trueup drift` reports what it finds; none when left out. */
  readonly notify?: readonly Receiver[] | undefined;
}

/** A preview of a root file, and what that file says of all of them. */
export interface Preview {
  readonly id: string;
  /** How long it stays after its last apply, in milliseconds; undefined: until it is closed. */
  readonly forMs: number | undefined;
  /** The largest number of previews at a time; undefined: any number. */
  readonly most: number | undefined;
  /** The addresses of what runs once after its first apply. */
  readonly seed?: readonly Seed[] | undefined;
}

/** An entry of `seed:`. */
export interface Seed {
  readonly address: string;
  readonly at: Place;
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

/** What the environment says of the settings, and what they must not hold. */
export interface SettingsInput extends Beside {
  /** The address of the platform where the manifest names none: TRUEUP_URL. */
  readonly platformUrl?: string | undefined;
  /** The preview that the command line names; undefined: an example, where the root file has `preview:`. */
  readonly preview?: string | undefined;
}

/**
 * Checks the settings of the root file by itself; problems go into `diagnostics`. What a file that it includes may hold is not
 * missed. Returns whether none is wrong.
 */
export function checkRootSettings(root: MapNode, input: SettingsInput, diagnostics: Diagnostic[]): boolean {
  const before = diagnostics.length;
  readValues(root, input, reportInto(diagnostics), root.entries.has('include') ? includedKeys : []);
  return diagnostics.length === before;
}

/** The files that a file includes; a problem goes into `diagnostics`. */
export function readInclude(tree: MapNode, diagnostics: Diagnostic[]): readonly string[] {
  const before = diagnostics.length;
  const report = reportInto(diagnostics);
  const include = readSetting(tree, 'include', report) ?? [];
  const node = nodeAt(tree, ['include']);
  if (node !== undefined) refuseExpressions(['include'], node, report);
  return diagnostics.length > before ? [] : include;
}

/**
 * Reads the settings of a whole manifest; problems go into `diagnostics`. `lacksFiles`: what is missing may stand in a file that
 * could not be read, which is reported.
 */
export function readSettings(
  root: MapNode,
  { lacksFiles = false, ...input }: SettingsInput & { readonly lacksFiles?: boolean },
  diagnostics: Diagnostic[],
): Settings | undefined {
  const before = diagnostics.length;
  const { platform, written, state, moved, secrets, generated, drift, preview } = readValues(
    root,
    input,
    reportInto(diagnostics),
    lacksFiles ? includedKeys : [],
  );
  const project = typeof written === 'string' ? written : written?.name;
  const recipes = readRecipes(generated ?? {}, nodeAt(root, ['generated']), reportInto(diagnostics));
  if (diagnostics.length > before || platform === undefined || project === undefined) return undefined;
  return {
    platform,
    project,
    ownsProject: typeof written === 'string' ? undefined : true,
    projectAt: placeAt(root, ['project']),
    state: state && ownState(root, state),
    moved: (moved ?? []).map((item, index) => ({ ...item, at: placeAt(root, ['moved', index]) })),
    secrets: (secrets ?? []).map((source, index) => readSource(source, placeAt(root, ['secrets', index]))),
    generated: recipes,
    drift,
    preview: preview && familyOf(root, preview, input.preview),
    notify: drift?.notify && receivers(root, drift.notify),
  };
}

/** Reads each setting. `elsewhere`: those that another file may have. */
function readValues(
  root: MapNode,
  { platformUrl, declaredBeside }: SettingsInput,
  report: Report,
  elsewhere: readonly string[] = [],
) {
  const read = <K extends Key>(key: K) => readSetting(root, key, report, elsewhere.includes(key));
  read('trueup');
  const state = read('state');
  const platform = readPlatform(root, platformUrl, report);
  const isMissing = !root.entries.has('project') && !elsewhere.includes('project');
  const beside = isMissing ? declaredBeside?.('project') : undefined;
  if (beside !== undefined) report('missing-key', 'project is missing', root.at, beside);
  const written = beside === undefined ? read('project') : undefined;
  read('environment');
  read('include');
  read('variables');
  read('templates');
  read('changes');
  const moved = read('moved');
  refuseProto(root, report);
  const secrets = read('secrets');
  const generated = read('generated');
  const drift = read('drift');
  read('outputs');
  const preview = read('preview');
  for (const key of Object.keys(settingsShape)) {
    const node = nodeAt(root, [key]);
    // A block takes expressions, except in its name.
    const isBlock = ['project', 'environment'].includes(key) && node?.is === 'map';
    const plain = isBlock ? nodeAt(node, ['name']) : node;
    if (plain !== undefined && !evaluated.has(key)) refuseExpressions([key], plain, report);
  }
  return { platform, written, state, moved, secrets, generated, drift, preview };
}

/** Keys that are no settings but values of resources. */
const evaluated: ReadonlySet<string> = new Set(['outputs', 'templates', 'changes']);

/** A place of the state that an included file gives to several root files: each adds its name to it. */
function ownState(root: MapNode, state: StatePlace): StatePlace {
  const file = root.at.file;
  const isShared = placeAt(root, ['state']).file !== file;
  if (!isShared || file === 'trueup.yaml') return state;
  const own = (stem: string | undefined) => (stem === undefined ? undefined : `${withoutSlash(stem)}/${file}`);
  if (state.backend === 'postgres') return { ...state, name: own(state.name) };
  return state.backend === 's3' ? { ...state, prefix: own(state.prefix) } : state;
}

type Key = keyof typeof settingsShape;
type Value<K extends Key> = z.output<(typeof settingsShape)[K]>;

/** The settings that a value was parsed as: those of a root file, and of files that root files share, are read more than once. */
const parsedOf = onceFor<Node, Map<Key, ReturnType<typeof parseSetting>>>(() => new Map());

function parseSetting(key: Key, node: Node) {
  const value = toJson(node);
  return { value, result: settingsShape[key].safeParse(value) };
}

/** Reads one setting; undefined where it is left out or wrong, which is reported. */
function readSetting<K extends Key>(root: MapNode, key: K, report: Report, isElsewhere = false): Value<K> | undefined {
  const node = nodeAt(root, [key]);
  if (node === undefined) {
    if (neededSettings.has(key) && !isElsewhere) report('missing-key', `${key} is missing`, root.at, remedies[key]);
    return undefined;
  }
  const schema = settingsShape[key];
  const { value, result } = keptIn(parsedOf(node), key, () => parseSetting(key, node));
  if (result.success) return result.data as Value<K>; // the shape's own output
  const refused = { name: key, value, isSecret: key === 'secrets' };
  for (const error of byPlace(result.error)) {
    const { message, place, unknownKey } = problemOf(error, node, refused);
    const guess = unknownKey === undefined ? undefined : closest(unknownKey, keysOf(z.toJSONSchema(schema, forKeys)));
    const meant = settingInstead(key, reshapedSetting(value), schema);
    const advice = meant ?? (unknownKey === undefined && key === 'platform' ? adviceFor(error, refused) : undefined);
    report('wrong-type', message, place, guess === undefined ? (advice ?? remedies[key]) : `Did you mean ${guess}?`);
  }
  return undefined;
}

/** The platform of the manifest, or of the environment where it names none. */
function readPlatform(root: MapNode, url: string | undefined, report: Report): NamedPlatform | undefined {
  if (root.entries.has('platform')) return platformOf(readSetting(root, 'platform', report));
  const platform = platformAt(url);
  const why = url === undefined ? '' : ', and TRUEUP_URL is no address of a platform';
  if (platform === undefined) report('missing-key', `platform is missing${why}`, root.at, remedies.platform);
  return platform;
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

function familyOf(
  root: MapNode,
  { for: stays, most, seed }: NonNullable<Value<'preview'>>,
  id = examplePreview,
): Preview {
  const forMs = stays === undefined ? undefined : (readDuration(stays) ?? 0) / 1e6;
  const placed = seed?.map((address, index) => ({ address, at: placeAt(root, ['preview', 'seed', index]) }));
  return { id, forMs, most, seed: placed };
}

function receivers(root: MapNode, written: NonNullable<DriftSettings['notify']>): Receiver[] {
  const nameIn = (reference: string) => secretName.exec(reference)?.[1] ?? '';
  return written.map(({ url, as, on = 'new', signature }, index) => ({
    as,
    on,
    url: nameIn(url),
    signature: signature === undefined ? undefined : nameIn(signature),
    at: placeAt(root, ['drift', 'notify', index]),
  }));
}

/** The platform at an address; undefined: it is none of a platform. Never throws. */
export function platformAt(url: string | undefined): NamedPlatform | undefined {
  return platformOf(settingsShape.platform.safeParse(url && { url }).data);
}

/** A platform by what is written. */
function platformOf(written: Value<'platform'>): NamedPlatform | undefined {
  return written === 'emulator' ? { emulator: true } : written;
}

/** Refuses names `__proto__` and a wrong output of that name: a record of zod drops the key instead of checking it. */
function refuseProto(root: MapNode, report: Report): void {
  const entryIn = (key: 'variables' | 'outputs' | 'generated') => entriesOf(nodeAt(root, [key])).get('__proto__');
  const output = entryIn('outputs');
  for (const [key, noun] of [
    ['variables', 'variable'],
    ['generated', 'secret'],
  ] as const) {
    const entry = entryIn(key);
    const message = `${key}: a ${noun} cannot have the name __proto__`;
    if (entry !== undefined) report('wrong-type', message, entry.keyAt, 'Choose another name.');
  }
  if (output !== undefined && !plainScalar.safeParse(toJson(output.node)).success) {
    const message = 'outputs.__proto__ must be text, a number or a boolean';
    report('wrong-type', message, output.node.at, remedies.outputs);
  }
}

/** The form of the names of variables and outputs, in words. */
const ruleOfNames = 'a name begins with a letter or "_", and has only letters, digits, "_" and "-".';

const remedies: Record<Key, string> = {
  trueup: 'Write trueup: 1 at the top of the file.',
  state:
    'Write state: { backend: local }, { backend: postgres } or { backend: s3, endpoint: https://…, bucket: … }, or leave it out. Credentials come from the environment: docs/state.md.',
  include: 'Write a list of files: include: [environments/*.yaml].',
  variables: `Write variables: { name: { type: number, default: 2 } }. A declaration takes type (text, number, boolean, list), default, description, oneOf, min, max, pattern and promote; ${ruleOfNames}`,
  templates:
    'Write templates: { web: { parameters: { port: { type: number } }, block: { … } } }, with the keys of a block below block:.',
  changes: 'Write changes: { application: { api: { replicas: 2 } } }.',
  outputs: `Write outputs: { name: "\${ref:address.output}" }; ${ruleOfNames}`,
  generated: 'Write generated: { DB_PASSWORD: { length: 32 }, SIGNING: ed25519 }.',
  moved: 'Write a list: moved: [{ from: address, to: address }].',
  secrets:
    'Write a list of { file: secrets.env }, { sealed: secrets/production.env, recipients: [age1…] } and { command: [pass, show, "shop/{name}"] }; docs/secrets.md has all sources. The identity for age comes from TRUEUP_AGE_IDENTITY or TRUEUP_AGE_IDENTITY_FILE.',
  preview: 'Write preview: {}, or preview: { for: 3d, most: 10, seed: [application.api.schedules.seed] }.',
  drift:
    'Write drift: { ignore: [{ address: production.compose.shop, field: env.REGION }], notify: [{ url: "${secret:HOOK}", as: slack }] }. docs/drift.md has all keys.',
  platform: 'Write platform: { url: https://… }, or set TRUEUP_URL. To try things out, write platform: emulator.',
  environment:
    'Write environment: with the name of the environment, or environment: { name: staging, description: Before release }.',
  project: 'Write project: with the name of the project, or with its id, which stands in the address of its page.',
};
