import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Repository as ForgeRepository } from '../../src/forge/repository.ts';
import { type FakeAnswer, type FakeForge, type FakeRequest, forgeToken, serveForge } from './fake-forge.ts';
import { git } from './hosted-repository.ts';

/** A pull request of the repository. */
interface HostedPull {
  title: string;
  body: string;
  readonly branch: string;
  readonly base: string;
  isOpen: boolean;
  /** The commit of a pull request from another repository. */
  readonly fork?: string;
}

/** A status of a commit, as the forge got it. */
interface HostedStatus {
  readonly commit: string;
  readonly context: string;
  readonly state: string;
  readonly description: string;
  readonly url: string | undefined;
}

/** A forge that has a repository, which git reads and writes over HTTP, with statuses of commits and pull requests. */
export interface HostingForge extends Pick<FakeForge, 'comments' | 'log' | 'close'> {
  fault: FakeForge['fault'];
  /** The address of the repository for git. */
  readonly address: string;
  /** Files with a token, and with credentials for git. */
  readonly tokenFile: string;
  readonly credentialsFile: string;
  /** In the order in which they came. */
  readonly statuses: HostedStatus[];
  readonly requests: Map<number, HostedPull>;
  /** Opens a pull request. Gives its number. */
  readonly propose: (pull: Pick<HostedPull, 'branch'> & Partial<HostedPull>) => number;
}

const password = 'git-password-canary-7d21';

