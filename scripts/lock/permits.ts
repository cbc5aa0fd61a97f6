/**
 * Whether an npm range includes a release. A range in another notation than an exact version, `^`, `~`, `>=`, `*` or
 * `||` includes no release.
 */
export function permits(range: string, version: string): boolean {
  return range.split('||').some((part) => permitsOne(part.trim(), version))
}

function permitsOne(part: string, version: string): boolean {
  if (part === '*' || part === version) return true
  const [, sign, least = ''] = /^(\^|~|>=)\s*(\d+(?:\.\d+){0,2})$/.exec(part) ?? []
  if (sign === undefined || !/^\d+\.\d+\.\d+$/.test(version)) return false
  const [own, wanted] = [numbers(version), numbers(least)]
  const first = own.findIndex((number, i) => number !== wanted[i])
  if (first !== -1 && own[first]! < wanted[first]!) return false
  if (sign === '>=' || first === -1) return true
  return first > fixedPart(sign, wanted)
}

const numbers = (version: string) => [0, 1, 2].map((i) => Number(version.split('.')[i] ?? 0))

/** The index of the last number that must be equal: for `^` the first number that is not 0. */
function fixedPart(sign: string, wanted: number[]): number {
  if (sign === '~') return 1
  const significant = wanted.findIndex((number) => number > 0)
  return significant === -1 ? 2 : significant
}
