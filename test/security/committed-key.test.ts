import { execFileSync } from 'node:child_process';
import { copyFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { project, trueup } from '../cli/process.ts';

const manifest = 'trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments: { production: { description: x } }\n';

describe('S1: a key that somebody committed together with a state that it fits', () => {
  it.each(['key', 'key.migrating', 'key.next'])(
    'S1: .trueup/%s is refused, and works once git does not track it',
    async (name) => {
      const folder = project(manifest);
      const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
      git('init', '-q');
      expect(await trueup(['apply', '--auto-approve', '-C', folder])).toMatchObject({ code: 0 });
      const [key, file] = ['key', name].map((item) => join(folder, '.trueup', item));
      if (name === 'key.next') copyFileSync(key ?? '', file ?? '');
      else renameSync(key ?? '', file ?? '');
      git('add', '-f', `.trueup/${name}`);
      for (const words of [['plan'], ['apply', '--auto-approve'], ['state', 'list']]) {
        const { code, out, err } = await trueup([...words, '-C', folder]);
        expect([words, code, out]).toEqual([words, 7, '']);
        expect(err).toContain(`git tracks the key ${file}`);
      }
      git('rm', '-q', '--cached', `.trueup/${name}`);
      expect((await trueup(['plan', '-C', folder])).out).toContain('No changes.');
    },
  );
});
