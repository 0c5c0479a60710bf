import { beforeAll, describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
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
import { certificate, git, inProduction, keys, pem, watched } from '../support/organization-blocks.ts';
import { head } from '../support/world.ts';

/**
 * As in kills-and-faults, for what stands at the top of a manifest and what refers to it, for sources and for volume
 * backups: each history is run once cleanly, and then once for each of its POSTs and saves with something happening
 * there. No service may lose its key meanwhile.
 */

const withKey = (key = 'deploy', env = `"\${ref:sshKeys.${key}.id}"`) =>
  inProduction(
    `application:\n  api: { source: ${git('api', `, sshKey: ${key}`)}, env: { KEY: ${env} } }\n` +
      `compose:\n  bots: { source: ${git('bots', `, sshKey: ${key}`)} }\n`,
  );
const certificates = (text: string) =>
  `${certificate(text)}  store: { certificateData: ${pem('CERTIFICATE', text)}, privateKey: k, certificatePath: store }\n`;
const model = (name: string) => `apiUrl: "https://models.example.com/v1", apiKey: k-e-y, model: ${name}`;
const models = (name: string) =>
  `ai:\n  helper: { ${model(name)}, isEnabled: false }\n  other: { ${model('small')} }\n`;
const providers =
  'selfgit:\n  forge: { selfgitUrl: "https://git.example.com", clientId: c, clientSecret: correct-horse }\n' +
  'bucketgit:\n  bucket: { bucketgitUsername: u, bucketgitEmail: g@example.com, bucketgitWorkspaceName: w, apiToken: t-o-k-e-n }\n';
const provided = inProduction(
  'application:\n' +
    '  a: { source: { type: selfgit, provider: forge, owner: o, repository: r, branch: main } }\n' +
    '  b: { source: { type: bucketgit, provider: bucket, owner: o, repository: r, branch: main }, env: { G: "${ref:bucketgit.bucket.gitProviderId}" } }\n',
);
const copies = (names: string[]) =>
  `volumeBackups: { ${names.map((name) => `${name}: { volumeName: v, cronExpression: "0 3 * * *", prefix: ${name}/, destinationId: dst_1 }`).join(', ')} }`;
const services = (names: string[]) =>
  inProduction(
    'application:\n' +
      `  web: { source: { type: docker, image: nginx }, build: { type: dockerfile, dockerfile: Dockerfile }, env: { A: "1" }, domains: { a.example.com: { enabled: false } }, ${copies(names)} }\n` +
      'postgres:\n' +
      `  main: { dockerImage: "postgres:17", databaseName: d, databaseUser: u, databasePassword: password-1, ${copies(names)} }\n`,
  );
const web = (source: string) => keys('one') + inProduction(`application:\n  web: { source: ${source} }\n`);
const pulled = web('{ type: docker, image: nginx, username: u, password: correct-horse }');
const cloned = web(git('web', ', sshKey: deploy, buildPath: /web, watchPaths: [src]'));
const none = 'environments: { production: {} }\n';

/** What a history begins with and ends in. */
interface History {
  readonly before: readonly string[];
  readonly after: string;
  readonly posts: number;
}

const histories: Readonly<Record<string, History>> = {
  'a key and what uses it are made': { before: [], after: keys('one') + withKey(), posts: 6 },
  'a key in use is replaced': { before: [keys('one') + withKey()], after: keys('two') + withKey(), posts: 5 },
  'a key is let go of and removed': { before: [keys('one') + withKey()], after: withKey('key-2', 'none'), posts: 4 },
  'certificates are made': { before: [], after: certificates('one'), posts: 2 },
  'certificates are replaced': { before: [certificates('one')], after: certificates('two'), posts: 4 },
  'providers, models and what uses them are made': {
    before: [],
    after: providers + models('small') + provided,
    posts: 9,
  },
  'a model changes': { before: [models('small')], after: models('large'), posts: 1 },
  'volume backups are made with their services': { before: [], after: services(['x', 'y']), posts: 11 },
  'volume backups are made and removed': { before: [services(['x', 'y'])], after: services(['y', 'z']), posts: 4 },
  'volume backups go with their services': { before: [services(['x', 'y'])], after: none, posts: 6 },
  'an application takes an image instead of a repository': { before: [cloned], after: pulled, posts: 1 },
  'an application goes back to its repository': { before: [cloned, pulled], after: cloned, posts: 1 },
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

  test('a POST that is answered with 200 and not carried out is made up for, or an update is said to be not kept', async () => {
    for (const at of each) {
      const made = start();
      const noted: string[] = [];
      const { send, hit } = faultAt(made, at, ignored);
      const failures = await run(made, text, { send: watched(made, noted, send), adoption: true });
      if (failures.length === 0) expect(worldOf(made), `${hit()} said to be done`).toEqual(wanted.get(name));
      const left = await goOn(made, text, { send: watched(made, noted) }).catch((error: unknown) => error);
      if (failures.some((failure) => failure.startsWith('not kept'))) {
        // What a service still uses is not taken from it; else each plan says that the value was not kept.
        expect(hit()).toMatch(/\.(update|save\w+)$/);
        if (left instanceof Stop) expect(left.message).toContain('is still used');
        else expect(notesOf(left as Awaited<ReturnType<typeof goOn>>).map(({ code }) => code)).toContain('not-kept');
      } else expect(worldOf(made), `${hit()}, POST ${at}`).toEqual(wanted.get(name));
      expect(noted).toEqual([]);
    }
  });
});
