import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/server.ts';
import { environment } from '../support/environment.ts';
import { isFull } from '../support/whole.ts';
import { findSamples, overSources, root, samplesIn } from '../support/samples.ts';

/** Every code sample that users read is compiled and run, against an emulator, as it stands. */

const samples = findSamples();

/** A folder with all samples in it, and with the folder `infra` that they speak of. */
function folderOf(codes: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-samples-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const compilerOptions = { rootDir: '/', types: ['node'], typeRoots: [join(root, 'node_modules/@types')] };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: ['sample-*.ts'] }),
  );
  codes.forEach((code, index) =>
    writeFileSync(join(folder, `sample-${index}.ts`), `${overSources(code)}\nexport {};\n`),
  );
  return folder;
}

/** What the compiler says of samples; nothing when it accepts them. */
async function compile(folder: string): Promise<string> {
  const tsc = join(root, 'node_modules/.bin/tsc');
  return promisify(execFile)(tsc, ['-p', folder, '--noEmit']).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}

describe('the samples', () => {
  test('are found in the README, at the head of every entry point, and where a function is declared', () => {
    const files = samples.map(({ at }) => at.replace(/:\d+$/, ''));
    expect(files).toEqual(
      expect.arrayContaining(['README.md', 'src/index.ts', 'src/exports/state.ts', 'src/library/project.ts']),
    );
    expect(samplesIn('a.ts', '/**\n * Text.\n *\n * ```ts\n * a();\n *   b();\n * ```\n */\n')).toEqual([
      { at: 'a.ts:4', code: 'a();\n  b();\n' },
    ]);
    expect(samplesIn('a.md', '# A\n\n```ts\na();\n```\n\n```sh\nb\n```\n')).toEqual([{ at: 'a.md:3', code: 'a();\n' }]);
  });

  test.runIf(isFull)('compile, each by itself; one that does not would be noticed', async () => {
    const wrong = "import { open } from 'trueup';\n\nawait open('infra', { flie: 'a.yaml' });\n";
    const said = await compile(folderOf([...samples.map(({ code }) => code), wrong]));
    const lines = said
      .replaceAll(/[^\s(]*sample-(\d+)\.ts/g, (_, index) => samples[Number(index)]?.at ?? 'wrong')
      .trim();
    expect(lines.split('\n')).toEqual([expect.stringMatching(/^wrong\(3,\d+\): error TS\d+: .*'flie' does not exist/)]);
    expect(() => overSources("import { open } from 'trueup/nothing';\n")).toThrow('exports no');
  });
});

const border = '\u0001';

/** Runs all samples, one after the other, in one process. */
const runner = `
for (let index = 0; index < Number(process.argv[2]); index++) {
  if (index > 0) process.stdout.write('\\u0001');
  await import('./sample-' + index + '.ts').catch((error) => process.stdout.write('failed: ' + error.stack));
}
`;

describe('a sample', () => {
  /** What each printed, by itself; `failed: …` when it threw. */
  const printed = new Map<string, string>();

  beforeAll(async () => {
    const folder = folderOf(samples.map(({ code }) => code));
    const server = await serve(createEmulator({ apiKey: 'a-key' }));
    const infra = join(folder, 'infra');
    mkdirSync(infra);
    writeFileSync(
      join(infra, 'trueup.yaml'),
      `trueup: 1\nplatform: { url: "${server.url}" }\nproject: prj_1\nenvironments: { production: { env: { REGION: eu } } }\n`,
    );
    writeFileSync(join(folder, 'all.ts'), runner);
    const env = environment({
      TRUEUP_URL: server.url,
      TRUEUP_API_KEY: 'a-key',
      DB_PASSWORD: 'correct-horse-battery',
    });
    try {
      const args = ['--import', 'tsx', 'all.ts', String(samples.length)];
      const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
      const [out] = await Promise.all([text(child.stdout), once(child, 'close')]);
      out.split(border).forEach((part, index) => printed.set(samples[index]?.at ?? '', part));
    } finally {
      await server.close();
    }
  });

  test.each(samples.map(({ at }) => at))('runs: %s', (at) => {
    expect(printed.has(at)).toBe(true);
    expect(printed.get(at)).not.toContain('failed: ');
  });

  test('of the README calls the platform and prints its answer', () => {
    const [at] = samples.filter(({ code }) => code.includes('postgres.search')).map((sample) => sample.at);
    expect(JSON.parse(printed.get(at ?? '') ?? '')).toMatchObject({ total: 1, items: [{ name: 'orders' }] });
  });
});
