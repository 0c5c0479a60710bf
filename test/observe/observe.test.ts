import { expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { bench, head } from '../support/world.ts';

test('U13: a wrong project is reported with its line, and with the ways to its id', async () => {
  const text = `${head.replace('prj_1', 'prj_9')}environments: { production: {} }\n`;
  const error = await bench()
    .plan(text)
    .catch((reason: unknown) => reason);
  if (!(error instanceof Stop)) throw new Error('it was not refused');
  expect(error.diagnostics).toHaveLength(1);
  expect(error.diagnostics[0]).toMatchObject({
    code: 'platform-answer',
    message: 'there is no project prj_9, or the API key may not see it',
    remedy: expect.stringContaining('project-1 (prj_1)') as string,
    position: { file: 'trueup.yaml', line: 3, column: 10 },
  });
});
