import { expect, test } from 'vitest';
import type { PlanDocument } from '../../../src/render/document-schemas.ts';
import { pageOfStacks } from '../../../src/controller/page/stack-list.ts';
import { auditPage, eventsAsCsv } from '../../../src/controller/page/views/audit.ts';
import { historyPage } from '../../../src/controller/page/views/history.ts';
import { homePage } from '../../../src/controller/page/views/home.ts';
import { type Content, renderLayout } from '../../../src/controller/page/views/layout.ts';
import { mePage, notDonePage } from '../../../src/controller/page/views/messages.ts';
import { moment, roughly } from '../../../src/controller/page/views/parts.ts';
import { planView, tooLatePage } from '../../../src/controller/page/views/plan.ts';
import { proposalPart } from '../../../src/controller/page/views/proposal.ts';
import { pullsPage } from '../../../src/controller/page/views/pulls.ts';
import { alarmOf, platformsPage, sourcesPage } from '../../../src/controller/page/views/sources.ts';
import { countsOf, progressTree, progressWords, stepsOf } from '../../../src/controller/page/views/progress.ts';
import { runPage } from '../../../src/controller/page/views/run.ts';
import { sessionsPage, sessionsShown } from '../../../src/controller/page/views/sessions.ts';
import { stackPage } from '../../../src/controller/page/views/stack.ts';
import type { PlanRow } from '../../../src/controller/records/shown-runs.ts';
import { hostileNames } from '../../render/hostile.ts';
import { runDetail, runRow, stackRow, waitingPlan } from '../../support/controller-page-data.ts';
import { newCommit } from '../../support/controller-rows.ts';
import { hostilePlan } from '../../support/hostile-documents.ts';

const now = new Date('2026-11-29T12:00:00Z');
const earlier = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
const frame = { who: 'dev@example.com', assets: { style: '/s', script: '/j', icon: '/i' } };
const html = (content: Content) => renderLayout(frame, content);
const filter = { text: '', label: '', state: '' } as const;

function planRow(about: Partial<PlanRow> = {}): PlanRow {
  return {
    digest: 'd'.repeat(64),
    stack: 'shops:north/trueup.yaml',
    commit: newCommit,
    cause: 'commit',
    isNeeded: false,
    because: null,
    document: hostilePlan([]),
    losing: [],
    authors: [],
    madeAt: earlier(5),
    expiresAt: new Date('2026-12-05T00:00:00Z'),
    supersededAt: null,
    appliedAt: null,
    verdicts: [],
    run: null,
    ...about,
  };
}

const verdict = { who: 'lead@example.com', role: 'approver', approves: true, because: 'as announced', at: earlier(2) };

/** A plan that deletes the data of two databases; of a third one without asking. */
const deleting: PlanDocument = {
  ...hostilePlan([]),
  actions: [
    ['redis.cache', undefined],
    ['postgres.main', true],
    ['postgres.old', false],
  ].map(([address, protect]) => ({
    address: String(address),
    kind: 'a',
    action: 'delete',
    requests: 1,
    needsConsent: false,
    changes: [],
    notes: [],
    dataAtRisk: 'the data of this database',
    ...(protect === undefined ? {} : { protect: protect as boolean }),
  })),
};

