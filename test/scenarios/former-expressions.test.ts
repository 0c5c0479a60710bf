import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { planDocument } from '../../src/documents/plan-document.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import type { World } from '../../src/emulator/world.ts';
import { openWorkspace } from '../../src/manifest/workspace.ts';
import type { Plan } from '../../src/plan/action.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { validate } from '../../src/workflow/validate.ts';
import { verdictOf } from '../../src/render/verdict.ts';
import { kinds as allKinds } from '../../src/resources/index.ts';
import { localStore } from '../../src/state/backends/local.ts';
import { testKeys } from '../support/state-key.ts';
import { selfMovingClock } from '../support/virtual-clock.ts';
import { bench } from '../support/world.ts';

/**
 * Sixty blocks with `${secret:}` and `${env:}` in hosts, names, images and texts, which the version before format 4 applied.
 * Each plans as before, or is refused with lines that make the next plan empty.
 */

const fixture = new URL('../fixtures/former-states/expressions/', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, fixture), 'utf8');

/** The values of the secrets and of the environment, by one name. */
const values: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    read('values.txt')
      .split('\n')
      .flatMap((line) => {
        const at = line.indexOf('=');
        return at === -1 ? [] : [[line.slice(0, at), line.slice(at + 1)]];
      }),
  ),
  PRIVATE_KEY: '-----BEGIN OPENSSH PRIVATE KEY-----\nb25lLTQ4MTU=\n-----END OPENSSH PRIVATE KEY-----\n',
  LINES: 'canary-line-4816\ncanary-line-4817',
};

/** Opens one of the manifests with its state, long after its last run. */
function open(name: string) {
  const clock = selfMovingClock(Date.parse('2026-12-01T12:00:00Z'));
  const world = JSON.parse(read('world.json')) as World;
  const emulator = createEmulator({ world, now: () => new Date(clock.wall()) });
  const made = bench({ emulator, clock });
  const state = mkdtempSync(join(tmpdir(), 'trueup-former-'));
  mkdirSync(state, { recursive: true });
  writeFileSync(join(state, 'state.json'), read(`state/${name}.json`));
  const folder = mkdtempSync(join(tmpdir(), 'trueup-former-manifest-'));
  const given: Record<string, string> = {};
  return {
    given,
    plan: async (text: string, { hasSecrets = true } = {}): Promise<Plan> => {
      writeFileSync(join(folder, 'trueup.yaml'), text);
      const { manifest } = await validate({
        workspace: await openWorkspace(folder),
        file: 'trueup.yaml',
        kinds: allKinds,
        env: (variable) => values[variable],
        secret: (secret) => (hasSecrets ? values[secret] : undefined),
        given: (variable) => {
          const text = given[variable];
          return text === undefined ? undefined : { text, by: `--var ${variable}` };
        },
        addSecret: () => undefined,
      });
      return plan(manifest, { ...made.world(), store: localStore(state, { keys: testKeys }) });
    },
  };
}

const verdict = (made: Plan) => verdictOf(planDocument({ plan: made, counts: { reads: 0, writes: 0 } }));
const changes = ({ actions }: Plan) => actions.filter(({ action }) => action !== 'no-op').map(({ address }) => address);

const written = /^Write ([\w.]+): ("(?:[^"\\]|\\.)*")/;
const replaced = /^Write (\$\{var:\w+\}) in place of (\$\{secret:\w+\})/;

