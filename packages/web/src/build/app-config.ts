/** These modules have no side effects, so unused exports, mostly schemas, are dropped from the bundle. */
const PURE = /\/packages\/(contract|building)\/src\//
const rolldownOptions = { treeshake: { moduleSideEffects: [{ test: PURE, sideEffects: false }] } }

/** The Vite configuration of both apps. It runs at build time only. */
export const appConfig = (root: string) => ({
  root,
  publicDir: `${root}/../web/public`,
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  worker: { format: 'es' as const, rolldownOptions },
  build: {
    target: 'esnext',
    // The Content-Security-Policy forbids data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions,
  },
})
