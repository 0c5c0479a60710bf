import { expect, test } from 'vitest';
import { withArticle } from '../../src/diagnostics/article.ts';
import { kinds } from '../../src/resources/index.ts';

test('every kind has the article that it is read with', () => {
  const an = ['ai', 'application', 'environment', 'organization', 'sshKey'];
  for (const { kind } of kinds) expect(withArticle(kind)).toBe(`${an.includes(kind) ? 'an' : 'a'} ${kind}`);
});
