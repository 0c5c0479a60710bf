import { expect, test } from 'vitest';
import { mapTexts } from '../../src/formats/json.ts';

test('each text of a value gets another one, however deep; keys and other values stay', () => {
  const value = { main: ['a main', 1, null] };
  expect(mapTexts(value, (text) => text.replaceAll('main', '(sensitive)'))).toEqual({
    main: ['a (sensitive)', 1, null],
  });
});
