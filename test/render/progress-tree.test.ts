import { describe, expect, it, vi } from 'vitest';
import { columnsOf } from '../../src/render/columns.ts';
import { renderTree } from '../../src/render/progress-tree.ts';
import { plainStyle } from '../../src/render/style.ts';
import type { Happened, Planned } from '../support/progress.ts';
import { planOf, viewOf } from '../support/progress.ts';
import { toned } from './plans.ts';

const production = { address: 'production', action: 'no-op' } as const;

/** A service with its deployment. */
function service(name: string, needs: readonly string[] = []): Planned[] {
  const address = `production.compose.${name}`;
  return [
    { address, action: 'create', parent: 'production', needs },
    deployment(
      address,
      needs.map((need) => `${need} (deploy)`),
    ),
  ];
}

function deployment(address: string, needs: readonly string[] = []): Planned {
  return { address: `${address} (deploy)`, action: 'deploy', parent: address, needs };
}

/** An apply at a second, as people see it. */
function shown(
  planned: readonly Planned[],
  events: readonly Happened[],
  about: { columns?: number; lines?: number; second?: number; isOver?: boolean } = {},
): string[] {
  const { columns = 80, lines = 24, second = 23, isOver = false } = about;
  const { paint } = plainStyle;
  return renderTree(viewOf(planOf(planned), events), { now: second * 1_000, columns, lines, isOver, paint });
}

const shop: readonly Planned[] = [
  { address: 'sshKey.forge', action: 'create' },
  production,
  { address: 'production.postgres.main', action: 'update', parent: 'production' },
  { address: 'production.postgres.main.backups.nightly', action: 'create', parent: 'production.postgres.main' },
  deployment('production.postgres.main'),
  { address: 'production.redis.cache', action: 'create', parent: 'production' },
  deployment('production.redis.cache'),
  { address: 'production.compose.shop', action: 'create', parent: 'production' },
  {
    address: 'production.compose.shop.domains["shop.example.com"]',
    action: 'create',
    parent: 'production.compose.shop',
  },
  deployment('production.compose.shop', ['production.postgres.main (deploy)', 'production.redis.cache (deploy)']),
  ...service('tools'),
  ...service('wiki'),
  { address: 'production.compose.kept', action: 'no-op', parent: 'production' },
];

const atWork: readonly Happened[] = [
  [0, 'sshKey.forge', 'create', 'started'],
  [0.6, 'sshKey.forge', 'create', 'done'],
  [0, 'production.postgres.main', 'update', 'started'],
  [1.2, 'production.postgres.main', 'update', 'done'],
  [1, 'production.postgres.main.backups.nightly', 'create', 'started'],
  [1.9, 'production.postgres.main.backups.nightly', 'create', 'failed'],
  [2, 'production.postgres.main (deploy)', 'deploy', 'started'],
  [3, 'production.postgres.main (deploy)', 'deploy', 'waiting for answer'],
  [2, 'production.redis.cache', 'create', 'started'],
  [3, 'production.redis.cache', 'create', 'done'],
  [4, 'production.redis.cache (deploy)', 'deploy', 'started'],
  [5, 'production.redis.cache (deploy)', 'deploy', 'waiting for queue'],
  [20, 'production.compose.shop', 'create', 'started'],
  [1, 'production.compose.tools', 'create', 'started'],
  [3, 'production.compose.tools', 'create', 'done'],
  [3, 'production.compose.tools (deploy)', 'deploy', 'started'],
  [4, 'production.compose.tools (deploy)', 'deploy', 'waiting for queue'],
  [9, 'production.compose.tools (deploy)', 'deploy', 'waiting for deployment'],
  [2, 'production.compose.wiki', 'create', 'skipped'],
  [2, 'production.compose.wiki (deploy)', 'deploy', 'skipped'],
];

