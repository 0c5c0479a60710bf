import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deflateRawSync } from 'node:zlib';
import type { Forge } from '../../src/ci/forge-of-job.ts';

/** A comment of a pull request, as it is shown to people. */
interface ShownComment {
  readonly id: number;
  readonly author: string;
  /** The account as the forge describes it; by default one of that name. */
  readonly user?: { readonly id: number };
  body: string;
}

/** An artifact of GitHub. */
interface FakeArtifact {
  readonly name: string;
  readonly content: Buffer;
  /** Uploaded by a run of a fork. */
  readonly isForeign?: boolean;
  /** The last commit of the branch of its run. */
  readonly head?: string;
  /** Who started its run, and by what. */
  readonly actor?: string;
  readonly event?: string;
  /** Its run was deleted. */
  readonly hasNoRun?: boolean;
  readonly expired?: boolean;
}

/**
 * The REST API of a forge, as far as pipelines use it, written from its documentation: it refuses unknown paths, wrong
 * tokens and wrong headers, and pages its lists.
 */
export interface FakeForge {
  readonly url: string;
  /** By the number of the pull request. */
  readonly comments: Map<number, ShownComment[]>;
  readonly artifacts: FakeArtifact[];
  /** Files of generic packages, by path. */
  readonly packages: Map<string, Buffer>;
  /** The pull request that brought a commit. */
  readonly merged: Map<string, number>;
  /** The last commit of each pull request. */
  readonly heads: Map<number, string>;
  /** Pull requests, by number. */
  readonly pulls: Map<number, { isOpen: boolean; head: string }>;
  readonly log: { readonly method: string; readonly path: string; readonly status: number }[];
  /** Answers of requests that fail: asked first. */
  fault: (method: string, path: string) => number | FakeAnswer | undefined;
  close(): Promise<void>;
}

/** The token that writes comments, and that of a job of GitLab. */
export const forgeToken = 'forge-token-canary-9c1e';
export const jobToken = 'job-token-canary-5b7d';

/** Most rows in one answer. */
const pageSize = 3;

/** What a forge answers. */
export interface FakeAnswer {
  readonly status: number;
  readonly json?: unknown;
  readonly bytes?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request to the API of a forge, its path below the address of the API. */
export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly json: unknown;
}

