import type { Seen, TestGateway, TestGatewayOptions } from '../test-gateway.ts'
import { readAnswers } from './read-answers.ts'
import { type IntendedRequest, readRequests } from './read-requests.ts'
import type { Traffic } from './traffic.ts'

/** Responds as the header `x-answer` of the request specifies, so that a connection can have all kinds of responses. */
export const answerAsRequested: NonNullable<TestGatewayOptions['answer']> = ({ headers }) => {
  const script = String(headers['x-answer'] ?? '')
  if (script === 'early') return { early: true }
  if (script === '204' || script === '304') return { status: Number(script) }
  if (script === 'measured') return { headers: { 'content-length': '8' }, body: '12345678' }
  return script === 'close' ? { headers: { connection: 'close' } } : {}
}

/**
 * Each call of `tryTraffic` uses an address of its own, so that a late request of one call is not mistaken for a
 * request of the next call.
 */
let tried = 0
function nextAddress(): string {
  tried++
  return `127.8.${(tried >> 8) & 255}.${tried & 255}`
}

const nextTick = () => new Promise<void>((resolve) => setImmediate(resolve))

/**
 * Sends the traffic from an address of its own. Compares the requests that the stack parsed with those in the bytes,
 * and the responses with the requests. Returns a description of the first difference, if there is one.
 */
export async function tryTraffic(test: TestGateway, { bytes, cuts }: Traffic): Promise<string | undefined> {
  const address = nextAddress()
  const meant = readRequests(bytes)
  const from = test.stack.seen.length
  const client = await test.connect(address)
  const places = cuts === 'every' ? Array.from({ length: bytes.length }, (_, i) => i) : cuts
  let sent = 0
  for (const place of [...places, bytes.length]) {
    client.write(bytes.slice(sent, place))
    sent = place
    await nextTick()
  }
  const methods = meant.map(({ method }) => method)
  const whole = meant.filter(({ complete }) => complete).length
  const hasAll = (text: string) => whole > 0 && readAnswers(text, methods).answers.length >= whole
  const isAtEnd = whole === meant.length && whole > 0
  await client.until(hasAll, isAtEnd ? 3_000 : 60)
  if (!isAtEnd) await nextTick()
  const text = client.received()
  client.socket.destroy()
  const seen = test.stack.seen.slice(from).filter(({ headers }) => headers['x-forwarded-for'] === address)
  return wrongRequest(seen, meant) ?? wrongAnswer(text, meant)
}

/** Whether the request is for a host other than that of the sandbox, so that the stack never sees it. */
const isElsewhere = ({ host, target }: IntendedRequest): boolean =>
  target.startsWith('/') && !/^a\.localhost\.?(:\d*)?$/i.test(host)

/** Whether the request is `OPTIONS *`, which the gateway answers itself. */
const isForAll = ({ method, target }: IntendedRequest): boolean => method === 'OPTIONS' && target === '*'

function wrongRequest(seen: readonly Seen[], all: readonly IntendedRequest[]): string | undefined {
  const meant = all.filter((request) => !isElsewhere(request) && !isForAll(request))
  for (const [i, { method, url, body, complete, headers, trailers }] of seen.entries()) {
    const own = meant[i]
    const what = `request ${i} of the stack, ${method} ${url} ${JSON.stringify(body)}`
    if (own === undefined) return `${what}, was never sent`
    const isSame = own.method === method && own.target === url && own.marker === (headers['x-marker'] ?? '')
    if (!isSame) return `${what}, is not ${own.method} ${own.target} ${own.marker}`
    if (complete && !own.complete) return `${what}, is complete, but its end was not sent`
    if (complete && own.body !== body) return `${what}, should have the body ${JSON.stringify(own.body)}`
    if (!complete && !own.body.startsWith(body)) return `${what}, is not the beginning of ${JSON.stringify(own.body)}`
    if (trailers.length > 0) return `${what}, has trailers`
    if ('content-length' in headers && 'transfer-encoding' in headers) return `${what}, is framed twice`
  }
  return undefined
}

/**
 * Describes the first wrong response. The responses must belong to the first requests, in order. A refusal of invalid
 * bytes has no marker and must be the last response.
 */
function wrongAnswer(text: string, meant: readonly IntendedRequest[]): string | undefined {
  const { answers } = readAnswers(
    text,
    meant.map(({ method }) => method),
  )
  for (const [i, { status, marker }] of answers.entries()) {
    if (status === 404 && meant[i] && isElsewhere(meant[i])) continue
    if (status === 204 && meant[i] && isForAll(meant[i])) continue
    if (marker === undefined && status >= 400)
      return i === answers.length - 1 ? undefined : `response ${i} is a refusal, but others follow it`
    if (meant[i] === undefined) return `response ${i} belongs to no request: ${status} ${marker}`
    if (marker !== meant[i].marker) return `response ${i} has the marker ${marker}, not ${meant[i].marker}`
  }
  return undefined
}

/**
 * Sends marked requests, several at a time, until `over` is aborted. Counts the requests that get the right response
 * (`answered`) or none (`lost`), and those that are mixed up with requests of another client (`mixed`).
 */
export async function sendAsVictim(test: TestGateway, address: string, over: AbortSignal) {
  const counts = { answered: 0, mixed: 0, lost: 0 }
  const from = test.stack.seen.length
  const sent = new Set<string>()
  for (let round = 0; !over.aborted; round++) {
    const client = await test.connect(address)
    const markers = Array.from({ length: 1 + (round % 5) }, (_, i) => `${address}-${round}-${i}`)
    for (const marker of markers) sent.add(marker)
    const requests = markers.map((marker, i) => {
      const body = i % 2 ? `body of ${marker}` : ''
      const framing = i % 2 ? `Content-Length: ${body.length}\r\n` : ''
      return `${i % 2 ? 'POST' : 'GET'} /${marker} HTTP/1.1\r\nHost: a.localhost\r\nAuthorization: Bearer victim\r\nX-Marker: ${marker}\r\n${framing}\r\n${body}`
    })
    client.write(requests.join(''))
    const read = (text: string) => readAnswers(text, []).answers
    const answers = read(await client.until((text) => read(text).length >= markers.length))
    for (const [i, marker] of markers.entries()) {
      if (answers[i] === undefined) counts.lost++
      else if (answers[i].marker === marker && answers[i].body === marker) counts.answered++
      else counts.mixed++
    }
    client.socket.destroy()
  }
  // `mixed` also counts requests of other clients that reached the stack from this client's address, and requests of
  // this client that reached the stack from another address.
  for (const { headers, url } of test.stack.seen.slice(from)) {
    const isOwn = headers['x-forwarded-for'] === address
    const bearsToken = headers.authorization === 'Bearer victim'
    if (isOwn !== bearsToken && (isOwn || sent.has(url.slice(1)))) counts.mixed++
    if (isOwn && !sent.has(url.slice(1))) counts.mixed++
  }
  return counts
}
