import { join, resolve } from 'node:path'
import { federationNameOf, type Manifest } from '@storey/contract'
import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { safeText } from '../../output/safe-text.ts'
import { type Check, fail, note, skipped } from './checks/check.ts'
import { checkManifest } from './checks/manifest.ts'
import { builtEntry, readJson } from './checks/project.ts'
import { checkNode } from './checks/project-node.ts'
import { checkReact } from './checks/react.ts'
import { entryOf } from './checks/registered-entry.ts'
import { checkRemote } from './checks/remote.ts'
import { type Finding, findSandboxToCheck, unreachable } from './checks/sandbox-to-check.ts'
import { checkScripts } from './checks/scripts.ts'
import { checkSdkVersion } from './checks/sdk-version.ts'
import type { DoctorOptions } from './doctor-options.ts'

const PLATFORM_CHECKS = ['platform', 'registry', 'licence']
const NO_PROJECT =
  'run this command in the folder of a module, name that folder with --dir, or create a module with svc module create <module>'
const PLATFORM_FAILED = 'the check of the platform failed'

export async function examineModule(context: Context, options: DoctorOptions): Promise<void> {
  const checks = await examine(context, options)
  const failed = checks.filter(({ state }) => state === 'fail').length
  context.out.answer({ ok: failed === 0, checks }, () => report(context, checks))
  if (failed === 0) return
  const what =
    failed === 1 ? '1 check failed; the report has its fix.' : `${failed} checks failed; the report has a fix for each.`
  throw new CliError(what, { code: 'MODULE_UNHEALTHY', members: { failed } })
}

async function examine(context: Context, options: DoctorOptions): Promise<Check[]> {
  const folder = resolve(context.cwd, options.dir ?? '.')
  const [{ check: manifestCheck, manifest }, packageJson, built, sandbox] = await Promise.all([
    checkManifest(folder),
    readJson(join(folder, 'package.json')),
    builtEntry(folder),
    findSandboxToCheck(context, options.sandbox),
  ])
  // Outside a project no other check is reported, because the user would run its fix, such as `npm install`, in the
  // wrong folder.
  if (packageJson.state === 'absent' && (await readJson(join(folder, 'manifest.json'))).state === 'absent') {
    return [fail('project', `${folder} is not a module project`, NO_PROJECT)]
  }
  const shell = sandbox.state === 'found' ? new URL(sandbox.consoleUrl).origin : undefined
  const federationName = manifest && federationNameOf(manifest.slug)
  const { remoteEntryUrl, fixPort } = await entryOf({ sandbox, manifest, named: options.remoteEntry, built })
  const reference = sandbox.state === 'found' ? sandbox.reference : undefined
  const remote = await checkRemote({ remoteEntryUrl, federationName, shell, reference, built })
  return [
    await checkNode(context, folder),
    manifestCheck,
    manifest
      ? await checkSdkVersion(folder, manifest.sdkVersion, context.version)
      : skipped('sdk-version', 'there is no valid manifest'),
    checkScripts(packageJson, context.system),
    await checkReact(folder, packageJson, remote.react),
    ...(await Promise.all(remote.checks.map(fixPort))),
    ...(await platformChecks(context, sandbox, manifest, remoteEntryUrl)),
    browserNote(shell),
  ]
}

function browserNote(shell: string | undefined): Check {
  const asks = shell?.startsWith('https:')
  const permission = asks ? '; Chrome asks whether the page of the shell may access this machine: allow it' : ''
  return note(
    'browser',
    `use Chrome or Firefox on this machine: Safari blocks modules from this machine, and other machines cannot load them${permission}`,
  )
}

async function platformChecks(
  context: Context,
  sandbox: Finding,
  manifest: Manifest | undefined,
  remoteEntryUrl: string,
): Promise<Check[]> {
  if (sandbox.state === 'none') return platformSkipped(sandbox.why)
  if (sandbox.state === 'failed') return [sandbox.check, ...platformSkipped(PLATFORM_FAILED).slice(1)]
  if (manifest === undefined) return platformSkipped('there is no valid manifest')
  try {
    const { checkPlatform } = await import('./checks/platform.ts')
    return await checkPlatform(sandbox, manifest, remoteEntryUrl)
  } catch (error) {
    return [await unreachable(context, error), ...platformSkipped(PLATFORM_FAILED).slice(1)]
  }
}

const platformSkipped = (why: string): Check[] => PLATFORM_CHECKS.map((name) => skipped(name, why))

const INK = { ok: 'green', warn: 'yellow', fail: 'red', skipped: 'dim', note: 'cyan' } as const

function report({ out }: Context, checks: readonly Check[]): string {
  const widest = Math.max(...checks.map(({ name }) => name.length))
  const margin = ' '.repeat(9 + widest + 2)
  return checks
    .flatMap(({ name, state, found, fix }) => [
      `${out.paint(INK[state], state.padEnd(7))}  ${name.padEnd(widest)}  ${safeText(found)}`,
      ...(fix === undefined ? [] : [`${margin}fix: ${safeText(fix)}`]),
    ])
    .join('\n')
}
