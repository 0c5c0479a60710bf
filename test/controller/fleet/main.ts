import { withoutDatabase } from './database.ts';
import { hour } from './hour.ts';
import { killed, undisturbed } from './kills.ts';
import { pushes, queued, speed, sweeps } from './load.ts';
import { firstBytes } from './page.ts';

/**
 * Measures what many stacks cost, and what becomes of them when workers and the database die: `npm run test:fleet -- NAME…`.
 * Prints a document for each, and exits with 1 where a figure is beyond its limit. FLEET_STACKS, FLEET_SERVICES,
 * FLEET_KILLS and FLEET_MINUTES have fewer of each.
 */

const stacks = Number(process.env['FLEET_STACKS'] ?? 200);
const services = Number(process.env['FLEET_SERVICES'] ?? 20);

const kills = process.env['FLEET_KILLS'] === undefined ? undefined : Number(process.env['FLEET_KILLS']);

/** The requests that may write of so many stacks with the same manifest. */
const postsOf = async (many: number, commits: number): Promise<number> =>
  ((await undisturbed(2, services, commits)) / 2) * many;

/** Gives figures, and whether they are within their limits. */
type Measurement = () => Promise<{ readonly isGood: boolean; readonly figures: object }>;

const most = (numbers: readonly number[]): number => Math.max(0, ...numbers);

const measurements: Readonly<Record<string, Measurement>> = {
  kills: async () => {
    const figures = await killed({ stacks, services, kills: kills ?? 15, latencyMs: 20, isElsewhere: false });
    const alone = await postsOf(stacks, figures.commits);
    const isGood =
      figures.posts === alone &&
      figures.duplicates === 0 &&
      figures.inStep === stacks &&
      most(figures.beginsAgainS) <= 45;
    return { isGood, figures: { undisturbed: alone, ...figures } };
  },
  'kills elsewhere': async () => {
    const many = Math.min(stacks, 20);
    const figures = await killed({ stacks: many, services, kills: kills ?? 5, latencyMs: 200, isElsewhere: true });
    const alone = await postsOf(many, figures.commits);
    const isGood =
      figures.posts === alone &&
      figures.duplicates === 0 &&
      figures.inStep === many &&
      most(figures.beginsAgainS) <= 45 &&
      most(figures.writesAgainS) <= 130;
    return { isGood, figures: { undisturbed: alone, ...figures } };
  },
  crashes: () => away('crash'),
  cuts: () => away('cut'),
  pushes: async () => {
    const figures = await pushes();
    // The one that ran, and one more for all that came meanwhile.
    return { isGood: figures.applies - figures.endedWhilePushing <= 2, figures };
  },
  sweep: async () => {
    const figures = await sweeps(2, { stacks: 4, services: 100 });
    return { isGood: Math.min(...figures.cpuMsPerStack) <= 200 && figures.sent === 0, figures };
  },
  memory: async () => {
    const figures = await sweeps(1, { stacks: Math.min(stacks * 5, 1_000), services: 1 });
    return { isGood: most(figures.rssMb) <= 400, figures };
  },
  'fifty sweeps': async () => {
    const figures = await sweeps(50, { stacks: 10, services: 5 });
    const [early, late] = [figures.rssMb.slice(5, 15), figures.rssMb.slice(-10)].map(average);
    return { isGood: (late ?? 0) <= (early ?? 0) * 1.05 + 5, figures };
  },
  queued: async () => {
    const figures = await queued(Math.min(stacks * 50, 10_000));
    return { isGood: figures.queuedMb - figures.aloneMb <= 5, figures };
  },
  'first byte': async () => {
    const figures = await firstBytes({ stacks: Math.min(stacks * 5, 1_000), requests: 40 });
    return { isGood: most(Object.values(figures).map(({ longest }) => longest)) <= 100, figures };
  },
  hour: async () => {
    const figures = await hour({ stacks: Math.min(stacks, 50), minutes: Number(process.env['FLEET_MINUTES'] ?? 60) });
    const { unexplained, twice, foreign } = figures;
    return { isGood: unexplained.length + twice.length + foreign.length === 0, figures };
  },
  'two workers': async () => {
    const about = { stacks: 24, services: 5 };
    const [one, two] = [await speed(1, about), await speed(2, about)];
    return { isGood: one / two >= 1.6, figures: { ...about, one, two, ratio: Math.round((one / two) * 100) / 100 } };
  },
};

async function away(how: 'crash' | 'cut'): ReturnType<Measurement> {
  const about = { stacks: Math.min(stacks, 16), services: 10 };
  const figures = await withoutDatabase(how, about);
  const all = about.stacks * about.services;
  return {
    isGood: figures.services === all && figures.creates === all && figures.wrong === 0,
    figures: { ...about, ...figures },
  };
}

function average(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

const names = process.argv.slice(2);
for (const name of names.length === 0 ? Object.keys(measurements) : names) {
  const began = performance.now();
  const measured = await measurements[name]?.();
  if (measured === undefined) throw new Error(`there is no ${name}: ${Object.keys(measurements).join(', ')}`);
  const seconds = Math.round((performance.now() - began) / 1_000);
  process.stdout.write(`${JSON.stringify({ name, ...measured, seconds })}\n`);
  if (!measured.isGood) process.exitCode = 1;
}
process.exit();
