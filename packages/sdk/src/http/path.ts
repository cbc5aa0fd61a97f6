/** A path in which each id is exactly one segment. */
export function path(texts: TemplateStringsArray, ...ids: string[]): string {
  return String.raw({ raw: texts }, ...ids.map(segment))
}

function segment(id: string): string {
  const text = String(id)
  // Dots would change the path, and an empty id would address the list.
  if (text === '' || text === '.' || text === '..') throw new TypeError(`"${text}" cannot be an id`)
  return encodeURIComponent(text)
}
