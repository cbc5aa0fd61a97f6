import { isUtf8 } from 'node:buffer'

const ESCAPE =
  /''|\\\\|\\S\\(''|[\s\S])|\\P([A-I])\\|\\X\\([0-9A-Fa-f]{2})|\\X2\\((?:[0-9A-Fa-f]{4})*)\\X0\\|\\X4\\((?:[0-9A-Fa-f]{8})*)\\X0\\|\\[NF]\\/g

/**
 * Decodes a string of a STEP file (ISO 10303-21). The editions that IFC files use allow ASCII and escapes only, but many
 * programs write plain UTF-8 or Latin-1. A malformed escape stays as it is, because it is often part of a Windows path.
 */
export function decodeText(bytes: Buffer): string {
  const raw = isUtf8(bytes) ? bytes.toString('utf8') : bytes.toString('latin1')
  if (!raw.includes('\\') && !raw.includes("''")) return raw
  let page = 1
  return raw.replace(ESCAPE, (all, upper, alphabet, byte, wide, wider) => {
    if (all === "''") return "'"
    if (all === '\\\\') return '\\'
    if (alphabet !== undefined) {
      page = alphabet.charCodeAt(0) - 64
      return ''
    }
    if (upper !== undefined) return upperHalf(upper, page)
    if (byte !== undefined) return String.fromCharCode(Number.parseInt(byte, 16))
    if (wide !== undefined) return hex(wide, 4, String.fromCharCode)
    if (wider !== undefined) return hex(wider, 8, (code) => (code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'))
    return ' '
  })
}

function hex(digits: string, width: number, letter: (code: number) => string): string {
  let text = ''
  for (let at = 0; at < digits.length; at += width) text += letter(Number.parseInt(digits.slice(at, at + width), 16))
  return text
}

/** Decodes a character of the upper half of ISO 8859-1 to -9. The file has the character whose code is lower by 128. */
function upperHalf(letter: string, page: number): string {
  const code = letter.charCodeAt(0)
  if (code > 127) return letter
  return new TextDecoder(`iso-8859-${page}`).decode(Uint8Array.of(code + 128))
}

const MAX_LENGTH = 200

/** A string as a name or a label: one line, well formed, not too long. Null if nothing remains. */
export function cleanText(text: string): string | null {
  const line = text
    .slice(0, 4 * MAX_LENGTH)
    .replace(/\p{Surrogate}/gu, '')
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
  let cut = line.slice(0, MAX_LENGTH)
  if (cut.length < line.length) cut = cut.replace(/\p{Surrogate}$/u, '').trim()
  return cut === '' ? null : cut
}
