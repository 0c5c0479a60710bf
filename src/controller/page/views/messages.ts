import { type Markup, markup } from '../../../render/markup.ts';
import { withQuery } from '../addresses.ts';
import { fieldOf } from '../fields.ts';
import type { Content } from './layout.ts';
import { actForm, factList } from './parts.ts';

/** Who is signed in. */
export interface Me {
  readonly name: string;
  readonly by: string;
  readonly groups: readonly string[];
  /** How many stacks the viewer has each role over. */
  readonly roles: readonly (readonly [role: string, stacks: number])[];
  readonly csrf: string;
  /** Where the form to sign out goes; undefined: the proxy does that. */
  readonly signOut: string | undefined;
  /** The viewer administers everything: the page of all sessions is theirs. */
  readonly seesSessions: boolean;
}

const ways: Readonly<Record<string, string>> = {
  oidc: 'with OpenID Connect',
  proxy: 'by the proxy before this page',
  link: 'by the link in the terminal',
  token: 'with a token',
};

const abilities: Readonly<Record<string, string>> = {
  viewer: 'sees them',
  operator: 'runs, pauses and stops',
  approver: 'approves and refuses, runs, pauses and stops',
  admin: 'everything',
  agent: 'proposes, approves nothing',
};

export function mePage({ name, by, groups, roles, csrf, signOut, seesSessions }: Me): Content {
  return {
    place: 'me',
    title: name,
    subject: 'Signed in as',
    head: factList([
      ['signed in', ways[by] ?? by],
      ['groups', groups.length === 0 ? 'none' : groups.join(', ')],
    ]),
    main: [
      markup`<section aria-labelledby="roles"><h2 id="roles">What you may do</h2>${
        roles.length === 0
          ? markup`<p class="empty">No role over any stack. Roles are in the settings of the controller, by group and label.</p>`
          : markup`<ul class="told">${roles.map(([role, stacks]) => markup`<li><p><b>${role}</b> of ${stacks} ${stacks === 1 ? 'stack' : 'stacks'}</p><p class="quiet">${abilities[role] ?? ''}</p></li>`)}</ul>`
      }</section>`,
      seesSessions ? markup`<p><a href="/sessions">Sessions of all users</a></p>` : markup``,
      signOut === undefined
        ? markup``
        : markup`<section>${actForm(signOut, csrf, markup`<button>Sign out</button>`)}</section>`,
    ],
  };
}

/** A page that says what is so, and what to do. */
export function messagePage(
  title: string,
  words: Markup | string,
  way?: { readonly address: string; readonly words: string },
): Content {
  return {
    title,
    main: markup`<p class="verdict">${words}</p><p><a class="button" href="${way?.address ?? '/'}">${way?.words ?? 'To the stacks'}</a></p>`,
  };
}

/**
 * A form was refused, or came after the session had ended: the page shows what was written, and leads back to the form with it.
 */
export function notDonePage(about: {
  readonly status: number;
  readonly sentence: string;
  /** Where the form stood. */
  readonly page: string;
  readonly fields: unknown;
}): Content {
  const { status, sentence, page, fields } = about;
  const because = fieldOf(fields, 'because');
  const isOver = status === 401;
  return {
    title: isOver ? 'Your session has ended' : 'This was not done',
    verdict: isOver ? 'Nothing was done. Sign in again: the form then has what you wrote.' : sentence,
    main: markup`${because === '' ? '' : markup`<section aria-labelledby="wrote"><h2 id="wrote">What you wrote</h2><blockquote class="wrote">${because}</blockquote></section>`}<p><a class="button main" href="${withQuery(page, { because: because.slice(0, 1_000) })}">${isOver ? 'Sign in and go on' : 'Back to the form'}</a></p>`,
  };
}
