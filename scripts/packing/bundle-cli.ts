import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { packSdk } from './pack-sdk.ts'

/** Bundles the tool with its lazy chunks, the templates, and a tarball of the SDK, which no registry has. */
export async function bundleCli(folder: string): Promise<void> {
  const dist = join(folder, 'dist')
  await bundleTool(join(folder, 'src', 'main.ts'), dist)
  cpSync(join(folder, 'templates'), join(dist, 'templates'), {
    recursive: true,
    filter: (source) => !/[\\/](node_modules|dist)([\\/]|$)/.test(source.slice(folder.length)),
  })
  writeFileSync(join(dist, 'LICENSES.txt'), licences())
  await packSdk('packages/sdk', join(dist, 'sdk.tgz'))
}

/** The modules of each chunk. There are few chunks, because a few large files load faster than many small ones. */
const GROUPS = [
  {
    name: 'core',
    test: /cli[\\/]src[\\/](run|program|context|address|errors|output[\\/](?!sdk)|commands[\\/](argument-parsers|\w+[\\/](login|logout|whoami|completion|use|api|sandbox-option|trigger|listen|logs|open))\.)|commander/,
    priority: 3,
  },
  {
    name: 'sandbox',
    test: /commands[\\/]sandbox[\\/](create|list|connect|extend|reset|delete|install)\.ts/,
    priority: 2,
  },
  { name: 'session', test: /cli[\\/]src[\\/]((session|commands[\\/]session)[\\/]|credential)/, priority: 1 },
]

/** The tool has to print within 150 ms, so a command loads only the files that it uses. */
async function bundleTool(main: string, dist: string): Promise<void> {
  const build = await rolldown({
    input: { svc: main },
    platform: 'node',
    external: [/^@napi-rs\//, /^node:/],
    resolve: { conditionNames: ['source', 'node', 'import', 'default'] },
    // These modules have no side effects, so unused exports are dropped.
    treeshake: {
      moduleSideEffects: [{ test: /[\\/](packages[\\/](contract|building|sdk)|typebox)[\\/]/, sideEffects: false }],
      // These functions build schemas. Calls whose result is unused are dropped.
      manualPureFunctions: ['Type', 'ListOf', 'Nullable'],
    },
    transform: { target: 'node20' },
  })
  await build.write({
    dir: dist,
    format: 'esm',
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
    chunkFileNames: 'chunks/[name]-[hash].js',
    hoistTransitiveImports: false,
    codeSplitting: { groups: GROUPS },
  })
  await build.close()
}

const BUNDLED = [
  ...['commander', 'oauth4webapi', 'typebox'],
  ...['socket.io-client', 'socket.io-parser', 'engine.io-client', 'engine.io-parser', '@socket.io/component-emitter'],
  ...['debug', 'ms', 'ws', 'xmlhttprequest-ssl'],
]

/** The licence texts of the bundled packages, which their licences require in every copy. */
function licences(): string {
  const texts = BUNDLED.map((name) => {
    const file = readdirSync(join('node_modules', name)).find((entry) => /^licen[cs]e/i.test(entry))!
    return `${name}\n\n${readFileSync(join('node_modules', name, file), 'utf8').trim()}\n`
  })
  return [`svc\n\n${readFileSync('LICENSE', 'utf8').trim()}\n`, ...texts].join(`\n${'-'.repeat(80)}\n\n`)
}
