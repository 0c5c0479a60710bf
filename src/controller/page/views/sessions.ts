import { counted } from '../../../render/fold-lines.ts';
import { type Markup, markup } from '../../../render/markup.ts';
import type { SessionRow } from '../../records/sessions.ts';
import type { Content } from './layout.ts';
import { actForm, cell, emptyState, foldedAct, moment, reasonField, table } from './parts.ts';

/** More sessions are not shown. */
export const sessionsShown = 1000;

/** Who is signed in. */
export interface SessionsView {
  readonly sessions: readonly SessionRow[];
  readonly now: Date;
  readonly csrf: string;
  /** The viewer's name. */
  readonly who: string;
  /** What a form had before. */
  readonly because?: string | undefined;
}

/** All sessions, each with the way to end it. */
export function sessionsPage(view: SessionsView): Content {
  const sessions = view.sessions.slice(0, sessionsShown);
  const isPart = sessions.length < view.sessions.length;
  return {
    place: 'me',
    title: 'Sessions',
    verdict:
      sessions.length === 0
        ? undefined
        : `${isPart ? 'The last ' : ''}${counted(sessions.length, 'session')} of browsers.`,
    main:
      sessions.length === 0
        ? emptyState('No session', markup`<p>No user is signed in with a browser.</p>`)
        : [
            markup`<p class="hint">Who is signed out so can sign in again. To keep a user out, take away their role, or their account where they sign in.</p>`,
            table({
              caption: 'Sessions, the last seen first',
              kind: 'sessions',
              heads: ['Who', 'Signed in', 'Last seen', 'End'],
              rows: sessions.map((one, at) => sessionRow(one, at, view)),
            }),
          ],
  };
}

const ways: Readonly<Record<SessionRow['by'], string>> = {
  oidc: 'with OpenID Connect',
  proxy: 'by the proxy',
  link: 'by the link',
};

function sessionRow({ digest, name, by, beganAt, seenAt }: SessionRow, at: number, view: SessionsView): Markup {
  const { now, csrf, who, because = '' } = view;
  const id = `because-${at + 1}`;
  const form = markup`<input type="hidden" name="session" value="${digest}">${reasonField(because, { id })}<button class="danger">End the session</button>`;
  const summary = markup`End<span class="hidden"> a session of ${name}</span>`;
  const end = foldedAct(summary, because, actForm('/sessions/end', csrf, form));
  return markup`<tr><th scope="row"><span class="name">${name}</span>${name === who ? markup` <span class="quiet">you</span>` : ''}</th>
${cell('Signed in', markup`${moment(beganAt, now)} ${ways[by]}`)}
${cell('Last seen', moment(seenAt, now))}
${cell('End', end)}</tr>`;
}
