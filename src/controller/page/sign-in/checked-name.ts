import { refusal } from '../refusal.ts';

/** A name of a person, as pages and events have it. @throws {Refusal} 403, where it could be taken for another one */
export function checkedName(name: string): string {
  const isPlain =
    name.length <= 200 && name.trim() === name && name !== '' && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name);
  // Programs are called so.
  if (!isPlain || name.startsWith('token:')) throw refusal(403, 'The name that the sign-in gave cannot be used here.');
  return name;
}
