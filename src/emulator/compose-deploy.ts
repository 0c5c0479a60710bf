import { posix } from 'node:path';
import { type Beside, composeProblem, filesBeside, isBesideFile, lostMount } from './compose-checks.ts';
import { interpolated } from './compose-interpolation.ts';
import {
  convertedFile,
  formatComposeFile,
  mountsIn,
  parseComposeFile,
  serviceMaps,
  serviceNames,
} from './compose-text.ts';
import { startedIn } from './compose-profiles.ts';
import { fetchSource, isFromGit, sourceOnDisk } from './compose-source.ts';
import { containerVariables } from './container-variables.ts';
import type { Context } from './context.ts';
import { readAsDocker } from './docker-yaml.ts';
import type { Deployable } from './deployment.ts';
import { joinNetworks } from './networks-joined.ts';
import { ApiError, failed } from './error-answers.ts';
import { checkHost } from './host-ports.ts';
import { pullProblem, pullTime } from './images.ts';
import { textOf, textOr, type Row } from './json-rows.ts';
import { formProblem } from './stack-forms.ts';
import { runContainer } from './machine.ts';
import { ordersOfCompose } from './service-orders.ts';
import { variablesOf } from './service-variables.ts';
import type { Store } from './table-store.ts';

/** How a compose is deployed. */
export const composeDeployment: Deployable = {
  table: 'compose',
  status: 'composeStatus',
  isFromGit,

  pullTime(context, row, isRebuild) {
    // Of a stack the nodes pull, when it is deployed.
    if (row['composeType'] === 'stack') return 0;
    const text = isRebuild && isFromGit(row) ? sourceOnDisk(context.store, row) : textOf(row, 'composeFile');
    try {
      const content = parseComposeFile(text ?? '');
      const variables = variablesFor(context, row);
      return content === null
        ? 0
        : pullTime(formatComposeFile(startedIn(interpolated(content, variables, false), row, variables)));
    } catch (error) {
      if (error instanceof ApiError) return 0; // it fails before it pulls
      throw error;
    }
  },

  // The platform rewrites the file; docker reads what was written.
  deploy(context, row, isRebuild) {
    const { store } = context;
    const isKept = isRebuild && isFromGit(row);
    const text = isKept ? sourceOnDisk(store, row) : fetchSource(store, row);
    if (text === undefined) throw failed('Nothing was cloned yet');
    const appName = textOf(row, 'appName');
    if (!isKept) emptyCode(context, appName);
    const command = commandProblem(textOr(row, 'command').trim());
    if (command !== undefined) throw failed(command);
    const content = parseComposeFile(text);
    // No repository is ever reached: without a text there is no more to check.
    const domains = store.children('domain', 'composeId', row['composeId']);
    if (content === null && isFromGit(row)) {
      convertedFile(null, row, domains);
      runContainer(
        context,
        row,
        ordersOfCompose(ofRepository, row, () => ({ env: [] })),
      );
      return [];
    }
    if (content === null)
      throw failed(text.trim() === '' ? 'empty compose file' : 'top-level object must be a mapping');
    const converted = convertedFile(content, row, domains);
    joinNetworks(store, converted, row);
    const written = formatComposeFile(converted);
    store.update('composeFile', appName, { written });

    const isStack = row['composeType'] === 'stack';
    const variables = variablesFor(context, row);
    const given = readAsDocker(written);
    const read = interpolated(given, variables, isStack);
    const started = isStack ? read : startedIn(read, row, variables);
    const beside = filesBeside(store, row);
    const problem =
      (isStack ? formProblem(given) : undefined) ??
      composeProblem({ content: read, started }, row, beside) ??
      lostNetwork(store, row) ??
      (isStack ? undefined : pullProblem(formatComposeFile(started)));
    if (problem !== undefined) throw failed(problem);
    const envOf = containerVariables(store, row, variables);
    const orders = ordersOfCompose(started, row, (service) => ({
      env: envOf(service),
      // Swarm makes no folder, as compose does.
      refusal: isStack ? lostMount(service, row, beside) : undefined,
    }));
    checkHost(context, row, orders);
    if (!isStack) bindFolders(context, started, { row, beside });
    runContainer(context, row, orders, serviceNames(converted));
    return isStack ? ignoredIn(read) : [];
  },
};

