import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Validator } from '@cfworker/json-schema';
import { parse } from 'yaml';
import { afterAll, describe, expect, it } from 'vitest';
import type { Profile } from '../../src/api/contract.ts';
import { contracts } from '../../src/api/contract.ts';
import { document } from '../../src/api/vocabulary.ts';
import { runCi } from '../../src/ci/run-ci.ts';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { createProgram } from '../../src/cli/program.ts';
import { codes } from '../../src/diagnostics/codes.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { manifestSchema } from '../../src/manifest/json-schema.ts';
import { kinds } from '../../src/resources/index.ts';
import type { Finished } from '../cli/process.ts';
import { project, trueup } from '../cli/process.ts';
import { processOfTest } from '../support/process.ts';

const apiKey = 'right-key-4711';
const env = {
  TRUEUP_API_KEY: apiKey,
  TRUEUP_ALLOW_HTTP: '1',
  TRUEUP_SECRET_GIT: 'correct-horse-1',
  TRUEUP_SECRET_DB: 'battery-staple-2',
};

const open: { close(): Promise<void> }[] = [];
afterAll(async () => {
  await Promise.all(open.map((server) => server.close()));
});

/** Words that one vocabulary has for what the other one calls otherwise: groups, operations, members and values. */
const tables = [document.groups, document.operations, document.members, ...Object.values(document.values)];
const wordsOf: Readonly<Record<Profile, ReadonlySet<string>>> = {
  standard: new Set(tables.flatMap((table) => Object.values(table))),
  dokploy: new Set(tables.flatMap((table) => Object.keys(table))),
};

/** The words of the API document in a text, with what stands around the first of each; or those of another profile. */
function foreignWords(text: string, foreign = wordsOf.standard): string[] {
  const found = new Map<string, string>();
  // The world of the emulator has names of its own, such as gitea-1.
  for (const { 0: word, index } of text.matchAll(/\w+(?!\w|-\d|\.example)/g)) {
    if (foreign.has(word) && !found.has(word)) found.set(word, text.slice(Math.max(0, index - 60), index + 60));
  }
  return [...found].map(([word, around]) => `${word}: …${around}…`);
}

const wordsIn = {
  standard: {
    gitea: 'selfgit',
    Url: 'selfgitUrl',
    nix: 'nix_builder',
    acme: 'acme_auto',
    files: 'canAccessToProxyFiles',
    detach: 'detachPlatformNetwork',
  },
  dokploy: {
    gitea: 'gitea',
    Url: 'giteaUrl',
    nix: 'nixpacks',
    acme: 'letsencrypt',
    files: 'canAccessToTraefikFiles',
    detach: 'detachDokployNetwork',
  },
} satisfies Record<Profile, unknown>;

/** A manifest in the words of a vocabulary. */
function sections(words: Profile): string {
  const { gitea, Url, nix, acme, files, detach } = wordsIn[words];
  return `${gitea}:
  forge: { ${Url}: "https://git.example.com", clientId: a, clientSecret: "\${secret:GIT}", redirectUri: "https://d.example.com/cb" }
members:
  admin@example.test: { ${files}: true }
environments:
  production:
    application:
      web:
        source: { type: ${gitea}, provider: forge, owner: shop, repository: shop, branch: main }
        build: { type: ${nix}, publishDirectory: dist }
        env: { FORGE: "\${ref:${gitea}.forge.id}" }
        domains:
          shop.example.com: { https: true, certificateType: ${acme} }
    compose:
      shop:
        source: { type: raw, composeFile: "services:\\n  web:\\n    image: nginx:1.27\\n" }
        serviceNetworks: [{ serviceName: web, networkIds: [net_1], ${detach}: true }]
    postgres:
      main: { databaseName: shop, databaseUser: shop, databasePassword: "\${secret:DB}", ${detach}: true }
`;
}

