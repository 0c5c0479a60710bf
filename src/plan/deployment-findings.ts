import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { groupBy } from '../kind/group.ts';
import type { Condition, DeploymentFinding } from '../kind/checks.ts';
import { type Action, createsObject, isChange, isDeployment, isUpdate } from './action.ts';

/**
 * What is to be said about the deployments of blocks beside a plan: of services that it writes to or deploys. Why one fails is an
 * error where the plan writes to the service or to what is below it, and a warning where what was applied stays as it is.
 */
export function deploymentFindings(
  found: readonly DeploymentFinding[],
  actions: readonly Action[],
  version: string | undefined,
): Diagnostic[] {
  if (found.length === 0) return [];
  const scopes = new Map(actions.map(({ address, scope }) => [address, scope]));
  const edited = new Set(actions.filter(isChange).map(({ scope }) => scope));
  const deployed = new Set(actions.filter((one) => isDeployment(one)).map(({ block }) => block));
  const byAddress = groupBy(actions.map((one) => [one.address, one] as const));
  return inOrder(found).flatMap(({ when = {}, ...item }) => {
    const scope = scopes.get(item.address ?? '');
    const at = (address = '') => byAddress.get(address) ?? [];
    if (scope === undefined || !isMet(when, at(item.address), version)) return [];
    if (at(when.besides).some(isChange)) return [];
    if (item.severity !== 'error') return edited.has(scope) || deployed.has(scope) ? [item] : [];
    return [edited.has(scope) ? item : { ...item, severity: 'warning' as const }];
  });
}

/**
 * The same without a plan, where nothing is known of the platform and each object may be new. What is wrong of a new one only is no
 * error: one that is there may be right.
 */
export function deploymentsExpected(found: readonly DeploymentFinding[]): Diagnostic[] {
  return found.flatMap(({ when: { changes, before, isNew } = {}, ...item }) => {
    if (changes !== undefined || before !== undefined || isNew === 'for certain') return [];
    return [isNew === true && item.severity === 'error' ? { ...item, severity: 'warning' as const } : item];
  });
}

function isMet({ isNew, changes, since, before }: Condition, own: readonly Action[], version: string | undefined) {
  if (isNew !== undefined && !own.some(createsObject)) return false;
  if (changes !== undefined && !own.some((one) => isUpdateOf(one, changes))) return false;
  if (before !== undefined && !isOlder(version, before)) return false;
  return since === undefined || !isOlder(version, since);
}

/** Whether an action writes another value of a field into an object that exists. */
function isUpdateOf(one: Action, field: string): boolean {
  return isUpdate(one) && one.changes.some(({ path }) => path === field);
}

/** Whether a version, as a platform answers it, comes before another one; one without numbers, such as `canary`, or not known, does not. */
function isOlder(version: string | undefined, than: string): boolean {
  const numbers = /^v?(\d+)\.(\d+)\.(\d+)/
    .exec(version ?? '')
    ?.slice(1)
    .map(Number);
  if (numbers === undefined) return false;
  const [at, other] = than
    .split('.')
    .map((text, index) => [numbers[index] ?? 0, Number(text)] as const)
    .find(([a, b]) => a !== b) ?? [0, 0];
  return at < other;
}

/** By address and code: the order of the blocks in their files does not count. */
function inOrder(found: readonly DeploymentFinding[]): readonly DeploymentFinding[] {
  const ranked = found.map((item) => [`${item.address} ${item.code} ${item.message}`, item] as const);
  return ranked.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}