/** The network that the file of an isolated compose names: the platform makes one with the appName only. */
function lostNetwork(store: Store, row: Row): string | undefined {
  const name = textOr(row, 'suffix');
  if (row['isolatedDeployment'] !== true || name === '' || name === row['appName']) return undefined;
  const others = Object.values(store.world.tables.network);
  if (others.some((one) => one['name'] === name && (one['serverId'] ?? null) === (row['serverId'] ?? null)))
    return undefined;
  return `network ${name} declared as external, but could not be found`;
}

/** What a repository holds that nobody reads: a service that stays up. */
const ofRepository = { services: { web: { image: 'repository' } } };

/** Why the platform refuses a command of its own; it puts `docker` before what is left. */
function commandProblem(command: string): string | undefined {
  if (/[;|`$(){}<>\n\\]/.test(command)) return 'Invalid characters in compose command: no shell control characters';
  const [, ...more] = command.split('&&').map((part) => part.trim());
  const isChain = !/(^|[^&])&([^&]|$)|&&&/.test(command) && more.every((part) => /^docker[ -]compose /.test(part));
  return isChain ? undefined : `Only further commands of docker compose can follow, after '&&'`;
}

/** What docker can put into the file: the platform writes it beside a compose, and gives it to the command for a stack. */
function variablesFor({ store }: Context, row: Row): Readonly<Record<string, string>> {
  const appName = textOf(row, 'appName');
  const hasFile = row['createEnvFile'] !== false;
  const isStack = row['composeType'] === 'stack';
  const shell = { PATH: '/usr/bin:/bin', HOME: '/root' };
  if (!hasFile && !isStack) return shell;
  const own = `APP_NAME=${appName}\nCOMPOSE_PROJECT_NAME=${appName}\n`;
  const variables = variablesOf(store, row, isStack ? '' : own);
  if (isStack)
    return { ...shell, ...Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== '')) };
  const suffix = row['randomize'] === true ? { COMPOSE_PREFIX: textOr(row, 'suffix') } : {};
  return isBesideFile(row) ? { DOCKER_CONFIG: '/root/.docker', ...variables, ...suffix, ...shell } : shell;
}

/** Removes the folder with the code, and what containers wrote there. */
function emptyCode({ store, now }: Context, appName: string): void {
  for (const folder of store.children('folder', 'appName', appName)) {
    if (!textOf(folder, 'path').startsWith(`${appName}/code/`)) continue;
    store.update('folder', folder['path'], { createdAt: now(), emptied: Number(folder['emptied']) + 1 });
  }
}

/** Keeps the folders that docker makes, and those of a repository that containers write to, by their place below the folder of all composes. */
function bindFolders({ store, now }: Context, content: Row, { row, beside }: { row: Row; beside: Beside }): void {
  const appName = textOf(row, 'appName');
  for (const { type, source, isReadOnly } of Object.values(serviceMaps(content)).flatMap(mountsIn)) {
    if (type !== 'bind' || /^[/~]/.test(source) || (isFromGit(row) ? isReadOnly : beside.has(source))) continue;
    const path = posix.join(appName, 'code', source);
    if (store.find('folder', path) === undefined) store.insert('folder', { path, appName, createdAt: now() });
  }
}

/** What docker says of the members of a stack that it reads over. Measured with docker 28. */
function ignoredIn(content: Row): string[] {
  const members = Object.values(serviceMaps(content)).flatMap((service) => Object.keys(service));
  const named = (all: readonly string[]) => all.filter((member) => members.includes(member)).join(', ');
  const [unsupported, deprecated] = [named(unsupportedInStacks), named(['container_name', 'expose'])];
  const ports = Object.values(serviceMaps(content)).flatMap(({ ports: all }) =>
    Array.isArray(all) ? all.map(String) : [],
  );
  return [
    ...(unsupported === '' ? [] : [`Ignoring unsupported options: ${unsupported}`]),
    ...(deprecated === '' ? [] : [`Ignoring deprecated options: ${deprecated}`]),
    ...ports
      .filter((port) => /^[\d.]+:\d*:/.test(port))
      .map((port) => `ignoring IP-address (${port}) service will listen on '0.0.0.0'`),
  ];
}

const unsupportedInStacks =
  `build cgroupns_mode cgroup_parent devices domainname external_links ipc links mac_address network_mode
  pid privileged restart security_opt shm_size userns_mode`.split(/\s+/);
