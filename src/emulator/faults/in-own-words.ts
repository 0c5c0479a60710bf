import type { Names } from '../../api/translate.ts';
import { servedOperations } from '../served.ts';
import { patterns } from './matching.ts';
import type { FaultPlan } from './fault-plan.ts';

/** A plan of faults that was written in the words of a profile, in those of Dokploy. Never throws. */
export function planInOwnWords(plan: FaultPlan, names: Names): FaultPlan {
  const operations = new Map([...patterns, ...servedOperations].map((name) => [names.operation(name), name]));
  const member = (name: string): string => Object.keys(names.data({ [name]: null }) as object)[0] ?? name; // an object
  const words = (value: unknown, key = ''): unknown => {
    if (Array.isArray(value)) return value.map((item) => words(item, key));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, words(inner, name)] as const));
    if (typeof value !== 'string') return value;
    if (key === 'on' || key === 'do') return operations.get(value) ?? value;
    return /^\$[^$]/.test(value) ? `$${member(value.slice(1))}` : value; // what the request says of a member
  };
  return names.data(words(plan)) as FaultPlan; // with other words, in the same form
}
