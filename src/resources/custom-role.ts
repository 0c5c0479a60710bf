import * as z from 'zod';
import { didYouMean } from '../diagnostics/closest.ts';
import { idSet, type Codec } from '../kind/codecs.ts';
import type { CheckedResource, Problem } from '../kind/checks.ts';
import { isObject } from '../formats/json.ts';
import { defineKind } from '../kind/kind.ts';
import { inOrganization } from './families/parent-links.ts';

/** The actions of each resource that a role may have. Source: the list of statements of the platform. */
const known: Readonly<Record<string, string>> = {
  member: 'read create update delete',
  project: 'create delete',
  service: 'create read delete',
  environment: 'create read delete',
  docker: 'read',
  sshKeys: 'read create delete',
  gitProviders: 'read create delete',
  traefikFiles: 'read write',
  api: 'read',
  volume: 'read create delete',
  deployment: 'read create cancel',
  envVars: 'read write',
  projectEnvVars: 'read write',
  environmentEnvVars: 'read write',
  server: 'read create delete',
  registry: 'read create delete',
  certificate: 'read create update delete',
  backup: 'read create update delete restore',
  volumeBackup: 'read create update delete restore',
  schedule: 'read create update delete',
  domain: 'read create delete',
  destination: 'read create delete',
  notification: 'read create update delete',
  tag: 'read create update delete',
  logs: 'read',
  monitoring: 'read',
  auditLog: 'read',
  vaultProvider: 'read create update delete',
  dnsProvider: 'read create update delete',
};

/** Names of the roles that the platform itself has. */
const builtIn = ['owner', 'admin', 'member'];

/** Resources that the platform keeps to its own roles. */
const internal = ['organization', 'invitation', 'team', 'ac'];

/** Actions by resource, in any order; a resource without any is as good as not there. */
const permissionSet: Codec = {
  normal: (value) => {
    const all = Object.entries(isObject(value) ? value : {});
    const some = all.filter(([, actions]) => !Array.isArray(actions) || actions.length > 0);
    return Object.fromEntries(some.map(([name, actions]) => [name, idSet.normal(actions)]));
  },
};

/** A role of one's own: what members who have it may do. */
export const customRole = defineKind({
  kind: 'customRole',
  section: 'customRoles',
  alsoCalled: ['customrole', 'roles', 'role', 'custom_roles'],
  summary: 'What members of the organization with this role may do. It needs an enterprise license.',
  // The oldest id of a role stays when it gets another name.
  identity: { id: 'ids', key: ['roleName'], keyField: 'roleName', idFrom: 'list' },
  parents: inOrganization('customRole.all'),
  fields: {
    roleName: {
      schema: () =>
        z
          .string()
          .min(1)
          .max(50)
          .refine((name) => !builtIn.includes(name), `must not be one of ${builtIn.join(', ')}: the platform has those`)
          .describe('Name; the key of the block by default. Members keep a role that gets another name.'),
      readAt: 'role',
      renamedAs: 'newRoleName',
      examples: ['developer', 'reviewer'],
    },
    permissions: {
      schema: () =>
        z.record(z.string(), z.array(z.string().min(1))).describe(
          `Actions by resource, in any order. Resources and actions: ${Object.entries(known)
            .map(([name, actions]) => `\`${name}\` (${actions.replaceAll(' ', ', ')})`)
            .join(', ')}.`,
        ),
      codec: permissionSet,
      examples: [
        { service: ['read'], logs: ['read'] },
        { service: ['create', 'read'], deployment: ['create'] },
      ],
    },
  },
  outputs: { name: { from: 'role', describe: 'Its name, for `role` of members.' } },
  operations: {
    create: 'customRole.create',
    read: 'customRole.all',
    update: 'customRole.update',
    delete: 'customRole.remove',
  },
  lifecycle: { unique: 'roleName' },
  checks: { each: wrongPermissions },
  examples: ['developer:\n  permissions: { project: [create], service: [create, read], logs: [read] }\n'],
});

/** Resources that no role can have; resources and actions that a later version of the platform may have, or none. */
function wrongPermissions({ address, values }: CheckedResource): Problem[] {
  const permissions = isObject(values['permissions']) ? Object.entries(values['permissions']) : [];
  const problem = (word: string, among: readonly string[], message: string): Problem => ({
    code: 'unknown-permission',
    address,
    field: 'permissions',
    message: `${message}, unless it is newer than this Trueup`,
    remedy: didYouMean(word, among, `Write one of ${among.join(', ')}.`),
  });
  return permissions.flatMap(([name, actions]) => {
    const valid = Object.hasOwn(known, name) ? known[name]?.split(' ') : undefined;
    if (internal.includes(name)) {
      const message = `${name} belongs to the roles of the platform itself, and to no other`;
      return [{ code: 'wrong-type', address, field: 'permissions', message, remedy: 'Remove it.' }];
    }
    if (valid === undefined) return [problem(name, Object.keys(known), `the platform has no resource ${name}`)];
    const others = Array.isArray(actions) ? actions.map(String).filter((action) => !valid.includes(action)) : [];
    return others.map((action) => problem(action, valid, `${name} of the platform has no action ${action}`));
  });
}
