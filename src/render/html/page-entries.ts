import { groupBy } from '../../kind/group.ts';
import type { EventDocument, PlanDocument, ResultDocument } from '../document-schemas.ts';
import { type GraphNode, environmentsOf, servicesOf } from '../graph-model.ts';
import { isChange, isBeside } from '../action-words.ts';

/** An action of a plan, as its document has it. */
export type DocumentAction = PlanDocument['actions'][number];

/** An action on the page. */
export interface Entry extends DocumentAction {
  /** The fragment that leads to it. */
  readonly id: string;
  /** The address of its environment; empty: the organization. */
  readonly environment: string;
  /** The address of its service, or its own. */
  readonly service: string;
  readonly outcome: ResultDocument['outcomes'][number] | undefined;
  /** Seconds that it took. */
  readonly seconds: number | undefined;
}

/** The actions of a plan with their places, and how they ended. */
export function buildEntries(
  plan: PlanDocument,
  result: ResultDocument | undefined,
  events: readonly EventDocument[],
): Entry[] {
  const nodes = buildNodes(plan.actions);
  const [environments, services] = [environmentsOf(nodes), servicesOf(nodes)];
  const outcomes = new Map(result?.outcomes.map((one) => [keyOf(one), one]));
  const seconds = new Map(
    events.flatMap((event) =>
      event.event === 'heartbeat' || event.event === 'waiting' ? [] : [[keyOf(event), event.seconds] as const],
    ),
  );
  return plan.actions.map((action, at) => ({
    ...action,
    id: `r${at + 1}`,
    environment: environments.get(action.address) ?? '',
    service: services.get(action.address) ?? action.address,
    outcome: outcomes.get(keyOf(action)),
    seconds: seconds.get(keyOf(action)),
  }));
}

function keyOf({ address, action }: { readonly address: string; readonly action: string }): string {
  return JSON.stringify([address, action]);
}

/** The blocks of a plan: a service and its deployment are one. */
export function buildNodes(actions: readonly DocumentAction[]): GraphNode[] {
  const blocks = groupBy(actions.map((action) => [action.address, action] as const));
  return [...blocks].map(([address, members]) => {
    const own = members.find((one) => !isBeside(one)) ?? members[0];
    const changed = [own, ...members].find((one) => one !== undefined && isChange(one));
    return {
      address,
      kind: own?.kind ?? '',
      single: own?.single,
      parent: own?.parent === address ? undefined : own?.parent,
      // A deployment comes after everything of its service; that is no need of the service.
      dependsOn: own?.dependsOn ?? [],
      after: members.flatMap(({ deploysAfter = [] }) => deploysAfter),
      action: changed?.action ?? 'no-op',
    };
  });
}
