import { describe, expect, test } from 'vitest';
import type { Emulator } from '../../src/emulator/emulator.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { plansNothing, rowsIn } from '../support/faults.ts';
import { production } from '../support/manifest-texts.ts';
import { selfMovingClock } from '../support/virtual-clock.ts';
import { bench } from '../support/world.ts';

/** A platform that stores text in another form than it was sent comes to rest: the second plan is empty. */

/** What the platform makes of a text, member by member; ids, names and enums stay. */
const rewrites: Readonly<Record<string, (text: string) => string | null>> = {
  'trims it': (text) => text.trim(),
  'ends it with a line end': (text) => (text === '' || text.endsWith('\n') ? text : `${text}\n`),
  'stores CRLF as LF': (text) => text.replaceAll('\r\n', '\n'),
  'stores null for empty text': (text) => (text === '' ? null : text),
};
const rewritten = new Set(['description', 'composeFile', 'env', 'content', 'command', 'dockerImage', 'publicKey']);

/** An emulator behind a transport that shows every text of a row as the platform would have rewritten it. */
function behind(emulator: Emulator, rewrite: (text: string) => string | null): Emulator {
  const shown = (name: string, value: unknown): unknown =>
    typeof value === 'string' && rewritten.has(name) ? rewrite(value) : value;
  return {
    ...emulator,
    send: async (request) => {
      const answer = await emulator.send(request);
      return request.method === 'GET' && answer.status === 200
        ? { ...answer, body: JSON.stringify(JSON.parse(answer.body, shown)) }
        : answer;
    },
  };
}

const text = (version: string) =>
  production(`    env: "REGION=${version}\\r\\n"
    compose:
      shop:
        description: "  first line\\r\\nsecond line ${version}  "
        source: { type: raw, composeFile: "services:\\r\\n  web:\\r\\n    image: nginx:${version}\\r\\n\\r\\n" }
        env: "A=1\\r\\nB=${version}  \\r\\n\\r\\n"
        command: ""
        files: { a.conf: { content: "\\r\\n  x = ${version}\\r\\n\\r\\n" }, empty.conf: { content: "" } }
    application:
      web:
        description: ""
        source: { type: docker, image: "nginx:${version}" }
        env: { KEY: "  spaces ${version}  ", EMPTY: "" }
    redis:
      cache: { dockerImage: "redis:8", databasePassword: pw-1, command: "run ${version} ", description: "" }
`);

describe('U25: a platform that', () => {
  test.each(Object.entries(rewrites))('%s comes to rest', async (_title, rewrite) => {
    const clock = selfMovingClock();
    const emulator = createEmulator({ now: () => new Date(clock.wall()) });
    const made = bench({ emulator: behind(emulator, rewrite), clock });
    for (const version of ['1', '2']) {
      const result = await made.apply(text(version));
      expect(result.outcomes.filter((outcome) => !['done', 'skipped'].includes(outcome.result))).toEqual([]);
      await plansNothing(made, text(version));
      await plansNothing(made, text(version));
    }
    expect(rowsIn(made, 'compose')[0]?.['composeFile']).toContain('nginx:2');
  });

  test('does nothing to a text is told from the others', async () => {
    const made = bench();
    await made.apply(text('1'));
    expect(rowsIn(made, 'compose')[0]?.['composeFile']).toContain('\r\n\r\n');
    await plansNothing(made, text('1'));
  });
});
