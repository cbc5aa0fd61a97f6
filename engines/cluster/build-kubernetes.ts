import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cacheFolder, EngineMissing } from '../fetch/cache.ts'

/** A release that also runs on control groups of version 1. */
export const KUBERNETES_VERSION = 'v1.32.13'

/**
 * Libraries that are taken from an older patch release, because not every Go proxy has their versions of the release
 * `KUBERNETES_VERSION`. All patch releases of a minor version have the same interfaces.
 */
const OLDER = {
  version: 'v0.32.5',
  libraries: [
    'k8s.io/cri-client',
    'k8s.io/csi-translation-lib',
    'k8s.io/endpointslice',
    'k8s.io/kube-controller-manager',
    'k8s.io/kube-proxy',
    'k8s.io/kube-scheduler',
  ],
}

export const KUBERNETES_PROGRAMS = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
] as const
export type KubernetesProgram = (typeof KUBERNETES_PROGRAMS)[number]

/**
 * Builds the programs of Kubernetes into the cache, which takes a while at the first time. The published module replaces
 * its libraries by folders that it does not contain. The libraries are published as modules of their own, with the same
 * minor and patch version.
 */
export function buildKubernetes(): Record<KubernetesProgram, string> {
  const folder = cacheFolder('go', `kubernetes-${KUBERNETES_VERSION}`)
  const missing = KUBERNETES_PROGRAMS.filter((name) => !existsSync(join(folder, name)))
  if (missing.length > 0) build(folder, missing)
  return Object.fromEntries(KUBERNETES_PROGRAMS.map((name) => [name, join(folder, name)])) as Record<
    KubernetesProgram,
    string
  >
}

function build(folder: string, names: readonly KubernetesProgram[]): void {
  const sources = mkdtempSync(join(tmpdir(), 'storey-kubernetes-'))
  try {
    const module = JSON.parse(
      go(sources, 'mod', 'download', '-json', `k8s.io/kubernetes@${KUBERNETES_VERSION}`),
    ) as Record<'Dir', string>
    const copy = join(sources, 'module')
    cpSync(module.Dir, copy, { recursive: true })
    // Go's cache is read-only, and so is the copy.
    spawnSync('chmod', ['-R', 'u+w', copy])
    rmSync(join(copy, 'vendor'), { recursive: true, force: true })
    requireLibraries(copy)
    for (const name of names) {
      process.stdout.write(`Building ${name} ${KUBERNETES_VERSION}…\n`)
      const part = join(folder, `${name}.part`)
      go(copy, 'build', '-mod=mod', '-ldflags', `-s -w ${versionFlags()}`, '-o', part, `./cmd/${name}`)
      renameSync(part, join(folder, name))
    }
  } finally {
    rmSync(sources, { recursive: true, force: true })
  }
}

function requireLibraries(copy: string): void {
  const version = KUBERNETES_VERSION.replace(/^v1/, 'v0')
  const file = readFileSync(join(copy, 'go.mod'), 'utf8')
  const libraries = [...file.matchAll(/^\t(k8s\.io\/[\w-]+) => /gm)].map(([, name]) => name!)
  const required = libraries.filter((name) => file.includes(`\t${name} v0.0.0`))
  const versionOf = (name: string) => (OLDER.libraries.includes(name) ? OLDER.version : version)
  const edits = libraries.map((name) => `-dropreplace=${name}`)
  go(copy, 'mod', 'edit', ...edits, ...required.map((name) => `-require=${name}@${versionOf(name)}`))
}

function versionFlags(): string {
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(KUBERNETES_VERSION)!
  const values = { gitVersion: KUBERNETES_VERSION, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' }
  return Object.entries(values)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(' ')
}

function go(cwd: string, ...args: string[]): string {
  // With `-trimpath` compiled code does not depend on the path of the sources, which differs from build to build. So a
  // build uses what an interrupted build has compiled.
  const env = { ...process.env, GOFLAGS: '-p=2 -buildvcs=false -trimpath', GOWORK: 'off', CGO_ENABLED: '0' }
  const run = spawnSync('nice', ['-n', '19', 'go', ...args], { cwd, env, encoding: 'utf8' })
  if (run.error !== undefined || run.status === 127)
    throw new EngineMissing('go is required to build Kubernetes, but it is not on the PATH')
  if (run.status !== 0) throw new EngineMissing(`Kubernetes could not be built: ${run.stderr.trim().slice(-2_000)}`)
  return run.stdout
}
