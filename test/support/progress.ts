import { documentOf } from './documents.ts';
import type { ApplyEvent } from '../../src/apply/job.ts';
import { readAddress } from '../../src/kind/address.ts';
import type { Action, ActionName, Plan } from '../../src/plan/action.ts';
import { buildRows } from '../../src/render/progress-rows.ts';
import type { ProgressView, Stage, WaitsFor } from '../../src/render/progress-view.ts';
import { nextStage, plannedName } from '../../src/render/progress-view.ts';
import { actionOf as actionWith } from './plan-values.ts';
import { kinds } from '../../src/resources/index.ts';

/** What is to be said of an action whose progress is shown. */
export interface Planned {
  readonly address: string;
  readonly action: ActionName;
  readonly parent?: string;
  /** Beside the parent. */
  readonly needs?: readonly string[];
  readonly kind?: string;
}

/** A plan of which only the names, the order and what waits for what are of interest. */
export function planOf(planned: readonly Planned[]): Plan {
  return {
    base: {
      formatVersion: 4,
      deployments: {},
      lineage: '',
      serial: 0,
      keyNumber: 1,
      organizationId: '',
      projectId: '',
      resources: Object.fromEntries(
        planned.map((item) => [
          item.address,
          { kind: 'compose', id: '1', parent: item.parent ?? null, dependsOn: needsOf(item), pairs: {}, options: {} },
        ]),
      ),
    },
    saved: undefined,
    observed: {
      organizationId: '',
      projectId: '',
      userId: '',
      role: 'owner',
      objects: new Map(),
      listed: new Set(),
      since: 0,
      nameOf: () => undefined,
      unmanaged: [],
      ofOthers: [],
      unlisted: [],
      unread: new Set(),
      projectName: undefined,
      duplicates: [],
    },
    actions: planned.map(actionOf),
    destroys: false,
    narrowed: undefined,
    diagnostics: [],
  };
}

function actionOf(item: Planned): Action {
  const kind = kinds.find((one) => one.kind === (item.kind ?? 'compose'));
  if (kind === undefined) throw new Error(`no kind ${item.kind}`);
  const isQuiet = item.action === 'no-op' || item.action === 'forget';
  return actionWith(item.address, {
    kind,
    action: item.action,
    id: undefined,
    parent: item.parent,
    steps: isQuiet ? [] : [{ operation: 'compose.update', role: 'update', members: {}, changed: [] }],
    dependsOn: needsOf(item),
    position: undefined,
  });
}

function needsOf({ parent, needs = [] }: Planned): string[] {
  return [...(parent === undefined ? [] : [parent]), ...needs];
}

/** One thing that happened to the action of an address of the plan, and the second in which it did. */
export type Happened = readonly [
  second: number,
  address: string,
  action: ActionName,
  event: Exclude<ApplyEvent['event'], 'waiting'> | `waiting for ${WaitsFor}`,
];

/** An event as apply tells it. */
export function eventOf([, planned, action, what]: Happened): ApplyEvent {
  const about = { address: action === 'deploy' ? readAddress(planned).block : planned, action };
  switch (what) {
    case 'waiting for queue':
      return { ...about, event: 'waiting', for: 'queue' };
    case 'waiting for deployment':
      return { ...about, event: 'waiting', for: 'deployment', limitMs: 900_000 };
    case 'waiting for answer':
      return { ...about, event: 'waiting', for: 'answer', limitMs: 900_000 };
    case 'waiting for earlier':
      return { ...about, event: 'waiting', for: 'earlier', limitMs: 840_000 };
    case 'waiting for health':
      return { ...about, event: 'waiting', for: 'health', limitMs: 30_000 };
    case 'waiting for probe':
      return { ...about, event: 'waiting', for: 'probe', limitMs: 30_000 };
    case 'failed':
    case 'unverified':
      return { ...about, event: what, reason: 'the host is taken' };
    case 'started':
    case 'done':
    case 'skipped':
      return { ...about, event: what };
    default:
      return what satisfies never;
  }
}

/** How far an apply is after some events. */
export function viewOf(plan: Plan, events: readonly Happened[]): ProgressView {
  const stages = new Map<string, Stage>();
  for (const happened of events) {
    const event = eventOf(happened);
    const address = plannedName(event);
    stages.set(address, nextStage(stages.get(address) ?? { is: 'waiting' }, event, 1_000 * happened[0]));
  }
  return { ...buildRows(documentOf(plan)), stages, began: 0, counts: { reads: 14, writes: 6 } };
}
