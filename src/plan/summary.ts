import { type Action, type Change, deletesObject, isDeployment } from './action.ts';

/** The addresses of the services that a plan restarts: it deploys them, and not for the first time. */
export function restarting(actions: readonly Action[]): string[] {
  return deployed(actions, ({ start }) => start === 'again');
}

/** The addresses of the services with changes that need a deployment, which the plan does not include. */
export function notDeployed(actions: readonly Action[]): string[] {
  const left = actions.filter(
    ({ service, notes }) => service?.isLeft === true && !notes.some(({ code }) => code === 'not-deployed'),
  );
  return left.map(({ address }) => address);
}

/** The addresses of the services whose deployment an earlier run started: apply waits for its end. */
export function underWay(actions: readonly Action[]): string[] {
  return deployed(actions, ({ start }) => start === 'under way');
}

type Deployment = Extract<Action, { action: 'deploy' }>;

function deployed(actions: readonly Action[], isMeant: (deployment: Deployment) => boolean): string[] {
  const deployments = actions.filter((one) => isDeployment(one) && isMeant(one));
  return deployments.map(({ block }) => block);
}

/** The addresses of the services that a plan deletes and creates again, and deploys. */
export function recreating(actions: readonly Action[]): string[] {
  const replaced = new Set(actions.filter(deletesObject).map(({ address }) => address));
  return deployed(actions, () => true).filter((address) => replaced.has(address));
}

/** The addresses of everything whose values a plan overwrites although a person changed them on the platform. */
export function overwriting(actions: readonly Action[]): string[] {
  const isOverwritten = ({ cause }: Change) => cause === 'drift' || cause === 'conflict';
  return actions.flatMap(({ address, changes }) => (changes.some(isOverwritten) ? [address] : []));
}

/** The addresses of everything whose data a plan puts at risk, with or without a permission. */
export function risking(actions: readonly Action[]): string[] {
  return actions.flatMap(({ address, dataAtRisk }) => (dataAtRisk === undefined ? [] : [address]));
}
