import { isIPv4, isIPv6 } from 'node:net'
import { plainBytes } from './address-range.ts'
import { addressText } from './address-text.ts'

/** The result of parsing the first bytes of a connection with HAProxy's PROXY protocol. */
export type ProxyHeader =
  /** The bytes are not a PROXY protocol header, so they belong to the client. */
  | { kind: 'none' }
  /** The bytes may be the beginning of a header. More bytes are needed. */
  | { kind: 'incomplete' }
  /** The bytes are an invalid header, so the connection has to be closed. */
  | { kind: 'invalid'; reason: string }
  /**
   * The client's bytes begin at `length`. `source` is undefined if the header names no client, for example because the
   * proxy itself sends a health check.
   */
  | { kind: 'header'; length: number; source: { address: string; port: number } | undefined }

const V1_START = Buffer.from('PROXY ')
const V1_MAX_BYTES = 107
const V2_SIGNATURE = Buffer.from([0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a])
const V2_HEAD_BYTES = 16
/**
 * Load balancers add extensions of a few hundred bytes. The protocol allows 64 KB, which is too much memory for a
 * client that is not authenticated.
 */
const V2_MAX_BYTES = 4096

/** Reads a header of version 1 (a line) or 2 (binary). Call this only if the other end is a trusted proxy. */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (startsAlike(bytes, V2_SIGNATURE)) return bytes.length < V2_HEAD_BYTES ? { kind: 'incomplete' } : readV2(bytes)
  if (startsAlike(bytes, V1_START)) return bytes.length < V1_START.length ? { kind: 'incomplete' } : readV1(bytes)
  return { kind: 'none' }
}

function startsAlike(bytes: Buffer, start: Buffer): boolean {
  const length = Math.min(bytes.length, start.length)
  return bytes.subarray(0, length).equals(start.subarray(0, length))
}

function readV1(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, V1_MAX_BYTES).indexOf('\r\n')
  if (end < 0) return bytes.length < V1_MAX_BYTES ? { kind: 'incomplete' } : invalid('the line is too long')
  const length = end + 2
  const line = bytes.toString('latin1', 0, end)
  const [, family, from = '', to = '', fromPort, toPort, ...more] = line.split(' ')
  if (family === 'UNKNOWN') return { kind: 'header', length, source: undefined }
  const isAddress = family === 'TCP4' ? isIPv4 : family === 'TCP6' ? isIPv6 : undefined
  const port = portOf(fromPort)
  if (!isAddress?.(from) || !isAddress(to) || port === undefined || portOf(toPort) === undefined || more.length > 0) {
    return invalid('the line does not name two addresses and two ports')
  }
  const bytesOfSource = plainBytes(from)
  if (!bytesOfSource) return invalid('the address has a zone')
  return { kind: 'header', length, source: { address: addressText(bytesOfSource), port } }
}

const portOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^(0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined

const LOCAL = 0x20
const PROXY = 0x21
/** The length of an address in each family. The upper four bits of byte 13 are the family. */
const ADDRESS_BYTES: Record<number, number> = { 1: 4, 2: 16 }

function readV2(bytes: Buffer): ProxyHeader {
  const [command, family] = [bytes[12]!, bytes[13]! >> 4]
  const length = V2_HEAD_BYTES + bytes.readUInt16BE(14)
  if (command !== LOCAL && command !== PROXY) return invalid('the version or the command is not known')
  if (length > V2_MAX_BYTES) return invalid('the header is too long')
  if (bytes.length < length) return { kind: 'incomplete' }
  const size = ADDRESS_BYTES[family]
  if (command === LOCAL || size === undefined) return { kind: 'header', length, source: undefined }
  if (length < V2_HEAD_BYTES + size * 2 + 4) return invalid('the header is shorter than its addresses')
  const from = bytes.subarray(V2_HEAD_BYTES, V2_HEAD_BYTES + size)
  const address = addressText(plainBytes(addressText(from))!)
  return { kind: 'header', length, source: { address, port: bytes.readUInt16BE(V2_HEAD_BYTES + size * 2) } }
}

const invalid = (reason: string): ProxyHeader => ({ kind: 'invalid', reason })
