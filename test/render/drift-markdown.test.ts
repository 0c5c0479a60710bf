import { describe, expect, it } from 'vitest';
import { renderDriftMarkdown } from '../../src/render/drift-markdown.ts';
import { printed } from '../../src/render/printable.ts';
import { driftView, finding, findings } from './drifts.ts';

const site = { key: 'abc', folder: '', file: 'trueup.yaml', links: { base: 'https://git.example.com/o/r/blob/main/' } };
const place = '[`trueup.yaml:7`](https://git.example.com/o/r/blob/main/trueup.yaml#L7)';
const about = { showing: 'trueup drift --full', isFull: false };

describe('drift as Markdown', () => {
  it('has what is new first, with what to do, and the commit of each line', () => {
    const [fresh, accepted, missing] = findings;
    const some = [fresh, accepted, missing].flatMap((one) => (one === undefined ? [] : [one]));
    expect(renderDriftMarkdown(driftView(some), site, about)).toBe(`<!-- trueup:drift:abc -->

### Trueup drift: New drift: 2 new, 1 accepted.

platform \`https://deploy.example.com\` · project \`prj_1\` · state \`state.json, version 3\`

#### New (2)

<details open>
<summary><code>production.compose.shop</code></summary>

\`\`\`diff
- env.REGION: eu-1
+ env.REGION: eu-2
\`\`\`

${place}

- put it back: \`trueup apply --target production.compose.shop\`
- keep what the platform has: \`trueup drift adopt production.compose.shop --field env.REGION\`
- leave it for now: \`trueup drift accept production.compose.shop --field env.REGION --until DATE --because TEXT\`

</details>

<details open>
<summary><code>production.redis.old</code></summary>

\`\`\`diff
  gone from the platform (redis red_1)
\`\`\`

${place}

- create it again: \`trueup apply --target production.redis.old\`
- remove its block from the manifest: \`trueup drift adopt production.redis.old\`
- leave it for now: \`trueup drift accept production.redis.old --until DATE --because TEXT\`

</details>

#### Accepted (1)

<details open>
<summary><code>production.compose.shop</code></summary>

\`\`\`diff
- env.TAG: eu-1
+ env.TAG: eu-2
  accepted until 2026-12-31 by ops: vendor moves us
\`\`\`

${place}

</details>

Remembered in \`drift.yaml\`.

<sub>drift: - last applied, + on the platform</sub>

<sub>compared with 3 reads, 0 writes</sub>
`);
  });

  it('says that there is no drift', () => {
    const view = driftView([], { exitCode: 0, memory: { location: 'drift.yaml', isUpdated: false } });
    expect(renderDriftMarkdown(view, site, about)).toContain(
      '### Trueup drift: No drift: the platform is as it was applied.\n',
    );
  });

  it('takes at most 65,536 bytes, says what it cuts, and counts all', () => {
    const many = Array.from({ length: 2_000 }, (_none, at) => finding({ address: `production.compose.shop-${at}` }));
    const text = printed(renderDriftMarkdown(driftView(many), site, about));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536);
    expect(text).toContain('### Trueup drift: New drift: 2000 new.');
    expect(text).toMatch(/\*\*Cut to 65536 bytes\*\*: places and commands; .*To see all: `trueup drift --full/);
  });

  it('has hostile texts in code only', () => {
    const name = '@all </summary></details> ![x](https://evil.example) ``` #1\n/close';
    const hostile = findings.map((one) => ({
      ...one,
      address: name,
      objectId: name,
      ...(one.path === undefined ? {} : { path: name }),
      ...(one.accepted === undefined ? {} : { accepted: { ...one.accepted, because: name, by: name } }),
      platform: { is: 'value' as const, value: name },
      applied: { is: 'value' as const, value: 'x\ny' },
    }));
    const resolved = hostile.map((one) => ({ ...one, id: 'x' }));
    const text = printed(
      renderDriftMarkdown(
        driftView(hostile, { resolved: resolved as never, memory: { location: name, isUpdated: true } }),
        site,
        about,
      ),
    );
    const outside = text
      .replaceAll(/^(`{3,})(?:diff|text)\n[\s\S]*?\n\1$/gm, '')
      .replaceAll(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, '')
      .replaceAll(/<code>[^<]*<\/code>/g, '');
    expect(outside).not.toMatch(/evil|@all|close|#1\b|!\[/);
    expect(outside.match(/<details/g)?.length).toBe(outside.match(/<\/details>/g)?.length);
  });
});
