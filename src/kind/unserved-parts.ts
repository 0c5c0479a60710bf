import type { Operation } from '../api/contract.ts';
import { someOf } from '../diagnostics/some-of.ts';
import type { Kind } from './kind.ts';
import { fieldPath } from './row-values.ts';

/** What a kind cannot do on a platform that lacks operations, as short phrases; `on` is the kind as the platform can. Never throws. */
export function lossesOf(full: Kind, on: Kind): string[] {
  const fields = (isLost: (name: string) => boolean) =>
    someOf(
      Object.keys(full.fields)
        .filter(isLost)
        .map((name) => fieldPath(full, name)),
      4,
    );
  const changeOf = (kind: Kind, name: string) => {
    const { onChange = 'write' } = kind.fields[name] ?? {};
    return typeof onChange === 'object' && 'refuse' in onChange ? 'refuse' : onChange;
  };
  const becomes = (how: 'refuse' | 'replace') => (name: string) =>
    on.fields[name] !== undefined && changeOf(on, name) === how && changeOf(full, name) !== how;
  const verbs = (['create', 'delete', 'move'] as const).filter(
    (verb) => full.operations[verb] !== undefined && on.operations[verb] === undefined,
  );
  const commands = Object.keys(full.commands ?? {}).filter((name) => {
    const left = callsOf(on, name);
    return callsOf(full, name).some((call) => !left.includes(call));
  });
  const none = commands.filter((name) => callsOf(on, name).length === 0);
  const phrase = (text: string, what: string): string[] => (what === '' ? [] : [`${text} ${what}`]);
  return [
    ...phrase(
      'cannot set',
      fields((name) => on.fields[name] === undefined),
    ),
    ...phrase('cannot change', fields(becomes('refuse'))),
    ...phrase('makes a new object for a change of', fields(becomes('replace'))),
    ...phrase('cannot', verbs.join(' or ')),
    ...phrase('no trueup run', none.join(', ')),
    ...phrase('not in every case trueup run', commands.filter((name) => !none.includes(name)).join(', ')),
    ...(full.service?.logs !== undefined && on.service?.logs === undefined ? ['no trueup logs'] : []),
    ...(full.service?.deploymentLog !== undefined && on.service?.deploymentLog === undefined
      ? ['no log of a failed deployment']
      : []),
  ];
}

function callsOf({ commands = {} }: Kind, name: string): Operation[] {
  return [commands[name] ?? []].flat().flatMap((one) => ('call' in one ? [one.call] : []));
}
