import * as z from 'zod';
import { email } from '../api/member-types.ts';
import { caseless, idSet } from '../kind/codecs.ts';
import type { Field } from '../kind/field.ts';
import { defineKind } from '../kind/kind.ts';
import { inOrganization } from './families/parent-links.ts';

const flag = (what: string): Field => ({
  schema: () => z.boolean().describe(`Whether the member may ${what}.`),
  otherwise: false,
  examples: [true, false],
});
const ids = (what: string, prefix: string): Field => ({
  schema: () => z.array(z.string().min(1)).describe(`Ids of the ${what} that the member may see.`),
  codec: idSet,
  growsByItself: true,
  examples: [[`${prefix}_1`], [`${prefix}_1`, `${prefix}_2`]],
});

/** What a member of the organization may do. People join by invitation. */
export const memberPermissions = defineKind({
  kind: 'memberPermissions',
  section: 'members',
  summary: 'What a member of the organization may do. People join by invitation.',
  identity: { id: 'userId', idAs: 'id', requiredAs: { memberId: 'id' }, key: ['email'], keyField: 'email' },
  parents: inOrganization('user.all'),
  fields: {
    email: {
      schema: () => email.describe('Address the member signs in with; the key of the block by default.'),
      readAt: 'user.email',
      codec: caseless,
      onChange: { refuse: 'only members themselves change their address' },
      examples: ['member@example.test', 'other@example.test'],
    },
    role: {
      schema: () =>
        z
          .string()
          .min(1)
          .refine((role) => role !== 'owner', 'must not be owner: the platform gives that to nobody else')
          .describe(
            'Role: `admin`, `member`, or one of your own, as in `${ref:customRoles.developer.name}`. Members cannot change their own.',
          ),
      otherwise: 'member',
      examples: ['member', 'admin'],
    },
    canCreateProjects: flag('create projects'),
    canDeleteProjects: flag('delete projects'),
    canCreateServices: flag('create services and change them'),
    canDeleteServices: flag('delete services'),
    canCreateEnvironments: flag('create environments'),
    canDeleteEnvironments: flag('delete environments'),
    canAccessToDocker: flag('see containers'),
    canAccessToTraefikFiles: flag('read the files of the proxy'),
    canAccessToAPI: flag('make API keys'),
    canAccessToSSHKeys: flag('use and change SSH keys'),
    canAccessToGitProviders: flag('add and change git providers'),
    accessedProjects: ids('projects', 'prj'),
    accessedEnvironments: ids('environments', 'env'),
    accessedServices: ids('services', 'svc'),
    accessedGitProviders: ids('git providers', 'git'),
    accessedServers: {
      ...ids('servers', 'srv'),
      schema: () =>
        z
          .array(z.string().min(1))
          .describe(
            'Servers that the member may see, by their keys in this manifest, their names on the platform or ids.',
          ),
      refersTo: 'server',
    },
  },
  operations: {
    read: 'user.one',
    update: ['user.assignPermissions', 'organization.updateMemberRole'],
    cannot: {
      create: 'people join by an invitation that is sent in the platform itself',
      delete: 'what the member may do stays as it is; `trueup call user.remove` removes the member',
    },
  },
  notExported: ({ role }) => (role === 'owner' ? 'the owner may do everything, whatever a block says' : undefined),
  examples: ['member@example.test: { canCreateServices: true, accessedProjects: [prj_1] }\n'],
});
