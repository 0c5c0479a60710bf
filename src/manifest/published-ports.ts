import type { CheckedResource, Checks, Problem } from '../kind/checks.ts';
import { canonical } from '../formats/json.ts';

/** Blocks with the checks of their kinds. */
type Checked = Iterable<{ readonly checked: CheckedResource; readonly checks: Checks | undefined }>;

/** Warnings about ports that two services of one server publish: the platform takes both, and Docker starts one of them. */
export function portsTakenTwice(
  all: Checked,
  at: (address: string) => CheckedResource | undefined,
): readonly Problem[] {
  const byPlace = new Map<string, Taken[]>();
  const problems: Problem[] = [];
  for (const { checked, checks } of all) {
    for (const { field, service, isPerMachine = false, ...place } of checks?.publishes?.(checked, at) ?? []) {
      const { port, protocol, server } = place;
      const key = canonical([server, port, protocol]);
      const taken = byPlace.get(key) ?? [];
      const other = taken.find((one) => one.service !== service && !(one.isPerMachine && isPerMachine));
      taken.push({ address: checked.address, service, isPerMachine });
      byPlace.set(key, taken);
      if (other === undefined) continue;
      problems.push({
        code: 'overlap',
        address: checked.address,
        field,
        message: `port ${String(port)} (${String(protocol)}) of the same server is also published by ${other.address}`,
        remedy: 'Publish one of them on another port.',
      });
    }
  }
  return problems;
}

interface Taken {
  readonly address: string;
  readonly service: string;
  readonly isPerMachine: boolean;
}
