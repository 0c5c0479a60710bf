import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Settings } from '../manifest/settings.ts';

/** What is wrong with the address of a platform, and where it is `named`: the API key may not travel in clear. */
export function checkAddress(platform: Settings['platform'], named = 'platform.url'): Diagnostic[] {
  if (platform === 'emulator') return [];
  const url = new URL(platform.url);
  if (url.protocol !== 'http:' || isLoopback(url.hostname)) return [];
  return [
    diagnostic('hostile-setting', `${named}: the API key is not sent to ${url.host} over plain http`, {
      remedy: 'Write https://… Plain http is for this machine only (localhost, 127.0.0.0/8, ::1).',
    }),
  ];
}

/** Whether a run that is meant for one platform was handed a manifest that names another. */
export function checkExpected(platform: Settings['platform'], expected: string | undefined): Diagnostic[] {
  if (expected === undefined || expected === '') return [];
  const named = platform === 'emulator' ? 'emulator' : platform.url;
  if (normal(named) === normal(expected)) return [];
  return [
    diagnostic(
      'hostile-setting',
      `the manifest names the platform ${shownAddress(named)}, and TRUEUP_URL another one`,
      {
        remedy: 'Correct platform: in the manifest, or TRUEUP_URL; nothing was sent.',
      },
    ),
  ];
}

function normal(address: string): string {
  return URL.canParse(address) ? new URL(address).href.replace(/\/+$/, '') : address;
}

function shownAddress(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : address;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
