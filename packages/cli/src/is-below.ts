/**
 * Whether a version is below a release, by Semantic Versioning; false for an invalid version, which the platform
 * refuses.
 */
export function isBelow(version: string, least: string): boolean {
  const [mine, theirs] = [numbersOf(version), numbersOf(least)]
  if (mine === undefined || theirs === undefined) return false
  for (const [i, number] of mine.entries()) if (number !== theirs[i]) return number < theirs[i]!
  return /^\d+\.\d+\.\d+-/.test(version)
}

function numbersOf(version: string): number[] | undefined {
  return /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number)
}
