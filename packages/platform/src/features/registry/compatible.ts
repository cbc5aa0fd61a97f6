import { VERSION } from '@storey/contract'

/** Whether this platform supports the version of the SDK: the same major version, and not newer than the platform. */
export function isCompatible(sdkVersion: string, platformVersion = VERSION): boolean {
  const [sdk, platform] = [read(sdkVersion), read(platformVersion)]
  return sdk.major === platform.major && compare(sdk, platform) <= 0
}

interface Version {
  major: number
  rest: [minor: number, patch: number]
  /** Identifiers of a pre-release. Empty for a release, which is newer than its pre-releases. */
  before: string[]
}

function read(version: string): Version {
  const [core = '', ...before] = version.split('+')[0]!.split('-')
  const [major = 0, minor = 0, patch = 0] = core.split('.').map(Number)
  return { major, rest: [minor, patch], before: before.length === 0 ? [] : before.join('-').split('.') }
}

function compare(a: Version, b: Version): number {
  const core = a.major - b.major || a.rest[0] - b.rest[0] || a.rest[1] - b.rest[1]
  if (core !== 0 || (a.before.length === 0 && b.before.length === 0)) return core
  if (a.before.length === 0) return 1
  if (b.before.length === 0) return -1
  for (const [i, left] of a.before.entries()) {
    const right = b.before[i]
    if (right === undefined) return 1
    const order = compareIdentifiers(left, right)
    if (order !== 0) return order
  }
  return a.before.length - b.before.length
}

/** Numbers are compared by value and come before texts; texts are compared by characters. */
function compareIdentifiers(a: string, b: string): number {
  const [isNumber, otherIsNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (isNumber && otherIsNumber) return Number(a) - Number(b)
  if (isNumber !== otherIsNumber) return isNumber ? -1 : 1
  return a < b ? -1 : Number(a > b)
}
