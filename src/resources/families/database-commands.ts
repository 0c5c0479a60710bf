import { hasMark } from '../../formats/secret-mark.ts';
import type { CheckedResource, Problem } from '../../kind/checks.ts';
import { ignoredField } from './ignored-fields.ts';

/** Finds what a command or arguments of its own do to a database. Source: buildRedis, buildMongo and buildLibsql of v0.30.2. */
export function commandWorks(self: CheckedResource): readonly Problem[] {
  const { unknown = [] } = self;
  if (['command', 'args', 'replicaSets', 'enableNamespaces'].some((name) => unknown.includes(name))) return [];
  const found = emptyCommand(self) ?? startsOpen(self);
  return found === undefined ? [] : [found];
}

/** A shell gets an empty command in place of the one of the platform, which only null leaves as it is. */
function emptyCommand({ address, values }: CheckedResource): Problem | undefined {
  const { command, replicaSets, enableNamespaces } = values;
  if (command !== '' || (replicaSets !== true && enableNamespaces !== true)) return undefined;
  const setting = replicaSets === true ? 'replicaSets' : 'enableNamespaces';
  const message = `with ${setting} the platform runs an empty command in place of its own, and the container ends`;
  return { code: 'refused-setting', address, fails: true, field: 'command', message, remedy: 'Write command: null.' };
}

/**
 * The password of a Redis stands in the command of the platform. The one of a MongoDB comes from the entry point of its image,
 * which makes the user and turns access control on: source docker-entrypoint.sh of mongo:8.
 */
function startsOpen(self: CheckedResource): Problem | undefined {
  const { kind, values } = self;
  const { command = null, args, replicaSets } = values;
  const text = [command ?? '', ...(Array.isArray(args) ? args : [])].join(' ').trim();
  // A variable of a shell or a secret may give the password.
  if (text === '' || text.includes('$') || hasMark(text)) return undefined;
  const isCommand = typeof command === 'string' && command !== '';
  if (kind === 'redis' && isOpenRedis(text))
    return ignoredField(self, isCommand ? 'command' : 'args', {
      message: 'it starts without databasePassword, which the platform gives only to a Redis without command and args',
      remedy: 'Add --requirepass and the password to args, or write command: null and args: null.',
    });
  if (kind === 'mongo' && replicaSets !== true && isCommand && isOpenMongo(text))
    return ignoredField(self, 'command', {
      message: 'it starts without databaseUser and databasePassword, which the entry point of the image gives it',
      remedy: 'Write docker-entrypoint.sh before mongod, or write its options under args in place of command.',
    });
  return undefined;
}

/** The entry point of the image writes `redis-server` before arguments that begin with a hyphen. */
function isOpenRedis(text: string): boolean {
  const isServer = text.startsWith('-') || /(?:^|[\s/])(?:redis|valkey|keydb)-server(?:\s|$)/.test(text);
  return isServer && !/requirepass|aclfile|--user\b|--include\b|\.conf\b/.test(text);
}

function isOpenMongo(text: string): boolean {
  return /^(?:\S*\/)?mongod(?:\s|$)/.test(text) && !/--(?:auth|keyFile|config)\b|\s-f\b/.test(text);
}
