const QUOTE = 34
const COMMA = 44
const BACKSLASH = 92
const CLOSING_BRACKET = 93
const CLOSING_BRACE = 125

const orders = new WeakMap<object, readonly string[]>()

/**
 * The identifiers of an upload in the order of its text, each at its last position, so that `assign` in
 * `upload-values.ts` can use the last value of a room. A parsed object has that order with two exceptions: keys such as
 * "12" come first, and a repeated key stays at its first position.
 */
export function identifiersOf(values: object): readonly string[] {
  return orders.get(values) ?? Object.keys(values)
}

/** Records the order of the identifiers in the text of an upload, if the parsed object may have another order. */
export function recordOrder(body: unknown, raw: Buffer): void {
  const { values } = (body ?? {}) as { values?: unknown }
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return
  const keys = Object.keys(values)
  const [first] = keys
  if (first === undefined) return
  // In UTF-8 all structural characters are one byte, so the text is scanned as Latin-1 and only keys are decoded.
  const text = raw.toString('latin1')
  const { at, members } = findValues(text)
  if (members === keys.length && !isIndex(first)) return
  orders.set(values, keysByLastPlace(text, at))
}

/** Integer keys come first in an object. */
const isIndex = (key: string) => /^(?:0|[1-9]\d{0,9})$/.test(key)

/** Finds the field `values` in the text, which is valid JSON. If the field is repeated, the last one counts. */
function findValues(text: string): { at: number; members: number } {
  let found = { at: -1, members: 0 }
  const end = walkMembers(text, text.indexOf('{'), (keyAt, keyEnd, valueAt) => {
    if (readKey(text, keyAt, keyEnd) !== 'values' || text[valueAt] !== '{') return undefined
    let members = 0
    const after = walkMembers(text, valueAt, () => {
      members++
      return undefined
    })
    found = { at: valueAt, members }
    return after
  })
  if (found.at < 0) throw new Error(`no values in a text of ${end} characters`)
  return found
}

function keysByLastPlace(text: string, at: number): string[] {
  const keys = new Set<string>()
  walkMembers(text, at, (keyAt, keyEnd) => {
    const key = readKey(text, keyAt, keyEnd)
    keys.delete(key)
    keys.add(key)
    return undefined
  })
  return [...keys]
}

type Visit = (keyAt: number, keyEnd: number, valueAt: number) => number | undefined

/**
 * Visits the members of the object that opens at `at`, and returns the position after the object. A visitor that has
 * read a value returns the position after the value.
 */
function walkMembers(text: string, at: number, visit: Visit): number {
  let i = skipSpace(text, at + 1)
  while (text.charCodeAt(i) === QUOTE) {
    const keyEnd = skipString(text, i)
    const valueAt = skipSpace(text, skipSpace(text, keyEnd) + 1)
    i = skipSpace(text, visit(i, keyEnd, valueAt) ?? skipValue(text, valueAt))
    if (text.charCodeAt(i) === COMMA) i = skipSpace(text, i + 1)
  }
  return i + 1
}

function readKey(text: string, at: number, end: number): string {
  const key = Buffer.from(text.slice(at, end), 'latin1').toString()
  return key.includes('\\') ? JSON.parse(key) : key.slice(1, -1)
}

function skipSpace(text: string, at: number): number {
  let i = at
  while (text.charCodeAt(i) <= 32) i++
  return i
}

/** The position after the closing quote of the string that begins at `at`. */
function skipString(text: string, at: number): number {
  for (let i = text.indexOf('"', at + 1); ; i = text.indexOf('"', i + 1)) {
    let before = i - 1
    while (text.charCodeAt(before) === BACKSLASH) before--
    if ((i - before) % 2 === 1) return i + 1
  }
}

function skipValue(text: string, at: number): number {
  const opening = text[at]
  if (opening === '"') return skipString(text, at)
  return opening === '{' || opening === '[' ? skipNested(text, at) : skipScalar(text, at)
}

function skipScalar(text: string, at: number): number {
  for (let i = at; ; i++) {
    const code = text.charCodeAt(i)
    if (code === COMMA || code === CLOSING_BRACE || code === CLOSING_BRACKET || code <= 32) return i
  }
}

function skipNested(text: string, at: number): number {
  let depth = 0
  for (let i = at; ; i++) {
    const character = text[i]
    if (character === '"') i = skipString(text, i) - 1
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    if (depth === 0) return i + 1
  }
}
