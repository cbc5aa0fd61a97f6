import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Their modules do nothing by being loaded, so that what is not used of them stays out: the schemas, above all. */
const PURE = /\/packages\/(contract|building)\/src\//
const treeshake = { moduleSideEffects: [{ test: PURE, sideEffects: false }] }

export default defineConfig({
  root: import.meta.dirname,
  publicDir: join(import.meta.dirname, '../web/public'),
  plugins: [react()],
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  worker: { format: 'es', rolldownOptions: { treeshake } },
  build: {
    target: 'esnext',
    // The policy admits no data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { treeshake },
  },
})
