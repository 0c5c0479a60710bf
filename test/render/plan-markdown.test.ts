import { documentOf } from '../support/documents.ts';
import { describe, expect, it } from 'vitest';
import { renderPlanMarkdown } from '../../src/render/plan-markdown.ts';
import { about, commit, compose, markdown, planOf, postgres, redis, secret } from './markdown-plans.ts';

describe('a plan as Markdown', () => {
  it('has counts first, then deletions and data at risk, then what restarts, then diffs', async () => {
    const plan = await planOf(
      postgres('postgres:17') + redis + compose('nginx:1', 'A: "1", B: "2"'),
      postgres('postgres:18') + compose('nginx:2', 'A: "3"'),
    );
    const id = plan.actions.find(({ action }) => action === 'delete')?.id ?? '';
    const line = (number: number) =>
      `[\`trueup.yaml:${number}\`](https://git.example.com/o/r/blob/${commit}/infra/trueup.yaml#L${number})`;
    const risk =
      'the data of this database, because postgres:18 is another major version than postgres:17 (PostgreSQL does not read the data of another one: dump them before, and restore them into an empty volume); the data of this database, because postgres:18 keeps them in /var/lib/postgresql/18/docker, where nothing is mounted';
    expect(markdown(plan)).toBe(`<!-- trueup:plan:abc -->

### Trueup plan: 2 to update, 1 to delete (1 service), 2 to deploy

platform \`https://deploy.example.com\` · project \`shop (prj_1)\` · state \`.trueup/state.json, version 12\`

#### Deletions and data at risk: 1 to delete (1 service), data of 2 at risk

- \`production.postgres.main\`: **data at risk**: \`${risk}\` (apply needs \`--allow-data-loss\`) ${line(7)}
- **delete** \`production.redis.old\` (\`${id}\`) (its block was removed): **data at risk**: \`the data of this database\` (apply needs \`--allow-data-loss\`)

Restarts 2 services: \`production.postgres.main\`, \`production.compose.shop\`.

Apply puts data of 2 resources at risk and needs --allow-data-loss.

\`\`\`text
  note[unused-env] trueup.yaml:9:7 production.compose.shop
  env: A reaches no service: the compose file does not use it
    9 |       shop:
      |       ^^^^
    -> Write A: \${A} under environment: of a service, or env_file: .env for all.
\`\`\`

${line(9)}

#### Changes

<details open>
<summary><code>~ production.postgres.main: update</code></summary>

\`\`\`diff
-   dockerImage: postgres:17
+   dockerImage: postgres:18
!   data at risk: ${risk} (apply needs --allow-data-loss)
  ^ deploy: restarts with dockerImage
\`\`\`

${line(7)}

</details>

<details open>
<summary><code>~ production.compose.shop: update</code></summary>

\`\`\`diff
    source.composeFile:
@@ -1,3 +1,3 @@ services.web
      services:
        web:
-         image: nginx:1
+         image: nginx:2
-   env.A: "1"
+   env.A: "3"
-   env.B: "2" (no longer in the manifest)
  ^ deploy: restarts with source.composeFile, env.A, env.B
\`\`\`

${line(9)}, ${line(12)}, ${line(16)}

</details>

<details open>
<summary><code>- production.redis.old: delete (${id}): its block was removed</code></summary>

\`\`\`diff
- dockerImage: redis:8
- name: old
! data at risk: the data of this database (apply needs --allow-data-loss)
\`\`\`

</details>

<sub>planned with 3 reads, 0 writes</sub>
`);
  });

  it('says that nothing changes, and how to apply a saved plan', async () => {
    const plan = await planOf(redis, redis);
    const saved = { showing: 'trueup show plan.trueup --full', applying: 'trueup apply plan.trueup' };
    expect(
      renderPlanMarkdown(
        documentOf(plan, { counts: { reads: 3, writes: 0 } }),
        { key: 'abc', folder: '', file: 'trueup.yaml' },
        saved,
      ),
    ).toBe(`<!-- trueup:plan:abc -->

### Trueup plan: No changes. The platform matches the manifest.

To apply this plan and nothing else: \`trueup apply plan.trueup\`

<sub>planned with 3 reads, 0 writes</sub>
`);
  });

  it('shows an error before the changes, and counts it in the title', async () => {
    const plan = await planOf(postgres('postgres:17'), postgres('postgres:17').replace(' }', ', appName: store }'));
    expect(markdown(plan)).toContain('### Trueup plan: cannot be applied, 1 error\n');
    expect(markdown(plan)).toMatch(/\n```text\n {2}error\[cannot-change\] trueup\.yaml:7:\d+/);
  });

  it('leaves out what does not fit, and says so', async () => {
    const plan = await planOf(compose('nginx:1', 'A: "1"'), compose('nginx:2', 'A: "3"'));
    const actions = plan.actions.flatMap((action) =>
      Array.from({ length: action.action === 'update' ? 400 : 1 }, (_none, at) => ({
        ...action,
        address: `${action.address}-${at}`,
        changes: action.changes.map((change) => ({ ...change, path: `${change.path} ${at}` })),
      })),
    );
    const all = markdown({ ...plan, actions });
    expect(Buffer.byteLength(all)).toBeLessThanOrEqual(65_536);
    expect(all).toMatch(/\*\*Cut to 65536 bytes\*\*: the places of changes .* To see all: `trueup plan --full`/);
  });

  it('holds no secret', async () => {
    const before = compose('nginx:1', `PASSWORD: ${secret}`);
    const plan = await planOf(before, postgres('postgres:17') + compose('nginx:2', `PASSWORD: ${secret}-2`));
    for (const isFull of [false, true]) expect(markdown(plan, { isFull })).not.toContain('canary');
  });
});

describe('hostile names in Markdown', () => {
  const hostile = [
    '@everyone',
    '#1 !2 $3 ~4 %5',
    '```',
    '`````` ~~~',
    '</code></summary></details><script>alert(1)</script>',
    '<!-- trueup:plan:abc -->',
    '![x](https://evil.example/a.png)',
    '[x](javascript:alert(1))',
    'https://evil.example www.evil.example a@evil.example',
    '/close',
    '\n/close\n\n# heading\n',
    '\u202Eevil\u0000\u001b[31m',
    '::error::x ##[error]',
    '| a | b |',
    '&lt;b&gt; *a* _b_ ~~c~~ $`x`$',
    ' `leading',
  ];

  it('stand in code only, on one line each', async () => {
    const plan = await planOf(redis + compose('nginx:1', 'A: "1"'), compose('nginx:2', 'A: "2"'));
    for (const name of hostile) {
      const actions = plan.actions.map((action) => ({
        ...action,
        address: action.action === 'no-op' ? action.address : `${action.address}[${JSON.stringify(name)}]`,
        ...(action.id === undefined ? {} : { id: name }),
        ...(action.dataAtRisk === undefined ? {} : { dataAtRisk: name }),
        ...('because' in action ? { because: [name] } : {}),
        ...('holds' in action ? { holds: { services: [name] } } : {}),
        changes: action.changes.map((change) => ({
          ...change,
          path: name,
          before: { is: 'value' as const, value: `${name}\n${name}` },
          after: { is: 'value' as const, value: `${name}\nx` },
          position: { file: name, line: 1, column: 1 },
        })),
      }));
      const all = markdown({ ...plan, actions }, { about: { ...about, project: { id: name, name } } });
      const outside = withoutCode(all);
      for (const part of [
        'evil',
        'close',
        'everyone',
        'alert',
        '#1',
        'heading',
        '::',
        '##[',
        '\u202e',
        '\u001b',
        '| a',
      ])
        expect(outside, name).not.toContain(part);
      expect(outside.match(/<details/g)?.length).toBe(outside.match(/<\/details>/g)?.length);
      expect(all.match(/^<!-- trueup:plan:abc -->$/gm)).toHaveLength(1);
    }
  });

  /** Markdown without its code, read as CommonMark does: blocks by their fences, spans by runs of equal length. */
  function withoutCode(all: string): string {
    let fence: string | undefined;
    const outside: string[] = [];
    for (const line of all.split('\n')) {
      const run = /^ {0,3}(`{3,})/.exec(line)?.[1];
      if (fence === undefined && run !== undefined && !line.slice(line.indexOf(run) + run.length).includes('`')) {
        fence = run;
      } else if (fence === undefined) outside.push(line);
      else if (run !== undefined && run.length >= fence.length && /^ {0,3}`+\s*$/.test(line)) fence = undefined;
    }
    expect(fence).toBeUndefined();
    return outside
      .map((line) => line.replaceAll(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, '').replaceAll(/<code>[^<]*<\/code>/g, ''))
      .join('\n')
      .replaceAll(/\]\(https:\/\/git\.example\.com\/[^)\s]*\)/g, ']');
  }
});
