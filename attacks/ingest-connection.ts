import { setTimeout as sleep } from 'node:timers/promises'
import { type ReadAnswer, readAnswers } from '../packages/provisioning/src/testing/traffic/read-answers.ts'
import { type IntendedRequest, readRequests } from '../packages/provisioning/src/testing/traffic/read-requests.ts'
import { cutsOf, type IngestTraffic, message, observations, type Parties, type Party } from './ingest-traffic.ts'
import { openRawSocket, type RawSocket } from './raw-socket.ts'

const ANSWER_LIMIT_MS = 8_000
/** How long a client waits for a refusal of what it sent after the requests that are answered. */
const SHORT_MS = 10
const END_LIMIT_MS = 3_000
/** How often a client pauses for a millisecond while it sends a text. A slow client is refused as such. */
const PAUSES = 8

/** A plain request that was answered. */
export interface Ingested {
  text: string
  answer: ReadAnswer | undefined
  isAccepted: boolean
}

/** The client of one connection. First it sends plain requests, one at a time, and then any bytes. */
export class IngestConnection {
  readonly client: RawSocket
  readonly #parties: Parties
  /** How many bytes came in response to plain requests. */
  #from = 0
  #sent = ''
  /** Whether the service has ended the connection. */
  hasEnded = false

  private constructor(client: RawSocket, parties: Parties) {
    this.client = client
    this.#parties = parties
    client.socket.setNoDelay()
    const end = () => {
      this.hasEnded = true
    }
    client.socket.once('end', end).once('close', end)
  }

  static async open(port: number, address: string, parties: Parties): Promise<IngestConnection> {
    return new IngestConnection(await openRawSocket(port, address), parties)
  }

  /** Sends a plain request, in two pieces if a place is given, and waits for the response. */
  async ingest(to: Party, count: number, cut?: number): Promise<Ingested> {
    const text = message(this.#parties, observations(this.#parties, count, to), { to })
    if (cut !== undefined) {
      this.client.write(text.slice(0, cut))
      await sleep(1)
    }
    this.client.write(text.slice(cut ?? 0))
    const answersIn = (received: string) => readAnswers(received.slice(this.#from), []).answers
    const received = await this.client.until((all) => answersIn(all).length > 0, ANSWER_LIMIT_MS)
    const [answer] = answersIn(received)
    this.#from = received.length
    return { text, answer, isAccepted: answer?.status === 202 && answer.body === JSON.stringify({ accepted: count }) }
  }

  /** Sends a text, and waits until all complete requests in it are answered or the connection has ended. */
  async send(text: string, cuts: IngestTraffic['cuts']): Promise<void> {
    const places = cutsOf(cuts, text.length)
    const ends = [...(places === 'every' ? Array.from({ length: text.length }, (_, i) => i) : places), text.length]
    const pauseAt = Math.ceil(ends.length / PAUSES)
    let from = 0
    for (const [i, end] of ends.entries()) {
      this.client.write(Buffer.from(text.slice(from, end), 'latin1'))
      from = end
      await (i % pauseAt === 0 ? sleep(1) : new Promise((resolve) => setImmediate(resolve)))
    }
    this.#sent += text
    const { complete } = this
    await this.client.until(() => this.hasEnded || this.isUpgraded || this.answers.length >= complete, ANSWER_LIMIT_MS)
    if (!this.hasEnded) await sleep(SHORT_MS)
  }

  /** Ends the connection, and waits until the service has ended it too. */
  async end(): Promise<void> {
    this.client.socket.end()
    await Promise.race([this.client.closed, sleep(END_LIMIT_MS)])
    this.client.end()
  }

  /** The bytes after the plain requests. */
  get sent(): string {
    return this.#sent
  }

  get requests(): IntendedRequest[] {
    return readRequests(this.#sent)
  }

  /** How many requests are complete. */
  get complete(): number {
    return this.requests.filter(({ complete }) => complete).length
  }

  /** What came in response to these bytes. */
  get received(): string {
    return this.client.received().toString('latin1').slice(this.#from)
  }

  get answers(): ReadAnswer[] {
    const methods = this.requests.map(({ method }) => method)
    return readAnswers(this.received, methods).answers
  }

  /** Whether the connection is a live connection now. */
  get isUpgraded(): boolean {
    return this.received.includes('HTTP/1.1 101 ')
  }

  /** Whether bytes that are not a request were refused. */
  get isRefused(): boolean {
    return this.answers.length > this.requests.length
  }
}

/** Waits until none of the connections is refused and still open, and all have ended or none. */
export async function untilSettled(connections: readonly IngestConnection[]): Promise<void> {
  const isUnsettled = (one: IngestConnection) =>
    one.hasEnded !== connections[0]!.hasEnded || (one.isRefused && !one.hasEnded)
  for (const deadline = performance.now() + END_LIMIT_MS; performance.now() < deadline; await sleep(10))
    if (!connections.some(isUnsettled)) return
}
