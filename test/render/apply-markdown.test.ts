import { describe, expect, it } from 'vitest';
import { renderResultMarkdown } from '../../src/render/apply-markdown.ts';
import type { ResultDocument } from '../../src/render/document-schemas.ts';
import { printed } from '../../src/render/printable.ts';
import { resultOf } from '../support/documents.ts';
import { bench, head } from '../support/world.ts';

const site = { key: 'abc', folder: '', file: 'trueup.yaml', links: { base: 'https://git.example.com/o/r/blob/main/' } };
const secret = 'canary-7f3a-secret';
const text = `${head}environments:
  production:
    redis:
      cache: { dockerImage: "redis:8", databasePassword: ${secret} }
`;

/** Applies to a platform that refuses one operation. */
async function applied(failing?: string): Promise<ResultDocument> {
  const world = bench();
  const { emulator } = world;
  const { send } = emulator;
  emulator.send = (request) =>
    request.path === `/api/${failing}`
      ? Promise.resolve({
          status: 400,
          headers: {},
          body: JSON.stringify({ message: 'no </details> ``` @all', code: 'BAD_REQUEST', issues: [] }),
        })
      : send(request);
  return resultOf(await world.apply(text));
}

const markdown = (result: ResultDocument, exitCode: number) =>
  printed(renderResultMarkdown({ ...result, exitCode }, site));

describe('the result of an apply as Markdown', () => {
  it('has the counts and what was done', async () => {
    expect(markdown(await applied(), 0)).toBe(`<!-- trueup:apply:abc -->

### Trueup apply: Applied: 1 created, 1 adopted, 1 deployed.

<details open>
<summary><code>done: 3</code></summary>

\`\`\`diff
  production: adopted
+ production.redis.cache: created
  production.redis.cache: deployed
\`\`\`

</details>

<sub>exit code 0, 4 reads, 2 writes</sub>
`);
  });

  it('has what failed first, with its reason in code and its line', async () => {
    const all = markdown(await applied('redis.create'), 6);
    expect(all).toMatch(/^### Trueup apply: Not everything was applied: 1 adopted, 1 failed, 1 skipped\.$/m);
    expect(all).toContain(
      '#### To look at\n\n<details open>\n<summary><code>production.redis.cache: creating failed</code>',
    );
    expect(all).toContain('`trueup.yaml:7`](https://git.example.com/o/r/blob/main/trueup.yaml#L7)');
    expect(all).toContain('\n\nNext: fix the errors above, check with trueup plan, and run trueup apply again.\n');
    expect(all).not.toContain('canary');
    const outside = all.replaceAll(/^(`{3,})diff\n[\s\S]*?\n\1$/gm, '');
    expect(outside).not.toMatch(/@all|```/);
    expect(outside.match(/<details/g)).toHaveLength(outside.match(/<\/details>/g)?.length ?? 0);
  });
});
