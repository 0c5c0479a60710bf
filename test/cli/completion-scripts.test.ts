import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { complete } from '../../src/cli/complete.ts';
import { valuesFor } from '../../src/cli/completion-source.ts';
import { createProgram } from '../../src/cli/program.ts';
import { completionScript, shells } from '../../src/cli/completion-scripts.ts';
import { program, project, trueup, trueupProcess } from './process.ts';
import { inShell, lacks, quote } from './shell.ts';
import { environment } from '../support/environment.ts';
import { processOfTest } from '../support/process.ts';

const manifest = (platform = 'emulator') => `trueup: 1
platform: ${platform}
project: prj_1
environments:
  production:
    postgres:
      main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: "\${secret:DB}" }
    compose:
      shop:
        source: { type: raw, composeFile: "services:\\n  web:\\n    image: nginx:1.27\\n" }
        domains: { shop.example.com: { serviceName: web, port: 80 }, b.example.com: { serviceName: web, port: 80 } }
`;
const shopDomain = 'production.compose.shop.domains["shop.example.com"]';
const folder = project(manifest());

/** A folder with a command `trueup`, for the path of a shell. */
const bin = mkdtempSync(join(tmpdir(), 'trueup-bin-'));
beforeAll(() => {
  writeFileSync(join(bin, 'trueup'), `#!/bin/sh\nexec '${process.execPath}' '${program()}' "$@"\n`);
  chmodSync(join(bin, 'trueup'), 0o755);
});

const here = processOfTest({ env: environment(), cwd: folder });
const structure = () => createProgram(here, () => {}, { isNamed: () => true });

/** What the program offers at the last of the words. */
async function candidates(words: readonly string[], dir = folder): Promise<string[] | 'files'> {
  const found = await complete(await structure(), ['-C', dir, ...words], valuesFor(here));
  return found === 'files' ? found : found.map(({ value }) => value);
}

