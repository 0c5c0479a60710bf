import { decodeUtf8 } from '../../formats/utf8.ts';
import { changeSealed, writeValues } from '../../project/sealed-secrets.ts';
import { nameForm } from '../../secrets/sources/names.ts';
import { type Run, defineCommand } from '../command.ts';
import { usage } from '../settle-options.ts';
import { openPrompt } from '../prompt.ts';
import { entriesOf, writingFormats, writtenEntries } from './secret-list.ts';

/** Seals one value, from standard input or a question, into the sealed file of the manifest. Needs no identity. */
export const command = defineCommand({
  arguments: { '<name>': 'name of the secret: letters, digits and "_"' },
  notes:
    'Reads the value from standard input, without the line end behind it, or asks for it on a terminal. It never stands on a command line: other programs see that.',
  examples: [
    'trueup secret set DB_PASSWORD -f staging.yaml',
    'openssl rand -hex 32 | trueup secret set SESSION_KEY -f staging.yaml',
    'trueup secret set TLS_KEY -f production.yaml < server.key',
  ],
  formats: writingFormats('set'),
  execute: async (run, view, { args: [name = ''] }) => {
    const { options } = run;
    // What is refused may be the value: no message holds it.
    if (!nameForm.test(name))
      throw usage(
        'the name of a secret must have letters, digits and "_" only',
        'Give the name; the value comes from standard input.',
      );
    let value: string | undefined;
    await changeSealed(options, async (project) => {
      value ??= await readValue(run, name);
      options.redactor.add(value);
      const written = await writeValues(options, project, new Map([[name, value]]));
      const [entry] = entriesOf(project, [name]);
      const next = entry?.uses.length === 0 ? [`Write \${secret:${name}} in the manifest to use it.`] : [];
      view.report({ ...writtenEntries(project, written), next });
    });
    return 'done';
  },
});

/** Most bytes of a value. */
const maxBytes = 100_000;

async function readValue({ process, cannotAsk }: Run, name: string): Promise<string> {
  const value = process.stdin.isTTY === true ? await askValue({ process, cannotAsk }, name) : await readInput(process);
  if (value === '')
    throw usage('the value is empty', 'Write it to standard input, or run the command on a terminal: it asks.');
  if (value.includes('\0')) throw usage('the value contains the character NUL, which no value can have');
  return value;
}

async function askValue({ process, cannotAsk }: Pick<Run, 'process' | 'cannotAsk'>, name: string): Promise<string> {
  if (cannotAsk !== undefined) throw usage(`cannot ask for the value: ${cannotAsk}`, 'Write it to standard input.');
  const prompt = openPrompt(process);
  try {
    return (await prompt.ask(`Value of ${name} (does not show): `, { isHidden: true })) ?? '';
  } finally {
    prompt.close();
  }
}

async function readInput({ stdin }: Run['process']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer | string>) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes > maxBytes) throw usage(`the value has more than ${maxBytes} bytes`, 'Keep large files elsewhere.');
  }
  const decoded = decodeUtf8(Buffer.concat(chunks));
  if ('problem' in decoded) throw usage(`the value ${decoded.problem}`, 'Encode it, such as with base64.');
  return decoded.text.replace(/\r?\n$/, '');
}
