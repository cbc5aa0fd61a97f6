// The lock file of the module template. `svc module create` writes it into a project, so that npm need not ask the
// registry for versions, and finds most packages in its cache: this repository's lock file has the same versions.
import { readFileSync } from 'node:fs'
import { packed } from '../packing/packed-manifest.ts'
import { EVERY, type Packages, violationsOf } from './packages.ts'
import { permits } from './permits.ts'

export const TEMPLATE = 'packages/cli/templates/module'
export const MODULE_LOCK = `${TEMPLATE}/lock.json`
export const SDK = 'node_modules/@storey/sdk'
const UPDATE = 'node scripts/run.mjs scripts/lock.ts --write updates it'

export interface Lock {
  packages: Packages
}
export interface Sources {
  manifest: Record<string, unknown>
  sdk: Record<string, unknown>
  repository: Packages
}

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'))

export const readSources = (): Sources => ({
  manifest: readJson(`${TEMPLATE}/package.json`),
  sdk: packed(readJson('packages/sdk/package.json')),
  repository: readJson('package-lock.json').packages,
})

const some = (of: Record<string, unknown>, ...keys: string[]) =>
  Object.fromEntries(keys.filter((key) => key in of).map((key) => [key, of[key]]))

/** The entry of the project itself: the parts of the template's package.json that are in a lock file. */
export const projectEntry = ({ manifest }: Sources) =>
  some(manifest, 'name', 'version', 'dependencies', 'devDependencies', 'engines')
/** The entry of the SDK, without its file. `svc module create` adds the path and the hash of the project's SDK file. */
export const sdkEntry = ({ sdk }: Sources) =>
  some(sdk, 'version', 'license', 'dependencies', 'engines', 'peerDependencies', 'peerDependenciesMeta')

const nameOf = (place: string) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)

export function moduleLockViolations({ packages }: Lock, sources: Sources): string[] {
  const isSame = (place: string, wanted: unknown) => JSON.stringify(packages[place]) === JSON.stringify(wanted)
  return [
    ...(isSame('', projectEntry(sources)) ? [] : [`it differs from ${TEMPLATE}/package.json: ${UPDATE}`]),
    ...(isSame(SDK, sdkEntry(sources)) ? [] : [`it differs from packages/sdk/package.json: ${UPDATE}`]),
    ...violationsOf(packages, EVERY),
    ...avoidableVersions(packages, sources.repository).map(
      (name) => `package-lock.json has another version of ${name}: ${UPDATE}`,
    ),
  ]
}

/** Packages with another version than in the repository, although the repository's version would be permitted. */
function avoidableVersions(packages: Packages, repository: Packages): string[] {
  const places = Object.keys(packages).filter((place) => place !== '' && place !== SDK)
  const available = new Map<string, string[]>()
  for (const [place, { version }] of Object.entries(repository)) {
    if (version === undefined || place === '') continue
    available.set(nameOf(place), [...(available.get(nameOf(place)) ?? []), version])
  }
  const ranges = rangesIn(packages)
  const isAvoidable = (name: string) => {
    const used = places.filter((place) => nameOf(place) === name).map((place) => packages[place]!.version!)
    const suitable = (available.get(name) ?? []).filter((version) =>
      (ranges.get(name) ?? []).every((range) => permits(range, version)),
    )
    return suitable.length > 0 && !used.some((version) => available.get(name)!.includes(version))
  }
  return [...new Set(places.map(nameOf))].filter(isAvoidable)
}

function rangesIn(packages: Packages): Map<string, string[]> {
  const ranges = new Map<string, string[]>()
  for (const { dependencies, devDependencies, optionalDependencies, peerDependencies } of Object.values(packages)) {
    const all = { ...peerDependencies, ...optionalDependencies, ...devDependencies, ...dependencies }
    for (const [name, range] of Object.entries(all)) ranges.set(name, [...(ranges.get(name) ?? []), range])
  }
  return ranges
}
