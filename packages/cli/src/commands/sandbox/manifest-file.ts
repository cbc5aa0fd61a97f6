import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CliError } from '../../errors.ts'
import { systemWords } from '../../output/system-errors.ts'

/** The first version that can install: a module made before it lacks the scripts that serve it. */
export const LEAST_VERSION = '1.14.0'

/** Whatever the platform checks is left to it. */
export async function readManifest(cwd: string, file: string): Promise<Record<string, unknown>> {
  let text: string
  try {
    text = await readFile(resolve(cwd, file), 'utf8')
  } catch (cause) {
    const isAbsent = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    const detail = isAbsent ? `There is no file ${file}.` : `${file} cannot be read: ${systemWords(cause)}.`
    throw new CliError(detail, { code: 'NO_MANIFEST', next: "Name the module's manifest.json.", cause })
  }
  const manifest = parsed(text, file)
  if (typeof manifest === 'object' && manifest !== null && !Array.isArray(manifest)) {
    return manifest as Record<string, unknown>
  }
  throw new CliError(`${file} is no manifest: a JSON object is wanted.`, { code: 'BAD_MANIFEST' })
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (cause) {
    throw new CliError(`${file} is not JSON: ${(cause as Error).message}.`, { code: 'BAD_MANIFEST', cause })
  }
}

export function checkInstallVersions(toolVersion: string, { sdkVersion }: Record<string, unknown>): void {
  if (isBelow(toolVersion, LEAST_VERSION)) {
    throw new CliError(`Installing needs svc ${LEAST_VERSION} or later; this is ${toolVersion}.`, {
      code: 'TOOL_TOO_OLD',
      next: 'Update it with `npm install --global @storey/cli`.',
    })
  }
  if (typeof sdkVersion === 'string' && isBelow(sdkVersion, LEAST_VERSION)) {
    throw new CliError(`The module was made with version ${sdkVersion}; ${LEAST_VERSION} is the first to install.`, {
      code: 'MODULE_TOO_OLD',
      next: `Make it anew with \`svc module create\` and move its sources there, or add the scripts dev:remote and serve:remote and set sdkVersion to ${toolVersion}.`,
    })
  }
}

/** By Semantic Versioning; a pre-release comes before its release. What is no version is left to the platform. */
export function isBelow(version: string, least: string): boolean {
  const [mine, theirs] = [numbersOf(version), numbersOf(least)]
  if (mine === undefined || theirs === undefined) return false
  for (const [i, number] of mine.entries()) if (number !== theirs[i]) return number < theirs[i]!
  return /^\d+\.\d+\.\d+-/.test(version)
}

function numbersOf(version: string): number[] | undefined {
  return /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number)
}
