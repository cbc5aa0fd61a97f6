type Bytes = Uint8Array<ArrayBuffer>

/** Whether the signature is the HMAC-SHA256 of these bytes. WebCrypto compares in constant time. */
export async function hmacMatches(key: Bytes, signature: Bytes, signed: Uint8Array): Promise<boolean> {
  if (key.length === 0) return false
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', key, hmac, false, ['verify'])
  return crypto.subtle.verify('HMAC', imported, signature, new Uint8Array(signed))
}

export function decodeHex(text: string): Bytes | undefined {
  if (!/^(?:[0-9a-f]{2})+$/i.test(text)) return undefined
  return Uint8Array.from(text.match(/../g)!, (pair) => Number.parseInt(pair, 16))
}

export function decodeBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