/** A platform of a profile over HTTP, and a folder whose manifest is in the words of one. */
async function place(profile: Profile, words: Profile, { names = false } = {}) {
  const emulator = createEmulator({ apiKey, profile });
  const server = await serve(emulator);
  open.push(server);
  const head = `trueup: 1\nplatform: { url: "${server.url}"${names ? `, profile: ${profile}` : ''} }\nproject: prj_1\n`;
  const folder = project(head + sections(words));
  const run = (...args: string[]) => trueup([...args, '-C', folder], { env, cwd: folder });
  return { emulator, server, folder, head, run };
}

const profiles: readonly Profile[] = ['standard', 'dokploy'];
const pairs: readonly (readonly [Profile, Profile])[] = [
  ['dokploy', 'dokploy'],
  ['dokploy', 'standard'],
  ['standard', 'dokploy'],
];
const everything = ['--auto-approve', '--adopt', '--allow-data-loss'];

describe('a manifest that names no profile', () => {
  it.each(pairs)(
    'on a platform of %s, in the words of %s: is planned and applied in the words of Dokploy',
    async (profile, words) => {
      const { run, emulator } = await place(profile, words);
      const [own, other] = ['gitea.forge', 'selfgit'];
      const plan = await run('plan');
      expect([plan.out.includes(own), plan.out.includes(other)]).toEqual([true, false]);
      expect((await run('apply', ...everything)).code).toBe(0);
      expect((await run('plan')).out).toContain('No changes');
      for (const args of [['state', 'list'], ['state', 'show', own], ['drift'], ['status']]) {
        const { out, code } = await run(...args);
        expect([code, foreignWords(out)]).toEqual([0, []]);
      }
      // No request was sent in words that the platform does not have.
      const refused = emulator.log.filter(({ status }) => status >= 400).map(({ operation }) => operation);
      expect(refused.filter((operation) => operation !== 'settings.getDokployVersion')).toEqual([]);
    },
  );

  it('gets the same warnings once', async () => {
    const { run, folder, head } = await place('dokploy', 'standard');
    writeFileSync(
      join(folder, 'trueup.yaml'),
      `${head}${sections('standard').replace('env: {', 'memoryLimit: 5, env: {')}`,
    );
    const { err } = await run('plan');
    expect(err.match(/warning/g)?.length ?? 0).toBeLessThanOrEqual(1);
  });
});

describe('a profile that the manifest names', () => {
  it('is refused where the platform has another one', async () => {
    const { folder, head, run } = await place('dokploy', 'standard');
    const text = head.replace('" }', '", profile: standard }') + sections('standard');
    writeFileSync(join(folder, 'trueup.yaml'), text);
    const { code, err, out } = await run('plan');
    expect(code).not.toBe(0);
    expect(err + out).toContain('profile: standard, and the platform answers in the words of dokploy');
    expect(err + out).toContain('Write profile: dokploy');
  });
});

describe('a state of a platform of the other vocabulary', () => {
  it.each(profiles)('plans nothing in the profile %s, and keeps its objects', async (profile) => {
    const other = profile === 'dokploy' ? 'standard' : 'dokploy';
    const folder = project({});
    const write = (name: Profile) =>
      writeFileSync(
        join(folder, 'trueup.yaml'),
        `trueup: 1\nplatform: { emulator: true, profile: ${name} }\nproject: prj_1\n${sections(name)}`,
      );
    const run = (...args: string[]) => trueup([...args, '-C', folder], { env, cwd: folder });
    write(other);
    expect((await run('apply', ...everything)).code).toBe(0);
    const before = await run('state', 'list');
    write(profile);
    const plan = await run('plan');
    expect(plan.out).toContain('No changes');
    expect((await run('state', 'list')).out).toBe(before.out);
    expect(before.out).not.toContain('selfgit');
    expect((await run('apply', ...everything)).code).toBe(0);
    write(other);
    expect((await run('plan')).out).toContain('No changes');
  });
});

