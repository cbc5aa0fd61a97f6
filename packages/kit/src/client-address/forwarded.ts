/** No legitimate list of hops is longer. Of a longer list only the right end is read. */
const MAX_HOPS = 50

/** The hops of `X-Forwarded-For`, nearest first, without the ports that addresses in the header may have. */
export function forwardedFor(header: string): string[] {
  return header
    .split(',')
    .slice(-MAX_HOPS)
    .map((hop) => withoutPort(hop.trim()))
    .reverse()
}

/**
 * The `for` values of `Forwarded` (RFC 7239), nearest first; the value is empty for a hop without `for`. The list is
 * empty if a quote is not closed, because a client that opens a quote could hide what its proxy appends.
 */
export function forwardedHops(header: string): string[] {
  const elements = splitOutsideQuotes(header, ',')
  if (elements === undefined) return []
  return elements
    .slice(-MAX_HOPS)
    .map((element) => withoutPort(forParameter(element)))
    .reverse()
}

function forParameter(element: string): string {
  const values = (splitOutsideQuotes(element, ';') ?? []).flatMap((pair) => {
    const [, name = '', value = ''] = /^\s*([^=\s]+)=(.*?)\s*$/s.exec(pair) ?? []
    return name.toLowerCase() === 'for' ? [unquoted(value)] : []
  })
  // RFC 7239 allows only one `for` in each element.
  return values.length === 1 ? values[0]! : ''
}

/** Splits a text at separators that are not inside quotes. Undefined when a quote is not closed. */
function splitOutsideQuotes(text: string, separator: string): string[] | undefined {
  const parts: string[] = []
  let start = 0
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    if (quoted && text[i] === '\\') i++
    else if (text[i] === '"') quoted = !quoted
    else if (!quoted && text[i] === separator) {
      parts.push(text.slice(start, i))
      start = i + 1
    }
  }
  if (quoted) return undefined
  parts.push(text.slice(start))
  return parts
}

function unquoted(value: string): string {
  const [, inside] = /^"(.*)"$/s.exec(value) ?? []
  return inside === undefined ? value : inside.replace(/\\(.)/gs, '$1')
}

/** Removes brackets and port: `[2001:db8::1]:4711`, `[2001:db8::1]`, `192.0.2.1:4711`. */
function withoutPort(hop: string): string {
  const [, inBrackets] = /^\[([^\]]*)\](?::[\w.-]+)?$/.exec(hop) ?? []
  if (inBrackets !== undefined) return inBrackets
  const [, v4] = /^(\d+\.\d+\.\d+\.\d+):[\w.-]+$/.exec(hop) ?? []
  return v4 ?? hop
}