describe('the tree of an apply', () => {
  it('shows every open action, below its service and environment, with its progress', () => {
    expect(shown(shop, atWork, { columns: 120 })).toEqual([
      '23s: 4 of 13 done, 1 failed, 2 skipped; 14 reads, 6 writes',
      'production',
      '  postgres.main',
      '    ^ deploy                       deploying 21s: the platform pulls and starts it, 20s',
      '  redis.cache',
      '    ^ deploy                       deploying 19s: in the queue of the platform for 18s',
      '  + compose.shop                   creating 3s',
      '    + domains["shop.example.com"]  waits for production.compose.shop',
      '    ^ deploy                       waits for production.compose.shop and 2 more',
      '  compose.tools',
      '    ^ deploy                       deploying 20s: the deployment runs, 14s',
    ]);
  });

  it('keeps to 80 columns with fewer words', () => {
    expect(shown(shop, atWork, { columns: 79 })).toEqual([
      '23s: 4 of 13 done, 1 failed, 2 skipped; 14 reads, 6 writes',
      'production',
      '  postgres.main',
      '    ^ deploy                   deploying 21s: pulling and starting for 20s',
      '  redis.cache',
      '    ^ deploy                   deploying 19s: in the queue for 18s',
      '  + compose.shop               creating 3s',
      '    + domains["shop.example.com"]  waits for production.compose.shop',
      '    ^ deploy                   waits for production.compose.shop and 2 more',
      '  compose.tools',
      '    ^ deploy                   deploying 20s: the deployment runs, 14s',
    ]);
  });

  it('keeps state and time in 40 columns, where names are shortened in their middle', () => {
    expect(shown(shop, atWork, { columns: 39 })).toEqual([
      '23s: 4 of 13 done, 1 failed, 2 skipped',
      'production',
      '  postgres.main',
      '    ^ deploy    deploying 21s, pulling',
      '  redis.cache',
      '    ^ deploy    deploying 19s, in queue',
      '  + compose.shop  creating 3s',
      '    + doma…om"]  waits for compose.shop',
      '    ^ deploy    waits for 3',
      '  compose.tools',
      '    ^ deploy    deploying 20s, running',
    ]);
  });

  it('shows that a deployment waits for those of other services', () => {
    const planned = [production, ...service('shop', ['production.compose.db']), ...service('db')];
    const made: Happened[] = ['shop', 'db'].flatMap((name): Happened[] => [
      [0, `production.compose.${name}`, 'create', 'started'],
      [1, `production.compose.${name}`, 'create', 'done'],
    ]);
    const line = (columns: number) => shown(planned, made, { columns })[3];
    expect(line(120)).toBe('    ^ deploy      waits for the deployment of production.compose.db');
    expect(line(60)).toBe('    ^ deploy      waits for the deployment of compose.db');
    expect(line(50)).toBe('    ^ deploy      waits for deploy of compose.db');
  });

  it('shows that a deletion waits for the users of the object, not the reverse', () => {
    const planned: Planned[] = [
      { address: 'production.compose.shop', action: 'delete' },
      { address: 'production.compose.shop.domains.www', action: 'delete', parent: 'production.compose.shop' },
    ];
    expect(shown(planned, [])).toEqual([
      '23s: 0 of 2 done; 14 reads, 6 writes',
      '- production.compose.shop  waits for production.compose.shop.domains.www',
      '  - domains.www            waiting',
    ]);
  });

  it('has no line for an action that sends nothing; one that fails is counted', () => {
    const planned: Planned[] = [
      production,
      { address: 'production.compose.kept', action: 'no-op', parent: 'production' },
    ];
    expect(shown(planned, [])).toEqual([]);
    expect(shown(planned, [[1, 'production.compose.kept', 'no-op', 'skipped']])).toEqual([]);
    expect(shown(planned, [[1, 'production.compose.kept', 'no-op', 'failed']])).toEqual([
      '23s: 0 of 1 done, 1 failed; 14 reads, 6 writes',
    ]);
  });

  it('paints each state', () => {
    const view = viewOf(
      planOf([
        { address: 'sshKey.a', action: 'create' },
        { address: 'sshKey.b', action: 'create' },
      ]),
      [[0, 'sshKey.a', 'create', 'started']],
    );
    expect(renderTree(view, { now: 3_000, columns: 80, lines: 24, isOver: false, paint: toned.paint })).toEqual([
      '<strong>3s: 0 of 2 done; 14 reads, 6 writes</strong>',
      '<good>+ </good><strong>sshKey.a</strong>  <info>creating 3s</info>',
      '<good>+ </good><faint>sshKey.b</faint>  <faint>waiting</faint>',
    ]);
  });

  it('counts the time from the first request, where a replacement begins twice', () => {
    const planned: Planned[] = [{ address: 'sshKey.a', action: 'replace' }];
    const twice: Happened[] = [
      [1, 'sshKey.a', 'replace', 'started'],
      [9, 'sshKey.a', 'replace', 'started'],
    ];
    expect(shown(planned, twice)[1]).toBe('-/+ sshKey.a  replacing 22s');
  });

  it('has minutes and hours', () => {
    const planned: Planned[] = [{ address: 'sshKey.a', action: 'create' }];
    const begun: Happened[] = [[0, 'sshKey.a', 'create', 'started']];
    const at = (second: number) => shown(planned, begun, { second })[1];
    expect([89.9, 90, 3_725].map(at)).toEqual([
      '+ sshKey.a  creating 89s',
      '+ sshKey.a  creating 1m 30s',
      '+ sshKey.a  creating 1h 2m',
    ]);
  });

  it('shows text of the platform without control characters', () => {
    const planned: Planned[] = [
      { address: 'production.compose["a\\u001b"].domains["\u001B[2J\u202E"]', action: 'create' },
    ];
    const [, line] = shown(planned, [], { columns: 120 });
    expect(line).toContain('\\x1b[2J\\u202e');
    for (const sign of ['\u001B', '\u202E']) expect(line).not.toContain(sign);
  });
});

