import { setTimeout as sleep } from 'node:timers/promises'
import { readAnswers } from '../packages/provisioning/src/testing/traffic/read-answers.ts'
import { readRequests } from '../packages/provisioning/src/testing/traffic/read-requests.ts'
import { message, observations, type Parties, type Party } from './ingest-traffic.ts'
import { openRawSocket } from './raw-socket.ts'
import type { createSocketOwners } from './socket-owners.ts'
import { type Acknowledged, observationsIn } from './stored-observations.ts'

export interface VictimParts {
  port: number
  /** The sandbox of the victims, which is not the attacked one. */
  party: Party
  parties: Parties
  /** The process of the sandbox. */
  stackPid: number
  owners: ReturnType<typeof createSocketOwners>
  acknowledged: Acknowledged
  /** Called with the id of each response. */
  onRequestId(id: string | undefined): void
}

/** Right responses, wrong or missing ones, and how often the connection was seen at the stack. */
export interface VictimCounts {
  right: number
  wrong: number
  direct: number
}

const PAUSE_MS = 20
/** After how many requests a victim finds out where its connection is. */
const LOOK_EVERY = 25
const LIMIT_MS = 20_000

/** Sends ingest requests on one connection, so that the stack of the sandbox gets the connection. */
export async function ingestAsVictim(parts: VictimParts, address: string, over: AbortSignal): Promise<VictimCounts> {
  const { party, parties, owners, stackPid } = parts
  const counts = { right: 0, wrong: 0, direct: 0 }
  const client = await openRawSocket(parts.port, address)
  for (let round = 0; !over.aborted; round++) {
    const text = message(parties, observations(parties, 1 + (round % 37), party), { to: party })
    await exchange(parts, client, [text], counts)
    if (round % LOOK_EVERY === 0 && owners.ownerOf(client.socket) === stackPid) counts.direct++
    await sleep(PAUSE_MS)
  }
  client.end()
  return counts
}

/** Sends pipelined requests of two kinds on new connections, which stay at the gateway. */
export async function readAsVictim(parts: VictimParts, address: string, over: AbortSignal): Promise<VictimCounts> {
  const { party, parties } = parts
  const { host, token, buildingId } = party
  const counts = { right: 0, wrong: 0, direct: 0 }
  const read = `GET /api/v1/buildings/${buildingId} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`
  for (let round = 0; !over.aborted; round++) {
    const client = await openRawSocket(parts.port, address)
    const texts = Array.from({ length: 1 + (round % 5) }, (_, i) =>
      i % 2 ? message(parties, observations(parties, 1 + ((round + i) % 37), party), { to: party }) : read,
    )
    await exchange(parts, client, texts, counts)
    client.end()
    await sleep(PAUSE_MS)
  }
  return counts
}

type Client = Awaited<ReturnType<typeof openRawSocket>>

/** Sends requests, and checks that each gets its own response: the building of the sandbox, or the right count. */
async function exchange(parts: VictimParts, client: Client, texts: string[], counts: VictimCounts): Promise<void> {
  const from = client.received().length
  client.write(texts.join(''))
  const answersIn = (text: string) => readAnswers(text.slice(from), []).answers
  const answers = answersIn(await client.until((text) => answersIn(text).length >= texts.length, LIMIT_MS))
  for (const [i, text] of texts.entries()) {
    const { status, body, requestId } = answers[i] ?? { status: 0, body: '', requestId: undefined }
    parts.onRequestId(requestId)
    const [request] = readRequests(text)
    const sent = request!.method === 'POST' ? observationsIn(request!) : undefined
    const isRight = sent
      ? status === 202 && body === JSON.stringify({ accepted: sent.length })
      : status === 200 && JSON.parse(body).id === parts.party.buildingId
    if (isRight) counts.right++
    else counts.wrong++
    if (sent && status === 202) parts.acknowledged.add(sent)
  }
}
