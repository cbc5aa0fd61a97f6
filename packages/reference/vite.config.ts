import { appConfig } from '@storey/web/app-config'
import { defineConfig } from 'vite'
import { scalarScript } from './scalar-script.ts'

const { build, ...config } = appConfig(import.meta.dirname)

export default defineConfig({
  ...config,
  base: '/docs/',
  publicDir: false,
  plugins: [scalarScript()],
  build: {
    ...build,
    rolldownOptions: {
      ...build.rolldownOptions,
      input: `${import.meta.dirname}/src/main.ts`,
      // `kit/src/http/reference-page.ts` loads the script by this name.
      output: { entryFileNames: 'reference.js' },
    },
  },
})
