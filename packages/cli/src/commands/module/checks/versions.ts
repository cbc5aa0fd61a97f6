import { isBelow } from '../../../is-below.ts'

export const majorOf = (version: string): number => Number.parseInt(version.replace(/^v/, ''), 10)

/** Whether an npm range includes a major version; undefined for notations that are not supported here. */
export function admitsMajor(range: string, major: number): boolean | undefined {
  const verdicts = range.split('||').map((part) => admits(part.trim(), major))
  if (verdicts.includes(true)) return true
  return verdicts.includes(undefined) ? undefined : false
}

function admits(part: string, major: number): boolean | undefined {
  if (part === '' || part === '*' || part === 'x' || part === 'latest') return true
  const between = part.split(/\s+/).map((piece) => {
    const match = /^(\^|~|>=|<=|<|>|=|v)?\s*(\d+)(?:\.(\d+|x|\*))?(?:\.(\d+|x|\*))?(?:[-+][\w.+-]*)?$/.exec(piece)
    if (!match) return undefined
    const [, sign = '', first, second = '0', third = '0'] = match
    const bound = Number(first)
    if (sign === '>=' || sign === '>') return bound <= major
    if (sign === '<=') return major <= bound
    if (sign === '<') return major < bound || (major === bound && (second !== '0' || third !== '0'))
    return bound === major
  })
  if (between.includes(false)) return false
  return between.includes(undefined) ? undefined : true
}

/** The Node versions that Vite, and so every script of a module project, needs. */
export const NODE_RANGE = '^20.19.0 || >=22.12.0'

export function runsVite(nodeVersion: string): boolean {
  const version = nodeVersion.replace(/^v/, '')
  return majorOf(version) === 20 ? !isBelow(version, '20.19.0') : !isBelow(version, '22.12.0')
}
