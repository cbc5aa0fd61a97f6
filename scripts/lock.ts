// Checks that package-lock.json works on every platform: it names no registry and lists the binaries of all platforms.
// npm omits binaries that the current registry lacks, and before 11.19 it never installs what the lock file omits.
import { readFileSync, writeFileSync } from 'node:fs'

export interface Entry {
  version?: string
  resolved?: string
  dev?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
}
export type Packages = Record<string, Entry>

const FILE = 'package-lock.json'
const PLATFORM = /\b(darwin|win32|linux)-(x64|arm64)(?:-(gnu|msvc))?$/
const LIBC: Record<string, string[]> = { gnu: ['glibc'] }

/** The missing entries, by path. */
export function missingBinaries(packages: Packages): Packages {
  const missing: Packages = {}
  for (const [place, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const [, os, cpu, abi = ''] = PLATFORM.exec(name) ?? []
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

export function violationsOf(packages: Packages): string[] {
  const named = Object.entries(packages).filter(([, { resolved }]) => resolved?.includes('://'))
  return [
    ...named.map(([place]) => `${place} names a registry: install with the .npmrc of this repository`),
    ...Object.keys(missingBinaries(packages)).map(
      (place) => `${place} is missing: node scripts/run.mjs scripts/lock.ts --write adds it`,
    ),
  ]
}

/** The packages with the missing entries added, in alphabetical order. */
export function completed(packages: Packages): Packages {
  const all = { ...packages, ...missingBinaries(packages) }
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => a.localeCompare(b, 'en')))
}

if (import.meta.main) {
  const lock = JSON.parse(readFileSync(FILE, 'utf8')) as { packages: Packages }
  if (process.argv.includes('--write')) {
    lock.packages = completed(lock.packages)
    writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`)
  }
  const violations = violationsOf(lock.packages)
  for (const violation of violations) process.stderr.write(`${FILE}: ${violation}\n`)
  process.exitCode = violations.length > 0 ? 1 : 0
}