test('what repositories and people write is text on every page', () => {
  for (const name of hostileNames) {
    const stack = stackRow({
      id: `shops:${name}`,
      source: name,
      path: name,
      platform: name,
      labels: { [name]: name },
      wanted: name,
      applied: name + name,
      problem: name,
      pausedBy: name,
      pausedBecause: name,
      pausedUntil: now,
      plan: waitingPlan({ digest: name, because: name }),
      only: { [name]: name },
      isServed: false,
      run: { id: name, kind: name, beganAt: now },
    });
    const run = runRow({
      id: name,
      kind: name,
      cause: name,
      commit: name,
      worker: name,
      plan: name,
      ending: name,
      verdicts: [{ who: name, approves: true, because: name }],
    });
    const event = {
      id: '1',
      at: now,
      who: name,
      what: name,
      subject: name,
      about: { because: name, [name]: name },
      isStack: true,
    };
    const page = pageOfStacks([stack, { ...stack, pausedUntil: null, isPaused: false }], filter, undefined);
    const plan = planRow({
      digest: name,
      commit: name,
      document: hostilePlan([name]),
      because: name,
      verdicts: [{ ...verdict, who: name, role: name, because: name }],
    });
    const going = {
      run: runDetail({
        ...run,
        stoppedBy: name,
        stoppedBecause: name,
        ending: null,
        endedAt: null,
        planned: hostilePlan(hostileNames),
      }),
      progress: [],
      now,
    };
    const bound = { only: { [name]: name }, isServed: false };
    const seen = { isRunning: true, isFailed: true, lookedAt: now.getTime() };
    const place = { url: name, labels: { [name]: name }, stacks: [], ...bound };
    const pages = [
      homePage({
        now,
        page,
        urgent: { shown: [stack], rest: [stack] },
        filter: { text: name, label: name, state: '' },
        labels: [name],
        alarms: [{ words: name, address: '/', link: name }],
      }),
      stackPage({ stack, runs: [run], now, csrf: 'x', mayOperate: true, because: name }),
      historyPage({ stack, runs: [run], events: [event], next: name, now }),
      planView({ plan, stack, now, csrf: 'x', who: name, mayNot: undefined, because: name, problem: name }),
      tooLatePage({ plan, stack, now, who: name, approves: true, because: name }),
      runPage({ ...going, stack, csrf: 'x', mayStop: true }),
      runPage({
        ...going,
        run: runDetail({ ...run, planned: hostilePlan([name]) }),
        stack,
        csrf: 'x',
        mayStop: true,
      }),
      platformsPage(
        [
          {
            ...place,
            id: name,
            profile: name,
            connections: 4,
            keyFile: name,
            stacks: [{ ...seen, labels: place.labels }],
          },
        ],
        now,
        true,
      ),
      sourcesPage(
        [
          {
            ...place,
            id: name,
            ref: name,
            policy: name,
            commit: name,
            pollSeconds: 60,
            polledAt: now,
            isStopped: false,
            nextPollAt: now,
            problem: name,
            filesProblem: name,
            forgeProblem: name,
            pullsProblem: name,
            refusedStacks: 2,
            pulls: 2,
          },
        ],
        [{ name, sentAt: now, waiting: 1, dead: 1, problem: name }],
        now,
      ),
      auditPage({
        events: [event],
        filter: { who: name, what: name, subject: name, since: name },
        whats: [name],
        next: name,
      }),
      mePage({
        name,
        by: name,
        groups: [name],
        roles: [[name, 1]],
        csrf: 'x',
        signOut: '/sign-out',
        seesSessions: true,
      }),
      pullsPage({
        source: name,
        pulls: [
          {
            source: name,
            number: 7,
            head: name,
            branch: name,
            base: name,
            isFork: true,
            isAllowed: false,
            author: name,
            allowed: name,
            isPlanned: true,
            plans: [{ path: name, summary: null, problem: name }],
          },
        ],
        csrf: 'x',
        mayAllow: true,
        because: name,
      }),
      sessionsPage({
        sessions: [{ digest: name, name, by: 'oidc', beganAt: now, seenAt: now }],
        now,
        csrf: 'x',
        who: name,
        because: name,
      }),
      notDonePage({ status: 401, sentence: name, page: '/', fields: { because: name } }),
    ];
    for (const text of [
      ...pages.map(html),
      progressTree(going.run, stepsOf(going.run)(going.progress), { now }).text,
    ]) {
      expect(text).not.toMatch(/<(?:script>alert|img|b>&amp;)/);
      expect(text).not.toMatch(/ onmouseover='|<!--|\u202e/);
      expect(text).not.toContain('\u0007');
      // Every tag is one of the templates: names with quotes end no attribute.
      expect(text).not.toMatch(/<\w[^<>]*["']\s*onerror/);
    }
  }
});

test.each([
  [0, '0 s'],
  [59_400, '59 s'],
  [60_000, '1 min'],
  [3_599_000, '59 min'],
  [3_600_000, '1 h'],
  [86_400_000 * 3 + 5, '3 d'],
])('%d ms are about %s', (ms, words) => {
  expect(roughly(ms)).toBe(words);
});

test('a moment says its distance, and itself', () => {
  expect(moment(earlier(5), now).text).toBe(
    '<time datetime="2026-11-29T11:55:00.000Z" title="2026-11-29 11&#58;55 UTC">5 min ago</time>'.replace('&#58;', ':'),
  );
  expect(moment(earlier(-90), now).text).toContain('>in 1 h<');
  expect(moment(null, now).text).toContain('never');
});

test('the first page says what needs a person, and what to do without any stack', () => {
  const stacks = [
    stackRow({ id: 'shops:a', path: 'a', problem: 'no' }),
    stackRow({ id: 'shops:b', path: 'b', plan: waitingPlan() }),
    stackRow({ id: 'shops:c', path: 'c', plan: waitingPlan({ cause: 'drift' }) }),
    stackRow({ id: 'shops:d', path: 'd' }),
  ];
  const homeOf = (all: typeof stacks) => {
    const page = pageOfStacks(all, filter, undefined);
    const shown = page.urgent.flatMap(({ id }) => all.filter((one) => one.id === id));
    const urgent = { shown, rest: [] };
    return html(homePage({ now, page, urgent, filter, labels: [], alarms: [] }));
  };
  const text = homeOf(stacks);
  expect(text).toContain('1 stack failed, 1 plan waits for approval, 1 stack drifted.');
  expect([...text.matchAll(/<li class="card (\w+)">/g)].map(([, tone]) => tone)).toEqual(['bad', 'change', 'change']);
  const calm = stacks.slice(3);
  expect(homeOf(calm)).toContain('Nothing needs you. Every stack is in step.');
  expect(homeOf([])).toContain('trueup controller enrol');
});

test('a stack that no worker reaches says so on each page, with the command that starts one', () => {
  const only = { site: 'paris' };
  const stack = stackRow({ only, isServed: false, plan: waitingPlan({ isApproved: true }) });
  const command = 'trueup controller work --only site=paris';
  const page = pageOfStacks([stack], filter, undefined);
  expect(page.urgent).toEqual([stack]);
  const urgent = { shown: [stack], rest: [] };
  const home = html(homePage({ now, page, urgent, filter, labels: [], alarms: [] }));
  expect(home).toContain('1 stack has no worker.');
  expect(home).toContain('<p class="problem">no worker with --only site=paris is alive</p>');
  const view = { runs: [], now, csrf: 'x', mayOperate: true };
  const own = html(stackPage({ ...view, stack }));
  expect(own).toContain(command);
  expect(own).toContain('is approved');
  const served = html(stackPage({ ...view, stack: { ...stack, isServed: true } }));
  expect(served).not.toContain(command);
  expect(served).toContain('with <code>--only site=paris</code>');
  const platform = { id: 'shop', url: 'https://shop.example', profile: null, labels: only, stacks: [] };
  const row = { ...platform, connections: 4, keyFile: '/k', only };
  expect(html(platformsPage([{ ...row, isServed: false }], now, true))).toContain(command);
  expect(html(platformsPage([{ ...row, isServed: true }], now, true))).not.toContain(command);
});

test('the page of a preview leads to its pull request and its addresses, and says when and why it goes', () => {
  const view = { runs: [], now, csrf: 'x', mayOperate: true, pullPage: 'https://git.example/shop/pulls/12' };
  const addresses = [
    { name: 'site', value: 'https://site-pr-12.example.com/' },
    { name: 'odd', value: 'javascript:alert(1)' },
  ];
  const stack = stackRow({
    pull: 12,
    path: 'preview.yaml',
    addresses,
    lastsUntil: new Date(now.getTime() + 3_600_000),
  });
  const own = html(stackPage({ ...view, stack }));
  expect(own).toContain('<a href="https://git.example/shop/pulls/12">#12</a>');
  expect(own).toContain('<a href="https://site-pr-12.example.com/">');
  expect(own).not.toContain('href="javascript');
  expect(own).toContain('in 1 h');
  expect(html(stackPage({ ...view, stack: { ...stack, ends: 'over' } }))).toContain(
    'Its time is over. The next free worker removes the preview.',
  );
  const gone = html(stackPage({ ...view, stack: { ...stack, ends: 'closed', isGone: true } }));
  expect(gone).toContain('All that the preview had is removed.');
  expect(gone).not.toContain('What it applied stays on the platform.');
});

test('the consent names all that asks for it, and nothing else', () => {
  const stack = stackRow();
  const view = {
    plan: planRow({ document: deleting, losing: ['redis.cache', 'postgres.main'] }),
    stack,
    now,
    csrf: 'x',
    who: 'a',
    mayNot: undefined,
  };
  const text = html(planView(view));
  const consent = /<div class="consent bad">(.*?)<\/div>/s.exec(text)?.[1] ?? '';
  expect([...consent.matchAll(/<code>(.*?)<\/code>/g)].map(([, address]) => address)).toEqual([
    'redis.cache',
    'postgres.main',
  ]);
  expect(text).toContain('(an approval needs the box for data ticked)');
  expect(text).not.toContain('--allow-data-loss');
  expect(html(planView({ ...view, plan: planRow() }))).not.toContain('type="checkbox" name="dataLoss"');
  expect(html(planView({ ...view, mayNot: { act: 'judge', because: 'It needs a role.' } }))).not.toContain('<textarea');
});

test('who reads a page is told of approvals, and of no option of a command', () => {
  const adopting = {
    ...deleting,
    unmanaged: 2,
    actions: [
      { ...deleting.actions[0], address: 'redis.there', action: 'adopt', needsConsent: true, dataAtRisk: undefined },
      ...deleting.actions,
    ],
    diagnostics: [
      { code: 'mass-deletion', severity: 'error', message: 'deletes many', remedy: 'Give --allow-mass-delete.' },
      { code: 'secret-missing', severity: 'error', message: 'no token', remedy: 'Run trueup plan with --var a=b.' },
    ],
  } as unknown as PlanDocument;
  const plan = planRow({ document: adopting, losing: ['redis.cache'] });
  const view = { plan, stack: stackRow(), now, csrf: 'x', who: 'a', mayNot: undefined };
  const run = runDetail({ kind: 'plan', document: adopting, endedAt: now, ending: 'done' });
  const shown = [
    html(planView(view)),
    html(planView({ ...view, stack: stackRow({ policy: 'never' }) })),
    html(runPage({ run, stack: stackRow(), progress: [], now, csrf: 'x', mayStop: true })),
  ];
  for (const text of shown) expect(text.replaceAll(/class="[^"]*"/g, '')).not.toMatch(/[\s>(]--[a-z]|trueup [a-z]/);
  expect(shown[0]).toContain('Apply adopts 1 object; approving the plan allows it');
  expect(shown[0]).toContain('2 objects of the project are not managed.');
  expect(shown[0]).toContain('Tick the box for data when you approve the plan, or refuse it.');
  expect(shown[1]).toContain('Apply adopts 1 object; the policy of this stack applies no plan');
});

test.each([
  ['waits', {}, true],
  ['approved', { verdicts: [verdict] }, true],
  ['refused', { verdicts: [verdict, { ...verdict, approves: false }] }, false],
  ['being applied', { verdicts: [verdict], run: { id: '7', endedAt: null, ending: null } }, false],
  ['applied', { appliedAt: now, run: { id: '7', endedAt: now, ending: 'done' } }, false],
  ['not applied in full', { appliedAt: now, run: { id: '7', endedAt: now, ending: 'partly' } }, false],
  ['out of date', { commit: 'a'.repeat(40) }, false],
  ['superseded', { supersededAt: now }, false],
  ['expired', { expiresAt: earlier(1) }, false],
] as const)('a plan that is %s says so', (words, about, hasForm) => {
  const view = { plan: planRow(about), stack: stackRow(), now, csrf: 'x', who: 'a', mayNot: undefined };
  const text = html(planView(view));
  expect(/<span class="badge \w+">(.*?)<\/span>/.exec(text)?.[1]).toContain(words);
  expect(text.includes('<textarea')).toBe(hasForm);
});

test('a plan that is asked for again says why on its page and that of its stack, until it is approved', () => {
  const because = 'production.redis.main was changed on the platform';
  const shown = (isApproved: true | null, problem: string | null = null) => {
    const plan = planRow({ because, verdicts: isApproved === null ? [] : [verdict] });
    const stack = stackRow({ problem, applied: null, plan: waitingPlan({ because, isApproved }) });
    const view = { now, csrf: 'x' };
    return [
      html(planView({ ...view, plan, stack, who: 'dev@example.com', mayNot: undefined })),
      html(stackPage({ ...view, stack, runs: [], mayOperate: false })),
    ];
  };
  for (const page of shown(null)) expect(page).toContain(`<p class="problem">${because}</p>`);
  for (const page of shown(true)) expect(page).not.toContain(because);
  // What failed since says nothing of why it is asked for.
  expect(shown(null, 'the platform is away')[0]).not.toContain('the platform is away');
});

test('who approved may still refuse, and does not approve again', () => {
  const view = {
    plan: planRow({ verdicts: [verdict] }),
    stack: stackRow(),
    now,
    csrf: 'x',
    who: verdict.who,
    mayNot: undefined,
  };
  const text = html(planView(view));
  expect(text).toContain('value="refuse"');
  expect(text).not.toContain('value="approve"');
});

test.each([
  ['superseded', { supersededAt: now }, 'See the plan that took its place'],
  ['refused', { verdicts: [{ ...verdict, approves: false, because: 'not today' }] }, 'not today'],
  ['begun', { verdicts: [verdict], run: { id: '7', endedAt: null, ending: null } }, 'Watch run 7'],
  ['over', { expiresAt: earlier(1) }, 'No approver approved it until 2026-11-29 11:59 UTC'],
  [
    'over, and approved',
    { expiresAt: earlier(1), verdicts: [verdict] },
    'It was approved, and not applied until 2026-11-29 11:59 UTC',
  ],
] as const)(
  'an approval that comes when the plan is %s says what happened, and keeps what was written',
  (_is, about, words) => {
    const stack = stackRow({ plan: waitingPlan({ digest: 'e'.repeat(64) }) });
    const text = html(
      tooLatePage({ plan: planRow(about), stack, now, who: 'me', approves: true, because: 'looks right' }),
    );
    expect(text).toContain('Your approval came too late');
    expect(text).toContain(words);
    expect(text).toContain('looks right');
  },
);

test('a run says how far it is, action by action', () => {
  const [first, second, third] = deleting.actions;
  const requests = { reads: 0, writes: 0 };
  const event = { format: 'trueup/event', version: 1, time: '', requests, kind: 'a', action: 'delete' } as const;
  const progress = [
    { ...event, event: 'done', address: first?.address ?? '', seconds: 1.25 },
    { ...event, event: 'failed', address: second?.address ?? '', seconds: 3 },
    { ...event, event: 'started', address: third?.address ?? '' },
  ] as const;
  const going = { run: runDetail({ endedAt: null, ending: null, planned: deleting }), progress, now };
  const stages = stepsOf(going.run)(going.progress);
  expect(progressWords(going.run, countsOf(stages))).toBe('2 of 3 actions done, 1 running, 1 failed.');
  const { text } = progressTree(going.run, stages, { now });
  expect(text).toContain('deleted in 1.3 s');
  expect(text).toContain('failed in 3.0 s');
  expect(text).toContain('deleting…');
  expect(text).toContain('<progress max="3" value="2"');
});

test.each([
  [{ ending: 'lost' }, 'Its worker ended before it. Another worker takes it up.'],
  [{ ending: 'locked', failure: 'locked' }, 'Another run held the state. The stack is done again when that ends.'],
  [{ ending: 'stopped' }, 'Its worker stopped before it ended. Another worker takes it up.'],
  [{ ending: 'stopped', stoppedBy: 'ops' }, 'A person stopped it.'],
  [{ ending: 'platform', failure: 'it is away' }, 'it is away'],
  [{ ending: 'platform' }, 'It ended as platform.'],
  [{ ending: 'drifted', kind: 'drift' }, 'It found the same as the look before it.'],
  [{ ending: 'done', kind: 'follow' }, 'No deployment was left to wait for.'],
])('a run without a document that is %j says how it ended', (about, words) => {
  const view = { stack: stackRow({ problem: 'of now' }), progress: [], now, csrf: 'x', mayStop: false };
  const page = html(runPage({ ...view, run: runDetail(about) }));
  expect(page).toContain(`<p class="verdict">${words}</p>`);
  expect(page).not.toContain('of now');
});

test('polls that stopped are an alarm, whatever the last one said', () => {
  const source = {
    id: 's',
    url: 'u',
    ref: 'r',
    labels: {},
    policy: 'never',
    commit: null,
    pollSeconds: 60,
    polledAt: earlier(6),
    isStopped: false,
    nextPollAt: now,
    problem: null,
    filesProblem: 'no platform has it',
    forgeProblem: null,
    pullsProblem: null,
    refusedStacks: 0,
    pulls: 0,
    stacks: [],
  };
  expect(alarmOf(source, now)).toBeUndefined();
  expect(html(sourcesPage([source], [], now))).toContain('<p class="problem">no platform has it</p>');
  expect(alarmOf({ ...source, isStopped: true }, now)).toBe(
    'The source s was last read 6 min ago, and is to be read every 1 min.',
  );
  expect(alarmOf({ ...source, problem: 'no' }, now)).toBe('The source s cannot be read.');
  expect(alarmOf({ ...source, isStopped: true, polledAt: null, problem: 'no' }, now)).toBe(
    'The source s was never read, and is to be read every 1 min.',
  );
});

test('what a forge refused stands on the page of the stack and of its drift, with what to do and when it is tried again', () => {
  const problem = 'the forge answered 403 to POST /x\n-> Give the token the rights.';
  const refused = { commit: 'c'.repeat(40), problem, againAt: now.getTime() + 600_000 };
  const page = html(stackPage({ stack: stackRow({ refused }), runs: [], now, csrf: 'x', mayOperate: false }));
  expect(page).toContain('<p class="problem">Give the token the rights.</p>');
  expect(page).toContain('>in 10 min</time>');
  const asked = { stack: 's', who: 'alex', askedAt: now, pushed: null, pushing: null, shown: null };
  const part = (number: number | null, againAt: Date | null) =>
    proposalPart(stackRow(), { proposal: { ...asked, number, problem, againAt }, mayPropose: false, csrf: 'x', now })
      .text;
  expect(part(null, now)).toContain('<p>This drift is no pull request yet. That is tried again soon.</p>');
  expect(part(3, now)).toContain('<p>Pull request 3 is not up to date. That is tried again soon.</p>');
  expect(part(null, null)).toContain('<p>This drift cannot be a pull request:</p>');
});

test('a cell of the CSV is no formula, and quotes stay quotes', () => {
  const event = {
    id: '1',
    at: now,
    who: '=1+1',
    what: 'said "a", b',
    subject: '-x',
    about: { because: '@y\nz' },
    isStack: false,
  };
  expect(eventsAsCsv([event])).toBe(
    `id,at,who,what,subject,because,about\r\n1,2026-11-29T12:00:00.000Z,'=1+1,"said ""a"", b",'-x,"'@y\nz","{""because"":""@y\\nz""}"\r\n`,
  );
});

test('a session that ended keeps what was written for the form', () => {
  const fields = { because: 'a & b', verdict: 'approve', _csrf: 't' };
  const text = html(notDonePage({ status: 401, sentence: 'Sign in first.', page: '/plans/x', fields }));
  expect(text).toContain('<blockquote class="wrote">a &#38; b</blockquote>');
  expect(text).toContain('href="/plans/x?because=a+%26+b"');
  expect(text).not.toContain('verdict=approve');
});

test('sessions that are not shown are not counted', () => {
  const one = { digest: 'a', name: 'alex', by: 'oidc', beganAt: now, seenAt: now } as const;
  const of = (count: number) =>
    sessionsPage({ sessions: Array.from({ length: count }, () => one), now, csrf: 'x', who: 'alex' }).verdict;
  expect([of(1), of(sessionsShown), of(sessionsShown + 1)]).toEqual([
    '1 session of browsers.',
    '1000 sessions of browsers.',
    'The last 1000 sessions of browsers.',
  ]);
});

test('a stack that is paused has no next look: that comes when the pause is over', () => {
  const next = (about: Parameters<typeof stackRow>[0]) =>
    html(stackPage({ stack: stackRow(about), runs: [], now, csrf: 'x', mayOperate: false })).includes('next look');
  expect([next({}), next({ isPaused: true, pausedUntil: now })]).toEqual([true, false]);
});
