import { defineConfig } from 'vitest/config'
import { SlowFirst } from './scripts/slow-first.ts'

/** On a loaded machine of continuous integration, a test that fails is run once more, and the report names it. */
const retry = process.env.CI === 'true' ? 1 : 0

export default defineConfig({
  // Packages that are published as bundles are read as their sources here.
  ssr: { resolve: { conditions: ['source', 'module', 'node', 'development|production'] } },
  test: {
    sequence: { sequencer: SlowFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
          globalSetup: ['packages/kit/src/testing/global-setup.ts'],
          setupFiles: ['packages/kit/src/testing/setup.ts'],
          // Test files share imported modules: importing them again for each file took 40 % of the time.
          isolate: false,
          // Tests mostly wait for databases, processes and timers, so there are more workers than cores.
          maxWorkers: 8,
          expect: { poll: { timeout: 30_000 } },
          retry,
          testTimeout: 90_000,
          hookTimeout: 90_000,
        },
      },
      {
        test: {
          name: 'acceptance',
          include: ['acceptance/**/*.test.ts'],
          globalSetup: ['acceptance/system/global-setup.ts'],
          setupFiles: ['packages/kit/src/testing/setup.ts'],
          // Looking more often would use up the rate limits of the sandboxes that the tests look at.
          expect: { poll: { timeout: 30_000, interval: 200 } },
          retry,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Shared modules, as above. Hooks are therefore registered by a call, not by an import.
          isolate: false,
          // They compute more than the unit tests, so they have fewer workers.
          maxWorkers: 6,
        },
      },
    ],
  },
})