describe('a memory of drift in the words of the other vocabulary', () => {
  it.each(profiles)('still accepts what was accepted, in the profile %s', async (profile) => {
    const other = profile === 'dokploy' ? 'standard' : 'dokploy';
    const folder = project({});
    const write = (name: Profile) =>
      writeFileSync(
        join(folder, 'trueup.yaml'),
        `trueup: 1\nplatform: { emulator: true, profile: ${name} }\nproject: prj_1\n${sections(name)}`,
      );
    const run = (...args: string[]) => trueup([...args, '-C', folder], { env, cwd: folder });
    write(other);
    expect((await run('apply', ...everything)).code).toBe(0);
    const postgres = /production\.postgres\.main (\S+)/.exec((await run('state', 'list')).out)?.[1] ?? '';
    const { detach } = wordsIn[other];
    const edit = ['call', 'postgres.update', `postgresId=${postgres}`, `${detach}=false`];
    expect((await run(...edit)).code).toBe(0);
    const until = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
    const accept = ['drift', 'accept', 'production.postgres.main', '--field', detach, '--until', until];
    const accepted = await run(...accept, '--because', 'meant', '--by', 'ops');
    expect([accepted.code, accepted.code === 0 ? '' : accepted.err + accepted.out]).toEqual([0, '']);
    write(profile);
    const { out } = await run('drift', '--format', 'json');
    const { findings } = JSON.parse(out) as { findings: { path?: string; status: string }[] };
    expect(findings.map(({ path, status }) => [path, status])).toEqual([[wordsIn.dokploy.detach, 'accepted']]);
  });
});

describe('the schema of manifests', () => {
  it('takes manifests in the words of both', () => {
    const schema = new Validator(manifestSchema(kinds), '2020-12');
    const head = 'trueup: 1\nplatform: emulator\nproject: prj_1\n';
    for (const words of profiles) expect(schema.validate(parse(head + sections(words))).errors).toEqual([]);
  });
});

describe('export', () => {
  it.each(profiles)('of a platform of %s writes the words of Dokploy, and plans nothing', async (profile) => {
    const { run, server } = await place(profile, profile);
    expect((await run('apply', ...everything)).code).toBe(0);
    const folder = project({});
    const there = (...args: string[]) => trueup([...args, '-C', folder], { env, cwd: folder });
    const exported = await trueup(['export', '--url', server.url, '--project', 'prj_1', '--out', folder], {
      env,
      cwd: folder,
    });
    expect([exported.code, exported.err]).toEqual([0, exported.err]);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /ya?ml$/.test(name));
    const texts = files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
    expect(foreignWords(texts)).toEqual([]);
    expect(texts).toContain('letsencrypt');
    expect((await there('plan')).out).toContain('No changes');
  });
});

