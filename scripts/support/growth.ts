import { runSchedule } from '../../src/graph/run-schedule.ts';
import { topological } from '../../src/graph/order.ts';
import { readEnvText } from '../../src/formats/env-text.ts';
import { parseExpressions } from '../../src/manifest/expression.ts';
import { mentionsIn } from '../../src/manifest/mentions.ts';
import { expressionSources } from '../../src/manifest/sources/all.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';

/** Work whose time must grow no faster than its input. */
const works: Readonly<Record<string, (size: number) => unknown>> = {
  'read an env file': (size) => readEnvText("A='\n".repeat(size)),
  'split expressions': (size) => parseExpressions('${ref:a["b"].c}'.repeat(size), expressionSources),
  'find mentions': (size) => mentionsIn('${{environment.A}} '.repeat(size), 'environment'),
  'sort a chain': (size) => topological(namesOf(size), (name) => [`n${Number(name.slice(1)) + 1}`]),
  'redact a text': (size) =>
    redactor.redact('connection to postgres://shop:password-77@main/shop refused '.repeat(size)),
  'run a chain of tasks': async (size) => {
    const names = namesOf(size);
    return runSchedule({
      nodes: names.map((name) => ({ name, scope: undefined })),
      edges: names.slice(1).map((to, at) => ({ from: names[at] ?? '', to, is: 'success' as const })),
      concurrency: 8,
      run: () => Promise.resolve('done' as const),
      runTogether: () => Promise.resolve(),
      skipped: () => undefined,
      stopped: () => undefined,
    });
  },
};

const redactor = createRedactor();
for (let secret = 0; secret < 1_000; secret++) redactor.add(`postgres://shop:password-${secret}@main/shop`);

/** Returns how many times as much CPU time each work takes for an input four times as large: about 4 when it is linear. */
export async function measureGrowth(): Promise<readonly { readonly work: string; readonly ratio: number }[]> {
  const ratios: { work: string; ratio: number }[] = [];
  for (const [work, run] of Object.entries(works)) {
    const times: number[] = [];
    for (const size of [20_000, 80_000]) {
      let least = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 5; round++) {
        const began = process.cpuUsage();
        await run(size);
        const { user, system } = process.cpuUsage(began);
        least = Math.min(least, user + system);
      }
      times.push(least);
    }
    ratios.push({ work, ratio: (times[1] ?? 0) / (times[0] ?? 1) });
  }
  return ratios;
}

function namesOf(size: number): string[] {
  return Array.from({ length: size }, (_, at) => `n${at}`);
}
