import type { Context } from '../../context.ts'
import { quotedForSh } from '../../output/quoted-for-sh.ts'

/** A path for a command that the user can copy. On Windows, cmd supports double quotes only. */
export function quotedPath({ system }: Context, path: string): string {
  if (system !== 'win32') return quotedForSh(path)
  return /[\s&()^;,=]/.test(path) ? `"${path}"` : path
}
