import { federation } from '@module-federation/vite'
import { defaultAllowedOrigins, type Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import manifest from './manifest.json' with { type: 'json' }

// The shell provides these packages; a second React, or a second SDK context, would not see the shell's state.
const fromShell = (requiredVersion: string) => ({ singleton: true, import: false as const, requiredVersion })
const sdk = fromShell(`^${manifest.sdkVersion}`)

const remote = federation({
  // The name by which the shell loads the module: its slug with _ instead of -.
  name: manifest.slug.replaceAll('-', '_'),
  filename: 'assets/remoteEntry.js',
  exposes: { './Shell': './src/Shell.tsx' },
  shared: {
    react: fromShell('^19.0.0'),
    'react-dom': fromShell('^19.0.0'),
    '@storey/sdk': sdk,
    '@storey/sdk/module': sdk,
  },
  manifest: false,
  dts: false,
})

// The federation plugin keeps only those exports of a shared package that it found in use, and on a busy machine it may
// stop searching too early: the build then fails with MISSING_EXPORT. So this plugin adds imports of all exports of
// react and @storey/sdk/module to Shell.tsx.
const wholeShares: Plugin = {
  name: 'whole-shares',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('/src/Shell.tsx')) return undefined
    const imports = ['react', '@storey/sdk/module'].map(
      (share, i) => `import * as share${i} from '${share}'; void share${i}`,
    )
    return { code: [code, ...imports].join('\n'), map: null }
  },
}

// The address of the sandbox's console, as `svc sandbox connect` exports it. Shells at *.localhost are always allowed.
const consoleUrl = process.env.SVC_CONSOLE_URL
const shells = [defaultAllowedOrigins, ...(consoleUrl ? [new URL(consoleUrl).origin] : [])]

export default defineConfig(({ command, isPreview }) => ({
  // A missing file is a 404, not a page.
  appType: 'mpa',
  // The shell has another origin, so files are loaded relative to the remote entry's own address.
  base: './',
  // `npm run dev` shows the module alone, without a shell. A shell loads builds only.
  plugins: command === 'build' || isPreview ? [wholeShares, remote] : [],
  build: {
    target: 'esnext',
    // The shell's content security policy blocks data: addresses.
    assetsInlineLimit: 0,
    rolldownOptions: { input: 'src/Shell.tsx' },
  },
  // The fixed address of a remote: http://localhost:6001/assets/remoteEntry.js
  preview: { port: 6001, strictPort: true, cors: { origin: shells } },
  test: { environment: 'happy-dom' },
}))
