/** The vocabularies of a Turtle document by prefix. */
export const PREFIXES = {
  brick: 'https://brickschema.org/schema/Brick#',
  rec: 'https://w3id.org/rec#',
  ref: 'https://brickschema.org/schema/Brick/ref#',
  geojson: 'https://geojson.org/',
  unit: 'http://qudt.org/vocab/unit/',
  quantitykind: 'http://qudt.org/vocab/quantitykind/',
  dcterms: 'http://purl.org/dc/terms/',
  owl: 'http://www.w3.org/2002/07/owl#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
  /** Terms that Brick and REC do not have. */
  storey: 'urn:storey:vocabulary#',
} as const

const NAMED_ESCAPES: Record<string, string> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const hex = (char: string) => `\\u${char.codePointAt(0)!.toString(16).padStart(4, '0').toUpperCase()}`

/**
 * Quotes and backslashes are escaped, so that user input cannot end the literal early. Control characters are escaped
 * too: most are allowed in a literal, but editors and terminals lose them.
 */
export function literal(text: string): string {
  const safe = text.toWellFormed().replace(/["\\\p{Cc}]/gu, (char) => NAMED_ESCAPES[char] ?? hex(char))
  return `"${safe}"`
}

/** Percent-encodes characters that an IRI must not have, since Turtle's own escapes would keep them in the IRI. */
export function iri(text: string): string {
  return `<${text.toWellFormed().replace(/[\p{Cc} <>"{}|\\^`]/gu, encodeURIComponent)}>`
}

/** A term of a vocabulary, in the short form `prefix:name` if Turtle allows it. */
export function term(prefix: keyof typeof PREFIXES, name: string): string {
  return /^\w[\w-]*$/.test(name) ? `${prefix}:${name}` : iri(PREFIXES[prefix] + name)
}

/** JavaScript writes any finite number in a form that Turtle reads: an integer, a decimal or a double. */
export const number = (value: number): string => String(value)

export const dateTime = (at: string): string => `${literal(at)}^^xsd:dateTime`

/**
 * The Turtle name of a node, of the site, or of a part such as a postal address: `id` is a UUID or, for a part, a text
 * such as `<UUID>-capacity`. The head of the document defines the prefix `node:`.
 */
export const node = (id: string): string => `node:${id}`

/** A blank node with its properties. */
export const blank = (predicates: readonly string[]): string => `[ ${predicates.join(' ; ')} ]`

/** A complete statement about one subject. */
export const statement = (subject: string, predicates: readonly string[]): string =>
  `${subject} ${predicates.join(' ;\n  ')} .\n`
