import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.ts'
import { declarations } from './declarations.ts'

const ENTRIES = { index: 'src/index.ts', module: 'src/module/index.ts' }
const EXTERNAL = [/^react($|\/)/, /^socket\.io-client$/, /^node:/]

/** Writes one build for Node, which also resolves `*.localhost`, and one for all other platforms. */
export async function bundleSdk(folder: string): Promise<void> {
  const inputs = (suffix: string) =>
    Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name + suffix, join(folder, file)]))
  const shared = { folder: join(folder, 'dist'), external: EXTERNAL }
  await bundle({ ...shared, inputs: inputs(''), platform: 'node', chunks: 'node-[hash].js' })
  await bundle({ ...shared, inputs: inputs('.browser'), platform: 'browser', chunks: 'browser-[hash].js' })
  declarations(folder, Object.values(ENTRIES))
  copyFileSync('LICENSE', join(folder, 'dist', 'LICENSE'))
}
