import { defineConfig } from 'vitest/config';

/** The pages in Debian's Chromium. */
export default defineConfig({
  test: {
    globalSetup: [
      'test/support/temporary-folder.ts',
      'test/support/browser-pages.ts',
      'test/support/browser-controller.ts',
    ],
    include: ['test/browser/**/*.test.ts'],
    expect: { requireAssertions: true },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
