import type { DriftDocument, PlanDocument } from '../../src/render/document-schemas.ts';

const value = (text: string) => ({ is: 'value' as const, value: text });
const requests = { reads: 3, writes: 0 };
const about = (names: readonly string[]) => ({
  platform: names[0] ?? '',
  project: { id: names[0] ?? '', name: names.join(' ') },
  state: { location: names[0] ?? '', serial: 1 },
  commit: { id: names[0] ?? '' },
});

/** A plan in which every text that comes from elsewhere is one of the hostile ones. */
export function hostilePlan(names: readonly string[]): PlanDocument {
  return {
    format: 'trueup/plan',
    version: 2,
    compared: 1,
    notCompared: names.map((name) => ({ address: name, path: name, why: 'secret missing', secrets: [name] })),
    left: 0,
    ignored: 0,
    hasChanges: true,
    summary: {},
    requests,
    ...about(names),
    restarts: [...names],
    actions: names.map((name, at) => ({
      address: name,
      kind: name,
      action: 'update',
      requests: 1,
      id: name,
      ...(at === 0 ? {} : { parent: names[at - 1] }),
      dependsOn: names.filter((other) => other !== name),
      changes: [
        {
          path: name,
          cause: 'edit',
          before: value(name),
          after: value(`${name}!`),
          atDeploy: false,
          forcesReplacement: false,
          position: { file: name, line: 1, column: 1 },
        },
        {
          path: name,
          cause: 'edit',
          before: value(`a\n${name}\nb`),
          after: value(`a\n${name}!\nb`),
          summary: name,
          atDeploy: false,
          forcesReplacement: true,
        },
        {
          path: name,
          cause: 'create',
          before: { is: 'absent' },
          after: { is: 'value', value: { [name]: [name] } },
          atDeploy: false,
          forcesReplacement: false,
        },
      ],
      because: [name],
      holds: { [name]: [name] },
      dataAtRisk: name,
      movedFrom: name,
      needsConsent: true,
      notes: [{ code: name, severity: 'warning', message: name, details: [name], remedy: name, address: name }],
    })),
    narrowed: {
      targets: [...names],
      excludes: [...names],
      leftOut: [{ address: names[0] ?? '', action: 'create', needs: names[0] }],
    },
    diagnostics: [{ code: 'x', severity: 'error', message: names.join(' ') }],
  };
}

/** Findings in which every text that comes from elsewhere is one of the names. */
export function hostileDrift(names: readonly string[]): DriftDocument {
  const statuses = ['new', 'known', 'accepted', 'expired', 'not yet applied'] as const;
  return {
    format: 'trueup/drift',
    version: 2,
    compared: 1,
    notCompared: names.map((name) => ({ address: name, path: name, why: 'secret missing', secrets: [name] })),
    exitCode: 2,
    requests,
    ...about(names),
    memory: { location: names[0] ?? '', isUpdated: true },
    summary: { new: 1, known: 1, accepted: 1, expired: 1, 'not yet applied': 1, ignored: 1, resolved: 1 },
    findings: names.map((name, at) => ({
      id: name,
      is: 'drifted',
      address: name,
      kind: name,
      objectId: name,
      name,
      path: name,
      applied: value(name),
      platform: value(`a\n${name}`),
      manifest: value(`b\n${name}`),
      edited: true,
      summary: name,
      status: statuses[at % statuses.length] ?? 'new',
      since: '2026-01-01',
      accepted: { until: '2026-01-01', because: name, by: name },
      flapping: { changes: 3, since: '2026-01-01' },
      position: { file: name, line: 1, column: 1 },
      remedy: name,
    })),
    resolved: names.map((name) => ({ id: name, is: 'missing', kind: name, address: name, path: name })),
    ignored: names.map((name) => ({ id: name, is: 'missing', kind: name, address: name, because: name })),
    diagnostics: [{ code: 'x', severity: 'error', message: names.join(' ') }],
  };
}