describe('the program completes', () => {
  it('commands, and not the one that only shells use', async () => {
    const names = await candidates(['']);
    expect(names).toEqual(expect.arrayContaining(['plan', 'call', 'completion', 'state']));
    expect(names).not.toContain('complete');
    expect(await candidates(['state', 's'])).toEqual(['show']);
    expect(await candidates(['--format', 'json', 'va'])).toEqual(['validate']);
    expect(await candidates(['plan', ''])).toEqual([]);
  });

  it('flags of the command and of all, and their values', async () => {
    expect(await candidates(['plan', '--de'])).toEqual(['--detailed-exitcode', '--destroy']);
    expect(await candidates(['plan', '--dir'])).toEqual(['--directory']);
    expect(await candidates(['plan', '--format', ''])).toEqual(['text', 'json', 'markdown', 'sarif', 'junit', 'html']);
    expect(await candidates(['state', 'list', '--format', 'j'])).toEqual(['json']);
    expect(await candidates(['--format', ''])).toEqual(['text', 'json']);
    expect(await candidates(['plan', '--connections', ''])).toEqual([]);
    expect(await candidates(['import', '--', '--'])).toEqual([]);
    expect(await candidates(['apply', '--in'])).toEqual(['--include-accepted', '--in-flight-timeout']);
    expect(await candidates(['apply', '--fe'])).toEqual([]); // the earlier name works, and help does not list it
  });

  it('operations, groups and members', async () => {
    expect(await candidates(['call', ''])).toHaveLength(192);
    expect(await candidates(['call', 'compose.l'])).toEqual(['compose.loadServices', 'compose.loadMountsByService']);
    expect(await candidates(['call', '--list', 'sshKey'])).toContain('sshKey');
    expect(await candidates(['call', 'compose.delete', 'composeId=x', ''])).toEqual(['deleteVolumes=']);
    expect(await candidates(['call', 'compose.delete', 'composeId=x', 'y', 'd'])).toEqual(['deleteVolumes=']);
    expect(await candidates(['call', 'no.such', ''])).toEqual([]);
  });

  it('addresses of the manifest in the folder of -C', async () => {
    expect(await candidates(['import', 'production.p'])).toEqual(['production.postgres.main']);
    expect(await candidates(['import', 'production.compose.shop.domains["s'])).toEqual([shopDomain]);
    expect(await candidates(['import', '-C', folder, 'production.p'], tmpdir())).toEqual(['production.postgres.main']);
    expect(await candidates(['import', 'production.postgres.main', ''])).toEqual([]);
  });

  it('addresses of the state, for commands that take those', async () => {
    const dir = project(manifest());
    expect(await candidates(['state', 'show', ''], dir)).toEqual([]);
    await trueup(['apply', '--auto-approve', '-C', dir], { env: { TRUEUP_SECRET_DB: 'canary-7f3a' } });
    writeFileSync(join(dir, 'trueup.yaml'), '[');
    expect(await candidates(['state', 'show', 'production.postgres'], dir)).toEqual(['production.postgres.main']);
  });

  it('files by leaving them to the shell', async () => {
    expect(await candidates(['plan', '-C', ''])).toBe('files');
    expect(await candidates(['emulate', '--data', 'x'])).toBe('files');
    expect(await candidates(['plan', '--out', ''])).toBe('files');
    expect(await candidates(['apply', 'p'])).toBe('files');
    expect(await candidates(['apply', 'plan.trueup', ''])).toEqual([]);
  });

  it('without a word about a manifest that is broken or not there', async () => {
    for (const text of ['[', 'trueup: 1\n', manifest().replace('compose:', 'composer:')]) {
      expect(await candidates(['import', ''], project(text))).toEqual([]);
    }
    expect(await candidates(['import', ''], project({}))).toEqual([]);
    expect(await candidates(['-C', '/no/such/folder', 'import', ''])).toEqual([]);
  });

  it('without a request', async () => {
    let requests = 0;
    const platform = createServer((_request, response) => {
      requests++;
      response.end();
    }).listen(0, '127.0.0.1');
    const url = await new Promise<string>((resolve) =>
      platform.once('listening', () => resolve(`http://127.0.0.1:${(platform.address() as AddressInfo).port}`)),
    );
    const dir = project(manifest(`{ url: "${url}" }`));
    for (const words of [
      ['import', ''],
      ['call', ''],
      ['call', 'compose.one', ''],
    ]) {
      expect(await candidates(words, dir)).not.toEqual([]);
    }
    platform.close();
    expect(requests).toBe(0);
  });
});

describe('a shell is answered', () => {
  it('with a line each, and with nothing when there is nothing', async () => {
    expect(await trueup(['complete', '--', 'import', 'production.p'], { cwd: folder })).toEqual({
      code: 0,
      out: 'production.postgres.main\n',
      err: '',
    });
    expect((await trueup(['complete', '--', 'call', 'sshKey.a'])).out).toBe('sshKey.all\tGET\n');
    expect((await trueup(['complete', '--', 'plan', '-C', ''])).out).toBe(':files\n');
    const home = { env: { HOME: dirname(folder) } };
    expect(
      await trueupProcess(['complete', '--', '-C', `~/${basename(folder)}`, 'import', 'production.p'], home),
    ).toMatchObject({
      out: 'production.postgres.main\n',
    });
    const broken = project('[');
    for (const words of [['complete', '--', 'import', ''], ['complete'], ['complete', '--', '--no-such', '']]) {
      expect(await trueup(words, { cwd: broken })).toMatchObject({ code: 0, err: '' });
    }
  });
});

describe('the scripts', () => {
  it('are there for the shells that the help names, and for no other', async () => {
    const completion = (await structure()).commands.find((command) => command.name() === 'completion');
    expect(completion?.registeredArguments[0]?.argChoices).toEqual(shells);
    const run = await trueup(['completion', 'tcsh']);
    expect(run).toMatchObject({ code: 1, out: '' });
    expect(run.err).toContain('bash, zsh, fish');
  });

  it.each(shells)('is printed for %s as it is, and short', async (shell) => {
    const { out } = await trueup(['completion', shell]);
    expect(out).toBe(completionScript(shell));
    expect(out).not.toContain('%{');
    expect(out.split('\n').length).toBeLessThanOrEqual(31);
  });
});

