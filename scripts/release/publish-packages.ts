import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runChangesets } from './run.ts'

interface Plan {
  version: 1
  /** Groups of releases, in the order in which they are published. */
  plan: object[][]
}

/**
 * Publishes the packages whose version the registry does not have. Each is packed to a file, and the file is published,
 * so that the registry gets the manifest that is in the tarball. From a folder, `npm publish` sends the package.json that
 * it reads after `postpack`: it has no `repository`, without which a registry refuses the provenance.
 */
export function publishPackages(): void {
  const work = mkdtempSync(join(tmpdir(), 'storey-release-'))
  // Also removed if a command fails, after which the process exits.
  process.once('exit', () => rmSync(work, { recursive: true, force: true }))
  const file = join(work, 'publish-plan.json')
  runChangesets('publish-plan', `--output=${file}`)
  const { version, plan } = JSON.parse(readFileSync(file, 'utf8')) as Plan
  // `changeset pack` packs the packages of a plan at the same time. These are packed one after another: the tool
  // contains the SDK, whose package.json and `dist` are replaced while it is packed.
  const folders = plan.flat().map((release) => {
    const folder = mkdtempSync(join(work, 'package-'))
    writeFileSync(file, JSON.stringify({ version, plan: [[release]] } satisfies Plan))
    runChangesets('pack', `--from-publish-plan=${file}`, `--out-dir=${folder}`)
    return folder
  })
  for (const folder of folders) runChangesets('publish', `--from-pack-dir=${folder}`, '--no-git-tag')
}
