// A lock file works everywhere if it names no registry and lists the binaries of all platforms.
// npm omits binaries that the current registry lacks, and before 11.19 it never installs what the lock file omits.

export interface Entry {
  version?: string
  resolved?: string
  link?: boolean
  dev?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}
export type Packages = Record<string, Entry>

/** The platforms that Storey runs on. */
const SUPPORTED = /\b(darwin|win32|linux)-(x64|arm64)(?:-(gnu|msvc))?$/
/** All platforms for which packages exist, because a module may be developed where Storey itself does not run. */
export const EVERY =
  /\b(android|darwin|freebsd|linux|openharmony|win32)-([a-z]\w+)(?:-(gnu|musl|msvc|gnueabihf|eabi))?$/
const LIBC: Record<string, string[]> = { gnu: ['glibc'], musl: ['musl'] }

/** The entries of binaries for these platforms that the lock file lacks, by path. */
export function missingBinaries(packages: Packages, platforms = SUPPORTED): Packages {
  const missing: Packages = {}
  for (const [place, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const [, os, cpu, abi = ''] = platforms.exec(name) ?? []
      const isThere = `node_modules/${name}` in packages || `${place}/node_modules/${name}` in packages
      if (os === undefined || isThere || !/^\d/.test(version)) continue
      const libc = LIBC[abi]
      missing[`node_modules/${name}`] = {
        version,
        cpu: [cpu!],
        ...(dev ? { dev } : {}),
        ...(libc ? { libc } : {}),
        optional: true,
        os: [os],
      }
    }
  }
  return missing
}

export function violationsOf(packages: Packages, platforms?: RegExp): string[] {
  const named = Object.entries(packages).filter(([, { resolved }]) => resolved?.includes('://'))
  return [
    ...named.map(([place]) => `${place} names a registry: install with the .npmrc of this repository`),
    ...Object.keys(missingBinaries(packages, platforms)).map(
      (place) => `${place} is missing: node scripts/run.mjs scripts/lock.ts --write adds it`,
    ),
  ]
}

/** The packages with the missing entries added, in alphabetical order. */
export function completed(packages: Packages, platforms?: RegExp): Packages {
  const all = { ...packages, ...missingBinaries(packages, platforms) }
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => a.localeCompare(b, 'en')))
}
