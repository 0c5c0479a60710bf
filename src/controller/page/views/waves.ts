import { counted } from '../../../render/fold-lines.ts';
import { type Markup, markup } from '../../../render/markup.ts';
import type { WaveRecord, WaveView as Wave } from '../../records/waves.ts';
import type { Standing } from '../../waves/waits.ts';
import { stackAddress, waveAddress } from '../addresses.ts';
import type { Content } from './layout.ts';
import {
  actForm,
  cell,
  commitCode,
  emptyState,
  factList,
  foldedAct,
  inWords,
  moment,
  reasonField,
  table,
} from './parts.ts';

/** How a wave stands, in words with their tone. */
function standingOf({ stopped, ending, endedAt }: WaveRecord): { readonly words: string; readonly tone: string } {
  if (ending === 'done') return { words: 'done', tone: 'done' };
  if (ending === 'superseded') return { words: 'superseded', tone: 'note' };
  if (stopped !== null) return { words: 'stopped', tone: 'bad' };
  return endedAt === null ? { words: 'going on', tone: 'info' } : { words: 'over', tone: 'note' };
}

function badgeOf(wave: WaveRecord): Markup {
  const { words, tone } = standingOf(wave);
  return markup`<span class="badge ${tone}">${words}</span>`;
}

/** All waves: those that go on first. */
export function wavesPage(waves: readonly WaveRecord[], now: Date): Content {
  const open = waves.filter(({ endedAt }) => endedAt === null);
  const stopped = open.filter((wave) => wave.stopped !== null).length;
  return {
    place: 'waves',
    title: 'Waves',
    verdict:
      waves.length === 0
        ? undefined
        : open.length === 0
          ? 'No wave goes on.'
          : `${counted(open.length, 'wave')} ${open.length === 1 ? 'goes' : 'go'} on${stopped === 0 ? '.' : `, ${stopped} stopped.`}`,
    main:
      waves.length === 0
        ? emptyState(
            'No waves yet',
            markup`<p>A wave brings a commit to many stacks in steps, such as a canary, a tenth, and the rest. It stops at the first failure. Describe one under <code>waves</code> in the settings of the controller.</p>`,
          )
        : table({
            caption: 'Waves, the last first',
            heads: ['Wave', 'State', 'Commit', 'Step', 'Began'],
            rows: waves.map(
              (wave) =>
                markup`<tr><th scope="row"><a class="name" href="${waveAddress(wave.id)}">${wave.name} ${wave.id}</a><div class="under"><span class="where">${wave.source}</span></div></th>
${cell('State', badgeOf(wave))}
${cell('Commit', commitCode(wave.commit))}
${cell('Step', `${wave.step + 1} of ${wave.steps.length}`)}
${cell('Began', moment(wave.beganAt, now))}</tr>`,
            ),
          }),
  };
}

/** A wave with the stacks that the viewer sees. */
export interface WaveView {
  readonly wave: Wave;
  /** Stacks of it that the viewer does not see. */
  readonly hidden: number;
  readonly now: Date;
  readonly csrf: string;
  readonly mayOperate: boolean;
  readonly because?: string | undefined;
}

/** The steps of a wave with their stacks, and the form to stop it or have it go on. */
export function wavePage(view: WaveView): Content {
  const { wave, hidden, now } = view;
  const { stacks, step } = wave;
  const healthy = stacks.filter(isHealthy).length;
  const steps = [...new Set(stacks.map((one) => one.step))];
  return {
    place: 'waves',
    subject: markup`Wave of <span class="of">${wave.source}</span>`,
    title: `${wave.name} ${wave.id}`,
    standing: badgeOf(wave),
    verdict:
      wave.stopped === null ? `${healthy} of ${counted(stacks.length, 'stack')} applied and healthy.` : undefined,
    head: markup`${factList([
      ['commit', commitCode(wave.commit)],
      ['began', moment(wave.beganAt, now)],
      ['step', wave.endedAt === null ? markup`${step + 1}, open ${moment(wave.stepAt, now)}` : undefined],
      ['ended', wave.endedAt === null ? undefined : moment(wave.endedAt, now)],
      ['healthy after', `${wave.healthyMinutes} min`],
    ])}`,
    main: [
      wave.stopped === null ? markup`` : stoppedLines(wave.stopped),
      waitLines(wave),
      view.mayOperate && wave.endedAt === null ? controls(view) : markup``,
      markup`<section aria-labelledby="steps"><h2 id="steps">Steps</h2><progress max="${stacks.length}" value="${healthy}" aria-label="Stacks that are healthy">${healthy} of ${stacks.length}</progress>
<ol class="tree">${steps.map((one) => stepItem(one, view))}</ol>${hidden === 0 ? '' : markup`<p class="hint">${counted(hidden, 'more stack')} that your role does not show.</p>`}</section>`,
    ],
  };
}

