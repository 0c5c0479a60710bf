import type { Code } from '../../src/diagnostics/codes.ts';
import { codes } from '../../src/diagnostics/codes.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { inManifests } from './in-manifests.ts';
import { inPlans } from './in-plans.ts';
import { inRuns } from './in-runs.ts';
import type { Provocation } from './provoked.ts';
import { platform } from './provoked.ts';

/** For every code a run that reports it. */
export const provocations: Readonly<Record<Code, Provocation>> = {
  ...inManifests,
  ...inPlans,
  ...inRuns,
};

/** Runs all provocations, and returns the first diagnostic of each code, the same each time. */
export async function provokeAll(): Promise<ReadonlyMap<Code, Diagnostic>> {
  const examples = new Map<Code, Diagnostic>();
  for (const code of Object.keys(codes) as Code[]) {
    const found = await provocations[code](platform());
    const example = found.find((item) => item.code === code);
    if (example === undefined) throw new Error(`no ${code} among ${found.map((item) => item.code).join(', ')}`);
    examples.set(code, {
      ...example,
      message: steady(example.message),
      ...(example.details === undefined ? {} : { details: example.details.map(steady) }),
      ...(example.remedy === undefined ? {} : { remedy: steady(example.remedy) }),
    });
  }
  return examples;
}

/** A text without what differs from run to run: who runs it, when, and in which folder. */
export function steady(text: string): string {
  return text
    .replaceAll(/\S+ pid \d+/g, 'ci@runner pid 4711')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2025-11-21T10:15:02.310Z')
    .replaceAll(/\d{4}-\d\d-\d\d:[\d:]+/g, '2025-11-21:10:15:02')
    .replaceAll(/\/\S*trueup-(?:provoked|test)-[^/]+\/(?:\.trueup\/)?/g, '/srv/infra/.trueup/');
}