describe('the size of the tree', () => {
  const hosts = [
    '配置搜索同义词',
    'ポケット例え',
    '한국어-도메인-이름',
    'e\u0301'.repeat(40),
    '👍🏽🚀'.repeat(9),
    'x'.repeat(300),
  ];
  const wide: readonly Planned[] = [
    ...shop,
    ...hosts.map((host): Planned => {
      const parent = 'production.compose.shop';
      return { address: `${parent}.domains["${host}"]`, action: 'replace', parent };
    }),
  ];
  const begun: readonly Happened[] = [
    ...atWork,
    ...wide.slice(shop.length, -2).map(({ address, action }): Happened => [20, address, action, 'started']),
  ];
  it.each([10, 20, 39, 40, 79, 80, 119, 120])(
    'is never more than %d columns, nor more lines than there are',
    (columns) => {
      for (const lines of [1, 2, 3, 5, 12, 20, 50]) {
        const tree = shown(wide, begun, { columns, lines });
        expect(tree.length).toBeLessThanOrEqual(lines);
        expect(tree.length).toBeGreaterThan(0);
        for (const line of tree) expect(columnsOf(line), line).toBeLessThanOrEqual(columns);
        if (columns >= 39) expect(tree[0]).toContain('1 failed');
        const told = tree.filter((line) => !/^ *[a-z.…]+$/.test(line)).slice(1);
        if (columns >= 20) for (const line of told) expect(line).toMatch(/\d+s|wait|^…/);
      }
    },
  );

  it('counts wide characters as two columns, and accents as none', () => {
    expect(columnsOf('配置.txt')).toBe(8);
    expect(columnsOf('한국')).toBe(4);
    expect(columnsOf('🚀')).toBe(2);
    expect(columnsOf('e\u0301')).toBe(1);
    expect(columnsOf('\u001B[1mab\u001B[22m')).toBe(2);
    const planned: Planned[] = [{ address: 'redis["配置搜索同义词配置搜索同义词"]', action: 'create' }];
    expect(shown(planned, [], { columns: 39 })[1]).toBe('+ redis["配置搜…置搜索同义词"]  waiting');
    expect(shown(planned, [], { columns: 38 })[1]).toBe('+ redis["配置搜…搜索同义词"]  waiting');
  });

  it('shows running actions first, then the next ones, and counts the rest', () => {
    const names = Array.from({ length: 150 }, (_none, at) => `production.redis.r${String(at).padStart(3, '0')}`);
    const planned: Planned[] = [
      production,
      ...names.map((address): Planned => ({ address, action: 'create', parent: 'production' })),
    ];
    const events = names.flatMap((address, at): Happened[] => {
      if (at < 40)
        return [
          [at / 4, address, 'create', 'started'],
          [at / 4 + 1, address, 'create', at === 20 ? 'failed' : 'done'],
        ];
      return at === 90 || at === 91 ? [[10, address, 'create', 'started']] : [];
    });
    expect(shown(planned, events, { lines: 7, second: 12 })).toEqual([
      '12s: 39 of 150 done, 1 failed; 14 reads, 6 writes',
      'production',
      '  + redis.r040  waiting',
      '  + redis.r041  waiting',
      '  + redis.r090  creating 2s',
      '  + redis.r091  creating 2s',
      '… 106 to come',
    ]);
    expect(shown(planned, events, { lines: 4, second: 12 }).at(-1)).toBe('… 1 running, 108 to come');
  });

  it('reads twice as many rows and stages of twice as many actions', () => {
    const readsOf = (services: number): number => {
      const names = Array.from({ length: services }, (_none, at) => `s${at}`);
      const view = viewOf(
        planOf([production, ...names.flatMap((name) => service(name))]),
        names.slice(0, services / 2).flatMap((name): Happened[] => [
          [0, `production.compose.${name}`, 'create', 'started'],
          [1, `production.compose.${name}`, 'create', 'done'],
        ]),
      );
      let reads = 0;
      const rows = new Proxy(view.rows, {
        get: (target, member) => {
          reads += 1;
          return Reflect.get(target, member) as unknown;
        },
      });
      const stage = vi.spyOn(view.stages, 'get');
      const canvas = { now: 2_000, columns: 80, lines: 50, isOver: false, paint: plainStyle.paint };
      expect(renderTree({ ...view, rows }, canvas)).toHaveLength(50);
      return reads + stage.mock.calls.length;
    };
    const [some, twice] = [readsOf(1_000), readsOf(2_000)];
    expect(some).toBeGreaterThan(2_000);
    expect(twice / some).toBeLessThan(2.01);
  });
});