/** A failure without a stack is that of one that the viewer does not see. */
function stoppedLines({ at, by, stack, because }: NonNullable<WaveRecord['stopped']>): Markup {
  const words =
    by !== null
      ? markup`<b>${by}</b> stopped it ${inWords(at)}: ${because}`
      : stack === null
        ? markup`A failure of a stack that your role does not show stopped it ${inWords(at)}.`
        : markup`A failure stopped it at <a href="${stackAddress(stack)}">${stack}</a> ${inWords(at)}: ${because}`;
  return markup`<section aria-labelledby="stopped"><h2 id="stopped" class="hidden">Stopped</h2><div class="standing bad"><p>${words}</p><p class="hint">Nothing of it begins any more. Stacks of later steps keep the commit that they have.</p></div></section>`;
}

/** Why the next step does not begin yet. */
function waitLines({ waits }: Wave): Markup {
  if (waits.length === 0) return markup``;
  return markup`<section aria-labelledby="waits"><h2 id="waits">What it waits for</h2><ul>${waits.map(
    ({ stack, because }) => markup`<li><a href="${stackAddress(stack)}">${stack}</a> ${because}</li>`,
  )}</ul></section>`;
}

function controls({ wave, csrf, because = '' }: WaveView): Markup {
  const isStopped = wave.stopped !== null;
  const [act, words, hint] = isStopped
    ? ['resume', 'Let it go on', 'Failures until now do not count any more.']
    : ['stop', 'Stop the wave', 'Runs that began go on. No other stack begins.'];
  const form = markup`${reasonField(because, { hint: 'wave-hint' })}<p class="hint" id="wave-hint">${hint}</p><button${isStopped ? '' : markup` class="danger"`}>${words}</button>`;
  return markup`<section class="controls" aria-labelledby="do"><h2 id="do" class="hidden">What you can do</h2>${foldedAct(words, because, actForm(`${waveAddress(wave.id)}/${act}`, csrf, form))}</section>`;
}

function stepItem(step: number, { wave }: WaveView): Markup {
  const stacks = wave.stacks.filter((one) => one.step === step);
  const healthy = stacks.filter(isHealthy).length;
  const state = step < wave.step || wave.ending === 'done' ? 'done' : step === wave.step ? 'open' : 'waits';
  return markup`<li><h3>Step ${step + 1} <span class="quiet">${state}, ${healthy} of ${stacks.length}</span></h3><ul>${stacks.map((one) => memberRow(one, wave.commit))}</ul></li>`;
}

type Member = Wave['stacks'][number];

/** `commit`: that of its wave, which need not change every stack. */
function memberRow(member: Member, commit: string): Markup {
  const { words, tone } = memberStates[member.is];
  const because = member.is === 'failed' ? member.failed?.because : member.is === 'paused' && member.paused?.by;
  return markup`<li class="${tone}"><span class="step"><a href="${stackAddress(member.id)}">${member.id}</a></span><span class="stage">${words}${because ? `: ${because}` : ''}${member.commit === commit ? '' : markup`, commit ${commitCode(member.commit)}`}</span></li>`;
}

const isHealthy = ({ is }: Member): boolean => is === 'healthy' || is === 'settles';

const memberStates: Readonly<Record<Standing, { readonly words: string; readonly tone: string }>> = {
  gone: { words: 'gone from the source', tone: 'note' },
  never: { words: 'never applied', tone: 'note' },
  healthy: { words: 'healthy', tone: 'done' },
  settles: { words: 'applied, watched', tone: 'done' },
  unhealthy: { words: 'looked at again', tone: 'info' },
  failed: { words: 'failed', tone: 'failed' },
  runs: { words: 'running', tone: 'info' },
  later: { words: 'comes later', tone: 'waits' },
  paused: { words: 'paused', tone: 'note' },
  refused: { words: 'its plan was refused', tone: 'bad' },
  asks: { words: 'its plan waits for approval', tone: 'change' },
  waits: { words: 'waits', tone: 'waits' },
};
