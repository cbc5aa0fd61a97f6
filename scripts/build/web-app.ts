import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { build, createLogger } from 'vite'
import { type Build, stampedBuild } from './if-changed.ts'

/** What an app is built from, in addition to its own folder. */
const SHARED_SOURCES = [
  'packages/web/public',
  'packages/contract/src',
  'packages/building/src',
  'packages/sdk/src',
  'packages/web/src',
  'package-lock.json',
]
/** Smaller files are not compressed, because that would save nothing. */
const MIN_BYTES = 1024
const COMPRESSED = /\.(js|css|html|svg|json)$/

/** For a file of 4 MB, quality 10 takes 6.5 s and quality 9 only 0.6 s; the result of quality 10 is 8 % smaller. */
const qualityFor = (bytes: number): number => (bytes > 1024 * 1024 ? 9 : 10)

/** Compresses the files once, at build time, instead of for each request. */
function compress(folder: string): void {
  for (const file of filesIn(folder)) {
    const bytes = readFileSync(file)
    if (!COMPRESSED.test(file) || bytes.length < MIN_BYTES) continue
    const params = { [constants.BROTLI_PARAM_QUALITY]: qualityFor(bytes.length) }
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }))
  }
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

/** A warning of Vite about a plugin of a dependency. It does not affect the apps, so it is not shown. */
const IRRELEVANT = /did not pass the `from` option to `postcss\.parse`/

function quietLogger() {
  const logger = createLogger('warn')
  const { warn, warnOnce } = logger
  logger.warn = (text, options) => void (IRRELEVANT.test(text) || warn(text, options))
  logger.warnOnce = (text, options) => void (IRRELEVANT.test(text) || warnOnce(text, options))
  return logger
}

export function webAppBuild(app: string): Build {
  const folder = join('packages', app, 'dist')
  return stampedBuild(app, folder, [join('packages', app), ...SHARED_SOURCES], async () => {
    await build({ configFile: join('packages', app, 'vite.config.ts'), logLevel: 'warn', customLogger: quietLogger() })
    compress(folder)
  })
}