/** Serves `shop/infra`, whose repository is the folder of a bare one. */
export async function hostForge(name: ForgeRepository['name'], bare: string): Promise<HostingForge> {
  const statuses: HostedStatus[] = [];
  const requests: HostingForge['requests'] = new Map();
  git(bare, 'config', 'http.receivepack', 'true');
  git(bare, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  const commitOf = (branch: string): string => git(bare, 'rev-parse', `refs/heads/${branch}`);
  const headOf = ({ branch, fork, isOpen }: HostedPull): string => fork ?? (isOpen ? commitOf(branch) : '0'.repeat(40));
  const rowOf = (number: number, pull: HostedPull): unknown => {
    const { title, body, branch, base, isOpen, fork } = pull;
    const sha = headOf(pull);
    const state = isOpen ? (name === 'gitlab' ? 'opened' : 'open') : 'closed';
    if (name === 'gitlab') {
      const from = fork === undefined ? 12 : 13;
      const branches = { source_branch: branch, target_branch: base, source_project_id: from, target_project_id: 12 };
      return { iid: number, id: 5_000 + number, state, sha, title, description: body, ...branches };
    }
    const repo = (full: string) => ({ full_name: full });
    const head = { ref: branch, sha, repo: repo(fork === undefined ? 'shop/infra' : 'stranger/infra') };
    return { number, id: 5_000 + number, state, title, body, head, base: { ref: base, repo: repo('shop/infra') } };
  };
  const filesOf = (pull: HostedPull): unknown[] => {
    const paths = git(bare, 'diff', '--name-only', `${pull.base}...${headOf(pull)}`).split('\n');
    return paths.map((path) => (name === 'gitlab' ? { old_path: path, new_path: path } : { filename: path }));
  };
  const propose: HostingForge['propose'] = (pull) => {
    const number = requests.size + 1;
    requests.set(number, { title: 'a change', body: '', base: 'main', isOpen: true, ...pull });
    return number;
  };

  const list = name === 'gitlab' ? '/projects/12/merge_requests' : '/repos/shop/infra/pulls';
  const root = name === 'gitlab' ? '/projects/12' : '/repos/shop/infra';
  const pagesOf = (rows: readonly unknown[], query: URLSearchParams): FakeAnswer => {
    const page = Number(query.get('page') ?? 1);
    return { status: 200, json: rows.slice((page - 1) * pageSize, page * pageSize) };
  };
  const answer = ({ method, path, query, json }: FakeRequest): FakeAnswer | undefined => {
    const given = (json ?? {}) as Readonly<Record<string, string>>;
    const [isStatus, commit = ''] = new RegExp(`^${root}/statuses/([0-9a-f]{40})$`).exec(path) ?? [];
    if (isStatus !== undefined && method === 'POST') return takeStatus(commit, given);
    if (path === root && method === 'GET') return { status: 200, json: { id: 12 } };
    if (path === list && method === 'GET') {
      if (query.get('state') !== (name === 'gitlab' ? 'opened' : 'open')) return { status: 422 };
      return pagesOf(
        [...requests].filter(([, { isOpen }]) => isOpen).map(([number, pull]) => rowOf(number, pull)),
        query,
      );
    }
    if (path === list && method === 'POST') return open(given);
    const [isPull, number = '', part] = new RegExp(`^${list}/(\\d+)(/files|/diffs)?$`).exec(path) ?? [];
    const pull = requests.get(Number(number));
    if (isPull === undefined) return undefined;
    if (pull === undefined) return { status: 404 };
    if (part !== undefined) return method === 'GET' ? pagesOf(filesOf(pull), query) : { status: 405 };
    if (method === 'GET') return { status: 200, json: rowOf(Number(number), pull) };
    if (method !== (name === 'gitlab' ? 'PUT' : 'PATCH')) return { status: 405 };
    pull.title = given['title'] ?? pull.title;
    pull.body = given[name === 'gitlab' ? 'description' : 'body'] ?? pull.body;
    if (given['state'] === 'closed' || given['state_event'] === 'close') pull.isOpen = false;
    return { status: 200, json: rowOf(Number(number), pull) };
  };

  function takeStatus(commit: string, given: Readonly<Record<string, string>>): FakeAnswer {
    const { state = '', description = '', target_url: url } = given;
    const context = given[name === 'gitlab' ? 'name' : 'context'] ?? '';
    const states = ['pending', 'success', name === 'gitlab' ? 'failed' : 'failure'];
    if (!states.includes(state) || context === '' || description.length > 140) return { status: 422 };
    const last = statuses.findLast((one) => one.commit === commit && one.context === context);
    // A job of GitLab that waits cannot begin to wait.
    if (name === 'gitlab' && state === 'pending' && last?.state === 'pending') return { status: 400 };
    statuses.push({ commit, context, state, description, url });
    return { status: 201, json: {} };
  }

  function open(given: Readonly<Record<string, string>>): FakeAnswer {
    const isGitlab = name === 'gitlab';
    const branch = given[isGitlab ? 'source_branch' : 'head'] ?? '';
    const base = given[isGitlab ? 'target_branch' : 'base'] ?? '';
    const isThere = [...requests.values()].some((one) => one.isOpen && one.branch === branch && one.base === base);
    if (isThere) return { status: name === 'github' ? 422 : 409 };
    const body = given[isGitlab ? 'description' : 'body'] ?? '';
    if (body.length > 65_536 || commitOf(branch) === commitOf(base)) return { status: 422 };
    const number = propose({ branch, base, title: given['title'] ?? '', body });
    return { status: 201, json: rowOf(number, requests.get(number) as HostedPull) };
  }

  const forge = await serveForge(name, { more: { answer, git: (...request) => serveGit(bare, ...request) } });
  const host = new URL(forge.url).host;
  const folder = mkdtempSync(join(tmpdir(), 'trueup-forge-'));
  const [tokenFile, credentialsFile] = [join(folder, 'token'), join(folder, 'credentials')];
  writeFileSync(tokenFile, `${forgeToken}\n`);
  writeFileSync(credentialsFile, `http://ops:${password}@${host}\n`);
  const address = `http://${host}/shop/infra.git`;
  return Object.assign(forge, { address, tokenFile, credentialsFile, statuses, requests, propose });
}

/** Most rows in one answer. */
const pageSize = 3;

/** Gives a request to the program of git that serves repositories; it wants a user. False: it is none of git. */
function serveGit(bare: string, request: IncomingMessage, response: ServerResponse): boolean {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
  const [, path] = /^\/shop\/infra\.git(\/.*)$/.exec(pathname) ?? [];
  if (path === undefined) return false;
  if (request.headers.authorization !== `Basic ${Buffer.from(`ops:${password}`).toString('base64')}`) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    return true;
  }
  const env = {
    PATH: process.env['PATH'],
    GIT_PROJECT_ROOT: dirname(bare),
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: `${bare.slice(dirname(bare).length)}${path}`,
    REMOTE_USER: 'ops',
    QUERY_STRING: searchParams.toString(),
    REQUEST_METHOD: request.method,
    CONTENT_TYPE: request.headers['content-type'],
    HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
    GIT_PROTOCOL: request.headers['git-protocol'] as string | undefined,
  };
  const backend = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  backend.stdin.on('error', () => undefined);
  request.pipe(backend.stdin);
  const parts: Buffer[] = [];
  backend.stdout.on('data', (data: Buffer) => parts.push(data));
  backend.on('close', () => {
    const all = Buffer.concat(parts);
    const end = all.indexOf('\r\n\r\n');
    const lines = all.toString('latin1', 0, end).split('\r\n');
    for (const [key = '', value = ''] of lines.map((line) => line.split(': '))) {
      if (key === 'Status') response.statusCode = Number(value.slice(0, 3));
      else response.setHeader(key, value);
    }
    response.end(all.subarray(end + 4));
  });
  return true;
}
