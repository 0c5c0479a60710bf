import { readFile } from 'node:fs/promises';
import { sendLetter, readReceiverUrl } from '../../drift/letter.ts';
import { isOfPlatform } from '../../project/same-server.ts';
import { chatForms } from '../../render/chats.ts';
import { createRedactor } from '../../secrets/redactor.ts';
import { systemClock } from '../../state/clock.ts';
import type { Records } from '../records/all.ts';
import type { AlarmKind } from '../records/alarms.ts';
import type { LetterRecord, ReceiverRecord } from '../records/messages.ts';
import type { Settings } from '../settings.ts';
import { letterChat, letterDocument } from './letter-document.ts';

/** A receiver of messages, as the settings have it. */
type Receiver = Settings['notify'][number];

/** How messages are sent. */
export interface Telling {
  readonly records: Pick<Records, 'takeLetter' | 'letterSent' | 'letterFailed' | 'pageAddress'>;
  readonly receivers: readonly Receiver[];
}

/** Kinds of alarms by the words of the settings. */
const kindsOf: Readonly<Record<Receiver['on'][number], readonly AlarmKind[]>> = {
  failure: ['run', 'wave', 'poll', 'worker'],
  drift: ['drift'],
  approval: ['approval'],
};

/** Receivers as rows have them: those of one name are one. */
export function receiverRecords(receivers: readonly Receiver[]): readonly ReceiverRecord[] {
  const byName = new Map<string, ReceiverRecord>();
  for (const receiver of receivers) {
    const name = nameOf(receiver);
    const kinds = receiver.on.flatMap((on) => kindsOf[on]);
    byName.set(name, { name, kinds: [...(byName.get(name)?.kinds ?? []), ...kinds], labels: receiver.labels });
  }
  return [...byName.values()];
}

/** The form, the file with the address, and the labels. */
function nameOf({ as, urlFile, labels }: Receiver): string {
  const selected = Object.entries(labels).map(([label, value]) => ` ${label}=${value}`);
  return `${as} ${urlFile}${selected.toSorted().join('')}`;
}

/**
 * Sends a receiver what is due, letter by letter, until one fails: it is due again later. A letter whose confirmation is lost with
 * the worker is sent again, with the same id. Throws only what the database does.
 */
export async function tell({ records, receivers }: Telling, name: string, signal: AbortSignal): Promise<void> {
  const receiver = receivers.find((one) => nameOf(one) === name);
  const address = await records.pageAddress();
  if (receiver === undefined || address === undefined) return;
  while (!signal.aborted) {
    const letter = await records.takeLetter(name);
    if (letter === undefined) return;
    const problem = await post(receiver, letter, address);
    if (problem !== undefined) return void (await records.letterFailed(letter.id, problem));
    await records.letterSent(letter.id);
  }
}

/** Gives why a letter was not confirmed, without its address. */
async function post({ as, urlFile }: Receiver, letter: LetterRecord, address: string): Promise<string | undefined> {
  const text = await readFile(urlFile, 'utf8').catch(() => undefined);
  if (text === undefined) return `cannot read the file ${urlFile}`;
  const redactor = createRedactor();
  const url = readReceiverUrl(text.trim(), redactor);
  if (url === undefined) return `the file ${urlFile} has no address of a receiver: https://…, without a user`;
  const platforms = new Set(letter.messages.flatMap(({ platform }) => platform ?? []));
  for (const platform of platforms)
    if (await isOfPlatform(url, new URL(platform))) return `the file ${urlFile} has an address of a platform`;
  const document = letterDocument(letter, address);
  const body = JSON.stringify(as === 'json' ? document : chatForms[as](letterChat(document)));
  const unconfirmed = await sendLetter(
    { id: `msg_${letter.id}`, url, key: undefined, body },
    { clock: systemClock, most: 1 },
  );
  return unconfirmed && redactor.redact(`${url.host} did not confirm: ${unconfirmed.why}`);
}
