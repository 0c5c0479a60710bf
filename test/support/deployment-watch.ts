import { parse as parseDotenv } from 'dotenv';
import type { Emulator } from '../../src/emulator/emulator.ts';
import type { Row } from '../../src/formats/json.ts';
import { canonical } from '../../src/formats/json.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { isInCase, observedValue } from '../../src/kind/row-values.ts';
import { kinds } from '../../src/resources/index.ts';
import { isDeployOrder } from './deployments.ts';

/**
 * Somebody who sees every request that the platform gets and what it has, and knows from that alone which services run
 * with what they are to run with: nothing of it comes from a plan or a state.
 */
export interface DeploymentWatch {
  /**
   * Ids of services to which something was written that no deployment has put into effect, and of those that nobody ever
   * deployed, as far as the platform keeps that.
   */
  readonly stale: () => string[];
  /** How often each service was told to deploy, by its id. */
  readonly orders: () => ReadonlyMap<string, number>;
  /** From now on nobody knows of what was written before: the state is lost. */
  readonly forget: () => void;
}

/** What is known of one service. */
interface Watched {
  /** Everything that its containers are made from, as it is. */
  view: string;
  /** How often a run changed that. */
  writes: number;
  /** The deployments that were ordered, with the writes until then, the newest last. */
  ordered: { readonly writes: number; readonly succeeded: () => boolean }[];
  orders: number;
}

const services = kinds.filter(({ commands }) => commands?.deploy !== undefined);

/** Watches a platform from now on; what somebody does by hand counts as deployed, and not as written by a run. */
export function watchDeployments(emulator: Emulator): DeploymentWatch {
  const known = new Map<string, Watched>();

  /** Looks at everything; what differs from before was written by a run, or by somebody else. */
  const look = (by: 'a run' | 'somebody'): void => {
    const views = containersOf(emulator);
    for (const id of known.keys()) if (!views.has(id)) known.delete(id);
    for (const [id, view] of views) {
      const service = known.get(id) ?? { view: '', writes: 0, ordered: [], orders: 0 };
      known.set(id, service);
      if (service.view === view) continue;
      service.view = view;
      if (by === 'a run') service.writes++;
    }
  };

  /** Notes an order before it is carried out: what is written after it may not be in it. */
  const note = (operation: string, input: Row): ((isAnswered: boolean) => void) => {
    const [table = ''] = operation.split('.');
    const id = String(input[`${table}Id`]);
    const service = known.get(id);
    if (!isDeployOrder(operation) || service === undefined) return () => undefined;
    service.orders++;
    let isOver = false;
    const deployments = () => Object.values(emulator.world.tables.deployment);
    const before = new Set(deployments().map(({ deploymentId }) => deploymentId));
    const succeeded = (): boolean => {
      if (table !== 'application' && table !== 'compose') return isOver;
      // What begins after the order has all that was there when it was given.
      return deployments().some(
        (row) => row[`${table}Id`] === id && row.status === 'done' && !before.has(row.deploymentId),
      );
    };
    service.ordered.push({ writes: service.writes, succeeded });
    return (isAnswered) => {
      isOver = isAnswered;
    };
  };

  const { send } = emulator;
  const act = emulator.act.bind(emulator);
  look('somebody');
  emulator.send = async (request) => {
    if (request.method !== 'POST') return send(request);
    const operation = request.path.replace(/^\/api\//, '');
    const over = note(operation, JSON.parse(request.body ?? '{}') as Row);
    const answer = await send(request);
    look('a run');
    over(answer.status === 200);
    return answer;
  };
  emulator.act = async (operation, input = {}) => {
    const over = note(operation, input);
    const answer = await act(operation, input);
    look('somebody');
    over(true);
    return answer;
  };

  const isStale = ({ writes, ordered }: Watched): boolean =>
    writes > (ordered.findLast(({ succeeded }) => succeeded())?.writes ?? 0);
  const wasNeverDeployed = (id: string): boolean => {
    const { application, compose, deployment } = emulator.world.tables;
    const isListed = application[id] !== undefined || compose[id] !== undefined;
    return isListed && !Object.values(deployment).some((row) => row.applicationId === id || row.composeId === id);
  };
  return {
    stale: () => [...known].flatMap(([id, service]) => (isStale(service) || wasNeverDeployed(id) ? [id] : [])),
    orders: () => new Map([...known].map(([id, { orders }]) => [id, orders])),
    forget: () => {
      for (const service of known.values()) Object.assign(service, { writes: 0, ordered: [] });
    },
  };
}

/** What the containers of each service are made from, by its id. */
export function containersOf({ world: { tables } }: Emulator): Map<string, string> {
  const rowsOf = (table: string) => Object.values(tables[table as 'compose'] as Readonly<Record<string, Row>>);
  return new Map(
    services.flatMap((kind) =>
      rowsOf(kind.kind).map((row) => {
        const id = String(row[kind.identity.id]);
        const below = kinds.flatMap((leaf) => {
          const link = leaf.parents[kind.kind];
          if (link === undefined || link.atOnce === true) return [];
          if (!Object.values(leaf.fields).some(({ appliesAt }) => appliesAt === 'deploy')) return [];
          const table = leaf.kind === 'fileMount' ? 'mount' : leaf.kind;
          return rowsOf(table).flatMap((one) => (one[link.idAt] === id ? [madeFrom(leaf, one)] : []));
        });
        const environment = tables.environment[String(row.environmentId)];
        const variables = parseDotenv(String(environment?.env ?? ''));
        const texts = Object.keys(kind.fields).map((name) => (kind.fields[name]?.map === undefined ? '' : row[name]));
        const mentioned = [...texts.join('\n').matchAll(/\$\{\{environment\.(.*?)\}\}/g)].map(([, name = '']) => [
          name,
          variables[name] ?? null,
        ]);
        return [id, JSON.stringify([madeFrom(kind, row), below.toSorted(), mentioned])] as const;
      }),
    ),
  );
}

/** What another case of a union left behind is nothing that it is made from. */
function madeFrom(kind: Kind, row: Row): string {
  const fields = Object.entries(kind.fields).filter(
    ([name, { appliesAt, onChange }]) =>
      isInCase(kind, name, (tag) => observedValue(kind, tag, row)) &&
      (appliesAt === 'deploy' || (onChange === 'replace' && kind.commands?.deploy === undefined)),
  );
  return canonical(fields.map(([name]) => [name, observedValue(kind, name, row) ?? null]));
}
