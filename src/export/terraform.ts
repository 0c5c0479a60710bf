import * as z from 'zod';
import { type Diagnostic, type Stop, diagnostic, stop } from '../diagnostics/diagnostic.ts';
import { someOf } from '../diagnostics/some-of.ts';
import type { Placed } from './place-objects.ts';
import { withoutMark } from '../formats/utf8.ts';

/** What an export takes of a Terraform state: where each object of the platform is declared, by its id. */
export interface TerraformState {
  readonly objects: readonly TerraformObject[];
}

/** An object of a Terraform state. Of its attributes only the id is read: the others may be secrets. */
interface TerraformObject {
  readonly address: string;
  readonly type: string;
  readonly id: string;
  /** The key of a block that is named alike. */
  readonly key: string;
}

/**
 * The resource types of public Terraform providers of the platform that stand for one object, as their documentation lists
 * them, without the name of the provider. All of them have the id of the object in `id`.
 */
const objectTypes =
  'project environment application compose database postgres mysql mariadb mongo redis libsql domain mount port redirect ' +
  'security backup volume_backup schedule application_schedule host_schedule server_schedule ssh_key certificate registry ' +
  'destination server tag ai organization gitea_provider gitlab_provider bitbucket_provider slack_notification ' +
  'discord_notification telegram_notification email_notification resend_notification gotify_notification ' +
  'ntfy_notification mattermost_notification lark_notification teams_notification custom_notification ' +
  'pushover_notification';

/** The types that no block of a manifest stands for. */
const otherTypes =
  'environment_variable environment_variables api_key user user_permissions network patch traefik_config vault_provider ' +
  'web_server_backup web_server_settings deployment';

/** Whether a block can stand for an object of a type. */
const types: ReadonlyMap<string, boolean> = new Map([
  ...objectTypes.split(' ').map((type) => [`dokploy_${type}`, true] as const),
  ...otherTypes.split(' ').map((type) => [`dokploy_${type}`, false] as const),
]);

/** The type of a project: an export that is told no project takes the only one. */
const projectType = 'dokploy_project';

/** Most bytes of a Terraform state. */
export const maxStateBytes = 100_000_000;

// Members that are not named are dropped unread.
const schema = z.object({
  version: z.literal(4),
  resources: z.array(
    z.object({
      mode: z.string(),
      type: z.string(),
      name: z.string(),
      module: z.string().optional(),
      instances: z.array(
        z.object({
          index_key: z.union([z.string(), z.number()]).optional(),
          attributes: z.object({ id: z.string().nullish() }).nullish(),
        }),
      ),
    }),
  ),
});

/**
 * Reads a Terraform state of version 4.
 *
 * @throws {Stop} `refused`, when the text is none, has another version, or is encrypted. No message quotes the text.
 */
export function readTerraformState(text: string, name: string): TerraformState {
  const refuse = (problem: string, remedy: string): Stop =>
    stop('refused', 'file-unreadable', `${name} ${problem}`, { remedy });
  const pull = 'terraform state pull > FILE writes one.';
  let content: unknown;
  try {
    content = JSON.parse(withoutMark(text));
  } catch {
    throw refuse('is no Terraform state: it is not JSON', pull);
  }
  const { version, encrypted_data: encrypted } = (content ?? {}) as { version?: unknown; encrypted_data?: unknown };
  if (encrypted !== undefined) throw refuse('is an encrypted state', `Decrypt it first: ${pull}`);
  if (typeof version === 'number' && version !== 4) {
    throw refuse(
      `is a Terraform state of version ${version}, and Trueup reads version 4`,
      `A newer Terraform upgrades it: ${pull}`,
    );
  }
  const { data } = schema.safeParse(content);
  if (data === undefined) throw refuse('is no Terraform state of version 4', pull);
  const objects = data.resources.flatMap(({ mode, type, name: own, module, instances }) =>
    mode !== 'managed' || !types.has(type)
      ? []
      : instances.flatMap(({ index_key: index, attributes }): TerraformObject[] => {
          const id = attributes?.id ?? '';
          const suffix = index === undefined ? '' : `[${JSON.stringify(index)}]`;
          const address = `${module === undefined ? '' : `${module}.`}${type}.${own}${suffix}`;
          const key = index === undefined ? own : `${own}-${index}`;
          return id === '' ? [] : [{ address, type, id, key }];
        }),
  );
  return { objects };
}

/** The keys of blocks that are named like Terraform addresses, by the id of their object. */
export function terraformKeys({ objects }: TerraformState): ReadonlyMap<string, string> {
  // Resources such as variables have the id of their service, and another name.
  return new Map(objects.flatMap(({ id, type, key }) => (types.get(type) === true ? [[id, key]] : [])));
}

/** The id of the only project in a Terraform state; undefined when there are several, or none. */
export function onlyProject({ objects }: TerraformState): string | undefined {
  const ids = new Set(objects.flatMap(({ type, id }) => (type === projectType ? [id] : [])));
  const [only] = ids;
  return ids.size === 1 ? only : undefined;
}

/** The notes on what the Terraform state has and the export has not, and the other way round. */
export function terraformNotes({ objects }: TerraformState, blocks: Iterable<Placed>): Diagnostic[] {
  const placed = [...blocks];
  const exported = new Set(placed.map(({ object }) => object.id));
  const known = new Set(objects.map(({ id }) => id));
  const missing = objects.flatMap(({ address, type, id }) => {
    if (exported.has(id) || type === projectType) return [];
    const why =
      types.get(type) === true
        ? 'the platform does not show it in this project or its organization'
        : 'no block of a manifest stands for it';
    return [diagnostic('not-in-both', `${address} (${id}) of the Terraform state: ${why}`)];
  });
  const extra = placed.flatMap(({ object: { id, isProvided, kind, row }, address }) =>
    known.has(id) || isProvided || kind.notExported?.(row) !== undefined ? [] : [address],
  );
  if (extra.length === 0) return missing;
  const message = `on the platform, and not in the Terraform state: ${someOf(extra)}`;
  return [...missing, diagnostic('not-in-both', message)];
}
