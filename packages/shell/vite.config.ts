import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  publicDir: join(import.meta.dirname, '../web/public'),
  plugins: [react()],
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  build: {
    target: 'esnext',
    // The policy admits no data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // What is not used of the contract stays away, its schemas above all: they do nothing by being made.
      treeshake: { moduleSideEffects: [{ test: /packages\/contract\/src\//, sideEffects: false }] },
    },
  },
})
