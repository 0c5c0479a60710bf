import type { FastifyRequest } from 'fastify';
import { refusal } from './refusal.ts';

/** A header that may be there once. @throws {Refusal} 400, where it is there twice: who reads the first and who the last disagree */
export function headerOnce({ raw: { rawHeaders } }: FastifyRequest, name: string): string | undefined {
  const [value, ...others] = rawHeaders.filter(
    (_text, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name.toLowerCase(),
  );
  if (others.length > 0) throw refusal(400, `The header ${name} is there more than once.`);
  return value === '' ? undefined : value;
}
