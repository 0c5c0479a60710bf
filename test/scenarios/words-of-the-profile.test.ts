import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@cfworker/json-schema';
import { parse } from 'yaml';
import { afterAll, describe, expect, it } from 'vitest';
import type { Profile } from '../../src/api/contract.ts';
import { dokploy } from '../../src/api/vocabulary.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/server.ts';
import { inProfile } from '../../src/kind/profile.ts';
import { manifestSchema } from '../../src/manifest/json-schema.ts';
import { kinds } from '../../src/resources/index.ts';
import type { Finished } from '../cli/process.ts';
import { project, trueup } from '../cli/process.ts';

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
const tables = [dokploy.groups, dokploy.operations, dokploy.members, ...Object.values(dokploy.values)];
const wordsOf: Readonly<Record<Profile, ReadonlySet<string>>> = {
  standard: new Set(tables.flatMap((table) => Object.keys(table))),
  dokploy: new Set(tables.flatMap((table) => Object.values(table))),
};

/** The words of the other vocabulary in a text, with what stands around the first of each. */
function foreignWords(profile: Profile, text: string): string[] {
  const foreign = wordsOf[profile === 'dokploy' ? 'standard' : 'dokploy'];
  const found = new Map<string, string>();
  // The world of the emulator has names of its own, such as selfgit-1.
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
    'on a platform of %s, in the words of %s: speaks the words of the platform',
    async (profile, words) => {
      const { run } = await place(profile, words);
      const [own, other] = profile === 'dokploy' ? ['gitea.forge', 'selfgit'] : ['selfgit.forge', 'gitea'];
      const plan = await run('plan');
      expect([plan.out.includes(own), plan.out.includes(other)]).toEqual([true, false]);
      expect((await run('apply', ...everything)).code).toBe(0);
      expect((await run('plan')).out).toContain('No changes');
      for (const args of [['state', 'list'], ['state', 'show', own], ['drift'], ['status']]) {
        const { out, code } = await run(...args);
        expect([code, foreignWords(profile, out)]).toEqual([0, []]);
      }
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

describe('a state in the words of the other vocabulary', () => {
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
    const [own, gone] = profile === 'dokploy' ? ['gitea', 'selfgit'] : ['selfgit', 'gitea'];
    const lines = ({ out }: Finished) => out.replaceAll(gone, own).split('\n').toSorted();
    const after = await run('state', 'list');
    expect(after.out).not.toContain(gone);
    expect(lines(after)).toEqual(lines(before));
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
    expect(findings.map(({ path, status }) => [path, status])).toEqual([[wordsIn[profile].detach, 'accepted']]);
  });
});

describe('the schema of a profile', () => {
  it.each(profiles)('takes manifests in the words of both, in the profile %s', (profile) => {
    const schema = new Validator(manifestSchema(inProfile(kinds, profile)), '2020-12');
    const head = 'trueup: 1\nplatform: emulator\nproject: prj_1\n';
    for (const words of profiles) expect(schema.validate(parse(head + sections(words))).errors).toEqual([]);
  });
});

describe('export in the profile', () => {
  it.each(profiles)('writes the words of %s, and plans nothing', async (profile) => {
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
    expect(foreignWords(profile, texts)).toEqual([]);
    expect(texts).toContain(profile === 'dokploy' ? 'letsencrypt' : 'acme_auto');
    expect((await there('plan')).out).toContain('No changes');
  });
});

describe.each(pairs)('on a platform of the profile %s, with a manifest in the words of %s', (profile, words) => {
  it('no command shows a word of the other vocabulary', async () => {
    const { run, folder, head } = await place(profile, words, { names: words !== profile });
    const shown = new Map<string, Finished>();
    const show = async (...args: string[]): Promise<Finished> => {
      const ran = await run(...args);
      shown.set(args.join(' '), ran);
      return ran;
    };
    const [gitea, other] = profile === 'dokploy' ? ['gitea', 'selfgit'] : ['selfgit', 'gitea'];
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
      const quoted = /^(?:\s*\d* [|]|\s*[|]).*$/gm;
      const found = foreignWords(profile, `${out}\n${err}`.replaceAll(quoted, ''));
      return found.map((one) => `${command}: ${one}`);
    });
    expect(wrongs).toEqual([]);
  });
});