describe.each(pairs.filter(([profile, words]) => profile !== words))(
  'on a platform of the profile %s, with a manifest in the words of %s',
  (profile, words) => {
    it('commands show the words of Dokploy, and call those of the platform', async () => {
      const { run, folder, head } = await place(profile, words, { names: words !== profile });
      const shown = new Map<string, Finished>();
      const show = async (...args: string[]): Promise<Finished> => {
        const ran = await run(...args);
        shown.set(args.join(' '), ran);
        return ran;
      };
      const [gitea, other] = ['gitea', 'selfgit'];
      const wrongCalls = [
        ['run', 'test', `${other}.forge`],
        ['call', `${gitea}.one`, 'nothing=1'],
        ['call', 'application.saveGiteaProvider', 'applicationId=a', 'giteaBranch='],
        ['call', 'application.saveBuildType', 'buildType=nix'],
      ];
      expect((await show('plan')).code).toBe(0);
      for (const format of ['json', 'markdown', 'html', 'sarif', 'junit']) await show('plan', '--format', format);
      const applied = await show('apply', ...everything);
      expect(applied.err + applied.out).toContain('Applied');
      expect((await show('plan')).out).toContain('No changes');
      for (const args of [
        ['state', 'list'],
        ['state', 'list', '--format', 'json'],
        ['doctor'],
        ['output'],
        ['fmt', '--check'],
        ['state', 'show', `${other}.forge`],
        ['state', 'show', `${gitea}.forge`, '--format', 'json'],
        ['state', 'show', 'production.application.web'],
        ['explain', `${other}.forge`],
        ['explain', 'production.application.web.source', '--format', 'json'],
        ['graph'],
        ['graph', '--target', `${other}.forge`],
        ['graph', '--format', 'json'],
        ['validate'],
        ['status'],
        ['drift', '--format', 'json'],
        ['plan', '--target', `${other}.forge`],
        ['eval', `\${ref:${other}.forge.id}`],
        ['call', '--list'],
        ['call', '--list', other],
        ['call', '--list', `${other}.create`, '--format', 'json'],
        ['call', `${other}.${other}Providers`],
        ['complete', 'call', ''],
        ['complete', 'call', `${other}.create`, ''],
        ['complete', 'state', 'show', ''],
        ['explain', 'wrong-type'],
      ]) {
        const { code, out, err } = await show(...args);
        expect([args.join(' '), code, code === 0 || args[0] === 'complete' ? '' : out + err]).toEqual([
          args.join(' '),
          0,
          '',
        ]);
      }
      for (const args of wrongCalls) await show(...args);
      // Drift, edits and removals.
      const text = sections(words);
      const edited = text
        .replace(/(nix_builder|nixpacks)/, 'static')
        .replace(/(acme_auto|letsencrypt)/, 'none')
        .replace(/detach(\w+): true }\n$/, 'detach$1: false }\n');
      writeFileSync(join(folder, 'trueup.yaml'), head + edited);
      for (const format of ['text', 'json', 'markdown', 'html']) {
        await show('plan', '--format', format, '--full');
        await show('drift', '--format', format);
      }
      await show('explain', 'production.application.web');
      await show('apply', ...everything, '--format', 'json');
      writeFileSync(join(folder, 'trueup.yaml'), head + text);
      for (const format of ['text', 'json', 'markdown']) await show('plan', '--format', format);
      writeFileSync(join(folder, 'trueup.yaml'), `${head}environments: {}\n`);
      for (const format of ['text', 'json', 'markdown', 'html']) await show('plan', '--format', format);
      // Mistakes of many sorts.
      const wrong = edited
        .replace(/Url: "[^"]*"/, 'Url: nowhere, secretUrl: x')
        .replace('type: static', 'type: nix')
        .replace('certificateType: none', 'certificateType: acme')
        .replace(/type: (selfgit|gitea), provider: forge/, 'type: git_tea, provider: forge')
        .replace(/(detach\w+): false/, '$1: maybe');
      writeFileSync(join(folder, 'trueup.yaml'), `${head}${wrong}giteas: {}\n`);
      for (const format of ['text', 'json', 'sarif', 'markdown']) await show('validate', '--format', format);
      writeFileSync(join(folder, 'trueup.yaml'), head + text);
      const wrongs = [...shown].flatMap(([command, { out, err }]) => {
        // What users wrote themselves is quoted as it stands, and they are told the address that they asked for.
        const quoted = /^(?:\s*\d* [|]|\s*[|]).*$|(?<="quote": \{\s*)"text": ".*",$/gm;
        const isWire = profile === 'standard' && /^(?:call|complete call|schema)/.test(command);
        const text = `${out}\n${err}`.replaceAll(quoted, '');
        const found = foreignWords(text, isWire ? wordsOf.dokploy : wordsOf.standard);
        return found.map((one) => `${command}: ${one}`);
      });
      expect(wrongs).toEqual([]);
    });
  },
);

