import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createProgram } from '../../src/cli/program.ts';
import { readOptions } from '../../src/ci/ci-options.ts';
import { readYaml } from '../support/pipelines.ts';
import { processOfTest } from '../support/process.ts';

/** The files for images, schedules and hooks: their form, and the commands in them. */

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
/** Every CI installs the tools, so there a missing one fails its tests. */
const lacks = (program: string) =>
  (process.env.CI ?? '') === '' && spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0;

describe('the Dockerfile', () => {
  const lines = read('Dockerfile').split(/\n(?!\s)/);

  test('begins from images with a version and a digest', () => {
    const bases = [...read('Dockerfile').matchAll(/^ARG \w+=(\S+)$/gm)].map(([, base]) => base);
    expect(bases).toEqual([
      expect.stringMatching(/^docker\.io\/library\/node:20\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/),
      expect.stringMatching(/^docker\.io\/library\/debian:trixie-\d{8}-slim@sha256:[0-9a-f]{64}$/),
    ]);
    expect(lines.filter((line) => line.startsWith('FROM '))).toEqual([
      'FROM ${NODE} AS build',
      'FROM ${DEBIAN} AS base',
      'FROM base AS controller',
      'FROM base AS actions',
      'FROM base',
    ]);
  });

  test('runs as a user without rights, and takes no secret', () => {
    expect(lines.filter((line) => line.startsWith('USER '))).toEqual(['USER trueup']);
    expect(lines.findIndex((line) => line === 'USER trueup')).toBeGreaterThan(
      lines.findLastIndex((line) => line.startsWith('RUN ')),
    );
    expect(lines.filter((line) => /^(ENV|ADD|ARG (?!(NODE|DEBIAN)=))/.test(line))).toEqual([]);
  });

  test('copies single names that the list for the context has, and the context has nothing else', () => {
    const copied = lines
      .filter((line) => /^COPY (?!--from)/.test(line))
      .flatMap((line) => line.split(' ').slice(1, -1))
      .toSorted();
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1))
      .toSorted();
    expect(allowed).toEqual(copied);
    expect(read('.dockerignore').split('\n')).toContain('*');
    expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

describe('the CronJob', () => {
  interface Container {
    readonly name: string;
    readonly command: readonly string[];
    readonly args?: readonly string[];
    readonly env?: readonly { readonly name: string }[];
    readonly securityContext: unknown;
    readonly volumeMounts: readonly { readonly name: string }[];
  }
  const job = readYaml('pipelines/kubernetes.yaml') as {
    readonly apiVersion: string;
    readonly kind: string;
    readonly spec: {
      readonly schedule: string;
      readonly concurrencyPolicy: string;
      readonly jobTemplate: {
        readonly spec: {
          readonly backoffLimit: number;
          readonly template: {
            readonly spec: {
              readonly restartPolicy: string;
              readonly automountServiceAccountToken: boolean;
              readonly securityContext: unknown;
              readonly volumes: readonly { readonly name: string }[];
              readonly initContainers: readonly Container[];
              readonly containers: readonly Container[];
            };
          };
        };
      };
    };
  };
  const pod = job.spec.jobTemplate.spec.template.spec;
  const containers = [...pod.initContainers, ...pod.containers];

  test('is one, and runs one check at a time, once', () => {
    expect(job).toMatchObject({ apiVersion: 'batch/v1', kind: 'CronJob' });
    expect(job.spec).toMatchObject({ schedule: '17 3 * * *', concurrencyPolicy: 'Forbid' });
    expect(job.spec.jobTemplate.spec).toMatchObject({ backoffLimit: 0 });
    expect(pod.restartPolicy).toBe('Never');
  });

  test('has no rights, no token of the cluster, and a file system that it cannot write', () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    });
    const locked = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } };
    expect(containers.map(({ securityContext }) => securityContext)).toEqual([locked, locked]);
    const volumes = pod.volumes.map(({ name }) => name);
    expect(
      containers.flatMap(({ volumeMounts }) => volumeMounts).filter(({ name }) => !volumes.includes(name)),
    ).toEqual([]);
  });

  test('keeps secrets out of command lines, and shows the key of the platform to the check only', () => {
    expect(JSON.stringify(containers.map(({ command, args }) => [command, args]))).not.toMatch(/token|password|\$\(/i);
    expect(pod.initContainers.filter((one) => 'envFrom' in one)).toEqual([]);
    expect(readOptions(pod.containers[0]?.command.slice(1) ?? [])).toMatchObject({ command: 'drift', folder: 'infra' });
  });
});

