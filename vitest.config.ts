import { defineConfig } from 'vitest/config'
import { SlowFirst } from './scripts/slow-first.ts'

/**
 * Tests mostly wait for databases, processes and timers, so there are more workers than cores. The number is the same for
 * both projects, so that Vitest starts acceptance tests while the last unit tests still run.
 */
const maxWorkers = 7

/** A worker starts with a larger heap, because collecting garbage while the heap grows took a tenth of the time. */
const execArgv = ['--min-semi-space-size=16', '--max-semi-space-size=32', '--initial-old-space-size=256']

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
          maxWorkers,
          execArgv,
          expect: { poll: { timeout: 30_000 } },
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
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Test files share imported modules here too. A helper module runs only once per worker, so it registers
          // hooks such as `afterAll` in a function that each test file calls.
          isolate: false,
          maxWorkers,
          execArgv,
        },
      },
    ],
  },
})
