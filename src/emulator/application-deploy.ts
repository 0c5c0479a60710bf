import type { Context } from './context.ts';
import type { Deployable } from './deployment.ts';
import { failed } from './error-answers.ts';
import { checkRepository } from './clone-check.ts';
import { pullProblem, pullTime } from './images.ts';
import { textOf, textOr, type Json, type Row } from './json-rows.ts';
import { runContainer } from './machine.ts';
import { withPorts } from './host-ports.ts';
import { portsOfEndpoint } from './published-ports.ts';
import { orderOfRow } from './service-orders.ts';
import { variableLines } from './service-variables.ts';
import type { Store } from './table-store.ts';

/** How an application is deployed: its code is cloned and built; an image needs neither. */
export const applicationDeployment: Deployable = {
  table: 'application',
  status: 'applicationStatus',
  isFromGit,
  pullTime: (_context, row, isRebuild) =>
    row['sourceType'] === 'docker' && !isRebuild ? pullTime(textOr(row, 'dockerImage')) : 0,

  deploy(context, row, isRebuild) {
    const { store } = context;
    const appName = row['appName'] ?? null;
    if (isFromGit(row) && !isRebuild) {
      checkRepository(row);
      if (store.find('code', appName) === undefined) store.insert('code', { appName });
    }
    if (row['sourceType'] !== 'docker' && store.find('code', appName) === undefined)
      throw failed('There is no code on disk: nothing was cloned yet');
    if (row['sourceType'] === 'docker') fetchImage(context, row, isRebuild);
    runImage(context, row);
    return [];
  },
};

/** Pulls the image of an application, and tags it for its registries. A rebuild only tags. */
function fetchImage({ store }: Context, row: Row, isRebuild: boolean): void {
  const image = imageOf(row);
  const place = placeOf(image, row['buildServerId'] ?? row['serverId']);
  if (!isRebuild) pull(store, image, place);
  const isKept = (row['rollbackRegistryId'] ?? null) !== null && row['rollbackActive'] === true;
  const isUploaded = isKept || ['registryId', 'buildRegistryId'].some((column) => (row[column] ?? null) !== null);
  if (isUploaded && store.find('pulled', place) === undefined) throw failed(`No such image: ${image}`);
}

function pull(store: Store, image: string, place: string): void {
  const problem = pullProblem(image);
  if (problem !== undefined) throw failed(problem);
  if (store.find('pulled', place) === undefined) store.insert('pulled', { place });
}

function placeOf(image: string, serverId: Json | undefined): string {
  return `${String(serverId ?? '')} ${image}`;
}

function imageOf(row: Row): string {
  const image = textOr(row, 'dockerImage');
  if (image === '') throw failed('Docker image not found');
  return image;
}

/**
 * Creates or renews the docker service of an application, with its configured image or the one that was built. The node of
 * the service pulls an image that it does not have.
 */
export function runImage(context: Context, row: Row): void {
  const { store } = context;
  const isBuilt = row['sourceType'] !== 'docker';
  const image = isBuilt ? `${textOf(row, 'appName')}:latest` : imageOf(row);
  const place = placeOf(image, row['serverId']);
  const id = row['applicationId'];
  const [ingress, host] = (['ingress', 'host'] as const).map(
    (mode) =>
      portsOfEndpoint(row, mode) ??
      store
        .children('port', 'applicationId', id)
        .filter(({ publishMode }) => publishMode === mode)
        .map(publishedBy),
  );
  const mounts = store.children('mount', 'applicationId', id).map((mount) => textOr(mount, 'mountPath'));
  const settings = { image, isDatabase: false, env: variableLines(context, row), mounts };
  const isPulledLater = !isBuilt && store.find('pulled', place) === undefined;
  const order = { ...orderOfRow(row, { ...settings, ports: [] }), isPulledLater };
  runContainer(context, row, [withPorts(context, row, order, { ingress: ingress ?? [], host: host ?? [] })]);
  if (isPulledLater && pullProblem(image) === undefined) store.insert('pulled', { place });
}

function publishedBy(port: Row): string {
  return `:${Number(port['publishedPort'])}/${textOr(port, 'protocol')}`;
}

function isFromGit(row: Row): boolean {
  return row['sourceType'] !== 'docker' && row['sourceType'] !== 'drop';
}
