import { contract, contracts, type Operation } from '../../src/api/contract.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { fieldPath } from '../../src/kind/row-values.ts';
import { callsOf } from './kind-calls.ts';
import { pageName } from './kind-place.ts';
import { code, enumerate, inDocument, page, table } from './markdown.ts';

/** What the page about the endpoints is made from. */
export interface EndpointDocs {
  readonly kinds: readonly Kind[];
  /** By operation that a test sends over HTTP: how many recorded answers of the platform are replayed beside it. */
  readonly recorded: ReadonlyMap<string, number>;
}

/** The page about all endpoints: who uses each, how it is tested, and which of them moves which field. */
export function renderEndpointDocs({ kinds, recorded }: EndpointDocs): string {
  const operations = Object.keys(contract) as Operation[]; // the keys of the contract are its operations
  const groups = new Set(operations.map((operation) => operation.split('.')[0]));
  const used = usage(kinds);
  return page([
    '# Endpoints',
    `The API document has ${operations.length} operations in ${groups.size} groups. This page says which part of Trueup uses each, and which ` +
      'operations carry each field of each [kind](kinds/README.md).',
    '`trueup schema --openapi` prints what each operation takes and answers. `trueup call --list OPERATION` prints what one takes. ' +
      '`trueup call OPERATION name=value` calls any of them.',
    'A [test](../test/scenarios/endpoints.test.ts) sends each operation over HTTP. For many, ' +
      '[another one](../test/scenarios/recorded-samples.test.ts) replays answers that were recorded on a real platform: the last ' +
      'column has their number.',
    '## Who uses which endpoint',
    table(
      ['endpoint', 'used by', 'recorded'],
      operations.map((operation) => [
        code(operation) + inDocument(documented(operation)),
        usedBy(operation, used),
        recorded.get(operation)?.toString() ?? '',
      ]),
    ),
    '## Which endpoint moves which field',
    table(['kind', 'field', 'sent when it is created', 'sent when it changes'], fieldRows(kinds)),
  ]);
}

/** The name of an operation in the API document, where that is another one. */
function documented(operation: Operation): string | undefined {
  const name = contracts.standard.names?.operation(operation) ?? operation;
  return name === operation ? undefined : code(name);
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
