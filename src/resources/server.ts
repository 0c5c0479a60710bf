import * as z from 'zod';
import type { Verdict } from '../kind/kind-command.ts';
import { type Row, isRow } from '../formats/json.ts';
import { defineKind } from '../kind/kind.ts';
import { port } from '../kind/value-forms.ts';
import { description, nameField } from './families/service-fields.ts';
import { inOrganization } from './families/parent-links.ts';

/** A machine that services run on or are built on, reached with an SSH key. */
export const server = defineKind({
  kind: 'server',
  section: 'servers',
  alsoCalled: ['server', 'machine', 'machines', 'hosts', 'nodes', 'remoteservers', 'remote_servers'],
  summary: 'A machine that services run on or are built on, reached with an SSH key.',
  identity: { id: 'serverId', key: ['name'], keyField: 'name' },
  parents: inOrganization('server.all'),
  fields: {
    name: nameField('worker-1', 'worker-2'),
    description: { ...description, atCreate: null },
    ipAddress: {
      schema: () => z.string().min(1).describe('Address by which the platform reaches it.'),
      takesSecrets: true,
      examples: ['192.0.2.10', '192.0.2.11'],
    },
    port: { schema: () => port.describe('Port of SSH.'), atCreate: 22, examples: [2222, 2200] },
    username: {
      schema: () => z.string().min(1).describe('User of SSH.'),
      takesSecrets: true,
      atCreate: 'root',
      examples: ['deploy', 'builder'],
    },
    sshKeyId: {
      schema: () =>
        z
          .string()
          .min(1)
          .describe('SSH key to log in with, by its key in this manifest, its name on the platform or its id.'),
      refersTo: 'sshKey',
      alsoWritten: 'sshKey',
      atCreate: null,
      examples: ['key_1', 'key_2'],
    },
    serverType: {
      schema: () => z.enum(['deploy', 'build']).describe('What it is for.'),
      alsoWritten: 'type',
      words: { deploy: 'Services run on it.', build: 'Images are built on it.' },
      atCreate: 'deploy',
      examples: ['deploy', 'build'],
    },
    // An update that leaves it out turns it on.
    enableDockerCleanup: {
      schema: () => z.boolean().describe('Whether unused images and containers are removed every day.'),
      otherwise: true,
      inEveryUpdate: true,
      examples: [false, true],
    },
    command: {
      schema: () => z.string().describe('Script that sets it up; empty for the one of the platform.'),
      takesSecrets: true,
      otherwise: '',
      examples: ['echo ready\n', 'echo steady\n'],
    },
    buildsConcurrency: {
      schema: () => z.number().int().min(1).max(100).describe('How many builds run on it at the same time.'),
      otherwise: 1,
      examples: [2, 4],
    },
  },
  operations: {
    create: 'server.create',
    read: 'server.one',
    update: ['server.update', 'server.updateBuildsConcurrency'],
    delete: 'server.remove',
  },
  lifecycle: {
    dataAtRisk: () => ({
      of: 'data',
      what: 'the connection to the machine, which other projects may use; its certificates are deleted with it',
    }),
  },
  commands: {
    test: { call: 'server.validate', isTest: true, verdict: readiness },
    setup: { call: 'server.setup', answers: 'late', interrupts: 'docker may be installed and restarted on it' },
  },
  checks: {
    hints: {
      ip: 'write ipAddress: …',
      host: 'write ipAddress: …',
      address: 'write ipAddress: …',
      user: 'write username: …',
      metricsConfig: 'the platform writes it when a person sets up monitoring; remove the line',
    },
  },
  examples: ['worker: { ipAddress: 192.0.2.10, sshKeyId: key-1 }\n'],
});

/** What services need on a machine, by the member of the answer that says whether it is there. */
const needs: Readonly<Record<string, string>> = {
  isSwarmInstalled: 'Docker Swarm',
  isDokployNetworkInstalled: 'the network of the platform',
  isMainDirectoryInstalled: 'the folder of the platform',
};

/** Reads the answer of server.validate, which is 200 also for a machine on which nothing is set up. */
function readiness(answer: Row): Verdict {
  const tools = Object.entries(answer).flatMap(([name, tool]) => (isRow(tool) ? [[name, tool] as const] : []));
  const hasDocker = tools.some(([name, { enabled }]) => name === 'docker' && enabled === true);
  const lacking = [
    ...(hasDocker ? [] : ['Docker']),
    ...Object.entries(needs).flatMap(([name, what]) => (answer[name] === false ? [what] : [])),
  ];
  if (lacking.length > 0) return { passed: false, reason: `it lacks ${lacking.join(', ')}; set it up first` };
  return {
    passed: true,
    findings: Object.fromEntries(
      tools.map(([name, { version, enabled }]) => [name, enabled === true ? (version ?? null) : null]),
    ),
  };
}
