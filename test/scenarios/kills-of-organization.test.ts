import { beforeAll, describe, expect, test } from 'vitest';
import type { Send } from '../../src/api/wire.ts';
import type { Row } from '../../src/kind/json.ts';
import { notesOf } from '../support/faults.ts';
import type { Death, Fault, Start } from '../support/histories.ts';
import {
  begin,
  emptied,
  failedAfter,
  failedBefore,
  faultAt,
  goOn,
  ignored,
  killedRun,
  lost,
  nothing,
  postsTo,
  refused,
  run,
  startAfter,
  worldOf,
} from '../support/histories.ts';
import type { Bench } from '../support/world.ts';
import { head } from '../support/world.ts';

/**
 * The same as for services, for what stands at the top of a manifest and what refers to it: each history is run once
 * cleanly, and then once for each of its POSTs and saves with something happening there.
 */

const pem = (what: string, text: string) => JSON.stringify(`-----BEGIN ${what}-----\n${text}\n-----END ${what}-----\n`);
const keys = (pair: string, key = 'deploy') =>
  `sshKeys:\n  ${key}: { publicKey: ssh-ed25519 AAAA${pair} shop, privateKey: ${pem('OPENSSH PRIVATE KEY', pair)} }\n`;
const git = (name: string, more = '') => `{ type: git, url: "git@git.example.com:${name}.git", branch: main${more} }`;
const production = (sections: string) => `environments:\n  production:\n${sections.replaceAll(/^(?=.)/gm, '    ')}`;
const fetching = (key = 'deploy') =>
  production(
    `application:\n  api: { source: ${git('api', `, sshKey: ${key}`)}, env: { KEY: "\${ref:sshKeys.${key}.id}" } }\n` +
      `compose:\n  bots: { source: ${git('bots', `, sshKey: ${key}`)} }\n`,
  );
const certificates = (text: string) =>
  `certificates:\n  shop: { certificateData: ${pem('CERTIFICATE', text)}, privateKey: k }\n` +
  `  store: { certificateData: ${pem('CERTIFICATE', text)}, privateKey: k, certificatePath: store }\n`;
const providers =
  'selfgit:\n  forge: { selfgitUrl: "https://git.example.com", clientId: c, clientSecret: correct-horse }\n' +
  'bucketgit:\n  bucket: { bucketgitUsername: u, bucketgitEmail: g@example.com, bucketgitWorkspaceName: w, apiToken: t-o-k-e-n }\n';
const helper = (model: string) =>
  `ai:\n  helper: { apiUrl: "https://models.example.com/v1", apiKey: k-e-y, model: ${model}, isEnabled: false }\n` +
  '  other: { apiUrl: "https://models.example.com/v1", apiKey: k-e-y, model: small }\n';
const provided = production(
  'application:\n' +
    '  a: { source: { type: selfgit, provider: forge, owner: o, repository: r, branch: main } }\n' +
    '  b: { source: { type: bucketgit, provider: bucket, owner: o, repository: r, branch: main }, env: { G: "${ref:bucketgit.bucket.gitProviderId}" } }\n',
);
const copies = (names: string[]) =>
  `volumeBackups: { ${names.map((name) => `${name}: { volumeName: v, cronExpression: "0 3 * * *", prefix: ${name}/, destinationId: dst_1 }`).join(', ')} }`;
const services = (names: string[]) =>
  production(
    'application:\n' +
      `  web: { source: { type: docker, image: nginx }, build: { type: dockerfile, dockerfile: Dockerfile }, env: { A: "1" }, domains: { a.example.com: { enabled: false } }, ${copies(names)} }\n` +
      'postgres:\n' +
      `  main: { dockerImage: "postgres:17", databaseName: d, databaseUser: u, databasePassword: password-1, ${copies(names)} }\n`,
  );
const source = (text: string) => production(`application:\n  web: { source: ${text} }\n`);
const docker = source('{ type: docker, image: nginx, username: u, password: correct-horse }');
const cloned = `${keys('one')}${source(git('web', ', sshKey: deploy, buildPath: /web, watchPaths: [src]'))}`;
const none = production('{}\n').replace('\n    {}', ' {}');

/** What a history begins with and ends in. */
interface History {
  readonly before: readonly string[];
  readonly after: string;
  readonly posts: number;
}

const histories: Readonly<Record<string, History>> = {
  'a key and what uses it are made': { before: [], after: keys('one') + fetching(), posts: 6 },
  'a key in use is replaced': { before: [keys('one') + fetching()], after: keys('two') + fetching(), posts: 5 },
  'a key is let go of and removed': {
    before: [keys('one') + fetching()],
    after: fetching('key-2').replace('${ref:sshKeys.key-2.id}', 'none'),
    posts: 4,
  },
  'certificates are made': { before: [], after: certificates('one'), posts: 2 },
  'certificates are replaced': { before: [certificates('one')], after: certificates('two'), posts: 4 },
  'providers, models and what uses them are made': {
    before: [],
    after: providers + helper('small') + provided,
    posts: 9,
  },
  'models change': { before: [helper('small')], after: helper('large'), posts: 1 },
  'volume backups are made with their services': { before: [], after: services(['x', 'y']), posts: 11 },
  'volume backups are made and removed': { before: [services(['x', 'y'])], after: services(['y', 'z']), posts: 4 },
  'volume backups go with their services': { before: [services(['x', 'y'])], after: none, posts: 6 },
  'an application takes an image instead of a repository': { before: [cloned], after: keys('one') + docker, posts: 1 },
  'an application goes back to its repository': { before: [cloned, keys('one') + docker], after: cloned, posts: 1 },
};

