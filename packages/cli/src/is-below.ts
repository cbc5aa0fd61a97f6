/**
 * Whether a version is below another one by its three numbers, or a prerelease of that one; false for an invalid
 * version, which the platform refuses. Two prereleases of one release are not ordered.
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