describe('the units of systemd', () => {
  test.skipIf(lacks('systemd-analyze'))('are accepted by systemd-analyze', () => {
    const files = ['service', 'timer'].map((kind) => join(root, `pipelines/trueup-drift.${kind}`));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', ...files], { encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  test('run one check, as a user of its own, with secrets from a file', () => {
    const service = read('pipelines/trueup-drift.service');
    expect(service).toMatch(/^Type=oneshot$/m);
    expect(service).toMatch(/^User=trueup$/m);
    expect(service).toMatch(/^EnvironmentFile=\/etc\/trueup\/drift\.env$/m);
    expect(service).not.toMatch(/^Environment=(?!TRUEUP_PINNED=true$)/m);
    const [, words = ''] = /^ExecStart=\/usr\/bin\/env trueup-ci (.*)$/m.exec(service) ?? [];
    expect(readOptions(words.split(' '))).toMatchObject({ command: 'drift', folder: 'infra' });
  });
});

describe('the line of cron', () => {
  const [, script = ''] = /^17 3 \* \* \* trueup (.*)$/m.exec(read('pipelines/trueup-drift.cron')) ?? [];

  const variables = [...read('pipelines/trueup-drift.cron').matchAll(/^([A-Z_]+)=(.*)$/gm)];

  /** Runs the line with programs that answer as given. Gives what cron would send by mail. */
  function mail(check: string, git = 'exit 0'): string {
    const folder = mkdtempSync(join(tmpdir(), 'trueup-cron-'));
    for (const [name, text] of [
      ['trueup-ci', check],
      ['git', git],
    ] as const) {
      writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
      chmodSync(join(folder, name), 0o755);
    }
    mkdirSync(join(folder, 'repository'));
    writeFileSync(join(folder, 'drift.env'), 'export TRUEUP_API_KEY=given\n');
    // To cron, a percent sign without a backslash ends the command.
    expect(script).not.toMatch(/(?<!\\)%/);
    const here = script.replaceAll('\\%', '%').replaceAll('/var/lib/trueup', folder).replaceAll('/etc/trueup', folder);
    const env = {
      ...Object.fromEntries(variables.map(([, name, value]) => [name, value])),
      PATH: `${folder}:/usr/bin:/bin`,
    };
    const { stdout, stderr } = spawnSync('/bin/sh', ['-c', here], { env, encoding: 'utf8' });
    return stdout + stderr;
  }

  test('is silent when there is nothing new', () => {
    expect(mail('echo "Nothing new."; test "$TRUEUP_API_KEY" = given')).toBe('');
  });

  test('prints what the check prints when it fails', () => {
    expect(mail('echo "1 new"; echo why >&2; exit 2')).toBe('1 new\nwhy\n');
  });

  test('prints names with backslashes as they are, and all that comes behind them', () => {
    const words = String.raw`1 new: web\c \033[2J \n %s`;
    expect(mail(`cat <<'END'\n${words}\nEND\nexit 2`)).toBe(`${words}\n`);
  });

  test('is pinned, because cron sets no CI', () => {
    expect(mail('echo "pinned: $TRUEUP_PINNED"; exit 2')).toBe('pinned: true\n');
  });

  test('checks nothing when the clone cannot be updated', () => {
    expect(mail('echo checked', 'echo "cannot pull" >&2; exit 1')).toBe('cannot pull\n');
  });
});

test('the hooks of pre-commit run commands that there are, and change nothing', async () => {
  const hooks = parse(read('.pre-commit-hooks.yaml')) as { id: string; entry: string; pass_filenames: boolean }[];
  const program = await createProgram(processOfTest({ cwd: root }), () => {}, { isNamed: () => true });
  expect(hooks.map(({ entry }) => entry)).toEqual(['trueup validate', 'trueup fmt --check']);
  for (const { entry, pass_filenames: passes } of hooks) {
    const [, name, option] = entry.split(' ');
    const command = program.commands.find((one) => one.name() === name);
    expect(command, entry).toBeDefined();
    expect(option === undefined || command?.options.some(({ long }) => long === option)).toBe(true);
    expect(passes).toBe(false);
  }
});

describe.skipIf(lacks('shellcheck'))('shellcheck accepts', () => {
  const scripts = (readYaml('action.yml') as { runs: { steps: { run?: string }[] } }).runs.steps.flatMap(
    ({ run }) => run ?? [],
  );

  test.each(scripts)('the script of the action %#', (script) => {
    const { status, stdout } = spawnSync('shellcheck', ['--shell=bash', '-'], {
      input: `set -e\n${script}`,
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });
});
