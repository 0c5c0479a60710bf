import { expect, test } from 'vitest';
import { executeCommands } from '../../src/operate/execute.ts';
import { prepareCommands } from '../../src/operate/prepare.ts';
import { kinds } from '../../src/resources/index.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';
import { redacted } from '../../src/secrets/secret.ts';
import { answering, failed, idOf, worldOver } from '../support/faults.ts';
import { kindNamed } from '../support/plan-values.ts';
import { bench, head } from '../support/world.ts';

/** Commands at the platform, and what is shown of its answers. */

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const behindBackslash = (text: string, signs: RegExp) => text.replaceAll(signs, String.raw`\$&`);
const html = (text: string) => text.replaceAll(/[&<>"]/g, (sign) => entities[sign] ?? '');
/** How a platform may quote a word of a command line that failed. */
const forms: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'in JSON': (text) => JSON.stringify(text),
  'with backslashes': (text) => behindBackslash(text, /[#!"$&'()*,:;<=>?@[\\\]^\x60{|}]/g),
  'in single quotes': (text) => `'${text}'`,
  'in double quotes': (text) => `"${behindBackslash(text, /["\\$\x60!]/g)}"`,
  'in a URL': encodeURIComponent,
  'in a form': (text) => new URLSearchParams({ x: text }).toString(),
  'in HTML': html,
};
/** Keys of a store with each sign that some language escapes. */
const keys = [String.raw`canary\=b4`, 'canary"b4c', "canary'b4c", 'canary&b4c', 'canary\nb4canary', 'canary $b4`x`'];

test('an error that quotes the keys of a bucket shows none of them, whichever way it escapes them', async () => {
  const made = bench();
  const text = `${head}destinations: { offsite: { endpoint: "https://s3.example.com", bucket: b, accessKey: "\${secret:ID}", secretAccessKey: "\${secret:KEY}" } }\n`;
  for (const key of keys) {
    Object.assign(made.secrets, { ID: `AKIA${key}`, KEY: key });
    await made.apply(text, { adoption: true });
    const object = {
      address: 'destinations.offsite',
      kind: kindNamed('destination'),
      id: idOf(made, 'destinations.offsite'),
    };
    for (const [form, quote] of Object.entries(forms)) {
      const message = `Command failed: rclone ls --s3-access-key-id=${quote(`AKIA${key}`)} --s3-secret-access-key=${quote(key)} --s3-region=eu: ${quote(key)} was refused, said ${quote(`AKIA${key}`)}\n`;
      const redactor = createRedactor();
      const send = answering(made, (operation) =>
        operation.startsWith('destination.test') ? failed(message, 400, { code: 'BAD_REQUEST' }) : undefined,
      );
      const { client } = worldOver({ ...made, redact: redactor.redact }, send);
      const about = {
        name: 'test',
        objects: [{ ...object, record: undefined, foundBy: 'id' as const }],
        dataLoss: false,
        kinds,
        project: 'prj_1',
      };
      const commands = await prepareCommands(client, redactor.add, about);
      const [result] = await executeCommands(commands, {
        client,
        signal: new AbortController().signal,
        readAt: made.clock.monotonic(),
        clock: made.clock,
        foreignNow: () => Promise.resolve([]),
        onStart: () => undefined,
        onEnd: () => undefined,
      });
      expect(result?.result).toBe('failed');
      const shown = JSON.stringify(result?.diagnostics);
      expect(shown, form).toContain(redacted);
      expect(shown, form).toContain('--s3-region=eu');
      expect(shown, form).not.toMatch(/canary|b4/);
    }
  }
});