describe('on a platform of Dokploy, with every kind, no word of the API document is', () => {
  const words = new Map(
    tables.flatMap((table) => Object.entries(table).map(([word, other]) => [other, word] as const)),
  );
  const hosts = /hubgit|labgit|bucketgit|selfgit/i;
  const others = [...words.keys()].filter((word) => !hosts.test(word));
  const foreign = new RegExp(`${hosts.source}|\\b(?:${others.join('|')})\\b`, 'gi');

  /** Where a text has words of the document: the first few, with what stands around them. */
  const foreignIn = (about: string, text: string): string[] =>
    [...text.matchAll(foreign)].slice(0, 3).map(({ 0: word, index }) => {
      return `${about}: ${word}: …${text.slice(Math.max(0, index - 60), index + 60)}…`;
    });

  /** The example with every kind in the words of Dokploy, by file; a platform for it, and what shows words. */
  async function everyKind() {
    const emulator = createEmulator({ apiKey, profile: 'dokploy' });
    const server = await serve(emulator);
    open.push(server);
    const folder = mkdtempSync(join(tmpdir(), 'trueup-words-'));
    cpSync(resolve(import.meta.dirname, '../../examples/everything'), folder, {
      recursive: true,
      filter: (path) => !path.endsWith('README.md'),
    });
    const all: Record<string, string> = { ...env };
    const texts: Record<string, string> = {};
    for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!path.endsWith('.yaml')) continue;
      const text = readFileSync(join(folder, path), 'utf8')
        .replaceAll(/[A-Za-z]\w*/g, (word) => words.get(word) ?? word)
        .replace('platform: emulator', `platform: { url: "${server.url}", profile: dokploy }`);
      writeFileSync(join(folder, path), text);
      texts[path] = text;
      for (const [, name = ''] of text.matchAll(/\$\{secret:(\w+)\}/g)) all[`TRUEUP_SECRET_${name}`] = `canary-${name}`;
    }
    all.TRUEUP_SECRET_EVERYTHING_SLACK_WEBHOOK = 'https://hooks.test/canary-of-a-hook';
    all.TRUEUP_SECRET_EVERYTHING_SSH_KEY =
      '-----BEGIN OPENSSH PRIVATE KEY-----\ncanary\n-----END OPENSSH PRIVATE KEY-----\n';
    const found: string[] = [];
    const runIn = async (cwd: string, ...args: string[]): Promise<Finished> => {
      const ran = await trueup(args, { env: all, cwd });
      found.push(...foreignIn(args.join(' '), `${ran.out}\n${ran.err}`));
      return ran;
    };
    return {
      emulator,
      server,
      folder,
      root: texts['trueup.yaml'] ?? '',
      production: texts['environments/production.yaml'] ?? '',
      found,
      runIn,
      run: (...args: string[]) => runIn(folder, ...args),
      /** Replaces something in the manifest that must be there. */
      edit: (file: 'root' | 'production', from: string | RegExp, to: string) => {
        const [path, text] =
          file === 'root'
            ? ['trueup.yaml', texts['trueup.yaml'] ?? '']
            : ['environments/production.yaml', texts['environments/production.yaml'] ?? ''];
        if (text.replace(from, '') === text) throw new Error(`the example has no ${String(from)}`);
        writeFileSync(
          join(folder, path),
          text.replace(from, () => to),
        );
      },
      restore: () => {
        for (const [path, text] of Object.entries(texts)) writeFileSync(join(folder, path), text);
      },
      /** Looks at the files of a folder, but not at the state: its members are not for people. */
      lookInto: (at: string) => {
        for (const path of readdirSync(at, { recursive: true, encoding: 'utf8' })) {
          if (path.startsWith('.trueup') || !/\.(?:ya?ml|md|env|json)$/.test(path)) continue;
          found.push(...foreignIn(path, readFileSync(join(at, path), 'utf8')));
        }
      },
    };
  }

  type Place = Awaited<ReturnType<typeof everyKind>>;
  const plans = ['text', 'json', 'markdown', 'html', 'sarif', 'junit'];

  /** A place where it was applied; the tests that change it leave the platform as declared. */
  const applied = (): Promise<Place> => (shared ??= apply());
  let shared: Promise<Place> | undefined;

  async function apply(): Promise<Place> {
    const place = await everyKind();
    expect((await place.run('apply', ...everything, '--format', 'json')).code).toBe(0);
    for (const gitlabId of Object.keys(place.emulator.world.tables.gitlab))
      await place.emulator.act('gitlab.connect', { gitlabId });
    const { code, out, err } = await place.run('apply', ...everything);
    expect([code, code === 0 ? '' : out + err]).toEqual([0, '']);
    expect((await place.run('plan')).out).toContain('No changes');
    return place;
  }

  it('in help, pages, schemas and what needs no platform', async () => {
    const { run, folder, found } = await everyKind();
    type Help = Awaited<ReturnType<typeof createProgram>>;
    const paths = (command: Help, path: readonly string[]): (readonly string[])[] => [
      path,
      ...command.commands.flatMap((one) => paths(one, [...path, one.name()])),
    ];
    for (const path of paths(await createProgram(processOfTest({ cwd: folder }), () => undefined), []))
      await run(...path, '--help');
    for (const args of [['--help'], ['plan', '-C', folder], ['deploy']]) {
      const process = processOfTest({ args, env, cwd: folder });
      await runCi(process, 'never started');
      found.push(...foreignIn(`trueup-ci ${args.join(' ')}`, process.printed.out + process.printed.err));
    }
    for (const args of [
      ['validate'],
      ['validate', '--format', 'json'],
      ['fmt', '--diff'],
      ...['text', 'json', 'svg', 'dot'].map((format) => ['graph', '--format', format]),
      ['schema'],
      ['schema', '--openapi'],
      ['call', '--list'],
      ['call', '--list', '--format', 'json'],
      ...['bash', 'zsh', 'fish'].map((shell) => ['completion', shell]),
      ...Object.keys(codes).map((code) => ['explain', code]),
    ]) {
      const { code, out, err } = await run(...args);
      expect([args.join(' '), code, code === 0 ? '' : out + err]).toEqual([args.join(' '), 0, '']);
    }
    for (const operation of contracts.dokploy.operations.keys()) {
      const isRenamed = contracts.standard.names?.operation(operation) !== operation;
      if (isRenamed || /^(?:application|compose)\./.test(operation)) await run('call', '--list', operation);
    }
    expect(found).toEqual([]);
  });

  it('in changes of the manifest and of the platform', async () => {
    const { run, edit, restore, found, emulator } = await applied();
    const show = async (command: string) => {
      for (const format of plans) await run(command, '--format', format, '--full');
    };
    edit('production', /build: \{ type: nixpacks \}/, "build: { type: railpack, version: '0.2' }");
    edit(
      'root',
      'giteaUrl: https://git.example.com',
      'giteaUrl: https://git2.example.com\n    giteaInternalUrl: http://git:1',
    );
    await show('plan');
    edit('root', /\ngithub:\n(?: .*\n|\n)*/, '\n');
    await show('plan');
    restore();
    const jobs = Object.values(emulator.world.tables.application).find(({ name }) => name === 'jobs');
    const forge = Object.values(emulator.world.tables.gitea).find(
      ({ giteaUrl }) => giteaUrl === 'https://git.example.com',
    );
    const applicationId = `applicationId=${String(jobs?.['applicationId'])}`;
    const members = [
      'giteaOwner=o',
      'giteaRepository=r',
      'giteaBranch=b',
      'giteaBuildPath=/',
      `giteaId=${String(forge?.['giteaId'])}`,
    ];
    for (const args of [
      ['application.saveGiteaProvider', applicationId, ...members, 'watchPaths:=[]', 'enableSubmodules=false'],
      [
        'application.saveBuildType',
        applicationId,
        'buildType=railpack',
        'railpackVersion=0.1',
        'herokuVersion=24',
      ].concat(['dockerfile', 'dockerContextPath', 'dockerBuildStage', 'publishDirectory'].map((name) => `${name}=`)),
      [
        'gitea.update',
        `giteaId=${String(forge?.['giteaId'])}`,
        `gitProviderId=${String(forge?.['gitProviderId'])}`,
        'name=forge',
        'giteaUrl=https://git3.example.com',
      ],
    ]) {
      const { code, out, err } = await run('call', ...args, '--yes');
      expect([args[0], code, code === 0 ? '' : out + err]).toEqual([args[0], 0, '']);
    }
    expect((await run('drift')).code).toBe(2);
    await show('drift');
    for (const args of [
      ['drift', 'adopt', '--all', '--dry-run'],
      ['explain', 'gitea.forge'],
      ['explain', 'production.application.jobs'],
    ])
      await run(...args);
    await show('plan');
    expect((await run('apply', ...everything)).code).toBe(0);
    expect((await run('plan')).out).toContain('No changes');
    expect(found).toEqual([]);
  });

  it('in the errors of a manifest', async () => {
    const { run, edit, restore, found } = await applied();
    const mistakes: readonly (readonly ['root' | 'production', string, string])[] = [
      ['root', 'giteaUrl: https://git.example.com', 'giteaUrl: nowhere'],
      ['root', 'giteaUrl: https://git.example.com', 'giteaUrls: https://git.example.com'],
      ['root', 'giteaUrl: https://git.example.com', 'giteaUrl: null'],
      ['root', '    giteaUrl: https://git.example.com\n', ''],
      ['root', '  forge:\n', '  smithy:\n'],
      ['root', '${secret:EVERYTHING_FORGE_SECRET}', '${secret:NONE}'],
      ['root', '${secret:EVERYTHING_FORGE_SECRET}', '${ref:github.github-1.secret}'],
      ['root', 'gitea:\n', 'giteas:\n'],
      ['root', 'gitea:\n', 'forgejo:\n'],
      ['root', 'github-1:', 'github-9:'],
      ['root', 'bitbucketEmail: git@example.com', 'bitbucketEmail: nobody'],
      ['root', 'canAccessToAPI: true', 'canAccessToTraefikFiles: 7'],
      ['root', 'canAccessToAPI: true', 'canAccessToTraefikFile: true'],
      ['production', 'type: gitea, provider: forge', 'type: gitea, provider: smithy'],
      ['production', 'type: gitea, provider: forge', 'type: gitea'],
      ['production', 'type: gitea, provider: forge', 'type: gitee, provider: forge'],
      ['production', 'type: gitea, provider: forge', 'type: gitea, provider: forge, projectId: 7'],
      ['production', 'type: gitea, provider: forge', 'type: gitea, provider: "${ref:gitlab.lab.nothing}"'],
      ['production', 'type: nixpacks', 'type: nixpack'],
      ['production', 'type: nixpacks', 'type: nixpacks, herokuVersion: 24'],
      ['production', 'type: nixpacks', 'type: heroku_buildpacks, version: []'],
      ['production', 'certificateType: letsencrypt', 'certificateType: letsencrypts'],
      ['production', 'certificateType: letsencrypt', 'certificateType: letsencrypt, customCertResolver: x'],
      ['production', 'databaseName: shop', 'databaseName: shop\n        detachDokployNetwork: maybe'],
    ];
    for (const [file, from, to] of mistakes) {
      edit(file, from, to);
      await run('plan');
      await run('validate', '--format', 'json');
      restore();
    }
    expect(found).toEqual([]);
  });

  it('in what else the commands show, to the end of the project', async () => {
    const { run, runIn, server, lookInto, found, folder } = await applied();
    for (const args of [
      ['status'],
      ['status', '--format', 'json'],
      ['output'],
      ['doctor'],
      ['doctor', '--format', 'json'],
      ['state', 'list'],
      ['state', 'list', '--format', 'json'],
      ['logs', 'production.postgres.main'],
      ['logs', 'production.application.web'],
      ['logs', 'github.github-1'],
      ['eval', '${ref:gitea.forge.id}'],
      ['eval', '${ref:gitea.forge.nothing}'],
      ['eval', 'production.application.jobs', '--format', 'json'],
      ['explain', 'production.application.jobs'],
      ['explain', 'gitea.forge', '--format', 'json'],
      ['plan', '--target', 'gite.forge'],
      ['plan', '--replace', 'gitea.forge'],
      ['drift', 'accept', 'gitea.forge', '--field', 'giteaUr', '--until', '2027-01-01', '--because', 'meant'],
      ['run', 'rebuild', 'bitbucket.bucket'],
      ...[[], ['state', 'show'], ['run', 'test'], ['call'], ['call', 'gitea.create'], ['apply', '--target']].map(
        (line) => ['complete', ...line, ''],
      ),
    ])
      await run(...args);
    const { out } = await run('state', 'list', '--format', 'json');
    const { resources } = JSON.parse(out) as { resources: readonly { address: string; id: string }[] };
    for (const { address } of resources.filter((one) => /^git|^bit|application|domains|members/.test(one.address))) {
      expect((await run('state', 'show', address)).code).toBe(0);
      if (!/^production\.[a-z]+\.[\w-]+$/.test(address)) await run('run', 'test', address);
    }
    for (const operation of contracts.dokploy.operations.keys()) {
      const isRenamed = contracts.standard.names?.operation(operation) !== operation;
      if (isRenamed || operation === 'application.saveBuildType') {
        await run('call', operation, ...(operation.length % 2 === 0 ? ['nothing=1'] : []), '--yes');
      }
    }
    const exported = project({});
    expect((await runIn(exported, 'export', '--url', server.url, '--project', 'prj_1')).code).toBe(0);
    lookInto(exported);
    const initialised = project({});
    expect((await runIn(initialised, 'init', '--url', server.url, '--project', 'prj_1', '--yes')).code).toBe(0);
    lookInto(initialised);
    const id = resources.find(({ address }) => address === 'gitea.forge')?.id ?? '';
    for (const args of [
      ['state', 'rm', 'gitea.forge', '--yes'],
      ['import', 'gitea.forge', id],
      ['import', 'gitea.nothing', id],
      ['import', 'gitea.forge', 'nothing'],
      ['import', 'production.application.jobs', id],
      ['state', 'mv', 'gitea.forge', 'gitlab.forge'],
      ['plan', '--destroy'],
      ['destroy'],
      ['destroy', ...everything.filter((option) => option !== '--adopt')],
      ['state', 'rebuild', '--yes'],
    ])
      await run(...args);
    lookInto(folder);
    expect(found).toEqual([]);
  });

  it('in what the emulator says of faults', async () => {
    const { found, folder } = await everyKind();
    for (const fault of [
      '{ on: gitea.creat, before: drop }',
      '{ on: giteas.*, before: drop }',
      '{ on: gitea.create, after: { do: gitea.upd, with: {} } }',
      '{ on: gitea.create, after: { do: gitea.update, with: { giteaI: 1 } } }',
    ]) {
      writeFileSync(join(folder, 'faults.txt'), `faults:\n  - ${fault}\n`);
      const args = ['emulate', '--profile', 'dokploy', '--faults', 'faults.txt', '--port', '0'];
      const emulating = processOfTest({ args, env, cwd: folder });
      const told = () => emulating.printed.out + emulating.printed.err;
      let isOver = false;
      const ended = runCommandLine(emulating).finally(() => {
        isOver = true;
      });
      await expect.poll(() => isOver || /http:\S+:\d+/.test(told())).toBe(true);
      const [url] = /http:\S+:\d+/.exec(told()) ?? [];
      if (url !== undefined) {
        const members = ['name=forge', 'giteaUrl=https://git.example.com', 'redirectUri=https://d.example.com'];
        const there = { ...env, TRUEUP_URL: url, TRUEUP_API_KEY: 'emulator-key' };
        expect((await trueup(['call', 'gitea.create', ...members], { env: there, cwd: project({}) })).code).toBe(0);
        expect(told()).toContain('gitea.update was not done');
        emulating.emit('SIGTERM');
      }
      await ended;
      found.push(...foreignIn(fault, told()));
    }
    expect(found).toEqual([]);
  });
});
