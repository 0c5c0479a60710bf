import { ownRows } from '../caller.ts';
import type { Group } from '../context.ts';
import { rowsOf } from '../crud.ts';
import { ApiError } from '../error-answers.ts';
import { omit, textOr } from '../json-rows.ts';
import { newestFirst } from '../newest-first.ts';
import { isOutOfReach } from '../reach.ts';

const { find, add, remove } = rowsOf('destination', 'Destination');

/** The `destination` group. */
export const destination: Group = {
  'destination.create': (context, input) => add(context, omit(input, ['serverId'])),

  'destination.one': find,

  'destination.all': (context) => newestFirst(ownRows(context, 'destination')),

  // The whole record: flags that are left out are gone.
  'destination.update'(context, input) {
    const { destinationId } = find(context, input);
    return context.store.update('destination', destinationId, { additionalFlags: [], ...omit(input, ['serverId']) });
  },

  // Backups and volume backups that go to it are deleted with it.
  'destination.remove': remove,

  // Lists the bucket with rclone: an error quotes the command line with both keys, each escaped for a shell.
  'destination.testConnection'(_context, input) {
    if (!isOutOfReach(input['endpoint'])) return undefined;
    const flags = [
      ['provider', 'provider'],
      ['access-key-id', 'accessKey'],
      ['secret-access-key', 'secretAccessKey'],
      ['region', 'region'],
      ['endpoint', 'endpoint'],
    ].flatMap(([flag, member = '']) => {
      const value = textOr(input, member);
      return value === '' ? [] : [`--s3-${flag}=${quoted(value)}`];
    });
    const command = `rclone ls ${flags.join(' ')} --s3-no-check-bucket --s3-force-path-style ${quoted(`:s3:${textOr(input, 'bucket')}`)}`;
    throw new ApiError('BAD_REQUEST', `Command execution failed: Command failed: ${command}\nconnection refused\n`);
  },
};

/** A word of a command line as the platform quotes it. */
function quoted(word: string): string {
  if (/["\s]/.test(word) && !word.includes("'")) return `'${word}'`;
  return word.replaceAll(/[#!"$&'()*,:;<=>?@[\\\]^`{|}]/g, String.raw`\$&`);
}
