import type { Field } from '../../src/kind/field.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { kinds } from '../../src/resources/index.ts';
import type { Body, Stand } from './kind-manifests.ts';
import type { Bench } from './world.ts';

/** What a stand has to do with deployments: computed from its declaration, not from a plan. */

/** The service that a stand is, or hangs on; undefined of what stands elsewhere. */
export function serviceOf({ kind, parent }: Stand): Kind | undefined {
  return [kind, kinds.find((other) => other.kind === parent)].find((one) => one?.commands?.deploy !== undefined);
}

/** Whether a stand is a service itself. */
export function isService(stand: Stand): boolean {
  return serviceOf(stand) === stand.kind;
}

/** The one order of a deployment; none where the platform documents none: for an application with a repository. */
export function orderFor(stand: Stand, body: Body): string[] {
  const service = serviceOf(stand);
  if (service === undefined) return [];
  if (service.kind !== 'application') return [`${service.kind}.deploy`];
  if (!stand.documentedOnly) return ['application.deploy'];
  // What is not an application itself stands below one with an image.
  return isFromGit(stand, body) ? [] : ['application.redeploy'];
}

/** Whether a body declares an application with a repository. */
export function isFromGit({ kind }: Stand, body: Body): boolean {
  return kind.kind === 'application' && (body.source as Body | undefined)?.type !== 'docker';
}

/** Whether containers take notice of a stand, and only when its service is deployed. */
export function reachesContainers(stand: Stand): boolean {
  if (isService(stand)) return true;
  const isRead = Object.values(stand.kind.fields).some(({ appliesAt }) => appliesAt === 'deploy');
  return serviceOf(stand) !== undefined && isRead && stand.kind.parents[stand.parent]?.atOnce !== true;
}

/** What is ordered when an object comes, or what hangs on a service goes. */
export function ordersForObject(stand: Stand, body: Body): string[] {
  return reachesContainers(stand) ? orderFor(stand, body) : [];
}

/** What is ordered when a field of an object gets another value. */
export function ordersForField(stand: Stand, body: Body, field: Field): string[] {
  if (field.onChange === 'replace') return ordersForObject(stand, body);
  return field.appliesAt === 'deploy' && reachesContainers(stand) ? orderFor(stand, body) : [];
}

/** Ids of the applications with a repository that nobody fetched from yet. */
export function neverFetched({ emulator }: Bench): string[] {
  const { application, code } = emulator.world.tables;
  return Object.values(application).flatMap(({ applicationId, appName, sourceType }) =>
    sourceType === 'docker' || code[String(appName)] !== undefined ? [] : [String(applicationId)],
  );
}
