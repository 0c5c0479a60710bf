import type { Labels } from '../settings.ts';

/** What a role gives, from the least to the most; `agent` is for programs that look and propose. */
export type Role = 'viewer' | 'operator' | 'approver' | 'admin' | 'agent';
/** `see` pages, `operate` (pause, stop, run), `approve` plans, `propose` a change of a manifest, `administer` platforms and sources. */
export type Act = 'see' | 'operate' | 'approve' | 'propose' | 'administer';
export type { Labels } from '../settings.ts';

/** A role for a group, or for one user, over the stacks with all of these labels; without labels: over all. */
export interface Grant {
  readonly group?: string | undefined;
  readonly user?: string | undefined;
  readonly role: Role;
  readonly labels?: Labels | undefined;
}

/** Who sends a request, as a sign-in or a token proves it. */
export interface Identity {
  readonly name: string;
  readonly groups: readonly string[];
  /** `link`: the one user of a page on this machine. */
  readonly by: 'oidc' | 'proxy' | 'token' | 'link';
}

/** Who sends a request, and what they may do. */
export interface Viewer extends Identity {
  /** The highest role over stacks with these labels. */
  readonly role: (labels: Labels) => Role | undefined;
  readonly may: (act: Act, labels: Labels) => boolean;
  /** Whether some stack may have labels over which they may do this. */
  readonly maySomewhere: (act: Act) => boolean;
}

/** Each role may do all that the one before it may. */
const order: readonly Role[] = ['viewer', 'agent', 'operator', 'approver', 'admin'];

const least: Readonly<Record<Act, Role>> = {
  see: 'viewer',
  propose: 'agent',
  operate: 'operator',
  approve: 'approver',
  administer: 'admin',
};

/** Says what a person or a program may do. A grant that names a group and a user needs both; one that names neither counts for no user. */
export function viewerOf(identity: Identity, roles: readonly Grant[]): Viewer {
  const { name, groups, by } = identity;
  const grants = roles.filter(
    ({ group, user }) =>
      (group !== undefined || user !== undefined) &&
      (group === undefined || groups.includes(group)) &&
      (user === undefined || user === name),
  );
  const role = (labels: Labels): Role | undefined =>
    highest(grants.filter((grant) => selects(grant.labels ?? {}, labels)));
  return {
    name,
    groups,
    by,
    role,
    may: (act, labels) => allows(role(labels), act),
    maySomewhere: (act) => allows(highest(grants), act),
  };
}

function highest(grants: readonly Grant[]): Role | undefined {
  return order.findLast((role) => grants.some((grant) => grant.role === role));
}

function allows(role: Role | undefined, act: Act): boolean {
  return role !== undefined && order.indexOf(role) >= order.indexOf(least[act]);
}

/** Whether a selector matches: each of its labels is there, with its value. */
function selects(selector: Labels, labels: Labels): boolean {
  return Object.entries(selector).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}
