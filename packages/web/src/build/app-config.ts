/** Their modules do nothing by being loaded, so that what is not used of them stays out: the schemas, above all. */
const PURE = /\/packages\/(contract|building)\/src\//
const rolldownOptions = { treeshake: { moduleSideEffects: [{ test: PURE, sideEffects: false }] } }

/** How Vite builds an app: for both, in its `vite.config.ts`. Nothing of it is in a page. */
export const appConfig = (root: string) => ({
  root,
  publicDir: `${root}/../web/public`,
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  worker: { format: 'es' as const, rolldownOptions },
  build: {
    target: 'esnext',
    // The policy admits no data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions,
  },
})
