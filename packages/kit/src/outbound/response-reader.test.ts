import http from 'node:http'
import { Duplex } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ResponseReader } from './response-reader.ts'

interface Answer {
  status: number
  body: string
}

/** Reads a response that arrives in these pieces, followed by the end of the connection. */
function readPieces(pieces: readonly Buffer[], maxBytes = 1_000_000): Answer | 'invalid' | 'unfinished' {
  const reader = new ResponseReader(maxBytes)
  try {
    const isComplete = pieces.some((piece) => reader.read(piece)) || reader.end()
    return isComplete ? { status: reader.status, body: reader.body.toString('latin1') } : 'unfinished'
  } catch {
    return 'invalid'
  }
}

/** The bytes up to the end of the response. Bytes after the end are removed, because Node treats them as an error. */
function withoutRest(bytes: Buffer): Buffer {
  const reader = new ResponseReader(1_000_000)
  const isLast = (byte: number) => reader.read(Buffer.of(byte))
  try {
    const last = bytes.findIndex(isLast)
    return last < 0 ? bytes : bytes.subarray(0, last + 1)
  } catch {
    return bytes
  }
}

/** Reads the same pieces as `readPieces`, but with Node's client. */
function readByNode(pieces: readonly Buffer[]): Promise<Answer | 'failed'> {
  return new Promise((resolve) => {
    const socket = new Duplex({
      read: () => undefined,
      write: (_chunk, _encoding, done) => done(),
      final: (done) => done(),
    })
    const request = http.request({ method: 'POST', createConnection: () => socket, headers: { 'content-length': 0 } })
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('close', () => resolve('failed'))
      response.on('error', () => undefined)
      response.on('end', () =>
        resolve({ status: response.statusCode!, body: Buffer.concat(chunks).toString('latin1') }),
      )
    })
    request.on('error', () => resolve('failed'))
    request.end(() => {
      for (const piece of pieces) socket.push(piece)
      socket.push(null)
    })
  })
}

const cut = (bytes: Buffer, places: readonly number[]): Buffer[] => {
  const ends = [...new Set(places.map((place) => place % bytes.length)), bytes.length].toSorted((a, b) => a - b)
  return ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end))
}

const text = fc.string({ unit: fc.constantFrom('a', '0', ' ', '\t', ';', ':', ',', '"', '\xfc'), maxLength: 12 })
const casing = (name: string) => fc.constantFrom(name, name.toLowerCase(), name.toUpperCase())
const header = (name: string, value: fc.Arbitrary<string>) =>
  fc
    .tuple(casing(name), fc.constantFrom('', ' ', '\t ', '  '), value, fc.constantFrom('', ' '))
    .map(([written, before, content, after]) => `${written}:${before}${content}${after}\r\n`)
const others = fc.array(
  fc.oneof(
    header('X-Other', text),
    header('Connection', fc.constantFrom('close', 'keep-alive', 'Keep-Alive, x', 'x')),
    header('Keep-Alive', fc.constantFrom('timeout=5', 'timeout=5, max=100', 'max=1')),
  ),
  { maxLength: 3 },
)
const content = fc.string({ unit: 'binary-ascii', maxLength: 40 })
const chunked = fc
  .array(
    content.filter((part) => part !== ''),
    { maxLength: 4 },
  )
  .chain((parts) =>
    fc
      .tuple(fc.constantFrom('', ';a=b', ';a="b c"'), fc.constantFrom('', 'X-Trailer: a\r\n'))
      .map(([extension, trailer]) => {
        const chunks = parts.map((part) => `${part.length.toString(16)}${extension}\r\n${part}\r\n`)
        return `${chunks.join('')}0${extension}\r\n${trailer}\r\n`
      }),
  )
const framed = fc.oneof(
  content.chain((body) => header('Content-Length', fc.constant(String(body.length))).map((line) => ({ line, body }))),
  chunked.chain((body) =>
    header('Transfer-Encoding', fc.constantFrom('chunked', 'gzip, chunked')).map((line) => ({ line, body })),
  ),
  content.map((body) => ({ line: '', body })),
  content.map((body) => ({ line: 'Transfer-Encoding: gzip\r\n', body })),
)
const interim = fc.constantFrom(
  '',
  '',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
)
const statusLine = fc
  .tuple(
    fc.constantFrom('1.1', '1.1', '1.0'),
    fc.constantFrom(200, 202, 204, 304, 400, 503),
    fc.constantFrom(' OK', ' ', ' Not so \xfc'),
  )
  .map(([version, status, reason]) => `HTTP/${version} ${status}${reason}\r\n`)
const response = fc
  .tuple(interim, statusLine, others, framed, others)
  .map(
    ([first, start, before, { line, body }, after]) =>
      `${first}${start}${before.join('')}${line}${after.join('')}\r\n${body}`,
  )
const places = fc.array(fc.nat(400), { maxLength: 6 })

/** Changes that often make a response invalid. */
const mutation = fc.tuple(
  fc.nat(300),
  fc.nat(3),
  fc.constantFrom(
    '',
    '\r',
    '\n',
    '\r\n',
    ' ',
    ':',
    '\0',
    '0',
    '5',
    ',',
    ';',
    'chunked',
    'Content-Length: 5\r\n',
    'Transfer-Encoding: chunked\r\n',
    '\r\n\r\n',
  ),
)
const mutate = (valid: string, changes: readonly [number, number, string][]): string =>
  changes.reduce((bytes, [at, removed, added]) => {
    const place = at % (bytes.length + 1)
    return bytes.slice(0, place) + added + bytes.slice(place + removed)
  }, valid)

describe('a response', () => {
  it('[WHK-51] is read as Node’s client reads it, wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(response, places, async (whole, at) => {
        const pieces = cut(withoutRest(Buffer.from(whole, 'latin1')), at)
        expect(readPieces(pieces)).toEqual(await readByNode(pieces))
      }),
    )
  })

  it('[WHK-51] that Node refuses is refused', async () => {
    await fc.assert(
      fc.asyncProperty(
        response,
        fc.array(mutation, { minLength: 1, maxLength: 3 }),
        places,
        async (valid, changes, at) => {
          const bytes = Buffer.from(mutate(valid, changes), 'latin1')
          if (bytes.length === 0) return
          const pieces = cut(withoutRest(bytes), at)
          const ours = readPieces(pieces)
          if (typeof ours === 'object') expect(ours).toEqual(await readByNode(pieces))
        },
      ),
    )
  })

  it.each([
    [16_384, { status: 204, body: '' }],
    [16_385, 'invalid'],
  ])('with a head of %i bytes is read with the same result wherever the end of the head is cut', (bytes, result) => {
    const start = 'HTTP/1.1 204 No Content\r\nX: '
    const whole = Buffer.from(`${start.padEnd(bytes, 'x')}\r\n\r\n`)
    for (let at = bytes - 2; at <= bytes + 4; at++)
      expect(readPieces([whole.subarray(0, at), whole.subarray(at)]), `cut at ${at}`).toEqual(result)
    expect(readPieces([...whole].map((byte) => Buffer.of(byte)))).toEqual(result)
  })

  it('is read with the same result in one piece and byte by byte', () => {
    fc.assert(
      fc.property(response, fc.array(mutation, { maxLength: 2 }), (valid, changes) => {
        const bytes = Buffer.from(mutate(valid, changes), 'latin1')
        expect(readPieces([...bytes].map((byte) => Buffer.of(byte)))).toEqual(readPieces([bytes]))
      }),
    )
  })
})