/** What a script prints in the folder of the manifest. */
const print = (shell: string, args: readonly string[], script: string) =>
  inShell(shell, args, script, { env: { PATH: bin, HOME: folder }, cwd: folder });

describe('bash', () => {
  const bash = (...words: readonly string[]) =>
    print(
      'bash',
      ['--norc', '--noprofile', '-c'],
      `eval "$(trueup completion bash)"
      COMP_WORDS=(trueup ${words.map(quote).join(' ')})
      COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      $(complete -p trueup | sed -E 's/.*-F ([^ ]+).*/\\1/') trueup
      printf '%s\\n' "\${COMPREPLY[@]}"`,
    );

  it('completes words, and escapes what it would read otherwise', async () => {
    expect(await bash('va')).toBe('validate\n');
    expect(await bash('import', 'production.compose.shop.')).toBe(
      String.raw`production.compose.shop.domains\[\"shop.example.com\"\]
production.compose.shop.domains\[\"b.example.com\"\]
`,
    );
    expect(await bash('import', String.raw`production.compose.shop.domains\[\"s`)).toBe(
      String.raw`production.compose.shop.domains\[\"shop.example.com\"\]
`,
    );
  });

  it('completes within quotes, after words that bash splits, and in a quoted folder', async () => {
    expect(await bash('import', `'production.compose.shop.domains["s`)).toBe(`${shopDomain}\n`);
    expect(await bash('call', 'compose.delete', 'composeId', '=', 'x', 'd')).toBe('deleteVolumes=\n');
    expect(await bash('call', 'compose.delete', 'composeId', '=', 'd')).toBe('\n');
    expect(await bash('-C', `'${folder}'`, 'import', 'production.p')).toBe('production.postgres.main\n');
  });
});

describe.skipIf(lacks('fish'))('fish', () => {
  const fish = (line: string) =>
    print(
      'fish',
      ['--no-config', '-c'],
      `trueup completion fish | source; complete -C '${line.replaceAll("'", String.raw`\'`)}'`,
    );

  it('completes words, also quoted and escaped ones', async () => {
    expect(await fish('trueup va')).toBe('validate\tcheck the manifest; sends nothing\n');
    expect(await fish(String.raw`trueup import production.compose.shop.domains\\[\\"s`)).toBe(`${shopDomain}\n`);
    expect(await fish(`trueup import 'production.compose.shop.domains["s`)).toBe(`${shopDomain}\n`);
    expect(await fish('trueup call compose.delete composeId=x ')).toBe('deleteVolumes=\n');
    expect(await fish('trueup -C ./true')).toBe('./trueup.yaml\n');
  });
});

describe.skipIf(lacks('zsh'))('zsh', () => {
  /** Types into a real zsh, presses tab, and waits until its line is the one that is expected. */
  const zsh = (typed: string, line: string) =>
    print(
      'zsh',
      ['-f', '-c'],
      `zmodload zsh/zpty
      zpty z zsh -f -i
      zpty -w z 'PS1= RPS1=; unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; source <(trueup completion zsh); print rea""dy'
      zpty -r -m z out '*ready*'
      zpty -w -n z ${quote(`${typed}\t`)}
      zpty -r -m z out '*${line.replaceAll(/[[\]"'\\]/g, '?')}*' && print found
      zpty -d z`,
    );

  it('completes words, and escapes what it would read otherwise', async () => {
    expect(await zsh('trueup va', 'validate ')).toBe('found\n');
    expect(await zsh('trueup import production.postgres.', 'main ')).toBe('found\n');
    expect(await zsh(`trueup import 'production.compose.shop.domains["s`, `hop.example.com"]' `)).toBe('found\n');
    expect(await zsh('trueup call compose.delete composeId=x ', 'deleteVolumes=')).toBe('found\n');
  });
});
