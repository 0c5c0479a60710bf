import { expect, test } from 'vitest';
import { otherRemedies } from './other-remedies.ts';
import { remedies } from './remedies.ts';
import { textsInSrc } from './texts-in-src.ts';

/** Every remedy that names a flag, an id, the state or a protection is one of those that the tests carry out. */

const names =
  /Allow it with|over with|apply needs|--allow|state (?:rm|mv|rebuild|accept-older|unlock)|trueup import|--replace|protect: false|\bid:|--adopt|moved:|--full|--include-accepted|trueup destroy/;

/** Those without a row, each with the test that does what they say. */
const elsewhere: Readonly<Record<string, string>> = {
  'Write protect: false in the block and apply that first, if the data may go.': 'test/operate/object-command.test.ts',
  'Allow it with _, if the data may go.': 'test/operate/object-command.test.ts',
  'Apply first. If you did, this run uses another state: check state: in the manifest, and TRUEUP_STATE_URL. If the state is lost: trueup state rebuild.':
    'test/scenarios/no-state.test.ts',
  'Wait until that run ends. If it does not exist any more: trueup state unlock.': 'the row of the code locked',
  'Write https://…. In a network that only you can read, give --allow-http or set TRUEUP_ALLOW_HTTP=true.':
    'test/security/pins.test.ts',
  'Nothing was sent. Restore the newest state. Without a copy make a new one: trueup state rebuild adopts what the manifest declares and the platform has.':
    'test/scenarios/state-commands.test.ts',
  'Nothing was overwritten. Restore the state from a copy. Without one move state.json and the journal beside it away, in a database delete its rows, and make a new one: trueup state rebuild.':
    'the row of the code state-key',
  'Restore a copy of it. If no copy is left, move it away with state.json and the journal beside it, in a database delete its rows, and make a new one: trueup state rebuild.':
    'test/cli/commands/state-key.test.ts',
  'Run trueup destroy -f _ and remove that file first.': 'test/scenarios/named-elsewhere.test.ts',
};

test('every dangerous remedy is carried out', () => {
  const rows = [...Object.values(remedies), ...Object.values(otherRemedies).map(({ row }) => row)];
  const done = rows.map((row) => Object.keys(row).join(' '));
  const isDone = (parts: readonly string[]) => {
    const written = new RegExp(
      parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('[^]*'),
    );
    return done.some((text) => written.test(text));
  };
  const found = textsInSrc(names).filter(({ parts }) => /^[A-Z].* .*/.test(parts.join('_')));
  const open = found.filter(({ parts }) => !isDone(parts)).map(({ parts }) => parts.join('_'));
  expect(open.toSorted()).toEqual(Object.keys(elsewhere).toSorted());
});
