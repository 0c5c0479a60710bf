import { type Position, positionText } from './diagnostic.ts';

interface About {
  readonly code: string;
  readonly message: string;
  readonly details?: readonly string[] | undefined;
  readonly remedy?: string | undefined;
  readonly address?: string | undefined;
  readonly position?: Position | undefined;
}

/** Of the errors about the same missing secrets the first, with the places of the others. */
export function onePerSecret<T extends About>(errors: readonly T[]): readonly T[] {
  const others = new Map<string, string[]>();
  const left = errors.filter((one) => {
    if (one.code !== 'secret-missing') return true;
    const remedy = one.remedy ?? '';
    const places = others.get(remedy);
    places?.push(placeOf(one));
    if (places === undefined) others.set(remedy, []);
    return places === undefined;
  });
  return left.map((one) => {
    const places = one.code === 'secret-missing' ? (others.get(one.remedy ?? '') ?? []) : [];
    return places.length === 0 ? one : { ...one, details: [...(one.details ?? []), ...places] };
  });
}

function placeOf({ address, message, position }: About): string {
  const at = position === undefined ? '' : ` (${positionText(position)})`;
  return `also ${address} ${message.split(': ', 1).join('')}${at}`;
}
