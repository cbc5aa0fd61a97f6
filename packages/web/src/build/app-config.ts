/**
 * Files that the bundler may leave out, with their side effects, if none of their exports is used. So unused exports,
 * mostly schemas, are not in the bundle, and components that only some pages use are not part of the first load.
 */
const PURE = /\/packages\/(contract|building|web)\/src\//
const rolldownOptions = { treeshake: { moduleSideEffects: [{ test: PURE, sideEffects: false }] } }

/** The Vite configuration of the web apps and of the API reference. It is used at build time only. */
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
