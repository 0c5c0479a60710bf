import { attempts } from '../api/attempts.ts';
import { cleanText } from '../api/answer.ts';
import type { Ask, Asked } from '../api/ask-address.ts';
import { type Probe, withinOf } from '../kind/written-keys.ts';
import { type Question, askedAfter } from '../plan/action.ts';
import { unknownPort } from '../plan/questions.ts';
import { type DeployedService, notify } from './deploy-request.ts';
import { report } from './job.ts';

/** Why an address does not answer as its probe says. */
export interface Unanswered {
  /** A clause that names the address. */
  readonly why: string;
  readonly remedy: string | undefined;
  /** The part of the service that the address leads to, where that is known. */
  readonly service: string | undefined;
}

/**
 * Asks the addresses of a service that was deployed, until each answers as its probe says, its time is over, or the run is
 * interrupted. Gives those that do not. Never throws.
 */
export async function askAddresses(service: DeployedService): Promise<readonly Unanswered[]> {
  const { ask } = service.run.input;
  const questions = askedAfter(service.job.action);
  if (ask === undefined || questions.length === 0) return [];
  notify(service, 'probe', Math.max(...questions.map(({ probe }) => limitOf(probe))));
  const found = await Promise.all(questions.map((question) => untilAnswered(service, question, ask)));
  return found.flatMap((one) => one ?? []);
}

function limitOf(probe: Probe): number {
  return withinOf(probe) ?? attempts.probe.withinMs;
}

async function untilAnswered(
  { run, job }: DeployedService,
  { at, block, probe }: Question,
  ask: Ask,
): Promise<Unanswered | undefined> {
  const { clock, input, rounds } = run;
  const { firstPauseMs, pauseGrowth, longestPauseMs, deadlineMs, lastMs } = attempts.probe;
  const place = at(run.outputs);
  if (place === undefined) throw new Error(`the address of ${block} is not known after ${job.action.address}`);
  if (!place.isPortKnown) {
    report(job, unknownPort(block));
    return undefined;
  }
  const until = clock.monotonic() + limitOf(probe);
  for (let pause: number = firstPauseMs; ; pause = Math.min(pause * pauseGrowth, longestPauseMs)) {
    const limit = Math.min(deadlineMs, Math.max(lastMs, until - clock.monotonic()));
    const asking = (url: URL) => ask(url, { deadlineMs: limit, ...(input.signal && { signal: input.signal }) });
    const fault = await visit(new URL(place.url), probe, { asking, redact: input.client.redact });
    if (fault === undefined) return undefined;
    const leftMs = until - clock.monotonic();
    if (leftMs <= 0 || input.signal?.aborted === true) return { ...fault, service: place.service };
    await rounds.pause(Math.min(pause, leftMs), input.signal);
  }
}

interface Visit {
  readonly asking: (url: URL) => Promise<Asked>;
  readonly redact: (text: string) => string;
}

type Refused = Omit<Unanswered, 'service'>;

/** Asks once, and follows redirects on the same host. undefined: the answer is as the probe says. */
async function visit(start: URL, probe: Probe, { asking, redact }: Visit): Promise<Refused | undefined> {
  const shown = ({ origin, pathname }: URL) => cleanText(origin + pathname, redact);
  const visited = [start];
  for (let url = start; ;) {
    const answer = await asking(url);
    const by = url === start ? '' : ` by way of ${shown(url)}`;
    const refused = (why: string, remedy?: string): Refused => ({ why: `${shown(start)}${by}: ${why}`, remedy });
    if (answer.is !== 'answer') return refused(cleanText(answer.why, redact), remedies[answer.is]);
    const { status } = answer;
    if (isExpected(probe, status)) return missingText(probe, answer, refused);
    const target = targetOf(url, answer);
    if (target === undefined) return refused(`it answers ${status}, not ${probe.status ?? '200 to 299'}`);
    if (!isSameHost(url, target))
      return refused(
        `it answers ${status} and leads to ${shown(target)}, another host`,
        `Write status: ${status}, if that is its right answer.`,
      );
    const circle = visited.findIndex(({ href }) => href === target.href);
    if (circle !== -1) {
      const way = [...visited.slice(circle), target].map((one) => shown(one));
      return { why: `${shown(start)}: it redirects in a circle: ${way.join(' -> ')}`, remedy: undefined };
    }
    if (visited.push(target) > attempts.probe.maxRedirects) return refused('it redirects again and again');
    url = target;
  }
}

const elsewhere = 'Where only other machines reach the address, apply with --no-probe.';
const remedies = {
  'no name': `Let the name resolve. ${elsewhere}`,
  'no answer': `Check that the proxy serves it. ${elsewhere}`,
  proxy: `Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY. ${elsewhere}`,
  certificate: 'Give the address a certificate for its name: certificateType: letsencrypt gets one.',
} as const;

function isExpected({ status }: Probe, answered: number): boolean {
  return status === undefined ? answered >= 200 && answered <= 299 : answered === status;
}

/** Neither the answer nor the text that it should have is ever shown. */
function missingText(
  { text }: Probe,
  { body, lacks, status }: Extract<Asked, { is: 'answer' }>,
  refused: (why: string) => Refused,
): Refused | undefined {
  if (text === undefined || body.includes(text)) return undefined;
  return refused(`it answers ${status} without the text of its probe${lacks === undefined ? '' : `: ${lacks}`}`);
}

/** Where a redirect leads; undefined: the answer is none. */
function targetOf(url: URL, { status, location }: Extract<Asked, { is: 'answer' }>): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined || !URL.canParse(location, url.href))
    return undefined;
  const target = new URL(location, url);
  target.hash = '';
  return target.protocol === 'https:' || target.protocol === 'http:' ? target : undefined;
}

/** Whether a redirect stays on its host and port; to the usual port of the other scheme is allowed. */
function isSameHost(from: URL, to: URL): boolean {
  return to.hostname === from.hostname && (to.port === from.port || to.port === '') && to.username === '';
}