/** Carries out the remedy of a misplaced secret: the line, the declarations, and the variables. */
function carriedOut(text: string, { position, remedy = '' }: Diagnostic, given: Record<string, string>): string {
  const lines = text.split('\n');
  const at = (position?.line ?? 0) - 1;
  const line = lines[at] ?? '';
  const before = line.slice(0, (position?.column ?? 0) - 1);
  const behind = line.slice(before.length);
  const [, , value] = written.exec(remedy) ?? [];
  const [, to, from] = replaced.exec(remedy) ?? [];
  if (value !== undefined) lines[at] = before + behind.replace(/^(?:'(?:[^']|'')*'|"(?:[^"\\]|\\.)*")/, () => value);
  else if (to !== undefined && from !== undefined) lines[at] = before + behind.replaceAll(from, () => to);
  const [, declared = ''] = /declare (.+) under variables:/.exec(remedy) ?? [];
  const [, set = ''] = /set (.+) to the values?\./.exec(remedy) ?? [];
  for (const name of set.split(' and ').map((one) => one.replace('TRUEUP_VAR_', ''))) given[name] = values[name] ?? '';
  const changed = lines.join('\n');
  expect(changed, remedy).not.toBe(text);
  if (declared === '') return changed;
  const entries = declared
    .split(', ')
    .map((entry) => `  ${entry}\n`)
    .join('');
  return changed.includes('\nvariables:\n')
    ? changed.replace('\nvariables:\n', `\nvariables:\n${entries}`)
    : changed.replace('project: prj_1\n', `project: prj_1\nvariables:\n${entries}`);
}

/** Plans, and carries out the remedies of errors one by one, until there are none. */
async function planned(former: ReturnType<typeof open>, text: string) {
  const refused: string[] = [];
  let current = text;
  for (let round = 0; round < 20; round++) {
    try {
      return { made: await former.plan(current), refused: refused.toReversed(), text: current };
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      for (const value of secretValues) expect(JSON.stringify(error.diagnostics)).not.toContain(value);
      const errors = error.diagnostics.filter(({ severity }) => severity === 'error');
      expect(errors.map(({ code }) => code)).toEqual(errors.map(() => 'misplaced-secret'));
      const last = errors.at(-1);
      if (last === undefined) throw error;
      refused.push(`${last.address ?? ''} ${last.message.split(' must not hold ')[0]}`);
      current = carriedOut(current, last, former.given);
    }
  }
  throw new Error('the remedies do not lead on');
}

/** Values that stand nowhere in a manifest. */
const secretValues = [
  'PW',
  'TOKEN',
  'HOST',
  'CUSTOMER',
  'SUB',
  'REGISTRY',
  'VOLUME',
  'FOLDER',
  'BUCKET',
  'PIN',
  'MAIL',
].map((name) => values[name] ?? '');

const noChanges = 'No changes. The platform matches the manifest.';

test.each([
  [
    'names',
    [
      'production.compose.n1.domains.a host',
      'production.compose.n2.domains["b.example.com"] path',
      'production.compose.n3.domains["c.example.com"] serviceName',
      'production.compose.n4 name',
      'production.compose.n5.domains.d host',
      'production.application.n6 source.image',
      'production.application.n7 source.image',
      'production.application.n7.mounts["/data"] volumeName',
      'production.application.n8.domains["e.example.com"] middlewares',
      'production.application.n8.domains["e.example.com"] customCertResolver',
      'production.application.n9.mounts["/srv"] hostPath',
      'production.postgres.n10 dockerImage',
    ],
  ],
  [
    'services',
    [
      'production.application.s4 source.branch',
      'production.application.s5 build.dockerfile',
      'production.mariadb.s9.backups.n prefix',
      'production.compose.s10.volumeBackups.v prefix',
    ],
  ],
  [
    'organization',
    ['registries.o2 imagePrefix', 'notifications.o6 name', 'ai.o7 model', 'tags.o9 color', 'sshKeys.o10 publicKey'],
  ],
  [
    'texts',
    [
      'production.compose.t4 source.composeFile: a key of a map',
      'production.compose.t8 source.composeFile: a key of a map',
    ],
  ],
  ['env-names', []],
  ['env-texts', []],
])(
  'the ten blocks of %s plan nothing, the refused ones with the lines that the errors give',
  async (name, refusals) => {
    const former = open(name);
    const { made, refused, text } = await planned(former, read(`${name}.yaml`));
    expect(refused).toEqual(refusals);
    expect([changes(made), verdict(made)]).toEqual([[], noChanges]);
    const without = await former.plan(text, { hasSecrets: false });
    expect(changes(without)).toEqual([]);
  },
);
