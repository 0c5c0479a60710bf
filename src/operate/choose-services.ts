import { closest } from '../diagnostics/closest.ts';
import { usage } from '../diagnostics/usage.ts';
import { isWithin, normalAddress } from '../kind/address.ts';
import type { Service } from './service-states.ts';

/**
 * Chooses the services at and below the addresses; without addresses all. `known` holds every address of the state.
 *
 * @throws {Stop} `usage`, when an address has no service at or below it.
 */
export function chooseServices(
  services: readonly Service[],
  addresses: readonly string[],
  known: readonly string[],
): readonly Service[] {
  if (addresses.length === 0) return services;
  const wanted = addresses.map((word) => normalAddress(word) ?? word);
  for (const address of wanted) {
    if (services.some((service) => isWithin(service.address, address))) continue;
    const guess = closest(address, known);
    const above = services.find((service) => isWithin(address, service.address));
    throw known.includes(address)
      ? usage(`${address} is no service and has none below it`, above && `It belongs to ${above.address}.`)
      : usage(
          `the state has no resource ${address}`,
          guess === undefined ? 'trueup state list shows what it has.' : `Did you mean ${guess}?`,
        );
  }
  return services.filter((service) => wanted.some((address) => isWithin(service.address, address)));
}
