import type { Wire, WireAttribute, WireSpan } from './received-spans.ts'

type Field = { number: number; value: bigint | Buffer }

const VARINT = 0
const FIXED_64 = 1
const LENGTH_DELIMITED = 2
const FIXED_32 = 5

/** Reads an OTLP export request in the encoding `http/protobuf`. Returns what the same request in JSON contains. */
export function readOtlp(bytes: Buffer): Wire {
  return {
    resourceSpans: messages(bytes, 1).map((resourceSpans) => ({
      resource: { attributes: messages(resourceSpans, 1).flatMap((resource) => attributesIn(resource, 1)) },
      scopeSpans: messages(resourceSpans, 2).map((scopeSpans) => ({ spans: messages(scopeSpans, 2).map(spanOf) })),
    })),
  }
}

function spanOf(bytes: Buffer): WireSpan {
  const [status] = messages(bytes, 15)
  return {
    traceId: messages(bytes, 1)[0]!.toString('hex'),
    spanId: messages(bytes, 2)[0]!.toString('hex'),
    traceState: messages(bytes, 3)[0]?.toString() ?? '',
    parentSpanId: messages(bytes, 4)[0]?.toString('hex') ?? '',
    name: messages(bytes, 5)[0]!.toString(),
    kind: numberIn(bytes, 6),
    startTimeUnixNano: String(integers(bytes, 7)[0]),
    endTimeUnixNano: String(integers(bytes, 8)[0]),
    attributes: attributesIn(bytes, 9),
    status: { code: status === undefined ? 0 : numberIn(status, 3) },
    flags: numberIn(bytes, 16),
  }
}

const attributesIn = (bytes: Buffer, field: number): WireAttribute[] =>
  messages(bytes, field).map((pair) => ({
    key: messages(pair, 1)[0]!.toString(),
    value: anyValueOf(fieldsOf(messages(pair, 2)[0]!)[0]!),
  }))

function anyValueOf({ number, value }: Field): WireAttribute['value'] {
  if (number === 1) return { stringValue: (value as Buffer).toString() }
  if (number === 2) return { boolValue: value !== 0n }
  if (number === 3) return { intValue: Number(BigInt.asIntN(64, value as bigint)) }
  const bits = Buffer.alloc(8)
  bits.writeBigUInt64LE(value as bigint)
  return { doubleValue: bits.readDoubleLE() }
}

const numberIn = (bytes: Buffer, field: number) => Number(integers(bytes, field)[0] ?? 0n)

const messages = (bytes: Buffer, field: number) =>
  fieldsOf(bytes).flatMap(({ number, value }) => (number === field && typeof value !== 'bigint' ? [value] : []))

const integers = (bytes: Buffer, field: number) =>
  fieldsOf(bytes).flatMap(({ number, value }) => (number === field && typeof value === 'bigint' ? [value] : []))

function fieldsOf(bytes: Buffer): Field[] {
  let at = 0
  function varint(): bigint {
    let result = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++)
      result |= BigInt(byte & 127) << shift
      if (byte < 128) return result
    }
  }
  function take(length: number): Buffer {
    if (at + length > bytes.length) throw new Error('a field is longer than its message')
    at += length
    return bytes.subarray(at - length, at)
  }
  function read(type: number): Field['value'] {
    if (type === VARINT) return varint()
    if (type === FIXED_64) return take(8).readBigUInt64LE()
    if (type === FIXED_32) return BigInt(take(4).readUInt32LE())
    if (type === LENGTH_DELIMITED) return take(Number(varint()))
    throw new Error(`type ${type} of a field is unknown`)
  }
  const fields: Field[] = []
  while (at < bytes.length) {
    const tag = Number(varint())
    fields.push({ number: tag >> 3, value: read(tag & 7) })
  }
  return fields
}
