import { describe, expect, test } from 'vitest';
import type { KindCommand } from '../../src/kind/kind-command.ts';
import type { CommandTarget } from '../../src/operate/object-command.ts';
import { makeCommand } from '../../src/operate/object-command.ts';
import { kindNamed } from '../support/plan-values.ts';

/** What an object is told by hand: how it is asked for, and what stands against it. */

const address = 'production.redis.main';
const row = { redisId: 'redis_1', appName: 'main-x1y2z3', databasePassword: 'correct-horse-1', composeType: 'stack' };

function commandFor(name: string, more: Partial<CommandTarget> = {}, dataLoss = false) {
  const target: CommandTarget = { address, kind: kindNamed('redis'), id: 'redis_1', row, protect: undefined, ...more };
  return makeCommand(target, name, { dataLoss });
}

describe('a command', () => {
  test('is a request to one object, with the members that the operation takes', () => {
    const command = commandFor('reload');
    if ('code' in command) throw new Error(command.message);
    const { kind, operation, before, ...rest } = command;
    expect(rest).toEqual({
      address,
      id: 'redis_1',
      name: 'reload',
      input: { redisId: 'redis_1', appName: 'main-x1y2z3' },
      consequences: ['it stops and starts again, and its clients are disconnected'],
    });
    expect([kind.kind, operation.call, before.reveal()]).toEqual(['redis', 'redis.reload', row]);
    expect(JSON.stringify(before)).not.toContain('correct-horse');
  });

  test('that ends nothing needs no question', () => {
    expect(commandFor('start')).toMatchObject({ consequences: [] });
  });

  test('names its consequences, from the operation or the kind', () => {
    expect(commandFor('stop')).toMatchObject({ consequences: ['it stops running until it is started again'] });
    const commands: Record<string, KindCommand> = { stop: { call: 'redis.stop', interrupts: 'nobody can connect' } };
    expect(commandFor('stop', { kind: { ...kindNamed('redis'), commands } })).toMatchObject({
      consequences: ['it stops running until it is started again', 'nobody can connect'],
    });
  });
});

describe('there is no command', () => {
  test('that the platform has no operation for', () => {
    expect(commandFor('redeploy')).toEqual({
      code: 'cannot-change',
      severity: 'error',
      message: `cannot redeploy ${address}: the platform has no documented operation for it as it is`,
      address,
    });
  });

  test('that the object does not allow now: the kind gives the reason and a remedy', () => {
    expect(commandFor('start', { kind: kindNamed('compose') })).toMatchObject({
      code: 'cannot-change',
      address,
      message: `cannot start ${address}: the platform only writes down that a stack was started, and starts nothing`,
      remedy: 'trueup run deploy starts it.',
    });
    const started = commandFor('start', { kind: kindNamed('compose'), row: { ...row, composeType: 'docker-compose' } });
    expect(started).toMatchObject({ name: 'start', operation: { call: 'compose.start' } });
  });

  test('that deletes data of an object with protect: true, with any permission', () => {
    for (const dataLoss of [false, true]) {
      expect(commandFor('rebuild', { protect: true }, dataLoss)).toEqual({
        code: 'protected',
        severity: 'error',
        message: `to rebuild ${address} deletes the volumes of this database with all its data, and protect: true keeps it`,
        remedy: 'Write protect: false in the block and apply that first, if the data may go.',
        address,
      });
    }
    expect(commandFor('stop', { protect: true })).toMatchObject({ name: 'stop' });
  });

  test('that deletes data without a permission, unless the block gave the data up', () => {
    expect(commandFor('rebuild')).toEqual({
      code: 'data-at-risk',
      severity: 'error',
      message: `to rebuild ${address} deletes the volumes of this database with all its data`,
      remedy: 'Allow it with --allow-data-loss, if the data may go.',
      address,
    });
    expect(commandFor('rebuild', {}, true)).toMatchObject({ name: 'rebuild' });
    expect(commandFor('rebuild', { protect: false })).toMatchObject({ name: 'rebuild' });
  });
});
