const TITLE = /^## /m
const UNRELEASED = /^## (\S+), unreleased\s*/m

/** The version of the section that is marked as unreleased. Only the first release has one: its text was written by hand. */
export function unreleasedVersion(changelog: string): string | undefined {
  return UNRELEASED.exec(changelog)?.[1]
}

/**
 * Writes a release with its entries. If there is an unreleased section, it becomes the release: it gets the date, and
 * the entries above its text. Otherwise the release is a new section above the others, which stay unchanged.
 */
export function withRelease(changelog: string, version: string, day: string, entries: readonly string[]): string {
  const items = entries.map((entry) => `- ${entry.replace(/\s*\n\s*/g, '\n  ')}\n`)
  const section = `## ${version}, ${day}\n\n${items.join('')}`
  const unreleased = unreleasedVersion(changelog)
  if (unreleased === version) return changelog.replace(UNRELEASED, () => section)
  if (unreleased !== undefined)
    throw new Error(`CHANGELOG.md has a section "${unreleased}, unreleased", but the version is ${version}`)
  const at = changelog.search(TITLE)
  if (at < 0) throw new Error('CHANGELOG.md has no section to insert the release above')
  return `${changelog.slice(0, at)}${section}\n${changelog.slice(at)}`
}
