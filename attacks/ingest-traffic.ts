import fc from 'fast-check'
import {
  applySlip,
  chunking,
  cutting,
  inChunks,
  placesOf,
  slip,
  type Traffic,
} from '../packages/provisioning/src/testing/traffic/traffic.ts'

/** A sandbox, and what a client needs to send it observations of one point. */
export interface Party {
  host: string
  token: string
  buildingId: string
  pointId: string
}

/** For whom bytes are written. */
export interface Parties {
  /** The sandbox that the connection belongs to. */
  own: Party
  /** Another sandbox, for which the client has a valid credential too. */
  other: Party
  /** A new time with each call. All times have the same length. */
  time(): string
}

type Write = (parties: Parties) => string

/** What a client sends on one connection, after the requests that make it busy. */
export interface IngestTraffic {
  /** Texts, each of which the client sends after the responses to those before. The last one ends with a good request. */
  write(parties: Parties): string[]
  /** As in `Traffic`, but as fractions of the length. */
  cuts: number[] | 'every'
  /** Whether the client waits until a stack has its connection. Otherwise the bytes arrive during the transfer. */
  waitsForTransfer: boolean
}

interface Parts {
  method?: string
  target?: string
  version?: string
  /** The sandbox of the building, the points and the credential. */
  to?: Party
  host?: string
  authorization?: string
  type?: string
  /** Header lines before and after those that frame the body. */
  before?: string[]
  after?: string[]
  framing?: string[]
  end?: string
}

export const ingestPath = ({ buildingId }: Party, path = 'observations') =>
  `/api/v1/buildings/${buildingId}/telemetry/${path}`

/** A request that stores a body, by default a plain one. */
export function message({ own }: Parties, body: string, parts: Parts = {}): string {
  const { to = own, method = 'POST', version = 'HTTP/1.1', type = 'application/json', end = '\r\n' } = parts
  const lines = [
    `${method} ${parts.target ?? ingestPath(to)} ${version}`,
    `Host: ${parts.host ?? to.host}`,
    `Authorization: ${parts.authorization ?? `Bearer ${to.token}`}`,
    `Content-Type: ${type}`,
    ...(parts.before ?? []),
    ...(parts.framing ?? [`Content-Length: ${body.length}`]),
    ...(parts.after ?? []),
  ]
  return `${lines.join(end)}${end}${end}${body}`
}

const observation = ({ time }: Parties, { pointId }: Party, value: number) => ({
  ...{ pointId, value: String(value), timestamp: time() },
})

/** A JSON body. The number of its observations tells responses of one connection apart. */
export const observations = (parties: Parties, count: number, to = parties.own): string =>
  JSON.stringify({ observations: Array.from({ length: count }, (_, i) => observation(parties, to, i)) })

const readBuilding = ({ host, token, buildingId }: Party): string =>
  `GET /api/v1/buildings/${buildingId} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`

/** A valid request that is hidden in another one. */
const hidden: fc.Arbitrary<Write> = fc.constantFrom<Write[]>(
  (all) => message(all, observations(all, 41)),
  (all) => message(all, observations(all, 42, all.other), { to: all.other }),
  ({ other }) => readBuilding(other),
)

const count = fc.integer({ min: 1, max: 15 })

