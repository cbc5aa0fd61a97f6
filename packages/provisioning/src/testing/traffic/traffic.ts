import fc from 'fast-check'

/** The bytes that a client sends on one connection, and how they are split. */
export interface Traffic {
  bytes: string
  /** The places at which the client pauses, as offsets in `bytes`; `every`: after each byte. */
  cuts: number[] | 'every'
}

const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: a.localhost\r\nX-Marker: smuggled\r\n\r\n'

const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND')
const target = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('/a', '/a?b=c', '/api/v1/x?y=%20', '/a;b', '//a//', '/{x}|y') },
  { weight: 2, arbitrary: fc.constantFrom('http://a.localhost/abs', 'http://a.localhost/abs?x=1') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('/socket.io/?EIO=4', '*', '/a#b', 'a.localhost:80', 'http://u@a.localhost/'),
  },
)
const named = fc.constantFrom(
  'close',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'host',
  'x-marker',
  'upgrade',
  'te',
)
const line = fc.oneof(
  fc.array(named, { minLength: 1, maxLength: 4 }).map((names) => `Connection: ${names.join(', ')}`),
  fc.constantFrom(
    'Keep-Alive: timeout=5',
    'TE: trailers, chunked',
    'Trailer: X-T',
    'Upgrade: h2c',
    'Upgrade: websocket',
    'Expect: 100-continue',
    'X-Forwarded-For: 6.6.6.6',
    'X-Request-Id: mine',
    'Content-Type: application/json',
    'Authorization: Bearer x',
    'X-Empty:',
    'X-Answer: early',
    'X-Answer: 204',
    'X-Answer: 304',
    'X-Answer: measured',
    'X-Answer: close',
    'X-Bytes: \x80\xff',
  ),
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'Content-Length: 5',
      'Transfer-Encoding: chunked',
      'Transfer-Encoding: gzip, chunked',
      'Transfer-Encoding: xchunked',
      'Content-Length : 3',
      ' folded: x',
      'X-A: b\r\n folded',
      'X-A: b\nContent-Length: 4',
      'X-A: b\rTransfer-Encoding: chunked',
      'Content-Length: +3',
      'Content-Length: 1, 1',
      'Host: b.localhost',
      'Transfer-Encoding\0: chunked',
      'Transfer_Encoding: chunked',
    ),
  },
)

const body = fc
  .array(
    fc.oneof(
      fc.constantFrom(SMUGGLED, '0\r\n\r\n', '5\r\nhello\r\n', '\r\n', '\n', 'x'),
      fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)), maxLength: 30 }),
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(''))

/** How a body is divided into chunks. */
export const chunking = fc.record({
  sizes: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 6 }),
  extension: fc.constantFrom('', '', ';a', ';a=b', ';a="b c"'),
  zeros: fc.constantFrom('', '', '00'),
  trailer: fc.constantFrom('', '', 'X-T: y\r\n', 'Authorization: Bearer z\r\n'),
})

export function inChunks(
  text: string,
  { sizes, extension, zeros, trailer }: typeof chunking extends fc.Arbitrary<infer T> ? T : never,
) {
  let rest = text
  let bytes = ''
  for (const size of [...sizes, text.length]) {
    const piece = rest.slice(0, size)
    rest = rest.slice(size)
    if (piece !== '') bytes += `${zeros}${piece.length.toString(16)}${extension}\r\n${piece}\r\n`
  }
  return `${bytes}0\r\n${trailer}\r\n`
}

const framed = fc.oneof(
  fc.constant({ lines: [] as string[], body: '' }),
  body.map((text) => ({ lines: [`Content-Length: ${text.length}`], body: text })),
  fc.tuple(body, chunking).map(([text, how]) => ({ lines: ['Transfer-Encoding: chunked'], body: inChunks(text, how) })),
  // A body that may be shorter or longer than its Content-Length.
  fc.tuple(body, fc.integer({ min: -2, max: 2 })).map(([text, off]) => ({
    lines: [`Content-Length: ${Math.max(0, text.length + off)}`],
    body: text,
  })),
)

const request = fc
  .record({
    method,
    target,
    version: fc.constantFrom('1.1', '1.1', '1.1', '1.1', '1.0'),
    lines: fc.array(line, { maxLength: 3 }),
    framed,
    framingFirst: fc.boolean(),
  })
  .map(({ method, target, version, lines, framed, framingFirst }) => (marker: string) => {
    const own = ['Host: a.localhost', `X-Marker: ${marker}`]
    const all = framingFirst ? [...framed.lines, ...own, ...lines] : [...own, ...lines, ...framed.lines]
    return `${method} ${target} HTTP/${version}\r\n${all.join('\r\n')}\r\n\r\n${framed.body}`
  })

/** A random mutation: bytes are removed, inserted or replaced. */
export const slip = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.integer({ min: 0, max: 3 }),
  added: fc.constantFrom('', '\r', '\n', '\r\n', '\0', ' ', '\t', ':', ',', ';', '0', 'x', '\r\n\r\n'),
})

export function applySlip(
  bytes: string,
  { at, removed, added }: typeof slip extends fc.Arbitrary<infer T> ? T : never,
) {
  const place = Math.floor(at * bytes.length)
  return bytes.slice(0, place) + added + bytes.slice(place + removed)
}

/** Where a client pauses: nowhere, at some places, which are fractions of the length, or after each byte. */
export const cutting = fc.oneof(
  fc.constant([] as number[]),
  fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 8 }),
  fc.constant('every' as const),
)

export const placesOf = (cuts: number[] | 'every', length: number): Traffic['cuts'] =>
  cuts === 'every' ? cuts : cuts.map((cut) => Math.floor(cut * length)).sort((a, b) => a - b)

/** One to four requests on one connection, most of them valid, sent in pieces. */
export const traffic: fc.Arbitrary<Traffic> = fc
  .record({
    requests: fc.array(request, { minLength: 1, maxLength: 4 }),
    slips: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(slip, { maxLength: 3 }) },
    ),
    cuts: cutting,
  })
  .map(({ requests, slips, cuts }) => {
    let bytes = requests.map((write, i) => write(`m${i}`)).join('')
    for (const one of slips) bytes = applySlip(bytes, one)
    return { bytes, cuts: placesOf(cuts, bytes.length) }
  })
