/** The content codings of responses, the preferred one first. */
export const RESPONSE_CODINGS = ['br', 'gzip'] as const
export type ResponseCoding = (typeof RESPONSE_CODINGS)[number]

/**
 * The coding for a client, from its Accept-Encoding header (RFC 9110, 12.5.3). Undefined: no compression.
 */
export function chooseCoding(header: string | undefined): ResponseCoding | undefined {
  if (header === undefined) return undefined
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
    weights.set(name === 'x-gzip' ? 'gzip' : name, weightOf(parameters))
  }
  const any = weights.get('*') ?? 0
  // An uncompressed response (`identity`) is possible too, but is preferred only if `identity` has the highest weight.
  let best = weights.get('identity') ?? 0
  let chosen: ResponseCoding | undefined
  for (const coding of RESPONSE_CODINGS) {
    const weight = weights.get(coding) ?? any
    if (weight === 0 || weight < best || (weight === best && chosen !== undefined)) continue
    best = weight
    chosen = coding
  }
  return chosen
}

/** The weight of a coding. A malformed weight counts as 0: the client does not accept the coding. */
function weightOf(parameters: readonly string[]): number {
  const q = parameters.find((text) => text.startsWith('q='))
  if (q === undefined) return 1
  return /^q=(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(q) ? Number(q.slice(2)) : 0
}