/** Header lines that a stack does not serve, or that two parsers could read differently. */
const line: fc.Arbitrary<Write> = fc.constantFrom<Write[]>(
  ...[
    ...[
      'Expect: 100-continue',
      'Expect: 200-ok',
      'Connection: close',
      'Connection: keep-alive',
      'Keep-Alive: timeout=5',
    ],
    ...[
      'Connection: content-length',
      'Connection: Upgrade',
      'Connection: Upgrade\r\nUpgrade: h2c',
      'Upgrade: websocket',
    ],
    ...['Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__', 'TE: trailers'],
    ...['X-Forwarded-For: 127.0.0.1', 'X-Storey-Internal-Key: x', 'X-Storey-Arrived-At: 1', 'X-Storey-Signed-In: 1'],
    ...['Content-Encoding: gzip', 'Content-Encoding: identity', 'Accept: */*', 'Cookie: a=b', 'X-Bytes: \x80\xff'],
    ...['Transfer-Encoding: chunked', 'Transfer-Encoding: identity', 'Transfer-Encoding: gzip, chunked'],
    ...[
      'Transfer-Encoding : chunked',
      'Transfer-Encoding\0: chunked',
      'Transfer_Encoding: chunked',
      'Content_Length: 0',
    ],
    ...['Content-Length: 0', 'Content-Length: 5', 'Content-Length : 3', 'Content-Length: +3', 'Content-Length: 1, 1'],
    ...['Content-Length: -1', 'Content-Length: 0x10', 'Content-Length:', 'Content-Length: 18446744073709551617'],
    ...[' folded: x', 'Accept: a\r\n folded', 'Accept: a\r\n\tContent-Length: 0', 'Content-Length: 1\r\n 0'],
    ...['Accept: a\nContent-Length: 4', 'Accept: a\rTransfer-Encoding: chunked', 'Accept: a\n', 'Accept: a\0b', ': x'],
    ...['Authorization: Bearer x', 'Content-Type: text/plain', 'Trailer: X-T', 'Accept : a', 'Accept', '\x0bAccept: a'],
    `Accept: ${'a'.repeat(5_000)}`,
    `Accept: ${'a'.repeat(20_000)}`,
  ].map((text) => () => text),
  ({ other }) => `Host: ${other.host}`,
  ({ other }) => `X-Forwarded-Host: ${other.host}`,
  ({ other }) => `Forwarded: host=${other.host}`,
  ({ other }) => `Origin: http://${other.host}`,
  ({ other }) => `Accept: a\nHost: ${other.host}`,
  ({ other }) => `Authorization: Bearer ${other.token}`,
)

const plain = count.map<Write>((n) => (all) => message(all, observations(all, n)))

const inOtherForms = fc
  .tuple(count, fc.constantFrom('influx/write', 'influx/api/v2/write', 'ndjson'))
  .map<Write>(([n, form]) => (all) => {
    const all_ = Array.from({ length: n }, (_, i) => observation(all, all.own, i))
    if (form === 'ndjson')
      return message(all, all_.map((one) => JSON.stringify(one)).join('\n'), { type: 'application/x-ndjson' })
    const body = all_.map(({ pointId, value, timestamp }) => `${pointId} value=${value} ${Date.parse(timestamp)}\n`)
    return message(all, body.join(''), {
      ...{ target: `${ingestPath(all.own, form)}?precision=ms`, type: 'text/plain' },
      ...(n % 2 ? { authorization: `Token ${all.own.token}` } : {}),
    })
  })

const withLines = fc
  .record({ n: count, before: fc.array(line, { maxLength: 1 }), after: fc.array(line, { minLength: 1, maxLength: 2 }) })
  .map<Write>(({ n, before, after }) => (all) => {
    const written = (lines: Write[]) => lines.map((write) => write(all))
    return message(all, observations(all, n), { before: written(before), after: written(after) })
  })

/** A body in chunks, which may have a length too, or be cut off, or contain a request. */
const chunked = fc
  .record({
    n: count,
    how: chunking,
    hides: fc.option(hidden, { nil: undefined, freq: 4 }),
    framing: fc.constantFrom<string[][]>(
      ...[['Transfer-Encoding: chunked'], ['Transfer-Encoding: chunked'], ['transfer-encoding:chunked']],
      ...[
        ['Content-Length: 6', 'Transfer-Encoding: chunked'],
        ['Transfer-Encoding: chunked', 'Content-Length: 6'],
        ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'],
        ['Transfer-Encoding: Chunked, identity'],
      ],
    ),
    expects: fc.boolean(),
  })
  .map<Write>(({ n, how, hides, framing, expects }) => (all) => {
    const text = hides === undefined ? inChunks(observations(all, n), how) : `0\r\n\r\n${hides(all)}`
    return message(all, text, { framing, ...(expects ? { after: ['Expect: 100-continue'] } : {}) })
  })

