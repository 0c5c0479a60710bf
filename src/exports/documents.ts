/**
 * The zod schemas of all JSON documents that Trueup prints and returns.
 *
 * ```ts
 * import { planDocument } from 'trueup/documents';
 *
 * const text = '{"format":"trueup/plan","version":1}';
 * process.stdout.write(`${planDocument.safeParse(JSON.parse(text)).success}\n`);
 * ```
 */

export * from '../render/document-schemas.ts';
