import { documentOf, resultOf } from '../support/documents.ts';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { extendedContracts } from '../../src/api/contract.ts';
import { once } from '../../src/api/once.ts';
import type { Send } from '../../src/api/wire.ts';
import type { ApplyEvent } from '../../src/apply/job.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import type { Json } from '../../src/formats/json.ts';
import type { Field } from '../../src/kind/field.ts';
import { mayHoldSecrets, schemaOf } from '../../src/kind/field.ts';
import type { Plan } from '../../src/plan/action.ts';
import type { Connection } from '../../src/workflow/connection.ts';
import { applyPlan } from '../../src/workflow/apply-plan.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { renderResult } from '../../src/render/apply-text.ts';
import { renderDiagnostics } from '../../src/render/diagnostics-text.ts';
import { createProgress } from '../../src/render/progress.ts';
import { eventDocuments, eventLines, eventTree } from '../../src/render/progress-reporters.ts';
import { planDocument } from '../../src/documents/plan-document.ts';
import { renderPlan } from '../../src/render/plan-text.ts';
import { plainStyle } from '../../src/render/style.ts';
import type { Body, Stand } from '../support/kind-manifests.ts';
import { manifestWith, stands, withField } from '../support/kind-manifests.ts';
import { spoken } from '../support/profile.ts';
import { thinned } from '../support/whole.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';
import { canariesIn, exampleSecrets, oddCanary, pemCanary, plainCanary, quoting } from '../secrets/canaries.ts';

/** No secret of a manifest comes out of the library, over a platform that quotes what it is sent. */

interface Case {
  readonly title: string;
  readonly stand: Stand;
  /** The field may hold secrets, whatever is written into it. */
  readonly isPrivate: boolean;
  /** The block with secrets in one of its fields; other ones each turn. */
  readonly fill: (turn: string) => Filled | undefined;
}

interface Filled {
  readonly body: Body;
  readonly secrets: Readonly<Record<string, string>>;
}

/** Every field of every kind that may hold secrets, below each parent; and each other field that takes text once. */
function cases(): Case[] {
  const found = new Map<unknown, Case>();
  for (const stand of stands()) {
    for (const [name, field] of Object.entries(stand.kind.fields)) {
      const isPrivate = field.secrecy !== undefined;
      const title = isPrivate ? `${name} of ${stand.kind.kind} below ${stand.parent}` : `${name} of ${stand.kind.kind}`;
      const fill = (turn: string): Filled | undefined => {
        const { value, secrets } = valueFor(field, `${turn}-${name}`);
        const body = value === undefined ? undefined : withField(stand, name, value);
        return body === undefined ? undefined : { body, secrets };
      };
      // Kinds have fields in common.
      const key = isPrivate ? title : field;
      if (!found.has(key) && fill('first') !== undefined) found.set(key, { title, stand, isPrivate, fill });
    }
  }
  return [...found.values()];
}

/** A value of a field with secrets in it, as the field takes them: from the environment where it takes no others. */
function valueFor(field: Field, name: string): { value: Json | undefined; secrets: Record<string, string> } {
  const one = mayHoldSecrets(field) ? '${secret:ONE}' : '${env:ONE}';
  const [odd, plain] = [oddCanary(name), plainCanary(name)];
  const key = pemCanary('OPENSSH PRIVATE KEY', name);
  if (field.map !== undefined) {
    const url = 'postgres://user:${secret:PLAIN}@host/${secret:ODD}';
    return {
      value: { A: '${secret:PLAIN}', URL: url, OF_ITS_NAME_TOKEN: plainCanary(`open-${name}`) },
      secrets: { ODD: odd, PLAIN: plain },
    };
  }
  const takes = (value: unknown) => schemaOf(field).safeParse(value).success;
  const secret = [odd, plain, `https://hooks.test/${plain}`, ...(field.secrecy === undefined ? [] : [key])].find(takes);
  if (secret !== undefined) return { value: one, secrets: { ONE: secret } };
  // Text inside a list or a map; what is left has none.
  const deep: unknown = JSON.parse(JSON.stringify(field.examples[0] ?? null), (_key, value: unknown) =>
    typeof value === 'string' ? odd : value,
  );
  const isDeep = typeof deep === 'object' && takes(deep) && JSON.stringify(deep).includes('canary');
  const value = isDeep
    ? (JSON.parse(JSON.stringify(deep).replaceAll(JSON.stringify(odd), JSON.stringify(one))) as Json)
    : undefined;
  return { value, secrets: { ONE: odd } };
}

/** A world in which everything exists that the examples mention; all of its secrets are canaries. */
function world(): Bench {
  const seed = seedWorld();
  Object.assign(seed.tables.user.user_1 ?? {}, { enableEnterpriseFeatures: true, isValidEnterpriseLicense: true });
  addRow(seed, 'user', { id: 'user_9', email: 'member@example.test' });
  addRow(seed, 'member', { id: 'member_9', userId: 'user_9', organizationId: 'org_1', role: 'member' });
  const made = bench({ emulate: { world: seed } });
  Object.assign(made.secrets, exampleSecrets);
  return made;
}

