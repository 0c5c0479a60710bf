import { type Stop, stop } from '../diagnostics/diagnostic.ts';
import { someOf } from '../diagnostics/some-of.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { Resource } from '../manifest/resource.ts';
import type { StateRecord } from '../state/record.ts';
import type { Exported } from './prove-export.ts';
import type { SecretFile } from './root-file.ts';

/** Whether an export may take the place of the manifest that is there: nothing of that may get lost. */

/** The records of a state, by address. */
export type Records = readonly (readonly [address: string, record: StateRecord])[];

/** @throws {Stop} `refused`, when the manifest has what no export writes: it would be lost. */
export function checkReplaceable(
  { settings, variables, outputs, resources }: Manifest,
  file: string,
  secretFile: SecretFile | undefined,
): void {
  const own = [
    ...(settings.state === undefined ? [] : ['state']),
    ...(variables.size === 0 ? [] : ['variables']),
    ...(settings.moved.length === 0 ? [] : ['moved']),
    ...(outputs.size === 0 ? [] : ['outputs']),
    ...(resources.some(({ at }) => at.file === file) ? ['blocks'] : []),
  ];
  if (own.length > 0) throw notReplaceable(`no export wrote ${file}: it has ${own.join(', ')}`);
  if (settings.secrets.length > 0 && secretFile === undefined) {
    throw notReplaceable(
      `${file} names sources of secrets, and the new one would not`,
      'Give --with-secrets with the file again.',
    );
  }
}

/**
 * `there`: the names in the folder of environments.
 *
 * @throws {Stop} `refused`, when the files, their blocks or the state hold what the new export does not.
 */
export function checkReplaced(
  { texts, resources }: Manifest,
  records: Records,
  { exported, there }: { readonly exported: Exported; readonly there: readonly string[] },
): void {
  const beside = there.filter((name) => name.endsWith('.yaml')).map((name) => `environments/${name}`);
  const left = [...new Set([...texts.keys(), ...beside])].filter((path) => !exported.files.has(path));
  if (left.length > 0) {
    throw notReplaceable(`the new export does not have ${left.join(', ')}`, 'Move what is of no use any more away.');
  }
  const lost = resources.flatMap((resource) => {
    const written = new Set(wordsOf(exported.blocks.get(resource.address)));
    return wordsOf(resource).flatMap((word) => (written.has(word) ? [] : [`${word} of ${resource.address}`]));
  });
  if (lost.length > 0) {
    const remedy = 'Export into another folder with --out, and take over what you keep.';
    throw notReplaceable(`the new export would not have ${someOf(lost)}`, remedy);
  }
  const others = records.filter(([address, { id }]) => {
    return !exported.blocks.has(address) || exported.state.resources[address]?.id !== id;
  });
  if (others.length === 0) return;
  const names = others.map(([address]) => address);
  throw notReplaceable(
    `the state has ${names.slice(0, 5).join(', ')}${names.length > 5 ? ' and more' : ''}, which the export does not have`,
    'Make trueup plan empty first: its notes say of each object what to do.',
  );
}

/** What a block says that no field of the platform holds. */
function wordsOf(resource: Resource | undefined): string[] {
  if (resource === undefined) return [];
  const { options, after, createOnly, allows, probe, privateKeys } = resource;
  const beside = { after, createOnly, allow: allows, probe, private: privateKeys };
  return [...Object.entries(options), ...Object.entries(beside)].flatMap(([word, value]) => {
    const isSaid = value !== undefined && value !== null && value !== false;
    return isSaid && !(value instanceof Set && value.size === 0) ? [word] : [];
  });
}

function notReplaceable(why: string, remedy = 'Export into another folder with --out.'): Stop {
  return stop('refused', 'file-unwritable', `cannot replace the manifest: ${why}; nothing was written`, { remedy });
}