/** A length that is shorter or longer than the body, or two lengths, with a request behind the body. */
const wrongLength = fc
  .record({ n: count, hides: hidden, off: fc.integer({ min: -3, max: 3 }), which: fc.nat(5) })
  .map<Write>(({ n, hides, off, which }) => (all) => {
    const body = observations(all, n)
    const behind = hides(all)
    const [short, long] = [`Content-Length: ${body.length}`, `Content-Length: ${body.length + behind.length}`]
    const framings = [
      [`Content-Length: ${body.length + off}`],
      [short],
      [long],
      [short, long],
      [long, short],
      ['Content-Length: 0'],
    ]
    return message(all, body + behind, { framing: framings[which]! })
  })

const targets: fc.Arbitrary<Write> = fc.constantFrom<Write[]>(
  ({ own }) => `http://${own.host}${ingestPath(own)}`,
  ({ other, own }) => `http://${other.host}${ingestPath(own)}`,
  ({ other }) => `http://${other.host}${ingestPath(other)}`,
  ({ own }) => `HTTPS://${own.host.toUpperCase()}${ingestPath(own)}`,
  ({ own }) => `http://user@${own.host}${ingestPath(own)}`,
  ({ own }) => `${ingestPath(own)}?a=b`,
  ({ own }) => `${ingestPath(own)}#a`,
  ({ own }) => `${ingestPath(own)}/`,
  ({ own }) => `/${ingestPath(own)}`,
  ({ own }) => `/x/..${ingestPath(own)}`,
  ({ own }) => ingestPath(own).replace('telemetry', 'tele%6Detry'),
  ({ own }) => ingestPath(own).toUpperCase(),
  ({ own }) => `/s/${own.host.split('.')[0]}${ingestPath(own)}`,
  ({ other }) => `/s/${other.host.split('.')[0]}${ingestPath(other)}`,
  ({ other }) => ingestPath(other),
  () => '*',
  ({ own }) => own.host,
)

const hosts: fc.Arbitrary<Write> = fc.constantFrom<Write[]>(
  ...Array.from(
    { length: 6 },
    (): Write =>
      ({ other }) =>
        other.host,
  ),
  ({ own }) => own.host.toUpperCase(),
  ({ own }) => own.host.replace(':', '.:'),
  ({ own }) => own.host.replace(/:\d+/, ''),
  ({ own }) => ` ${own.host} `,
  ({ own, other }) => `${own.host}, ${other.host}`,
  ({ own }) => own.host.split('.').slice(1).join('.'),
  ({ own }) => `${own.host}@x`,
  () => 'unknown.localhost',
  () => '',
)

/** A request for another address, with the building and the credential of one of the sandboxes. */
const elsewhere = fc
  .record({ n: count, target: fc.option(targets, { nil: undefined }), host: hosts, isOther: fc.boolean() })
  .map<Write>(({ n, target, host, isOther }) => (all) => {
    const to = isOther ? all.other : all.own
    const where = target === undefined ? { host: host(all) } : { target: target(all) }
    return message(all, observations(all, n, to), { to, ...where })
  })

const otherMethods = fc
  .record({
    n: count,
    method: fc.constantFrom('GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'post', 'PRI'),
    version: fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'http/1.1', 'HTTP/1.1 ', ' HTTP/1.1', ''),
    isOne: fc.boolean(),
  })
  .map<Write>(({ n, method, version, isOne }) => (all) => {
    return message(all, observations(all, n), isOne ? { method } : { version })
  })

const otherLineEnds = fc.record({ n: count, end: fc.constantFrom('\n', '\r', '\n\r', '\r\r\n') }).map<Write>(
  ({ n, end }) =>
    (all) =>
      message(all, observations(all, n), { end }),
)

/** An upgrade to the live channel, with bytes behind it that look like a request. */
const upgrade = fc.record({ hides: hidden, length: fc.constantFrom('', 'Content-Length: 5\r\n') }).map<Write>(
  ({ hides, length }) =>
    (all) =>
      `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: ${all.own.host}\r\nConnection: Upgrade\r\n` +
      'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n' +
      `${length}\r\n${hides(all)}`,
)

