import { defineConfig } from 'vitest/config';

/** The pages in Debian's Chromium: reports, and those of the controller. */
const project = (name: string, setup: string) => ({
  extends: true as const,
  test: {
    name,
    globalSetup: ['test/support/temporary-folder.ts', setup],
    include: [`test/browser/${name}.test.ts`],
  },
});

export default defineConfig({
  test: {
    projects: [
      project('page', 'test/support/browser-pages.ts'),
      project('controller', 'test/support/browser-controller.ts'),
    ],
    expect: { requireAssertions: true },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
