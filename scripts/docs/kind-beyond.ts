import type { Operation } from '../../src/api/contract.ts';
import { contracts, isOperation } from '../../src/api/contract.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { kindsOn, kindsThere } from '../../src/kind/kinds-on.ts';
import { carrierOf, fieldPath } from '../../src/kind/row-values.ts';
import { callsOf } from './kind-calls.ts';
import { code, enumerate } from './markdown.ts';

/** What a kind needs operations beyond the API document for, as sentences; none when it needs none. */
export function beyondDocument(kind: Kind, kinds: readonly Kind[]): string[] {
  const documented = kindsThere(kinds, contracts.standard).find((one) => one.kind === kind.kind);
  const calls = callsOf(kind, kinds).filter(({ operation }) => !isOperation(operation));
  if (documented === undefined) {
    const all = [...new Set(calls.map(({ operation }) => operation))];
    const isThereWithout = (operation: Operation) =>
      kindsOn(kinds, (other) => other !== operation).some((one) => one.kind === kind.kind);
    const others = all.filter(isThereWithout);
    const needed = all.filter((operation) => !others.includes(operation));
    return [
      `The API document has no such object. A platform has it when it serves ${enumerate(needed.map(code), 'and')}. Elsewhere a block is an error of the plan.`,
      `${enumerate(others.map(code), 'and')}: a plan says so when it needs one of these and the platform lacks it.`,
    ];
  }
  const byOperation = new Map<Operation, { only: string[]; changes: string[]; replaced: string[] }>();
  for (const name of Object.keys(kind.fields)) {
    const carrier = carrierOf(kind, name);
    const field = documented.fields[name];
    const isWritten = (kind.fields[name]?.onChange ?? 'write') === 'write';
    if (carrier === undefined || isOperation(carrier) || (field !== undefined && !isWritten)) continue;
    const about = byOperation.get(carrier) ?? { only: [], changes: [], replaced: [] };
    const { only, changes, replaced } = about;
    const list = field === undefined ? only : field.onChange === 'replace' ? replaced : changes;
    list.push(code(fieldPath(kind, name)));
    byOperation.set(carrier, about);
  }
  const others = new Map<Operation, Set<string>>();
  for (const { does, operation } of calls) {
    if (does !== 'update') others.set(operation, (others.get(operation) ?? new Set()).add(does));
  }
  return [
    ...[...byOperation].flatMap(([operation, { only, changes, replaced }]) => [
      ...(only.length === 0
        ? []
        : [`${code(operation)}: ${only.join(', ')}. Elsewhere such a line is an error of the plan.`]),
      ...(changes.length === 0
        ? []
        : [`${code(operation)}: a change of ${changes.join(', ')}. Elsewhere Trueup refuses it.`]),
      ...(replaced.length === 0
        ? []
        : [
            `${code(operation)}: a change of ${replaced.join(', ')} in place. Elsewhere a new object replaces the old one.`,
          ]),
    ]),
    ...[...others].map(([operation, uses]) => `${code(operation)}: ${[...uses].join(', ')}.`),
  ];
}