type Make = (over: Connection) => Promise<Plan>;

/** Plans, applies, and gives everything that was said or saved, in every form in which it is shown. */
async function hear(made: Bench, send: Send, make: Make): Promise<readonly string[]> {
  const { redact } = made;
  const client = createClient({
    ...spoken(send, extendedContracts.dokploy),
    url: 'http://platform.test',
    apiKey: 'emulator-key',
    redact,
    sleep: () => Promise.resolve(),
  });
  const over = { ...made.world(), client };
  const heard: string[] = [];
  const say = (what: unknown) => void heard.push(typeof what === 'string' ? what : JSON.stringify(what));
  try {
    const planned = await make(over);
    const { counts } = client;
    say(renderPlan(planDocument({ plan: planned, counts }), plainStyle));
    say(planDocument({ plan: planned, counts }));
    const { onEvent, end } = progressOf(planned, { counts, say });
    const permissions = { dataLoss: true, adoption: true };
    const result = await applyPlan(planned, over, { permissions, connections: 4, clock: made.clock, onEvent });
    end();
    const ended = resultOf(result, { plan: documentOf(planned) });
    say(renderResult(ended, plainStyle));
    say(ended);
    say(result.state);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    const told = error.diagnostics.map((item) => ({
      ...item,
      message: redact(item.message),
      remedy: redact(item.remedy ?? ''),
    }));
    say(renderDiagnostics(told, plainStyle));
    say(told);
  }
  say(made.store.state ?? null);
  return heard;
}

/** Progress in all of its forms. */
function progressOf(
  planned: Plan,
  { counts, say }: { counts: { reads: number; writes: number }; say: (what: unknown) => void },
) {
  const live = {
    size: () => ({ columns: 100, rows: 50 }),
    show: (lines: readonly string[]) => say(lines.join('\n')),
    above: () => undefined,
    leave: () => undefined,
  };
  let now = 0;
  const about = { plan: documentOf(planned), counts, clock: () => (now += 40_000) };
  const looks: (() => void)[] = [];
  const every = (_milliseconds: number, work: () => void) => {
    looks.push(work);
    return () => undefined;
  };
  const reporters = [eventTree(live, plainStyle), eventLines(say, plainStyle), eventDocuments(say)];
  const all = reporters.map((reporter) => createProgress({ ...about, reporter, every }));
  return {
    onEvent: (event: ApplyEvent) => {
      for (const one of all) one.onEvent(event);
      for (const look of looks) look();
    },
    end: () => {
      for (const one of all) one.end();
    },
  };
}

/** What is said of a field that gets a secret, gets another one, and goes; each time the platform quotes it at first. */
async function hearAll({ stand, isPrivate, fill }: Case, { made, first }: { made: Bench; first: number }) {
  const heard: string[] = [];
  let quoted = 0;
  const quotes: Send = async (request) => {
    if (!/canary(?:-|Key)(first|second)/.test(request.body ?? '')) return made.emulator.send(request);
    return quoting(request, first + quoted++);
  };
  const without = manifestWith(stand, undefined);
  await made.apply(without, { dataLoss: true, adoption: true });
  for (const age of isPrivate ? ['first', 'second'] : ['first']) {
    const { body, secrets } = fill(age) ?? { body: {}, secrets: {} };
    for (const known of [made.secrets, made.env]) Object.assign(known, secrets);
    const manifest = once(() => made.manifest(manifestWith(stand, body)));
    const declared: Make = async (over) => plan(await manifest(), over);
    for (const send of [quotes, quotes, made.emulator.send, quotes]) heard.push(...(await hear(made, send, declared)));
  }
  const gone: Make = async (over) => plan(await made.manifest(without), over);
  const destroyed: Make = async (over) => plan(await made.manifest(without), over, { destroys: true });
  for (const make of [gone, destroyed]) heard.push(...(await hear(made, made.emulator.send, make)));
  return { heard, quoted };
}

describe('no output and no state shows the secret', () => {
  const all = cases();
  const some = [
    ...all.filter(({ isPrivate }) => isPrivate),
    ...thinned(
      all.filter(({ isPrivate }) => !isPrivate),
      3,
    ),
  ];

  for (const [index, one] of some.entries()) {
    test(one.title, async () => {
      const { heard, quoted } = await hearAll(one, { made: world(), first: index });
      expect([...new Set(heard.flatMap(canariesIn))].slice(0, 5)).toEqual([]);
      if (one.isPrivate) expect(quoted).toBeGreaterThan(0);
    });
  }

  test('of any field that may hold secrets: each has a test', () => {
    const titles = new Set(some.map(({ title }) => title));
    const missing = stands().flatMap(({ kind, parent }) =>
      Object.entries(kind.fields).flatMap(([name, { secrecy }]) =>
        secrecy === undefined || titles.has(`${name} of ${kind.kind} below ${parent}`)
          ? []
          : [`${name} of ${kind.kind} below ${parent}`],
      ),
    );
    expect(missing).toEqual([]);
    expect(all.length).toBeGreaterThan(100);
  });
});
