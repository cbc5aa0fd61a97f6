import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const BACKUPS = join('node_modules', '.cache', 'packing')
const backupOf = (folder: string) => join(BACKUPS, `${basename(folder)}.package.json`)

/** The package.json that is packed. It has nothing that refers to the sources of the package or to building it. */
export function packed(manifest: Record<string, unknown>): Record<string, unknown> {
  const { imports: _imports, scripts: _scripts, devDependencies: _devDependencies, ...kept } = manifest
  return withoutSources(kept) as Record<string, unknown>
}

function withoutSources(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).filter(([key]) => key !== 'source')
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutSources(inner)]))
}

export function writePackedManifest(folder: string): void {
  const file = join(folder, 'package.json')
  mkdirSync(BACKUPS, { recursive: true })
  copyFileSync(file, backupOf(folder))
  const manifest = { ...packed(JSON.parse(readFileSync(file, 'utf8'))), ...repository(folder) }
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
}

/**
 * A registry accepts provenance only if the manifest that it gets names the repository. GitHub sets the variables in a
 * workflow. `scripts/release/publish-packages.ts` makes npm send this manifest.
 */
function repository(directory: string): { repository?: Record<string, string> } {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env
  if (GITHUB_REPOSITORY === undefined) return {}
  return { repository: { type: 'git', url: `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git`, directory } }
}

/** Puts back the repository's package.json, even if an earlier packing was interrupted. */
export function restoreManifest(folder: string): void {
  if (existsSync(backupOf(folder))) renameSync(backupOf(folder), join(folder, 'package.json'))
}
