import { counted } from '../../render/fold-lines.ts';
import type { Chat } from '../../render/chats.ts';
import { shortened } from '../../render/notification-document.ts';
import { printable } from '../../render/printable.ts';
import { stackAddress, waveAddress } from '../page/addresses.ts';
import type { AlarmKind } from '../records/alarms.ts';
import type { LetterRecord, MessageRecord } from '../records/messages.ts';

/** What a receiver of the form `json` gets. Holds no values of manifests and platforms. */
export interface LetterDocument {
  readonly format: 'trueup/controller-notification';
  readonly version: 1;
  /** ISO 8601. */
  readonly time: string;
  /** Where browsers find the page. */
  readonly address: string;
  readonly messages: readonly {
    readonly kind: AlarmKind;
    /** What was wrong is over. */
    readonly isOver: boolean;
    readonly subject: string;
    readonly words: string;
    readonly since: string;
    /** The address of the page about it. */
    readonly page: string;
  }[];
}

/** Most messages of a letter that a chat lists. */
const maxListed = 10;
/** Longest text of others. Characters. */
const maxText = 200;

/** A letter as a document. `address`: where browsers find the page, without a `/` at its end. */
export function letterDocument({ messages }: LetterRecord, address: string): LetterDocument {
  const newest = Math.max(0, ...messages.map(({ madeAt }) => madeAt.getTime()));
  return {
    format: 'trueup/controller-notification',
    version: 1,
    time: new Date(newest).toISOString(),
    address,
    messages: messages.map((message) => ({
      kind: message.kind,
      isOver: message.isOver,
      subject: shortened(printable(message.subject), maxText),
      words: shortened(printable(wordsOf(message)), maxText),
      since: message.madeAt.toISOString(),
      page: address + pageOf(message),
    })),
  };
}

/** The same for a chat: a line for each message. */
export function letterChat({ messages, address, time }: LetterDocument): Chat {
  const bad = messages.filter(({ isOver }) => !isOver).length;
  const over = messages.length - bad;
  const shown = messages.slice(0, maxListed);
  const [first] = messages;
  const counts = [...(bad === 0 ? [] : [counted(bad, 'message')]), ...(over === 0 ? [] : [`${over} over`])];
  const isOne = messages.length === 1 && first !== undefined;
  return {
    title: `Trueup: ${isOne ? titles[first.kind][first.isOver ? 1 : 0] : counts.join(', ')}`,
    place: new URL(address).host,
    lines: shown.map(({ subject, words }) => ({ subject, words })),
    rest: messages.length > shown.length ? `${messages.length - shown.length} more.` : undefined,
    link: { words: 'Open the page', url: isOne ? first.page : `${address}/` },
    mood: bad === 0 ? 'good' : messages.some(({ kind, isOver }) => !isOver && kind !== 'approval') ? 'bad' : 'neutral',
    time,
  };
}

/** While it lasts, and when it is over. */
const titles: Readonly<Record<AlarmKind, readonly [string, string]>> = {
  run: ['a run failed', 'a stack runs again'],
  drift: ['a platform drifted', 'drift is gone'],
  approval: ['a plan waits for approval', 'a plan was judged'],
  wave: ['a wave stopped', 'a wave goes on'],
  poll: ['a source is not polled', 'a source is polled again'],
  worker: ['a platform has no worker', 'a platform waits for no worker any more'],
};

function pageOf({ kind, subject }: MessageRecord): string {
  if (kind === 'wave') return waveAddress(subject.replace(/^wave:/, ''));
  if (kind === 'worker') return '/platforms';
  return kind === 'poll' ? '/sources' : stackAddress(subject);
}

function wordsOf({ kind, about, isOver }: MessageRecord): string {
  return isOver ? over[kind] : words[kind](about);
}

type About = MessageRecord['about'];

const words: Readonly<Record<AlarmKind, (about: About) => string>> = {
  run: (about) => `failed${at(about)}${because(about['ending'])}`,
  drift: (about) =>
    about['isRepaired'] === false
      ? `drifted: ${sized(about)} would repair it`
      : `drifted: a repair with ${sized(about)} waits for approval${risk(about)}`,
  approval: (about) => `a plan with ${sized(about)}${at(about)} waits for approval${risk(about)}`,
  wave: ({ stack, because: reason }) =>
    `stopped${because(typeof stack === 'string' ? `${stack}: ${String(reason)}` : undefined)}`,
  poll: ({ since }) => (typeof since === 'string' ? `was last polled at ${since}` : 'was never polled'),
  worker: ({ options }) => `no worker that reaches it is alive: start trueup controller work ${String(options)}`,
};

function at({ commit }: About): string {
  return typeof commit === 'string' ? ` at commit ${commit.slice(0, 12)}` : '';
}

function because(reason: unknown): string {
  return typeof reason === 'string' ? `: ${reason}` : '';
}

function sized({ changes }: About): string {
  return typeof changes === 'number' ? counted(changes, 'change') : 'changes';
}

function risk({ dataAtRisk }: About): string {
  const count = typeof dataAtRisk === 'number' ? dataAtRisk : 0;
  return count === 0 ? '' : `, with data of ${counted(count, 'object')} at risk`;
}

const over: Readonly<Record<AlarmKind, string>> = {
  run: 'runs without a failure again',
  drift: 'has no drift any more',
  approval: 'was judged',
  wave: 'goes on',
  poll: 'is polled again',
  worker: 'waits for no worker any more',
};
