import { queryError } from './filter.ts'

export interface Token {
  kind: 'symbol' | 'word' | 'string' | 'number'
  text: string
  /** The value of a string or a number. */
  value?: unknown
}

const PATTERN =
  /\s+|(?<string>"(?:[^"\\]|\\.)*")|(?<number>-?\d+(?:\.\d+)?)|(?<word>@?[A-Za-z_]\w*)|(?<symbol>==|!=|<=|>=|[.|,[\](){}:?<>])/y

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  const pattern = new RegExp(PATTERN.source, 'y')
  while (pattern.lastIndex < text.length) {
    const at = pattern.lastIndex
    const groups = pattern.exec(text)?.groups
    if (groups === undefined) throw queryError(`"${text.slice(at, at + 20)}" is not supported`)
    const [kind, found] = Object.entries(groups).find(([, value]) => value !== undefined) ?? []
    if (kind === undefined || found === undefined) continue
    tokens.push({ kind: kind as Token['kind'], text: found, ...literalOf(kind, found) })
  }
  return tokens
}

function literalOf(kind: string, text: string): { value?: unknown } {
  if (kind !== 'string' && kind !== 'number') return {}
  try {
    return { value: JSON.parse(text) }
  } catch {
    throw queryError(`${text} is not valid`)
  }
}
