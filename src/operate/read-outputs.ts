import type { Client } from '../api/client.ts';
import { didYouMean } from '../diagnostics/closest.ts';
import { type Diagnostic, diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { usage } from '../diagnostics/usage.ts';
import type { Row } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import { outputValue } from '../kind/row-values.ts';
import type { HowToGive, Manifest } from '../manifest/manifest.ts';
import type { Resource } from '../manifest/resource.ts';
import { position } from '../manifest/tree.ts';
import type { Reference } from '../manifest/reference.ts';
import { type Outputs, type Wanted, resolve } from '../manifest/wanted.ts';
import { howToGive } from '../secrets/sources/env.ts';
import { projectOf } from '../state/bound.ts';
import type { State } from '../state/state.ts';
import { type IdSource, projectLists } from '../observe/ownership.ts';
import { createReader } from '../observe/reader.ts';

/** One output; its value is undefined when it needs secrets that this run does not have. */
export interface OutputValue {
  readonly name: string;
  readonly value: string | undefined;
  /** A secret is part of it, also one that the platform put there. */
  readonly isSensitive: boolean;
  readonly missing: readonly string[];
}

/** The manifest, the state and the platform that references are read from. */
interface ReferencesInput {
  readonly client: Client;
  readonly kinds: readonly Kind[];
  readonly manifest: Pick<Manifest, 'resources' | 'settings'>;
  readonly state: State | undefined;
}

/** A value that may refer to outputs of resources; `name` is its name in messages: `the output url`. */
interface Named {
  readonly name: string;
  readonly wanted: Wanted;
}

interface OutputsInput extends ReferencesInput {
  readonly manifest: Manifest;
  /** Names of the outputs to evaluate. */
  readonly names: readonly string[];
}

/**
 * Evaluates outputs.
 *
 * @throws as `readReferences`
 */
export async function evaluateOutputs(input: OutputsInput): Promise<readonly OutputValue[]> {
  const { client, manifest, names } = input;
  const outputs = names.flatMap((name) => {
    const wanted = manifest.outputs.get(name);
    return wanted === undefined ? [] : [{ name, wanted }];
  });
  const subjects = outputs.map(({ name, wanted }) => ({ name: `the output ${name}`, wanted }));
  const valueOf = await readReferences(input, subjects);
  const isUnclean = (text: string) => client.redact(text) !== text;
  return outputs.map(({ name, wanted }) => {
    const resolved = resolve(wanted, valueOf);
    return {
      name,
      value: resolved.is === 'known' ? String(resolved.value) : undefined,
      isSensitive: wanted.isSecret || wanted.references.some((reference) => isUnclean(valueOf(reference) ?? '')),
      missing: resolved.is === 'unavailable' ? resolved.secrets : [],
    };
  });
}

/**
 * Reads what values refer to: ids from the state, and the rest with one GET for each object whose row is needed, once the
 * platform shows all these objects inside the project.
 *
 * @throws {Stop} `refused`, when a value refers to an object that is not applied yet, that is missing, or that is in
 *   another project; `platform`, when the platform does not tell an output.
 * @throws {PlatformError} when the platform does not answer, or refuses.
 */
export async function readReferences(input: ReferencesInput, values: readonly Named[]): Promise<Outputs> {
  const objects = findObjects(input, values);
  const rows = await readRows(input, objects, values);
  const valueOf: Outputs = ({ address, output }) => {
    const object = objects.get(address);
    if (object === undefined) return undefined;
    return outputValue(object.resource.kind, output, object.id, rows.get(address) ?? {});
  };
  for (const { name, wanted } of values) {
    const resolved = resolve(wanted, valueOf);
    if (resolved.is !== 'pending') continue;
    throw new Stop(
      'platform',
      resolved.on.map((on) => unanswered(name, wanted, on)),
    );
  }
  return valueOf;
}

/** The objects that values refer to, by address. */
function findObjects({ manifest, state }: ReferencesInput, values: readonly Named[]) {
  const objects = new Map<string, { readonly resource: Resource; readonly id: string; readonly foundBy: IdSource }>();
  const records = new Map(Object.entries(state?.resources ?? {}));
  const problems: Diagnostic[] = [];
  for (const { name, wanted } of values) {
    for (const { address } of wanted.references) {
      const resource = manifest.resources.find((item) => item.address === address);
      const known = records.get(address)?.id ?? undefined;
      const id = known ?? resource?.pinned;
      const foundBy = known === undefined ? 'pin' : 'id';
      if (resource !== undefined && id !== undefined) objects.set(address, { resource, id, foundBy });
      else {
        problems.push(
          diagnostic('bad-reference', `${name} needs ${address}, which is not applied yet`, {
            remedy: 'Run trueup apply first.',
            position: position(wanted.at),
          }),
        );
      }
    }
  }
  if (problems.length > 0) throw new Stop('refused', problems);
  return objects;
}

/** The rows of the objects whose outputs are more than the id. Every object is in the project then. */
async function readRows(
  { client, kinds, manifest, state }: ReferencesInput,
  objects: ReturnType<typeof findObjects>,
  values: readonly Named[],
): Promise<ReadonlyMap<string, Row>> {
  const references = values.flatMap(({ wanted }) => wanted.references);
  const reader = createReader(client, 'in bulk');
  const isNeeded = (address: string, { outputs }: Kind) =>
    references.some((item) => item.address === address && outputs?.[item.output] !== undefined);
  const problems: Diagnostic[] = [];
  const named = await Promise.all(
    [...objects].map(async ([address, { resource, ...object }]) => {
      const { kind } = resource;
      const isRead = isNeeded(address, kind);
      const row = isRead ? await reader.row(kind, object.id) : undefined;
      if (isRead && row === undefined) {
        const message = `the platform has no ${kind.kind} with id ${object.id}`;
        problems.push(diagnostic('not-found', message, { address, remedy: 'trueup plan shows what differs.' }));
      }
      return { address, kind, row, ...object };
    }),
  );
  if (problems.length > 0) throw new Stop('refused', problems);
  const lists = projectLists({
    kinds,
    reader,
    projectId: state === undefined ? manifest.settings.project : projectOf(state),
  });
  const foreign = await lists.foreignAmong(named);
  if (foreign.length > 0) throw new Stop('refused', foreign);
  return new Map(named.flatMap(({ address, row }) => (row === undefined ? [] : [[address, row]])));
}

/**
 * The names of the outputs to evaluate: all, or the one of this name.
 *
 * @throws {Stop} `usage`, when the manifest declares no output of this name.
 */
export function chooseOutputs(declared: readonly string[], name: string | undefined): readonly string[] {
  if (name === undefined) return declared;
  if (declared.includes(name)) return [name];
  const others = declared.length === 0 ? 'The manifest declares none.' : `There is ${declared.join(', ')}.`;
  throw usage(`there is no output ${name}`, didYouMean(name, declared, others));
}

/**
 * Refuses one output that would be printed redacted: a script would take `(sensitive)` for the value.
 *
 * @throws {Stop} `usage`, when a secret is part of the output.
 */
export function requireShown(name: string, isSecret: boolean): void {
  if (!isSecret) return;
  throw usage(`the output ${name} holds a secret`, 'Print it with --show-secrets.');
}

/**
 * Refuses values that lack a secret, by their names in messages: a value with a hole in it is no value.
 *
 * @throws {Stop} `refused`, with every secret that is missing.
 */
export function requireSecrets(
  values: readonly { readonly name: string; readonly missing: readonly string[] }[],
  special?: HowToGive,
): void {
  const problems = values.flatMap(({ name, missing }) =>
    missing.map((secret) =>
      diagnostic('secret-missing', `${name} needs the secret ${secret}`, {
        remedy: special?.([secret]) ?? howToGive([secret]),
      }),
    ),
  );
  if (problems.length > 0) throw new Stop('refused', problems);
}

function unanswered(name: string, wanted: Wanted, { address, output: of }: Reference): Diagnostic {
  return diagnostic('platform-answer', `${name} needs ${of} of ${address}, and the platform does not tell it`, {
    position: position(wanted.at),
  });
}
