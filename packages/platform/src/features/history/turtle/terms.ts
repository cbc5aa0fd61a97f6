/** The words of a Turtle document, each written so that nothing a person typed can end it early. */

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
  /** What Brick and REC have no word for. */
  storey: 'urn:storey:vocabulary#',
} as const

const NAMED_ESCAPES: Record<string, string> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const hex = (char: string) => `\\u${char.codePointAt(0)!.toString(16).padStart(4, '0').toUpperCase()}`

/** Control characters are allowed in a literal, and then lost on the way through editors and terminals. */
export function literal(text: string): string {
  const safe = text.toWellFormed().replace(/["\\\p{Cc}]/gu, (char) => NAMED_ESCAPES[char] ?? hex(char))
  return `"${safe}"`
}

/** What may not stand between the angle brackets is percent-encoded: Turtle's own escapes would still be no IRI. */
export function iri(text: string): string {
  return `<${text.toWellFormed().replace(/[\p{Cc} <>"{}|\\^`]/gu, encodeURIComponent)}>`
}

/** A name of a vocabulary: short where Turtle lets it be short. */
export function term(prefix: keyof typeof PREFIXES, name: string): string {
  return /^\w[\w-]*$/.test(name) ? `${prefix}:${name}` : iri(PREFIXES[prefix] + name)
}

/** Any finite number is written by JavaScript as Turtle reads it: an integer, a decimal or a double. */
export const number = (value: number): string => String(value)

export const dateTime = (at: string): string => `${literal(at)}^^xsd:dateTime`

/** A node by its id, which is a UUID; the head says where the prefix points. */
export const node = (id: string): string => `node:${id}`

/** A blank node with what it says. */
export const blank = (says: readonly string[]): string => `[ ${says.join(' ; ')} ]`

/** What one subject says, as a statement with its end. */
export const statement = (subject: string, says: readonly string[]): string => `${subject} ${says.join(' ;\n  ')} .\n`
