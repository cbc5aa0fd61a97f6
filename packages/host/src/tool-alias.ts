import { join } from 'node:path'

/**
 * The line that defines `svc` as a shell alias. The path is quoted, so the clone of the repository can be in a folder
 * whose name has blanks or quotes.
 */
export function toolAlias(address: string, root: string): string {
  const service = address === 'http://localhost:4000' ? '' : `SVC_SANDBOX_API_URL=${quoted(address)} `
  return `alias svc=${quoted(`${service}node ${quoted(join(root, 'scripts', 'svc.mjs'))}`)}`
}

function quoted(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
