import { isBelow } from '../../../is-below.ts'

export const majorOf = (version: string): number => Number.parseInt(version.replace(/^v/, ''), 10)

/**
 * Whether an npm range includes some version with this major number; undefined for notations that are not supported
 * here, such as `18 - 20`.
 */
export function admitsMajor(range: string, major: number): boolean | undefined {
  const verdicts = range.split('||').map((part) => admits(part.trim(), major))
  if (verdicts.includes(true)) return true
  return verdicts.includes(undefined) ? undefined : false
}

function admits(part: string, major: number): boolean | undefined {
  if (part === '' || part === '*' || part === 'x' || part === 'latest') return true
  // npm permits blanks between an operator and its version. In a range such as `18 - 20` they surround a hyphen.
  const pieces = part.replace(/(\^|~|>=|<=|<|>|=)\s+/g, '$1').split(/\s+/)
  if (pieces.includes('-')) return undefined
  const between = pieces.map((piece) => {
    const match = /^(\^|~|>=|<=|<|>|=|v)?\s*(\d+)(?:\.(\d+|x|\*))?(?:\.(\d+|x|\*))?(?:[-+][\w.+-]*)?$/.exec(piece)
    if (!match) return undefined
    const [, sign = '', first, second = '*', third = '*'] = match
    const bound = Number(first)
    // `>18` means `>=19.0.0`, but `>18.2` includes 18.3.0.
    if (sign === '>' && isAny(second)) return bound < major
    if (sign === '>=' || sign === '>') return bound <= major
    if (sign === '<=') return major <= bound
    if (sign === '<') return major < bound || (major === bound && !(isZero(second) && isZero(third)))
    return bound === major
  })
  if (between.includes(false)) return false
  return between.includes(undefined) ? undefined : true
}

const isAny = (part: string): boolean => part === 'x' || part === '*'
const isZero = (part: string): boolean => isAny(part) || Number(part) === 0

/** The Node versions that Vite supports. A module project is built, served and tested with Vite. */
export const NODE_RANGE = '^20.19.0 || >=22.12.0'

export function runsVite(nodeVersion: string): boolean {
  const version = nodeVersion.replace(/^v/, '')
  return majorOf(version) === 20 ? !isBelow(version, '20.19.0') : !isBelow(version, '22.12.0')
}
