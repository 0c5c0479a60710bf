import { isPrivileged } from './caller.ts';
import type { Json, Row } from './json-rows.ts';

/** What can be done to a resource; of what a member may do, what he always may and the flag for the others. */
interface Resource {
  readonly actions: string;
  readonly always?: string;
  readonly flags?: Readonly<Record<string, string>>;
}

const all = (actions: string): Resource => ({ actions, always: actions });
const created = (thing: string) => ({ create: `canCreate${thing}`, delete: `canDelete${thing}` });
const everything = (flag: string) => ({ read: flag, create: flag, delete: flag });

/** Every resource, in the platform's order. */
const resources: Readonly<Record<string, Resource>> = {
  organization: { actions: 'update delete' },
  member: { actions: 'read create update delete' },
  invitation: { actions: 'create cancel' },
  team: { actions: 'create update delete' },
  ac: { actions: 'create read update delete', always: 'read' },
  project: { actions: 'create delete', flags: created('Projects') },
  service: { actions: 'create read delete', always: 'read', flags: created('Services') },
  environment: { actions: 'create read delete', always: 'read', flags: created('Environments') },
  docker: { actions: 'read', flags: { read: 'canAccessToDocker' } },
  sshKeys: { actions: 'read create delete', flags: everything('canAccessToSSHKeys') },
  gitProviders: { actions: 'read create delete', flags: everything('canAccessToGitProviders') },
  traefikFiles: { actions: 'read write', flags: { read: 'canAccessToTraefikFiles' } },
  api: { actions: 'read', flags: { read: 'canAccessToAPI' } },
  volume: all('read create delete'),
  deployment: all('read create cancel'),
  envVars: all('read write'),
  projectEnvVars: all('read write'),
  environmentEnvVars: all('read write'),
  server: { actions: 'read create delete' },
  registry: { actions: 'read create delete' },
  certificate: { actions: 'read create update delete' },
  backup: all('read create update delete restore'),
  volumeBackup: all('read create update delete restore'),
  schedule: all('read create update delete'),
  domain: all('read create delete'),
  destination: { actions: 'read create delete' },
  notification: { actions: 'read create update delete' },
  tag: { actions: 'read create update delete', always: 'read' },
  logs: all('read'),
  monitoring: all('read'),
  auditLog: { actions: 'read' },
  vaultProvider: { actions: 'read create update delete', always: 'read' },
  dnsProvider: { actions: 'read create update delete' },
};

/** The actions of each resource. */
export const statements: Readonly<Record<string, string[]>> = Object.fromEntries(
  Object.entries(resources).map(([name, { actions }]) => [name, actions.split(' ')]),
);

/** What a member may do, by resource and action; an admin everything but delete the organization. */
export function permissionsOf(member: Row): Row {
  const may = (name: string, { always = '', flags = {} }: Resource, action: string): boolean => {
    if (isPrivileged(member)) return member['role'] === 'owner' || name !== 'organization' || action !== 'delete';
    return always.split(' ').includes(action) || member[flags[action] ?? ''] === true;
  };
  const of = ([name, resource]: [string, Resource]): [string, Json] => {
    const actions = resource.actions.split(' ');
    return [name, Object.fromEntries(actions.map((action) => [action, may(name, resource, action)]))];
  };
  return Object.fromEntries(Object.entries(resources).map(of));
}
