import { expect, test } from 'vitest';
import { openTerminal } from '../../src/cli/terminal.ts';
import { processOfTest } from '../support/process.ts';

test('a terminal that is dumb gets no colours, and is not cleared', () => {
  const process = processOfTest({ cwd: '/', env: { TERM: 'dumb' } });
  Object.assign(process.stdout, { isTTY: true });
  const terminal = openTerminal(process, true);
  terminal.clear();
  terminal.out(terminal.outStyle.paint('strong', 'text'));
  expect(process.printed.out).toBe('text');
});