const garbage = fc.oneof(
  fc.constantFrom(
    ...['\r\n', '\r\n\r\n\r\n', '\n\n', '\0', '\x16\x03\x01\x02\0\x01\0', ' ', 'garbage\r\n\r\n', '0\r\n\r\n'],
    ...['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'GET\r\n\r\n', 'GET / \r\n\r\n', '\r\n\r\nPOST'],
  ),
  fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)), maxLength: 40 }),
)

/** A body around the greatest length that a stack reads itself. */
const large = fc.integer({ min: -1, max: 1 }).map<Write>((off) => (all) => {
  const body = observations(all, 30)
  return message(all, body + ' '.repeat(256 * 1024 + off - body.length))
})

const piece: fc.Arbitrary<Write> = fc.oneof(
  { weight: 8, arbitrary: plain },
  { weight: 2, arbitrary: inOtherForms },
  { weight: 6, arbitrary: withLines },
  { weight: 4, arbitrary: chunked },
  { weight: 4, arbitrary: wrongLength },
  { weight: 4, arbitrary: elsewhere },
  { weight: 2, arbitrary: otherMethods },
  { weight: 1, arbitrary: otherLineEnds },
  { weight: 1, arbitrary: upgrade },
  { weight: 2, arbitrary: garbage.map<Write>((text) => () => text) },
  { weight: 1, arbitrary: large },
  { weight: 1, arbitrary: fc.constant<Write>((all) => message(all, '{')) },
  { weight: 1, arbitrary: fc.constant<Write>((all) => message(all, observations(all, 1, all.other))) },
  { weight: 1, arbitrary: fc.constant<Write>(({ own }) => readBuilding(own)) },
)

const change = fc.oneof(
  { weight: 4, arbitrary: fc.constant((bytes: string) => bytes) },
  {
    weight: 2,
    arbitrary: fc
      .array(slip, { minLength: 1, maxLength: 3 })
      .map((slips) => (bytes: string) => slips.reduce(applySlip, bytes)),
  },
  // The rest is never sent, or the next request follows at once.
  {
    weight: 1,
    arbitrary: fc
      .double({ min: 0, max: 1, noNaN: true })
      .map((at) => (bytes: string) => bytes.slice(0, Math.floor(at * bytes.length))),
  },
)

const last: fc.Arbitrary<Write> = fc.constantFrom<Write[]>(
  ({ other }) => readBuilding(other),
  ({ own, other }) => readBuilding({ ...other, token: own.token }),
  (all) => message(all, observations(all, 43, all.other), { to: all.other }),
  (all) => message(all, observations(all, 44)),
)

export const ingestTraffic: fc.Arbitrary<IngestTraffic> = fc
  .record({
    pieces: fc.array(piece, { minLength: 1, maxLength: 4 }),
    change,
    changed: fc.nat(3),
    cuts: cutting,
    last,
    isPipelined: fc.integer({ min: 0, max: 2 }).map((n) => n === 0),
    isLastPipelined: fc.boolean(),
    waitsForTransfer: fc.integer({ min: 0, max: 5 }).map((n) => n > 0),
  })
  .map(({ pieces, change, changed, last, isPipelined, isLastPipelined, ...rest }) => ({
    ...rest,
    write(parties) {
      const written = pieces.map((write) => write(parties))
      const texts = isPipelined ? [written.join('')] : written
      texts[changed % texts.length] = change(texts[changed % texts.length]!)
      const end = last(parties)
      if (isLastPipelined) texts.push(texts.pop() + end)
      else texts.push(end)
      return texts
    },
  }))

/** A long text is not written byte by byte, because that takes too long. */
export const cutsOf = (cuts: IngestTraffic['cuts'], length: number): Traffic['cuts'] =>
  placesOf(cuts === 'every' && length > 3_000 ? [0.1, 0.3, 0.5, 0.7, 0.9] : cuts, length)
