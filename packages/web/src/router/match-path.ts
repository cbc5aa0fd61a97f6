type Names<Pattern extends string> = Pattern extends `${infer Head}/${infer Rest}`
  ? Names<Head> | Names<Rest>
  : Pattern extends `:${infer Name}`
    ? Name
    : never

/** The parameters of a path for a pattern such as `/sandboxes/:id`; undefined if the path does not match. */
export function matchPath<const Pattern extends string>(
  pattern: Pattern,
  path: string,
): Record<Names<Pattern>, string> | undefined {
  const wanted = pattern.split('/')
  const given = path.replace(/(.)\/$/, '$1').split('/')
  if (wanted.length !== given.length) return undefined
  const found: Record<string, string> = {}
  for (const [at, part] of wanted.entries()) {
    const text = given[at]!
    if (part.startsWith(':') && text !== '') found[part.slice(1)] = decoded(text)
    else if (part !== text) return undefined
  }
  return found as Record<Names<Pattern>, string>
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
