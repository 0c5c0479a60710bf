import { answerBodyOf } from '../../src/api/answers.ts';
import { consequenceOf } from '../../src/api/consequences.ts';
import { contract, endpointOf, requiredMembers, type Operation } from '../../src/api/contract.ts';
import { isOpenEnded } from '../../src/api/members.ts';
import { isSecretMember } from '../../src/api/secret-members.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { fieldPath } from '../../src/kind/wire.ts';
import { callsOf } from './kind-calls.ts';
import { pageName } from './kind-place.ts';
import { code, enumerate, page, points, table } from './markdown.ts';
import { schemaWords } from './schema-words.ts';

/** What the page about the endpoints is made from. */
export interface EndpointDocs {
  readonly kinds: readonly Kind[];
  /** By operation: the test that exercises it, as it is to be shown. */
  readonly tests: ReadonlyMap<string, string>;
}

/** The page about all endpoints: who uses each, which test exercises it, what it takes and what it answers. */
export function renderEndpointDocs({ kinds, tests }: EndpointDocs): string {
  const operations = Object.keys(contract) as Operation[]; // the keys of the contract are its operations
  const groups = [...new Set(operations.map(groupOf))];
  const used = usage(kinds);
  return page([
    '# Endpoints',
    `The ${operations.length} operations of the API in ${groups.length} groups: which part of Trueup uses each, and the test ` +
      'that exercises it over HTTP. Then, for each field of each [kind](kinds/README.md), the operations that carry it; then ' +
      'what each operation takes and answers. `trueup call OPERATION name=value` calls any of them.',
    '## Who uses which endpoint',
    table(
      ['endpoint', 'used by', 'test'],
      operations.map((operation) => [
        `[${code(operation)}](#${groupOf(operation).toLowerCase()})`,
        usedBy(operation, used),
        tests.get(operation) ?? '',
      ]),
    ),
    '## Which endpoint moves which field',
    table(['kind', 'field', 'sent when it is created', 'sent when it changes'], fieldRows(kinds)),
    '## What each endpoint takes and answers',
    'A member with a star is required. All bodies are JSON objects; a GET takes its members as a query.',
    ...groups.flatMap((group) => [
      `### ${group}`,
      points(operations.filter((operation) => groupOf(operation) === group).map(reference)),
    ]),
  ]);
}

/** Reads of the engine itself that belong to no kind, and what for. */
const engineReads: Partial<Record<Operation, string>> = {
  'user.get': 'whose API key it is',
  'user.getBackups': 'the limit of the API key, after five requests',
};

type Usage = ReadonlyMap<Operation, readonly string[]>;

function usage(kinds: readonly Kind[]): Usage {
  const used = new Map<Operation, string[]>();
  for (const kind of kinds) {
    const byOperation = new Map<Operation, string[]>();
    for (const { operation, does, fields } of callsOf(kind, kinds)) {
      const moved = [...new Set(fields.map((name) => code(fieldPath(kind, name))))].join(', ');
      byOperation.set(operation, [...(byOperation.get(operation) ?? []), moved === '' ? does : `${does} ${moved}`]);
    }
    for (const [operation, uses] of byOperation) {
      used.set(operation, [
        ...(used.get(operation) ?? []),
        `[${kind.kind}](kinds/${pageName(kind)}): ${uses.join('; ')}`,
      ]);
    }
  }
  return used;
}

function usedBy(operation: Operation, used: Usage): string {
  const parts = [
    ...(engineReads[operation] === undefined ? [] : [`\`trueup plan\`: ${engineReads[operation]}`]),
    ...(used.get(operation) ?? []),
  ];
  return parts.length === 0 ? '`trueup call`' : parts.join('<br>');
}

function fieldRows(kinds: readonly Kind[]): string[][] {
  return kinds.flatMap((kind) => {
    const calls = callsOf(kind, kinds);
    const carriers = (does: string, name: string) =>
      calls.flatMap((call) => (call.does === does && call.fields.includes(name) ? [code(call.operation)] : []));
    return Object.keys(kind.fields).map((name) => {
      const creates = carriers('create', name);
      const updates = carriers('update', name);
      const made = kind.operations.create === undefined ? 'never created' : `after it: ${enumerate(updates, 'or')}`;
      return [
        `[${kind.kind}](kinds/${pageName(kind)})`,
        code(fieldPath(kind, name)),
        creates.length > 0 ? enumerate(creates) : made,
        updates.length > 0 ? enumerate(updates, 'or') : unchanged(kind, name),
      ];
    });
  });
}

function unchanged(kind: Kind, name: string): string {
  return kind.fields[name]?.onChange === 'replace' ? 'a new object' : 'refused';
}

function reference(operation: Operation): string {
  const { method, input } = endpointOf(operation);
  const required = requiredMembers(operation);
  const members = Object.entries(input.shape).map(([name, schema]) => {
    const star = required.includes(name) ? '\\*' : '';
    const secret = isSecretMember(name) ? ', secret' : '';
    // Members of a raw shape are schemas of the core; all of this contract are classic ones.
    return `${code(name)}${star} ${schemaWords(schema as Parameters<typeof schemaWords>[0])}${secret}`;
  });
  if (isOpenEnded(operation)) members.push('others that the API document does not show');
  const ends = consequenceOf(operation, {});
  return [
    `**${method} ${code(operation)}** takes ${members.length === 0 ? 'nothing' : members.join(' · ')}.`,
    `Answers ${answer(operation)}.`,
    ...(ends === undefined ? [] : [`Not undone by any other call: ${ends}.`]),
  ].join(' ');
}

function answer(operation: Operation): string {
  const body = answerBodyOf(operation);
  return /^[aeiou]/.test(body) ? `an ${body}` : /^(null|nothing|false)/.test(body) ? body : `a ${body}`;
}

function groupOf(operation: Operation): string {
  return operation.split('.')[0] ?? '';
}