/** What a forge has beside comments, pull requests and stored plans. */
interface More {
  /** Answers requests of the API; the first that answers. */
  readonly answer?: (request: FakeRequest) => FakeAnswer | undefined;
  /** Takes requests of git. */
  readonly git?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/** Serves a forge; `account`: that of the token, which a token of a runner may not ask for. */
export async function serveForge(
  name: Forge['name'],
  {
    account = 'trueup-bot',
    isAutomatic = false,
    more = {},
  }: { account?: string; isAutomatic?: boolean; more?: More } = {},
): Promise<FakeForge> {
  const [comments, packages, merged, heads] = [
    new Map<number, ShownComment[]>(),
    new Map<string, Buffer>(),
    new Map<string, number>(),
    new Map<number, string>(),
  ];
  const artifacts: FakeArtifact[] = [];
  const log: { method: string; path: string; status: number }[] = [];
  const pulls: FakeForge['pulls'] = new Map();
  let nextId = 1;
  const forge: Omit<FakeForge, 'url' | 'close'> = {
    comments,
    packages,
    merged,
    heads,
    artifacts,
    pulls,
    log,
    fault: () => undefined,
  };

  const userOf = (author: string) => {
    if (name === 'gitlab') return { id: idOf(author), username: author };
    if (name === 'gitea') return { id: isAutomatic && author === account ? -2 : idOf(author), login: author };
    return { id: idOf(author), login: author, type: author.endsWith('[bot]') ? 'Bot' : 'User' };
  };
  const row = ({ id, body, author, user = userOf(author) }: ShownComment) => ({
    id,
    body,
    [name === 'gitlab' ? 'author' : 'user']: user,
  });

  function answer(request: IncomingMessage, url: URL, body: Buffer): FakeAnswer {
    const { method = '', headers } = request;
    const path = url.pathname.replace(/^\/api\/v[134]/, '').replace('/projects/shop%2Finfra', '/projects/12');
    const isStore = /\/packages\//.test(path);
    const expected = {
      github: { authorization: `Bearer ${forgeToken}` },
      gitea: { authorization: `token ${forgeToken}` },
      gitlab: isStore ? { 'job-token': jobToken } : { 'private-token': forgeToken },
    }[name];
    for (const [header, value] of Object.entries(expected)) if (headers[header] !== value) return { status: 401 };
    const fault = forge.fault(method, path);
    if (fault !== undefined) return typeof fault === 'number' ? { status: fault } : fault;
    const json = body.length > 0 && headers['content-type'] === 'application/json' ? JSON.parse(body.toString()) : null;
    const own = more.answer?.({ method, path, query: url.searchParams, json: json as unknown });
    if (own !== undefined) return own;
    if (method === 'GET' && path === '/user') {
      if (isAutomatic) return { status: 403 };
      return { status: 200, json: userOf(account) };
    }
    const notes =
      name === 'gitlab'
        ? /^\/projects\/12\/merge_requests\/(\d+)\/notes(?:\/(\d+))?$/
        : /^\/repos\/shop\/infra\/issues\/(\d+)\/comments$/;
    const [isNotes, pullText = '', noteId] = notes.exec(path) ?? [];
    if (isNotes !== undefined) {
      const list = comments.get(Number(pullText)) ?? [];
      comments.set(Number(pullText), list);
      if (method === 'GET' && noteId === undefined) {
        const page = Number(url.searchParams.get('page') ?? 1);
        // Gitea answers every page with all comments.
        const rows = name === 'gitea' ? list : list.slice((page - 1) * pageSize, page * pageSize);
        return { status: 200, json: rows.map(row) };
      }
      const text = textIn(body, headers['content-type']);
      if (text === undefined) return { status: 422 };
      if (method === 'POST' && noteId === undefined) {
        list.push({ id: nextId++, author: account, body: text });
        return { status: 201, json: {} };
      }
      return method === 'PUT' && name === 'gitlab' ? edit(list, Number(noteId), text) : { status: 405 };
    }
    const [isComment, commentId] = /^\/repos\/shop\/infra\/issues\/comments\/(\d+)$/.exec(path) ?? [];
    if (isComment !== undefined && method === 'PATCH' && name !== 'gitlab') {
      const text = textIn(body, headers['content-type']);
      return text === undefined ? { status: 422 } : edit([...comments.values()].flat(), Number(commentId), text);
    }
    if (isStore && name !== 'github') return store(method, path, body);
    if (name === 'github' && method === 'GET') {
      const found = readArtifact(path, url.searchParams);
      if (found !== undefined) return found;
    }
    return method === 'GET' ? (readPulls(path, url.searchParams) ?? readMerged(path)) : { status: 404 };
  }

  function edit(list: readonly ShownComment[], id: number, text: string): FakeAnswer {
    const found = list.find((one) => one.id === id);
    if (found === undefined) return { status: 404 };
    // People with write access may edit every comment, and so may tokens.
    found.body = text;
    return { status: 200, json: {} };
  }

  function store(method: string, path: string, body: Buffer): FakeAnswer {
    const isKnown =
      name === 'gitlab'
        ? /^\/projects\/12\/packages\/generic\/trueup-plan\/[\w.+-]+\/[\w.+-]+$/.test(path)
        : /^\/api\/packages\/shop\/generic\/trueup-plan\/[\w.+-]+\/[\w.+-]+$/.test(path);
    if (!isKnown) return { status: 404 };
    const present = packages.get(path);
    if (method === 'GET') return present === undefined ? { status: 404 } : { status: 200, bytes: present };
    if (method === 'DELETE' && name === 'gitea') return { status: packages.delete(path) ? 204 : 404 };
    if (method !== 'PUT') return { status: 405 };
    if (present !== undefined && name === 'gitea') return { status: 409 };
    packages.set(path, body);
    return { status: 201, json: {} };
  }

  function readArtifact(path: string, query: URLSearchParams): FakeAnswer | undefined {
    const [page, size] = ['page', 'per_page'].map((key) => Number(query.get(key) ?? 1)) as [number, number];
    const paged = <T>(rows: readonly T[]) => rows.toReversed().slice((page - 1) * size, page * size);
    const isAsked = (key: string, value: string | undefined) => [null, value].includes(query.get(key));
    const rowOf = (
      { name: own, isForeign = false, head, hasNoRun = false, expired = false }: FakeArtifact,
      id: number,
    ) => ({
      id,
      name: own,
      expired,
      created_at: new Date(id * 1_000).toISOString(),
      workflow_run: hasNoRun ? null : { repository_id: 1, head_repository_id: isForeign ? 2 : 1, head_sha: head },
    });
    if (path === '/repos/shop/infra/actions/artifacts') {
      const found = artifacts.map(rowOf).filter((one) => isAsked('name', one.name));
      return { status: 200, json: { artifacts: paged(found) } };
    }
    if (path === '/repos/shop/infra/actions/runs') {
      // Each artifact has a run of its own, which has its number. A search ends with the newest 1,000.
      const found = artifacts.flatMap(({ isForeign = false, head, actor, event, hasNoRun = false }, id) => {
        const by = actor ?? (isForeign ? 'stranger' : 'member');
        const isFound = isAsked('head_sha', head) && isAsked('actor', by) && isAsked('event', event ?? 'pull_request');
        if (hasNoRun || !isFound) return [];
        return [{ id, head_sha: head, repository: { id: 1 }, head_repository: isForeign ? { id: 2 } : { id: 1 } }];
      });
      return { status: 200, json: { workflow_runs: paged(found.slice(-1_000)) } };
    }
    const [, run] = /^\/repos\/shop\/infra\/actions\/runs\/(\d+)\/artifacts$/.exec(path) ?? [];
    if (run !== undefined) {
      const found = artifacts.map(rowOf).filter((one) => one.id === Number(run) && isAsked('name', one.name));
      return { status: 200, json: { artifacts: paged(found) } };
    }
    const [, id] = /^\/repos\/shop\/infra\/actions\/artifacts\/(\d+)\/zip$/.exec(path) ?? [];
    const found = id === undefined ? undefined : artifacts[Number(id)];
    return found === undefined ? undefined : { status: 200, bytes: zipOf('plan.trueup', found.content) };
  }

  function readPulls(path: string, query: URLSearchParams): FakeAnswer | undefined {
    const form =
      name === 'gitlab' ? /^\/projects\/12\/merge_requests(?:\/(\d+))?$/ : /^\/repos\/shop\/infra\/pulls(?:\/(\d+))?$/;
    const [isIt, number] = form.exec(path) ?? [];
    if (isIt === undefined) return undefined;
    const open = name === 'gitlab' ? 'opened' : 'open';
    const rowOfPull = (own: number, { isOpen, head }: { isOpen: boolean; head: string }) => {
      const state = isOpen ? open : 'closed';
      return name === 'gitlab'
        ? { iid: own, id: 5_000 + own, state, sha: head }
        : { number: own, id: 5_000 + own, state, head: { sha: head } };
    };
    if (number !== undefined) {
      const found = pulls.get(Number(number));
      return found === undefined ? { status: 404 } : { status: 200, json: rowOfPull(Number(number), found) };
    }
    if (query.get('state') !== open) return { status: 422 };
    const rows = [...pulls].filter(([, { isOpen }]) => isOpen).map(([own, pull]) => rowOfPull(own, pull));
    const page = Number(query.get('page') ?? 1);
    return { status: 200, json: rows.slice((page - 1) * pageSize, page * pageSize) };
  }

  function readMerged(path: string): FakeAnswer {
    const form = {
      github: /^\/repos\/shop\/infra\/commits\/([0-9a-f]{40})\/pulls$/,
      gitlab: /^\/projects\/12\/repository\/commits\/([0-9a-f]{40})\/merge_requests$/,
      gitea: /^\/repos\/shop\/infra\/commits\/([0-9a-f]{40})\/pull$/,
    }[name];
    const [isIt, commit = ''] = form.exec(path) ?? [];
    if (isIt === undefined) return { status: 404 };
    const number = merged.get(commit);
    if (number === undefined) return name === 'gitea' ? { status: 404 } : { status: 200, json: [] };
    if (name === 'gitea') return { status: 200, json: { number, merged: true } };
    // Somebody opened another one with the same commit.
    const [open, closed] =
      name === 'gitlab'
        ? [
            { iid: 99, state: 'opened', merged_at: null },
            { iid: number, state: 'merged' },
          ]
        : [
            { number: 99, state: 'open', merged_at: null },
            {
              number,
              state: 'closed',
              merged_at: '2026-01-02T03:04:05Z',
              head: { sha: heads.get(number) },
              user: { login: 'member' },
            },
          ];
    return { status: 200, json: [open, closed] };
  }

  const server = createServer((request, response) => {
    if (more.git?.(request, response) === true) return;
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const url = new URL(request.url ?? '', 'http://forge');
      const { status, json, bytes, headers = {} } = answer(request, url, Buffer.concat(parts));
      log.push({ method: request.method ?? '', path: url.pathname, status });
      response.writeHead(status, headers).end(bytes ?? (json === undefined ? '' : JSON.stringify(json)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(forge, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** An id for each account. */
function idOf(account: string): number {
  return Buffer.from(account).reduce((sum, byte) => (sum * 31 + byte) % 1_000_003, 7);
}

function textIn(body: Buffer, type: string | undefined): string | undefined {
  if (type !== 'application/json') return undefined;
  const { body: text } = JSON.parse(body.toString()) as { body?: unknown };
  return typeof text === 'string' && text.length <= 65_536 ? text : undefined;
}

/** An archive with one file, as the runner of GitHub packs it: the sizes stand behind the content. */
export function zipOf(name: string, content: Buffer): Buffer {
  const packed = deflateRawSync(content);
  const title = Buffer.from(name);
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(8, 6);
  local.writeUInt16LE(8, 8);
  local.writeUInt16LE(title.length, 26);
  const descriptor = Buffer.alloc(16);
  descriptor.writeUInt32LE(0x08074b50, 0);
  descriptor.writeUInt32LE(packed.length, 8);
  descriptor.writeUInt32LE(content.length, 12);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(8, 10);
  entry.writeUInt32LE(packed.length, 20);
  entry.writeUInt32LE(content.length, 24);
  entry.writeUInt16LE(title.length, 28);
  const start = local.length + title.length + packed.length + descriptor.length;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(entry.length + title.length, 12);
  end.writeUInt32LE(start, 16);
  return Buffer.concat([local, title, packed, descriptor, entry, title, end]);
}

/** The variables that a runner of the forge sets, beside those of the event. */
export function runnerOf(name: Forge['name'], url: string): Record<string, string> {
  if (name === 'gitlab') {
    return {
      CI: 'true',
      GITLAB_CI: 'true',
      CI_API_V4_URL: `${url}/api/v4`,
      CI_PROJECT_ID: '12',
      CI_JOB_TOKEN: jobToken,
      CI_PIPELINE_SOURCE: 'push',
    };
  }
  const common = {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_REPOSITORY: 'shop/infra',
    GITHUB_SERVER_URL: url,
    GITHUB_EVENT_NAME: 'push',
  };
  return name === 'github'
    ? { ...common, GITHUB_API_URL: url }
    : { ...common, GITEA_ACTIONS: 'true', GITHUB_API_URL: `${url}/api/v1` };
}
