import type { Context } from './context.ts';
import type { Deployable } from './deployment.ts';
import { failed } from './error-answers.ts';
import { checkRepository } from './clone-check.ts';
import { pullProblem, pullTime } from './images.ts';
import { textOf, textOr, type Row } from './json-rows.ts';
import { runContainer } from './machine.ts';
import { blockedByPorts, checkHost } from './host-ports.ts';
import { orderOfRow } from './service-orders.ts';
import { variableLines } from './service-variables.ts';

/** How an application is deployed: its code is cloned and built; an image needs neither. */
export const applicationDeployment: Deployable = {
  table: 'application',
  status: 'applicationStatus',
  isFromGit,
  pullTime: (_context, row) => (row['sourceType'] === 'docker' ? pullTime(textOr(row, 'dockerImage')) : 0),

  deploy(context, row, isRebuild) {
    const { store } = context;
    const appName = row['appName'] ?? null;
    if (isFromGit(row) && !isRebuild) {
      checkRepository(row);
      if (store.find('code', appName) === undefined) store.insert('code', { appName });
    }
    if (row['sourceType'] !== 'docker' && store.find('code', appName) === undefined)
      throw failed('There is no code on disk: nothing was cloned yet');
    runImage(context, row);
    return [];
  },
};

/** Creates or renews the docker service of an application, with its configured image or the one that was built. */
export function runImage(context: Context, row: Row): void {
  let image = `${textOf(row, 'appName')}:latest`;
  if (row['sourceType'] === 'docker') {
    image = textOr(row, 'dockerImage');
    if (image === '') throw failed('Docker image not found');
    const problem = pullProblem(image);
    if (problem !== undefined) throw failed(problem);
  }
  const { store } = context;
  const id = row['applicationId'];
  const [ingress, host] = ['ingress', 'host'].map((mode) =>
    store
      .children('port', 'applicationId', id)
      .filter(({ publishMode }) => publishMode === mode)
      .map(publishedBy),
  );
  const mounts = store.children('mount', 'applicationId', id).map((mount) => textOr(mount, 'mountPath'));
  const settings = { image, isDatabase: false, env: variableLines(context, row), mounts };
  const order = orderOfRow(row, { ...settings, ports: ingress ?? [] });
  checkHost(context, row, [order]);
  const all = blockedByPorts(context, row, { ...order, ports: host ?? [] });
  runContainer(context, row, [{ ...all, ports: [...order.ports, ...all.ports] }]);
}

function publishedBy(port: Row): string {
  return `:${Number(port['publishedPort'])}/${textOr(port, 'protocol')}`;
}

function isFromGit(row: Row): boolean {
  return row['sourceType'] !== 'docker' && row['sourceType'] !== 'drop';
}
