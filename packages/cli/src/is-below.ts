/**
 * Whether `version` is lower than `least`: the three numbers of `version` are lower, or the numbers are equal and only
 * `version` is a prerelease. The result is false for two prereleases of the same release, and for an invalid version,
 * which the platform refuses.
 */
export function isBelow(version: string, least: string): boolean {
  const [mine, theirs] = [numbersOf(version), numbersOf(least)]
  if (mine === undefined || theirs === undefined) return false
  for (const [i, number] of mine.entries()) if (number !== theirs[i]) return number < theirs[i]!
  return isPrerelease(version) && !isPrerelease(least)
}

function numbersOf(version: string): number[] | undefined {
  return /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number)
}

const isPrerelease = (version: string): boolean => /^\d+\.\d+\.\d+-/.test(version)
