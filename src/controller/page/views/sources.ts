import { counted } from '../../../render/fold-lines.ts';
import { type Markup, markup } from '../../../render/markup.ts';
import type { Records } from '../../records/all.ts';
import type { PlatformRow, SourceRow } from '../../records/shown-sources.ts';
import { unservedProblem } from '../../site.ts';
import { pullsAddress, withQuery } from '../addresses.ts';
import type { Content } from './layout.ts';
import { cell, commitCode, emptyState, labelTags, moment, problemLines, roughly, table } from './parts.ts';

/** The pages of what is registered: platforms and sources. */

export function platformsPage(platforms: readonly PlatformRow[], now: Date, mayAdminister: boolean): Content {
  return {
    place: 'platforms',
    title: 'Platforms',
    verdict:
      platforms.length === 0
        ? undefined
        : `${counted(platforms.length, 'platform')}. Keys stay in files of the workers: this page reads none.`,
    main:
      platforms.length === 0
        ? emptyState(
            'No platform to show',
            markup`<p>Register one on the machine of the controller: <code>trueup controller enrol --platform NAME</code></p>`,
          )
        : table({
            caption: 'Platforms',
            kind: 'platforms',
            heads: ['Platform', 'Address', 'Stacks', 'Budget', ...(mayAdminister ? ['Key'] : []), 'Looked at'],
            rows: platforms.map((one) => platformRow(one, now, mayAdminister)),
          }),
  };
}

function platformRow(one: PlatformRow, now: Date, mayAdminister: boolean): Markup {
  const { id, url, profile, labels, connections, keyFile, stacks } = one;
  const failed = stacks.filter(({ isFailed }) => isFailed).length;
  const running = stacks.filter(({ isRunning }) => isRunning).length;
  const lastLookAt = Math.max(...stacks.map(({ lookedAt }) => lookedAt ?? 0), 0);
  const trouble = one.isServed ? '' : problemLines(unservedProblem(one.only));
  const state = [
    ...(failed === 0 ? [] : [markup` <span class="badge bad">${failed} failed</span>`]),
    ...(running === 0 ? [] : [markup` <span class="badge info">${running} running</span>`]),
  ];
  return markup`<tr><th scope="row"><a class="name" href="${withQuery('/', { text: id })}">${id}</a>${labelTags(labels)}${trouble}</th>
${cell('Address', markup`<code>${url}</code>${profile === null ? '' : markup` <span class="kind">${profile}</span>`}`)}
${cell('Stacks', markup`${stacks.length}${state}`)}
${cell('Budget', counted(connections, 'connection'))}
${mayAdminister ? cell('Key', markup`<code>${keyFile}</code>`) : ''}
${cell('Looked at', moment(lastLookAt === 0 ? null : new Date(lastLookAt), now))}</tr>`;
}

/** How a receiver of messages is. */
type ReceiverRow = Awaited<ReturnType<Records['receivers']>>[number];

/** Whether the polls of a source have stopped, or fail: in words; undefined: they go well. */
export function alarmOf(source: SourceRow, now: Date): string | undefined {
  const { id, pollSeconds, polledAt, isStopped, problem } = source;
  const last = polledAt === null ? 'never read' : `last read ${roughly(now.getTime() - polledAt.getTime())} ago`;
  if (isStopped) return `The source ${id} was ${last}, and is to be read every ${roughly(pollSeconds * 1_000)}.`;
  if (problem !== null) return `The source ${id} cannot be read.`;
  return undefined;
}

export function sourcesPage(sources: readonly SourceRow[], receivers: readonly ReceiverRow[], now: Date): Content {
  const alarms = sources.filter((one) => alarmOf(one, now) !== undefined).length;
  return {
    place: 'sources',
    title: 'Sources',
    verdict:
      sources.length === 0
        ? undefined
        : alarms === 0
          ? `${counted(sources.length, 'source')}, each read when it was due.`
          : `${alarms} of ${counted(sources.length, 'source')} ${alarms === 1 ? 'needs' : 'need'} you.`,
    main: markup`${
      sources.length === 0
        ? emptyState(
            'No source to show',
            markup`<p>Register a repository on the machine of the controller: <code>trueup controller enrol --source NAME</code></p>`,
          )
        : table({
            caption: 'Sources',
            kind: 'sources',
            heads: ['Source', 'Repository', 'Commit', 'Stacks', 'Last read', 'Next'],
            rows: sources.map((one) => sourceRow(one, now)),
          })
    }${receiverTable(receivers, now)}`,
  };
}

/** Who gets messages, for who administers them. */
function receiverTable(receivers: readonly ReceiverRow[], now: Date): Markup {
  if (receivers.length === 0) return markup``;
  return markup`<section aria-labelledby="messages"><h2 id="messages">Messages</h2>${table({
    caption: 'Who gets messages',
    kind: 'receivers',
    heads: ['Receiver', 'Last one', 'Waiting', 'Never taken'],
    rows: receivers.map(
      ({ name, sentAt, waiting, dead, problem }) =>
        markup`<tr><th scope="row"><span class="name">${name}</span>${dead === 0 || problem === null ? '' : markup`<p class="problem">${problem}</p>`}</th>
${cell('Last one', moment(sentAt, now))}
${cell('Waiting', String(waiting))}
${cell('Never taken', dead === 0 ? '0' : markup`<span class="badge bad">${dead}</span>`)}</tr>`,
    ),
  })}</section>`;
}

function sourceRow(source: SourceRow, now: Date): Markup {
  const { id, url, ref, labels, commit, stacks, polledAt, nextPollAt, problem, pulls } = source;
  const { filesProblem, forgeProblem, pullsProblem, refusedStacks } = source;
  const alarm = alarmOf(source, now);
  const trouble =
    alarm === undefined ? '' : markup`<p class="problem">${alarm}</p>${problem === null ? '' : problemLines(problem)}`;
  const forgeTrouble =
    forgeProblem === null
      ? ''
      : markup`<p class="problem">Its forge was not told of commits:</p>${problemLines(forgeProblem)}`;
  const pullsTrouble =
    pullsProblem === null
      ? ''
      : markup`<p class="problem">Its forge does not list its pull requests:</p>${problemLines(pullsProblem)}`;
  const stackTrouble =
    refusedStacks === 0
      ? ''
      : markup`<p class="problem">Its forge refuses something of ${counted(refusedStacks, 'stack')}: the page of a stack, and that of its drift, say what.</p>`;
  return markup`<tr><th scope="row"><a class="name" href="${withQuery('/', { text: `${id}:` })}">${id}</a>${labelTags(labels)}${trouble}${filesProblem === null ? '' : problemLines(filesProblem)}${forgeTrouble}${pullsTrouble}${stackTrouble}</th>
${cell('Repository', markup`<code>${url}</code> <span class="kind">${ref.replace(/^refs\/(?:heads|tags)\//, '')}</span>${pulls === 0 ? '' : markup` <a href="${pullsAddress(id)}">${counted(pulls, 'pull request')}</a>`}`)}
${cell('Commit', commitCode(commit))}
${cell('Stacks', String(stacks.length))}
${cell('Last read', markup`${moment(polledAt, now)}${alarm === undefined ? '' : markup` <span class="badge bad">alarm</span>`}`)}
${cell('Next', nextPollAt <= now ? 'due' : moment(nextPollAt, now))}</tr>`;
}
