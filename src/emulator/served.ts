import { contract, extension } from '../api/contract.ts';
import type { Endpoint } from '../api/endpoint.ts';

import type { Handler } from './context.ts';
import { ai } from './groups/ai.ts';
import { application } from './groups/application.ts';
import { backup } from './groups/backup.ts';
import { stripe } from './groups/stripe.ts';
import { bitbucket } from './groups/bitbucket.ts';
import { certificates } from './groups/certificates.ts';
import { compose } from './groups/compose.ts';
import { customRole } from './groups/custom-role.ts';
import { databases } from './groups/databases.ts';
import { dnsProvider } from './groups/dns-provider.ts';
import { docker } from './groups/docker.ts';
import { domain } from './groups/domain.ts';
import { environment } from './groups/environment.ts';
import { deployment } from './groups/deployment.ts';
import { forwardAuth } from './groups/forward-auth.ts';
import { destination } from './groups/destination.ts';
import { network } from './groups/network.ts';
import { notification } from './groups/notification.ts';
import { project } from './groups/project.ts';
import { registry } from './groups/registry.ts';
import { server } from './groups/server.ts';
import { providerExtensions, personOperations } from './groups/provider-extensions.ts';
import { github } from './groups/github.ts';
import { gitlab } from './groups/gitlab.ts';
import { mounts } from './groups/mounts.ts';
import { overview } from './groups/overview.ts';
import { patch } from './groups/patch.ts';
import { organization } from './groups/organization.ts';
import { port } from './groups/port.ts';
import { redirects } from './groups/redirects.ts';
import { schedule } from './groups/schedule.ts';
import { security } from './groups/security.ts';
import { gitea } from './groups/gitea.ts';
import { settings } from './groups/settings.ts';
import { sshKey } from './groups/ssh-key.ts';
import { vaultProvider } from './groups/vault-provider.ts';
import { tag } from './groups/tag.ts';
import { user } from './groups/user.ts';
import { volumeBackups } from './groups/volume-backups.ts';

/** The operations of the emulator; to serve a group, write its file and name it here. */
const handlers: Readonly<Record<string, Handler>> = {
  ...ai,
  ...application,
  ...backup,
  ...stripe,
  ...bitbucket,
  ...certificates,
  ...compose,
  ...customRole,
  ...databases,
  ...dnsProvider,
  ...docker,
  ...domain,
  ...environment,
  ...github,
  ...gitlab,
  ...mounts,
  ...organization,
  ...gitea,
  ...sshKey,
  ...user,
  ...volumeBackups,
  ...deployment,
  ...destination,
  ...forwardAuth,
  ...network,
  ...notification,
  ...registry,
  ...server,
  ...project,
  ...providerExtensions,
  ...overview,
  ...patch,
  ...port,
  ...redirects,
  ...schedule,
  ...security,
  ...settings,
  ...tag,
  ...vaultProvider,
};

/** One operation as it is called. */
export interface Route {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly handler: Handler;
  readonly isExtension: boolean;
}

/** The names and endpoints of all operations that there can be, those that only a person in a browser has included. */
const endpoints = { ...contract, ...extension, ...personOperations };

const routes = new Map<string, Route>(
  Object.entries<Endpoint>(endpoints).flatMap(([name, endpoint]) => {
    const handler = handlers[name];
    const isExtension = !Object.hasOwn(contract, name);
    return handler === undefined ? [] : [[name.toLowerCase(), { name, endpoint, handler, isExtension }]];
  }),
);

/** The route of an operation; the platform does not care about upper and lower case. */
export function routeOf(operation: string): Route | undefined {
  return routes.get(operation.toLowerCase());
}

/** The names of all operations that the emulator serves. */
export const servedOperations: readonly string[] = [...routes.values()].map(({ name }) => name);
