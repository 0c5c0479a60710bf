import type { Group } from '../context.ts';
import { maskedProviders } from '../masked-providers.ts';

/** The `dnsProvider` group, without its zones: those are at the provider, which is never asked. */
export const dnsProvider: Group = maskedProviders({
  table: 'dnsProvider',
  thing: 'DNS provider',
  credentials: { cloudflare: 'apiToken', route53: 'secretAccessKey' },
  also: [],
  check: () => {},
});
