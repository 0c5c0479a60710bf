import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { createProgram } from '../../src/cli/program.ts';
import { settingsIn } from '../../src/controller/read-settings.ts';
import { processOfTest } from '../support/process.ts';

/** The files that start a controller: their form, and the commands in them. */

const root = resolve(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(join(root, 'deploy', name), 'utf8');
const parsed = (name: string) => parseAllDocuments(read(name)).map((document) => document.toJS({}) as unknown);
const lacks = (program: string) =>
  (process.env.CI ?? '') === '' && spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0;

interface Container {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly securityContext: unknown;
}
interface Pod {
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: unknown;
  readonly volumes: readonly { readonly name: string }[];
  readonly containers: readonly [Container];
}
interface Workload {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly template: { readonly spec: Pod } };
}

/** Whether the program has a command with these options. */
async function takes(words: readonly string[]): Promise<string> {
  const program = await createProgram(processOfTest({ args: words, cwd: root }), () => undefined);
  const group = program.commands.find((command) => command.name() === words[0]);
  const command = group?.commands.find((one) => one.name() === words[1]);
  if (command === undefined) return `no command ${words.slice(0, 2).join(' ')}`;
  const { unknown } = command.parseOptions(words.slice(2));
  return unknown.length === 0 ? 'taken' : `unknown: ${unknown.join(' ')}`;
}

test('the settings are some, and name their files in the folder of credentials', () => {
  const settings = settingsIn('/etc/trueup/controller.yaml', read('controller.yaml'), {
    CREDENTIALS_DIRECTORY: '/run/secrets',
  });
  expect(settings.signIn?.oidc?.clientSecretFile).toBe('/run/secrets/oidc-client-secret');
  expect(settings.notify.map(({ urlFile }) => urlFile)).toEqual(['/run/secrets/slack-url']);
  expect(settings.address).toBe('https://trueup.example.com');
});

describe('the compose file', () => {
  const [compose] = parsed('compose.yaml') as [
    {
      readonly services: Readonly<
        Record<string, { command?: string[]; secrets: string[]; environment: Record<string, string> }>
      >;
      readonly secrets: Readonly<Record<string, unknown>>;
    },
  ];

  test('starts a page with a worker by a command that is one', async () => {
    expect(await takes(compose.services['controller']?.command ?? [])).toBe('taken');
  });

  test('has each secret as a file, and gives a service those that it needs', () => {
    const used = Object.values(compose.services).flatMap(({ secrets }) => secrets);
    expect(used.toSorted()).toEqual(Object.keys(compose.secrets).toSorted());
    const files = Object.values(compose.services['controller']?.environment ?? {}).filter((value) =>
      value.startsWith('/run/secrets/'),
    );
    expect(
      files.map((path) => path.slice('/run/secrets/'.length)).filter((name) => !(name in compose.secrets)),
    ).toEqual([]);
  });
});

describe('the workloads for Kubernetes', () => {
  const workloads = (parsed('kubernetes.yaml') as Workload[]).filter(({ kind }) => kind !== 'Service');
  const pods = workloads.map(({ metadata, spec }) => ({ name: metadata.name, ...spec.template.spec }));

  test('are a job for the tables, the page and the workers, each by a command that is one', async () => {
    expect(workloads.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'Job trueup-migrate',
      'Deployment trueup-page',
      'Deployment trueup-worker',
    ]);
    for (const { containers } of pods) expect(await takes(containers[0].args)).toBe('taken');
  });

  test('have no rights, no token of the cluster, and a file system that they cannot write', () => {
    const locked = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } };
    for (const pod of pods) {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(pod.containers.map(({ securityContext }) => securityContext)).toEqual([locked]);
      const volumes = pod.volumes.map(({ name }) => name).toSorted();
      expect(pod.containers[0].volumeMounts.map(({ name }) => name).toSorted()).toEqual(volumes);
    }
  });

  test('give the page neither the key of the states nor the keys of platforms', () => {
    const page = JSON.stringify(pods.find(({ name }) => name === 'trueup-page'));
    expect(page).toContain('TRUEUP_CONTROLLER_URL_FILE');
    expect(page).not.toMatch(/state-key|STATE_KEY|trueup-(keys|state)/);
    // A mounted secret has all of its keys: that of the states stands in one of its own.
    const [head = ''] = read('kubernetes.yaml').split('apiVersion');
    expect(head.replace(/\n# /g, ' ')).toContain(
      'The secret `trueup` has the keys database-url, oidc-client-secret and slack-url, and the secrets of webhooks. Workers alone have the secret `trueup-state`, with the key state-key',
    );
    expect(JSON.stringify(pods.find(({ name }) => name === 'trueup-worker'))).toContain('trueup-state/state-key');
  });
});

describe('the unit of systemd', () => {
  test.skipIf(lacks('systemd-analyze'))('is accepted by systemd-analyze', () => {
    const args = ['verify', join(root, 'deploy/trueup-controller.service')];
    const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  test('starts commands that are some', async () => {
    const lines = read('trueup-controller.service').matchAll(/ExecStart=\/usr\/bin\/env trueup (.+)/g);
    const commands = [...lines].map(([, words = '']) => words.split(' '));
    expect(commands).toHaveLength(2);
    for (const words of commands) expect(await takes(words)).toBe('taken');
  });
});
