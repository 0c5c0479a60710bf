import { ownRows } from '../caller.ts';
import type { Context, Group } from '../context.ts';
import { rowsOf } from '../crud.ts';
import { serviceTables } from '../service-tables.ts';
import { ApiError, failed } from '../error-answers.ts';
import { pick, textOf, type Row } from '../json-rows.ts';
import { requireLicence } from '../licence.ts';
import { metrics } from '../new-settings.ts';
import { newestFirst } from '../newest-first.ts';

const { find, add, update } = rowsOf('server', 'Server');

/** The `server` group. No machine is ever reached. */
export const server: Group = {
  'server.create'(context, input) {
    const sshKeyId = input['sshKeyId'] ?? null;
    if (sshKeyId !== null && context.store.find('sshKey', sshKeyId) === undefined)
      throw new ApiError('BAD_REQUEST', 'Error creating the server');
    return add(context, { ...input, metricsConfig: metrics });
  },

  'server.one': (context, input) => view(context, find(context, input)),

  'server.all': (context) =>
    newestFirst(ownRows(context, 'server')).map((row) => ({ ...row, totalSum: servicesOn(context, row).length })),

  'server.withSSHKey': (context) =>
    newestFirst(ownRows(context, 'server')).filter((row) => row['sshKeyId'] !== null && row['serverType'] === 'deploy'),

  'server.buildServers': (context) =>
    newestFirst(ownRows(context, 'server')).filter((row) => row['sshKeyId'] !== null && row['serverType'] === 'build'),

  'server.count': (context) => ownRows(context, 'server').length,

  // The whole record, but for the command.
  'server.update': update,

  'server.updateBuildsConcurrency'(context, input) {
    const { serverId } = find(context, input);
    return context.store.update('server', serverId, { buildsConcurrency: input['buildsConcurrency'] ?? 1 });
  },

  'server.remove'(context, input) {
    const row = find(context, input);
    if (servicesOn(context, row).length > 0)
      throw new ApiError('BAD_REQUEST', 'Server has active services, please delete them first');
    const answer = view(context, row);
    context.store.remove('server', row['serverId']);
    return answer;
  },

  // The script that prepares a machine; a machine for builds runs no containers.
  'server.getDefaultCommand'(context, input) {
    const { serverType } = find(context, input);
    const swarm = ['docker swarm init', 'docker network create --driver overlay --attachable dokploy-network'];
    const steps = ['set -e', 'install_docker', ...(serverType === 'build' ? [] : swarm), 'install_builders'];
    return `${['#!/bin/bash', ...steps].join('\n')}\n`;
  },

  'server.allForPermissions'(context) {
    requireLicence(context);
    const rows = newestFirst(ownRows(context, 'server'));
    return rows.map((row) => pick(row, ['serverId', 'name', 'ipAddress', 'serverType']));
  },

  // Without the internet the address is not known.
  'server.publicIp': () => null,

  'server.getServerTime': ({ now }) => ({ time: now(), timezone: 'UTC' }),

  'server.getServerMetrics'(_context, input) {
    const isAddress = URL.canParse(textOf(input, 'url'));
    throw failed(isAddress ? 'fetch failed' : 'Invalid URL');
  },

  // Answers nothing, also where it has nothing to log in with.
  'server.setup'(context, input) {
    find(context, input);
    return undefined;
  },

  'server.validate'(context, input) {
    withKey(context, input);
    const installed = { version: '28.0.0', enabled: true };
    return {
      docker: installed,
      rclone: { version: '1.69.0', enabled: true },
      nixpacks: { version: '1.41.0', enabled: true },
      buildpacks: { version: '0.39.1', enabled: true },
      railpack: { version: '0.15.4', enabled: true },
      isDokployNetworkInstalled: true,
      isSwarmInstalled: true,
      isMainDirectoryInstalled: true,
      privilegeMode: 'root',
      dockerGroupMember: true,
    };
  },

  'server.security'(context, input) {
    withKey(context, input);
    return { ufw: { installed: true, active: true }, ssh: { enabled: true }, fail2ban: { installed: true } };
  },
};

/** A server with its deployments, and with its key but for the private half. */
function view({ store }: Context, row: Row): Row {
  const sshKey = store.find('sshKey', row['sshKeyId']);
  return {
    ...row,
    deployments: store.children('deployment', 'serverId', row['serverId']),
    sshKey: sshKey === undefined ? null : { ...sshKey, privateKey: '' },
  };
}

function servicesOn({ store }: Context, row: Row): Row[] {
  return serviceTables.flatMap((table) => store.children(table, 'serverId', row['serverId']));
}

function withKey(context: Context, input: Row): void {
  if (find(context, input)['sshKeyId'] === null) throw new ApiError('BAD_REQUEST', 'No SSH Key found');
}
