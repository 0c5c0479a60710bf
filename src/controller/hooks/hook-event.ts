import { createHash } from 'node:crypto';
import { type HookForge, type HookRequest, headerOf, jsonOf } from './hook-request.ts';

/** What a webhook says. Its commits, people and addresses are not read: git says them. */
export interface HookEvent {
  /** Names the delivery: one that is sent again has the same. */
  readonly id: string;
  readonly event: 'push' | 'pull request' | 'ping' | 'other';
  /** The full name of the branch or tag that changed, was made or deleted, or that a pull request is to be merged into. */
  readonly ref: string | undefined;
}

/** Reads a webhook; undefined: its body is no JSON object. */
export function readHook(forge: HookForge, request: HookRequest): HookEvent | undefined {
  const body = parse(jsonOf(request).toString());
  if (body === undefined) return undefined;
  const id = idOf(forge, request);
  return forge === 'gitlab' ? ofGitlab(body, id) : ofGithub(eventOf(request), body, id);
}

type Members = ReadonlyMap<string, unknown>;

/** GitHub, and what Forgejo and Gitea have of it. */
function ofGithub(name: string | undefined, body: Members, id: string): HookEvent {
  switch (name) {
    case 'ping':
      return { id, event: 'ping', ref: undefined };
    case 'push':
      return { id, event: 'push', ref: text(body, 'ref') };
    case 'create':
    case 'delete':
      return { id, event: 'push', ref: full(text(body, 'ref'), text(body, 'ref_type') === 'tag' ? 'tags' : 'heads') };
    case 'pull_request':
      return {
        id,
        event: 'pull request',
        ref: full(text(members(members(body, 'pull_request'), 'base'), 'ref'), 'heads'),
      };
    case undefined:
    default:
      return { id, event: 'other', ref: undefined };
  }
}

/** https://docs.gitlab.com/user/project/integrations/webhook_events/ */
function ofGitlab(body: Members, id: string): HookEvent {
  switch (text(body, 'object_kind')) {
    case 'push':
    case 'tag_push':
      return { id, event: 'push', ref: text(body, 'ref') };
    case 'merge_request':
      return {
        id,
        event: 'pull request',
        ref: full(text(members(body, 'object_attributes'), 'target_branch'), 'heads'),
      };
    case undefined:
    default:
      return { id, event: 'other', ref: undefined };
  }
}

function eventOf(request: HookRequest): string | undefined {
  const names = ['x-github-event', 'x-forgejo-event', 'x-gitea-event'];
  return names.map((name) => headerOf(request, name)).find((name) => name !== undefined);
}

/**
 * The id that the forge gives a delivery; where it gives none that a row can have, the digest of the body. An event of GitLab that
 * another webhook caused shares the id of that one's event: only `Idempotency-Key` tells them apart.
 */
function idOf(forge: HookForge, request: HookRequest): string {
  const names = {
    github: ['x-github-delivery'],
    gitlab: ['webhook-id', 'idempotency-key'],
    forgejo: ['x-forgejo-delivery', 'x-gitea-delivery'],
  }[forge];
  const given = names.map((name) => headerOf(request, name)).find((id) => id !== undefined);
  if (given !== undefined && /^[\w.:-]{8,100}$/.test(given)) return given;
  const event = headerOf(request, 'x-gitlab-event-uuid') ?? '';
  return createHash('sha256').update(event).update('\0').update(request.body).digest('hex');
}

function parse(json: string): Members | undefined {
  try {
    return membersOf(JSON.parse(json));
  } catch {
    return undefined;
  }
}

function membersOf(value: unknown): Members | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? new Map(Object.entries(value)) : undefined;
}

function members(of: Members | undefined, name: string): Members | undefined {
  return membersOf(of?.get(name));
}

/** A member that can be a ref. */
function text(of: Members | undefined, name: string): string | undefined {
  const value = of?.get(name);
  return typeof value === 'string' && value !== '' && value.length <= 1_000 ? value : undefined;
}

function full(ref: string | undefined, folder: 'heads' | 'tags'): string | undefined {
  return ref === undefined || ref.startsWith('refs/') ? ref : `refs/${folder}/${ref}`;
}
