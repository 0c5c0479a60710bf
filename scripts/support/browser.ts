import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';

/** What keeps it from the network. */
const flags =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking ' +
  '--disable-component-update --disable-sync --hide-scrollbars';

/** Starts Debian's Chromium, which reaches for nothing of its own accord. @throws when it is not installed */
export function openBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) throw new Error(`${executablePath} is missing: apt-get install chromium`);
  return chromium.launch({
    executablePath,
    args: flags.split(' '),
  });
}