const starts = new Map<string, Start>();
const wanted = new Map<string, string[]>();

beforeAll(async () => {
  for (const [name, { before, after, posts }] of Object.entries(histories)) {
    const start = await startAfter(...before.map((text) => head + text));
    starts.set(name, start);
    const clean = begin(start);
    expect(await run(clean, head + after, { adoption: true })).toEqual([]);
    expect([name, postsTo(clean)]).toEqual([name, posts]);
    wanted.set(name, worldOf(clean));
  }
});

/** The platform with somebody who notes every moment in which a service lost its key, or a provider is there twice. */
function watched(made: Bench, noted: string[], send: Send = made.emulator.send): Send {
  return async (request) => {
    const before = keysOfServices(made);
    try {
      return await send(request);
    } finally {
      const after = keysOfServices(made);
      for (const [id, key] of before)
        if (key !== null && after.get(id) === null) noted.push(`${request.path} takes ${String(key)} from ${id}`);
      const names = rows(made, 'gitProvider').map((row) => row.name);
      if (names.length > new Set(names).size) noted.push(`${request.path} makes a second provider`);
    }
  };
}

function keysOfServices(made: Bench): Map<string, unknown> {
  return new Map(
    (['application', 'compose'] as const).flatMap((table) =>
      rows(made, table)
        .filter((row) => row.sourceType === 'git')
        .map((row) => [String(row[`${table}Id`]), row.customGitSSHKeyId] as const),
    ),
  );
}

function rows(made: Bench, table: 'application' | 'compose' | 'gitProvider' | 'labgit' | 'sshKey'): Row[] {
  return Object.values(made.emulator.world.tables[table]) as Row[];
}

describe.each(Object.entries(histories))('%s:', (name, { after, posts }) => {
  const each = Array.from({ length: posts }, (_, index) => index + 1);
  const text = head + after;
  const start = () => begin(starts.get(name) ?? nothing);

  test.each<Death['where']>(['before the POST', 'after the POST', 'before the save', 'after the save'])(
    'a run that is killed %s is finished by the next ones',
    async (where) => {
      for (let at = 1; ; at++) {
        const made = start();
        const noted: string[] = [];
        const isKilled = await killedRun(made, text, { at, where }, { watch: (send) => watched(made, noted, send) });
        if (!isKilled) break;
        await goOn(made, text, { send: watched(made, noted) });
        expect(worldOf(made), `killed ${where} ${at}`).toEqual(wanted.get(name));
        expect(noted).toEqual([]);
      }
    },
  );

  test.each<[string, Fault]>([
    ['is carried out and its answer lost', lost],
    ['is carried out and answered with 500', failedAfter],
    ['is carried out and answered with nothing', emptied],
    ['is not carried out and answered with 500', failedBefore],
    ['is refused at the door', refused],
  ])('a POST that %s is made up for by the next runs', async (_title, fault) => {
    for (const at of each) {
      const made = start();
      const noted: string[] = [];
      const { send, hit } = faultAt(made, at, fault);
      const failures = await run(made, text, { send: watched(made, noted, send), adoption: true });
      if (failures.length === 0) expect(worldOf(made), `${hit()} said to be done`).toEqual(wanted.get(name));
      await goOn(made, text, { send: watched(made, noted) });
      expect(worldOf(made), `${hit()}, POST ${at}`).toEqual(wanted.get(name));
      expect(noted).toEqual([]);
    }
  });

  test('a POST that is answered with 200 and not carried out is made up for, and an update is said to be not kept', async () => {
    for (const at of each) {
      const made = start();
      const { send, hit } = faultAt(made, at, ignored);
      const failures = await run(made, text, { send, adoption: true });
      if (failures.length === 0) expect(worldOf(made), `${hit()} said to be done`).toEqual(wanted.get(name));
      // A service that did not take the new key loses the old one with it, which is drift that a third run repairs.
      if (failures.length > 0) await run(made, text);
      const left = await goOn(made, text);
      if (
        failures.some((failure) => failure.startsWith('not kept')) &&
        notesOf(left).some(({ code }) => code === 'not-kept')
      ) {
        expect(hit()).toMatch(/\.(update|save\w+)$/);
        expect(worldOf(made)).not.toEqual(wanted.get(name));
      } else expect(worldOf(made), `${hit()}, POST ${at}`).toEqual(wanted.get(name));
    }
  });
});
