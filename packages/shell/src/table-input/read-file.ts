export type UnreadableFile = 'workbook' | 'tooLarge'

/**
 * The API accepts bodies of at most 10 MB. The file can be larger than the body, because it can have columns that are
 * not sent, and two bytes per character (UTF-16).
 */
const MAX_BYTES = 20 * 1024 * 1024

/** The text of a CSV file, in the encodings that spreadsheets write. */
export async function readTextFile(file: File): Promise<{ text: string } | { problem: UnreadableFile }> {
  if (file.size > MAX_BYTES) return { problem: 'tooLarge' }
  return decodeText(new Uint8Array(await file.arrayBuffer()))
}

export function decodeText(bytes: Uint8Array): { text: string } | { problem: UnreadableFile } {
  const [first, second] = bytes
  // Workbooks (.xlsx, .ods) are ZIP archives; older ones (.xls) are compound files.
  const isWorkbook = (first === 0x50 && second === 0x4b) || (first === 0xd0 && second === 0xcf)
  if (isWorkbook) return { problem: 'workbook' }
  if (first === 0xff && second === 0xfe) return { text: new TextDecoder('utf-16le').decode(bytes) }
  if (first === 0xfe && second === 0xff) return { text: new TextDecoder('utf-16be').decode(bytes) }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return { text: new TextDecoder(legacyEncoding(bytes)).decode(bytes) }
  }
}

/**
 * Excel on Windows writes Cyrillic texts in windows-1251 and Western European texts in windows-1252. In both
 * encodings, most letters outside ASCII are bytes from 0xC0 up. Such bytes often follow each other in Cyrillic words,
 * and rarely in Western European words.
 */
function legacyEncoding(bytes: Uint8Array): string {
  let pairs = 0
  let high = 0
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i]! < 0xc0) continue
    high += 1
    if ((bytes[i + 1] ?? 0) >= 0xc0) pairs += 1
  }
  return pairs * 2 > high ? 'windows-1251' : 'windows-1252'
}
