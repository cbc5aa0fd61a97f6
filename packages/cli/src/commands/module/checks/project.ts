import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A JSON file: absent, broken, or an object. */
export type JsonFile =
  | { state: 'absent' }
  | { state: 'broken'; reason: string }
  | { state: 'read'; value: Record<string, unknown> }

export async function readJson(path: string): Promise<JsonFile> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? { state: 'absent' } : { state: 'broken', reason: message }
  }
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { state: 'read', value: value as Record<string, unknown> }
    }
    return { state: 'broken', reason: 'it is not a JSON object' }
  } catch (error) {
    return { state: 'broken', reason: (error as Error).message }
  }
}

/** The version of an installed package. Parent folders are searched too, because a module may be in a workspace. */
export async function installedVersion(folder: string, name: string): Promise<string | undefined> {
  for (let at = folder; ; ) {
    const file = await readJson(join(at, 'node_modules', name, 'package.json'))
    if (file.state === 'read' && typeof file.value.version === 'string') return file.value.version
    const above = join(at, '..')
    if (above === at) return undefined
    at = above
  }
}

/** The remote entry of the last build, if there was one. */
export async function builtEntry(folder: string): Promise<string | undefined> {
  try {
    return await readFile(join(folder, 'dist', 'assets', 'remoteEntry.js'), 'utf8')
  } catch {
    return undefined
  }
}
