import { withoutSlash } from '../api/slash.ts';
import { type Diagnostic, diagnostic, stop } from '../diagnostics/diagnostic.ts';
import type { Settings } from '../manifest/settings.ts';
import { isLoopback } from '../api/loopback.ts';
import { type Choices, letManifestChoose, mayUseHttp, readPin, whyPinned } from './pins.ts';

/** What is wrong with the addresses that a manifest names: nothing secret may travel in clear. */
export function checkAddresses(
  { platform, state }: Pick<Settings, 'platform' | 'state'>,
  choices: Choices,
): Diagnostic[] {
  return [
    ...(platform.emulator ? [] : checkAddress(platform.url, { named: 'platform.url', ofStore: false }, choices)),
    ...(state?.backend === 's3'
      ? checkAddress(state.endpoint, { named: 'state.endpoint', ofStore: true }, choices)
      : []),
  ];
}

/** What is wrong with an address, and where it is `named`. */
export function checkAddress(
  address: string,
  { named, ofStore }: { readonly named: string; readonly ofStore: boolean },
  choices: Choices,
): Diagnostic[] {
  const url = new URL(address);
  if (url.protocol !== 'http:' || isLoopback(url.hostname) || mayUseHttp(choices)) return [];
  const sent = ofStore ? 'the state' : 'the API key';
  return [
    diagnostic('hostile-setting', `${named}: ${sent} is not sent to ${url.host} over plain http`, {
      remedy: 'Write https://…. In a network that only you can read, give --allow-http or set TRUEUP_ALLOW_HTTP=true.',
    }),
  ];
}

/**
 * Refuses a platform that the manifest may not choose.
 *
 * @throws {Stop} `refused`, when TRUEUP_URL names another one or is empty, or when the run is pinned and has no TRUEUP_URL.
 */
export function checkPlatform(platform: Settings['platform'], choices: Choices): void {
  const expected = readPin(choices.env, 'TRUEUP_URL');
  const named = platform.emulator ? 'emulator' : platform.url;
  if (expected === undefined) {
    const why = whyPinned(choices);
    if (why === undefined || platform.emulator || isLoopback(new URL(platform.url).hostname)) return;
    throw stop(
      'refused',
      'unpinned',
      `the manifest cannot choose the platform ${shownAddress(named)}, because ${why}`,
      {
        remedy: `Set TRUEUP_URL to the address of your platform, where a pull request cannot change it. ${letManifestChoose}`,
      },
    );
  }
  if (isSameAddress(named, expected)) return;
  throw stop(
    'refused',
    'hostile-setting',
    `the manifest names the platform ${shownAddress(named)}, and TRUEUP_URL another one`,
    { remedy: 'Correct platform: in the manifest, or TRUEUP_URL; nothing was sent.' },
  );
}

/** Whether two addresses of platforms, or `emulator`, are written differently at most. */
export function isSameAddress(one: string, other: string): boolean {
  return normal(one) === normal(other);
}

function normal(address: string): string {
  return URL.canParse(address) ? withoutSlash(new URL(address).href) : address;
}

/** An address without what may be secret in it. */
export function shownAddress(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : address;
}
