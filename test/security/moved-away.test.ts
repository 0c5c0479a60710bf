import { describe, expect, test, vi } from 'vitest';
import type { Emulator } from '../../src/emulator/emulator.ts';
import { systemClock } from '../../src/state/clock.ts';
import { executeCommand } from '../cli/asked.ts';
import { places } from '../cli/place.ts';
import type { Send } from '../../src/api/wire.ts';
import type { Row } from '../../src/formats/json.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { applyLater, applyOver, everything, idOf, operationOf, results, said } from '../support/faults.ts';
import { database, production, stack } from '../support/manifest-texts.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** Somebody moves a service to another project between the plan and the request: the request is not sent. */

const main = 'production.postgres.main';
const shop = 'production.compose.shop';
const elsewhere = 'env_prj_2';
const domain = 'domains: { a.example.com: { serviceName: web } }';
const before = production(database() + stack('composeType: docker-compose, description: before'));

/** Moves the two services, as a person does by hand. Returns what the platform has of them. */
async function moveAway(made: Bench): Promise<string> {
  await made.emulator.act('postgres.move', { postgresId: idOf(made, main), targetEnvironmentId: elsewhere });
  await made.emulator.act('compose.update', { composeId: idOf(made, shop), environmentId: elsewhere });
  made.requests('POST');
  return rows(made);
}

function rows({ emulator }: Bench): string {
  const { postgres, compose, domain: domains } = emulator.world.tables;
  return JSON.stringify([postgres, compose, domains]);
}

describe('S1: a service that somebody moved to another project after the plan', () => {
  test.each([
    ['updated', production(database('description: after') + stack('description: after'))],
    ['deleted', production('    compose: {}\n')],
    ['replaced', production(database('', 'main', 'other') + stack('composeType: stack, description: before'))],
    ['given a domain', production(database() + stack(`composeType: docker-compose, description: before, ${domain}`))],
  ])('S1: is not %s', async (_title, after) => {
    const made = bench();
    await made.apply(before);
    const planned = await made.plan(after);
    const moved = await moveAway(made);
    const result = await applyLater(made, planned);
    expect(said(result)).toContain(`${shop} was moved on the platform since the plan was made`);
    expect(made.requests('POST')).toEqual([]);
    expect(rows(made)).toBe(moved);
  });

  test('S1: is not deployed', async () => {
    const made = bench();
    const text = production(database('deploy: never') + stack('deploy: never'));
    await made.apply(text);
    const planned = await made.plan(production(database() + stack()));
    const moved = await moveAway(made);
    const result = await applyLater(made, planned);
    expect(results(result)).toMatchObject({ [`${main} (deploy)`]: 'failed', [`${shop} (deploy)`]: 'failed' });
    expect(said(result)).toContain(`${main} was moved on the platform since the plan was made`);
    expect(said(result)).toContain(`${shop} was moved on the platform since the plan was made`);
    expect(made.requests('POST')).toEqual([]);
    expect(rows(made)).toBe(moved);
  });

  test('S1: is not deployed when it moves between its update and its deployment', async () => {
    const made = bench();
    await made.apply(before);
    let isMoved = false;
    const send: Send = async (request) => {
      const answer = await made.emulator.send(request);
      if (operationOf(request) === 'compose.update' && !isMoved) {
        isMoved = true;
        await made.clock.sleep(60_000);
        await made.emulator.act('compose.update', { composeId: idOf(made, shop), environmentId: elsewhere });
      }
      return answer;
    };
    made.requests('POST');
    const after = production(database() + stack('composeType: docker-compose, description: before, env: { A: "1" }'));
    const result = await applyOver(made, after, send, { permissions: everything });
    expect(said(result)).toContain(`${shop} was moved on the platform since the plan was made`);
    expect(made.requests('POST').filter((operation) => operation.endsWith('deploy'))).toEqual([]);
  });

  test('S1: is refused by the next plan, which names both projects', async () => {
    const made = bench();
    await made.apply(before);
    await moveAway(made);
    const error: unknown = await made.plan(before).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Stop);
    expect((error as Stop).diagnostics.map(({ code }) => code)).toEqual(['foreign-object', 'foreign-object']);
    expect((error as Stop).message).toContain('is not in project prj_1');
    expect((error as Stop).message).toContain('project prj_2');
  });
});

test('S1: a service that somebody moved to where the plan moves it is updated', async () => {
  const made = bench();
  const text = (a: string, b: string) =>
    `${production(a)}  staging:\n${b}`.replace(
      'environments:',
      'moved: [{ from: production.postgres.main, to: staging.postgres.main }]\nenvironments:',
    );
  await made.apply(`${production(database())}  staging:\n    compose: {}\n`);
  const after = text('    compose: {}\n', database('description: after'));
  const planned = await made.plan(after);
  await made.emulator.act('postgres.move', {
    postgresId: idOf(made, main),
    targetEnvironmentId: idOf(made, 'staging'),
  });
  const result = await applyLater(made, planned);
  expect(said(result)).toBe('');
  const [row] = Object.values(made.emulator.world.tables.postgres) as Row[];
  expect(row).toMatchObject({ description: 'after', environmentId: idOf(made, 'staging') });
});

describe('S1: a command on several services', () => {
  const open = places();

  test('S1: is not sent to one that moved to another project while the command before it took its time', async () => {
    const sections = production(database() + stack()).replace(head, '');
    let move: (() => Promise<unknown>) | undefined;
    const around = <T extends Emulator>(emulator: T): T => ({
      ...emulator,
      send: async (request) => {
        const answer = await emulator.send(request);
        if (operationOf(request) === 'postgres.stop') await move?.();
        return answer;
      },
    });
    const place = await open(sections, { around });
    place.rewrite(sections);
    const composeId = place.idOf(shop);
    move = async () => {
      await place.emulator.act('compose.update', { composeId, environmentId: elsewhere });
      vi.spyOn(systemClock, 'monotonic').mockReturnValue(systemClock.monotonic() + 60_000);
    };
    const { exit, out, err } = await place.run(executeCommand(['stop', main, shop], { wait: true, yes: true }));
    vi.restoreAllMocks();
    expect(exit).toBe('partly');
    expect(out + err).toContain(`${shop} (${composeId}) is not in project prj_1`);
    expect(place.requests().filter((request) => request.startsWith('POST'))).toEqual(['POST postgres.stop']);
  });
});
