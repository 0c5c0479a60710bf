import * as z from 'zod';
import type { Field } from '../../kind/field.ts';
import type { ParentLink } from '../../kind/parent.ts';
import type { Kind } from '../../kind/kind.ts';
import { nameField } from './service-fields.ts';

/** Fields and links of the four kinds of git providers. */

export const providerName: Field = { ...nameField('forge', 'mirror'), readAt: 'gitProvider.name' };

export const address = (what: string, examples: Field['examples']): Field => ({
  schema: () => z.url().describe(what),
  takesSecrets: true,
  examples,
});

export const credential = (what: string): Field => ({
  schema: () => z.string().min(1).describe(what),
  secrecy: 'secret',
  examples: ['correct-horse-1', 'battery-staple-2'],
});

/** How providers hang on the organization of the API key: their list has the id and the name of each. */
export const providerIn = (
  call: Extract<ParentLink['listed'], { call: unknown }>['call'],
  set: ParentLink['set'] = {},
) =>
  ({ root: { listed: { call }, rows: 'summary', set, idAt: 'gitProvider.organizationId' } }) satisfies Kind['parents'];

export const providerOutputs = {
  gitProviderId: { from: 'gitProviderId', describe: 'Id of its record among all git providers.' },
};

/** The deletion of a provider, which its record among all git providers names; and why there is none without it. */
export const providerDeletion = {
  delete: 'gitProvider.remove',
  cannot: { delete: 'the platform has no documented operation for it; delete it there, under Git' },
} as const satisfies Partial<Kind['operations']>;

/** The tokens of a provider that a person connected. */
export const connection = {
  dataAtRisk: ({ row: { accessToken = null } }) =>
    accessToken === null ? undefined : { of: 'data', what: 'the connection, which a person made in the browser' },
} as const satisfies Kind['lifecycle'];
