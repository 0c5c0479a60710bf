import type { DriftInput } from '../../src/drift/drift-document.ts';
import { driftDocument } from '../../src/drift/drift-document.ts';
import type { Finding } from '../../src/drift/finding.ts';
import { findingId } from '../../src/drift/finding.ts';
import type { DriftDocument } from '../../src/render/document-schemas.ts';

/** What `drift` may find, for tests of its views. */

/** A finding of a field of a stack, or with other members. */
export function finding(over: Partial<Finding> = {}): Finding {
  const about = {
    is: 'drifted' as const,
    kind: 'compose',
    objectId: 'cmp_1',
    address: 'production.compose.shop',
    path: 'env.REGION',
    applied: { is: 'value' as const, value: 'eu-1' },
    platform: { is: 'value' as const, value: 'eu-2' },
    manifest: { is: 'value' as const, value: 'eu-1' },
    position: { file: 'trueup.yaml', line: 7, column: 9 },
    status: 'new' as const,
    ...over,
  };
  return { id: findingId(about), ...about };
}

const { applied: _applied, platform: _platform, manifest: _manifest, path: _path, ...object } = finding();

/** One of each sort, and of each judgement. */
export const findings: readonly Finding[] = [
  finding(),
  finding({
    path: 'env.TAG',
    status: 'accepted',
    since: '2026-03-01',
    accepted: { until: '2026-12-31', because: 'vendor moves us', by: 'ops' },
  }),
  { ...object, is: 'missing', address: 'production.redis.old', kind: 'redis', objectId: 'red_1', id: 'm1' },
  finding({ path: 'description', status: 'known', since: '2026-03-01' }),
  finding({ path: 'env.ZONE', is: 'not yet applied', status: 'not yet applied' }),
  finding({
    path: 'env.AREA',
    status: 'expired',
    accepted: { until: '2026-01-31', because: 'until the move', by: 'ops' },
  }),
];

/** What `drift` found, as a document. */
export function driftView(all: readonly Finding[] = findings, over: Partial<DriftInput['drift']> = {}): DriftDocument {
  return driftDocument({
    drift: {
      plan: { actions: [], observed: { unlisted: [], objects: new Map() } },
      findings: all,
      resolved: [],
      ignored: [],
      exitCode: 2,
      memory: { location: 'drift.yaml', isUpdated: true },
      diagnostics: [],
      ...over,
    },
    counts: { reads: 3, writes: 0 },
    about: {
      platform: 'https://deploy.example.com',
      project: { id: 'prj_1' },
      state: { location: 'state.json', serial: 3 },
    },
    isFull: false,
    command: ({ words, options = [] }) =>
      ['trueup', ...words, ...options.map(([name, value]) => `${name} ${value}`)].join(' '),
  });
}
