import { type Diagnostic, hasErrors, Stop } from '../diagnostics/diagnostic.ts';
import { inOrder } from '../graph/order.ts';
import { type Manifest, type ManifestInput, readManifest } from '../manifest/manifest.ts';
import { withQuotes } from '../manifest/quote.ts';
import { inSpan } from '../trace/span.ts';

/** A manifest that may be planned, and what is to be said about it. */
export interface Validated {
  readonly manifest: Manifest;
  readonly warnings: readonly Diagnostic[];
}

/** files -> manifest: reads and checks everything that can be checked without a request. */
export async function validate(input: ManifestInput): Promise<Validated> {
  const { manifest, diagnostics } = await inSpan('manifest', () => readManifest(input));
  const circles = manifest === undefined ? [] : inOrder(manifest.resources).diagnostics;
  const all = [...diagnostics, ...withQuotes(circles, manifest?.texts ?? new Map(), input.kinds)];
  if (manifest === undefined || hasErrors(all)) throw new Stop('manifest', all);
  return { manifest, warnings: all };
}