describe('the last frame of an apply', () => {
  it('has the counts, and what is still open', () => {
    expect(shown(shop, atWork, { columns: 79, isOver: true })).toEqual([
      '23s: 4 of 13 done, 1 failed, 2 skipped; 14 reads, 6 writes',
      'production',
      '  postgres.main',
      '    ^ deploy                   outcome unknown',
      '  redis.cache',
      '    ^ deploy                   outcome unknown',
      '  + compose.shop               outcome unknown',
      '    + domains["shop.example.com"]  not started',
      '    ^ deploy                   not started',
      '  compose.tools',
      '    ^ deploy                   outcome unknown',
    ]);
    expect(shown(shop, atWork, { lines: 4, isOver: true }).at(-1)).toBe('… 3 with unknown outcome, 2 not started');
  });

  it('is a line of counts when nothing is open', () => {
    const keys = Array.from({ length: 30 }, (_none, at) => `sshKey.k${at}`);
    const planned = keys.map((address): Planned => ({ address, action: 'create' }));
    const events = keys.flatMap((address): Happened[] => [
      [0, address, 'create', 'started'],
      [1, address, 'create', 'done'],
    ]);
    expect(shown(planned, events, { isOver: true })).toEqual(['23s: 30 of 30 done; 14 reads, 6 writes']);
  });
});
