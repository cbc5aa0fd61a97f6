import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CliError } from '../../errors.ts'
import { isBelow } from '../../is-below.ts'
import { describeSystemError } from '../../output/system-errors.ts'

/** The first version with `sandbox install`. Modules of earlier versions have no script that serves them. */
export const MIN_VERSION = '1.14.0'

/** Reads a manifest, which must be a JSON object. The platform checks its fields. */
export async function readManifest(cwd: string, file: string): Promise<Record<string, unknown>> {
  let text: string
  try {
    text = await readFile(resolve(cwd, file), 'utf8')
  } catch (cause) {
    const isAbsent = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    const detail = isAbsent ? `File ${file} does not exist.` : `${file} cannot be read: ${describeSystemError(cause)}.`
    throw new CliError(detail, { code: 'NO_MANIFEST', next: "Use the path of the module's manifest.json.", cause })
  }
  const manifest = parsed(text, file)
  if (typeof manifest === 'object' && manifest !== null && !Array.isArray(manifest)) {
    return manifest as Record<string, unknown>
  }
  throw new CliError(`${file} is not a manifest: it must be a JSON object.`, { code: 'BAD_MANIFEST' })
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (cause) {
    throw new CliError(`${file} is not JSON: ${(cause as Error).message}.`, { code: 'BAD_MANIFEST', cause })
  }
}

export function checkInstallVersions(toolVersion: string, { sdkVersion }: Record<string, unknown>): void {
  if (isBelow(toolVersion, MIN_VERSION)) {
    throw new CliError(`Installing needs svc ${MIN_VERSION} or later; this is ${toolVersion}.`, {
      code: 'TOOL_TOO_OLD',
      next: 'Install a newer version of svc.',
    })
  }
  if (typeof sdkVersion === 'string' && isBelow(sdkVersion, MIN_VERSION)) {
    throw new CliError(`The module was created with version ${sdkVersion}; ${MIN_VERSION} or later is required.`, {
      code: 'MODULE_TOO_OLD',
      next: `Create a new module with \`svc module create\` and move the sources of this module there, or add the scripts dev:remote and serve:remote and set sdkVersion to ${toolVersion}.`,
    })
  }
}
