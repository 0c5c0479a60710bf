import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { checkManifest, loadManifest } from '../../src/project/load.ts';
import { sharedPlatforms } from '../../src/project/shared-platforms.ts';
import { kinds } from '../../src/resources/index.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';
import { root } from './trueup.ts';
import { writtenOut } from './written-stages.ts';

const secrets = { TRUEUP_SECRET_DB_PASSWORD: 'horse-battery', TRUEUP_SECRET_CACHE_PASSWORD: 'horse-cache' };
const [rounds, loads] = [60, 10];

/** The example has 8 applications; with these it has the 20 of a small company. */
const more = Array.from({ length: 12 }, (_, at) => `more-${at}`);

/** The stages of the example that a command line without --preview reads. */
const names = ['staging', 'production', 'test'];

/**
 * Returns how many times as much CPU time it takes to load examples/stages as the same stages written out, each median of many
 * loads in one warm process: a stage alone, with the comparison of its siblings, and all stages in one run with it. A stage
 * that is written out has no siblings where it is loaded alone.
 */
export async function measureStages(): Promise<readonly { readonly work: string; readonly ratio: number }[]> {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-bench-'));
  try {
    const [staged, whole, several] = ['staged', 'whole', 'several'].map((name) => join(folder, name));
    cpSync(join(root, 'examples/stages'), staged ?? '', { recursive: true });
    const uses = more.map((key) => `  ${key}: { use: web }\n`).join('');
    writeFileSync(join(staged ?? '', 'apps/more.yaml'), `application:\n${uses}`);
    for (const made of [whole, several]) mkdirSync(made ?? '');
    writeFileSync(join(whole ?? '', 'trueup.yaml'), asPeopleWrite(writtenOut('production', more)));
    for (const name of names) writeFileSync(join(several ?? '', `${name}.yaml`), asStage(name));
    const one = (at = '', file = '') => ({ ...about(), folder: at, file });
    const all = async (at = '') => {
      const platforms = sharedPlatforms();
      await Promise.all(names.map(async (name) => checkManifest({ ...one(at, `${name}.yaml`), platforms })));
    };
    const works = [
      [
        'load a stage',
        () => loadManifest(one(staged, 'production.yaml')),
        () => loadManifest(one(whole, 'trueup.yaml')),
      ],
      [
        'and compare it',
        () => checkManifest(one(staged, 'production.yaml')),
        () => checkManifest(one(whole, 'trueup.yaml')),
      ],
      ['check three stages', () => all(staged), () => all(several)],
    ] as const;
    const ratios: { work: string; ratio: number }[] = [];
    for (const [work, run, floor] of works) ratios.push({ work, ratio: await ratioOf(run, floor) });
    return ratios;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function about() {
  return { variables: new Map<string, string>(), env: secrets, redactor: createRedactor(), kinds };
}

/** A stage that is written out, as one of several root files: with an environment of its own. */
function asStage(name: string): string {
  return asPeopleWrite(writtenOut(name, more))
    .replace(/^environments:\n {2}(.*):$/m, 'environment: $1')
    .replaceAll(/^ {4}/gm, '');
}

/** A key a line, as files that were not made by a program have them. */
function asPeopleWrite(text: string): string {
  return stringify(parse(text));
}

type Work = () => Promise<unknown>;

/** The ratio of the medians of two works, which take turns. */
async function ratioOf(work: Work, floor: Work): Promise<number> {
  const times: (readonly [number, number])[] = [];
  for (let round = -rounds / 2; round < rounds; round++) {
    const pair = [await cpuOf(work), await cpuOf(floor)] as const;
    if (round >= 0) times.push(pair);
  }
  const median = (of: (pair: readonly [number, number]) => number) =>
    times.map(of).toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
  return median(([a]) => a) / median(([, b]) => b);
}

async function cpuOf(work: Work): Promise<number> {
  const began = process.cpuUsage();
  for (let load = 0; load < loads; load++) await work();
  const { user, system } = process.cpuUsage(began);
  return user + system;
}
