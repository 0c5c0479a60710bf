import { usage } from '../diagnostics/usage.ts';
import { isWithin, normalAddress } from '../kind/address.ts';
import { notInState } from './addressed.ts';
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
    const above = services.find((service) => isWithin(address, service.address));
    if (known.includes(address))
      throw usage(`${address} is no service and has none below it`, above && `It belongs to ${above.address}.`);
    const { message, remedy } = notInState(address, known);
    throw usage(message, remedy);
  }
  return services.filter((service) => wanted.some((address) => isWithin(service.address, address)));
}
