const TITLE = /^## /m

/** Adds a section for a release above the others. The sections below stay unchanged. */
export function withRelease(changelog: string, version: string, day: string, entries: readonly string[]): string {
  const at = changelog.search(TITLE)
  if (at < 0) throw new Error('CHANGELOG.md has no section to insert the release above')
  const items = entries.map((entry) => `- ${entry.replace(/\s*\n\s*/g, '\n  ')}\n`)
  return `${changelog.slice(0, at)}## ${version}, ${day}\n\n${items.join('')}\n${changelog.slice(at)}`
}
