import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { call } from '../acceptance/system/call.ts'
import { childrenOf } from '../bench/processes.ts'
import { readRequests } from '../packages/provisioning/src/testing/traffic/read-requests.ts'
import { type BeforeEnd, checkResponses, masked, shown } from './check-responses.ts'
import { type Fixture, type Verdict, whileNeighbourWorks } from './fixture.ts'
import { IngestConnection, untilSettled } from './ingest-connection.ts'
import { type IngestTraffic, ingestTraffic, message, observations, type Parties, type Party } from './ingest-traffic.ts'
import { ingestAsVictim, readAsVictim, type VictimCounts } from './ingest-victims.ts'
import { createSocketOwners } from './socket-owners.ts'
import { Acknowledged, observationsIn, readStored } from './stored-observations.ts'

/** The gateway transfers a connection after this many ingest requests in a row. */
const BUSY_REQUESTS = 16
/** On a busy machine a transfer may come later. */
const MORE_REQUESTS = 8
const TRANSFER_LIMIT_MS = 500
const AT_A_TIME = 4
const QUIET_MS = 30
/** The clients of this attack are busy by themselves, so the neighbour waits longer than during other attacks. */
const ALLOWANCE_MS = 150
const FIRST_TIME = Date.parse('2001-01-01T00:00:00Z')

export interface AttackLimits {
  seed: number
  count: number
  seconds: number
}

/**
 * Request smuggling on connections that the gateway has transferred to a stack (ADR 59). Generated traffic is sent on a
 * connection that is at the stack of its sandbox, and also on one that stays at the gateway: the responses must be the
 * same, so that a stack accepts nothing that the gateway alone would refuse. Each response must belong to a request of
 * its connection, and exactly the acknowledged observations must be stored, in the sandbox for which they were sent.
 * Meanwhile victims use another sandbox. Outside of Linux this attack fails, because it cannot prove any transfer.
 */
export async function tryTransferred(fixture: Fixture, limits: AttackLimits): Promise<Verdict> {
  const { port, system } = fixture
  const [target, neighbour] = [
    await partiesOf(fixture.target.connection),
    await partiesOf(fixture.neighbour.connection),
  ]
  const [own, other, victim] = [target[0]!, neighbour[0]!, neighbour[1]!]
  let [times, addresses] = [0, 0]
  const parties: Parties = { own, other, time: () => new Date(FIRST_TIME + times++).toISOString() }
  const counts = { transferred: 0, early: 0, kept: 0, repeated: 0, acknowledged: 0, refused: 0 }
  const acknowledged = new Map([own, other].map(({ buildingId }) => [buildingId, new Acknowledged()]))
  const acknowledgedBy = ({ buildingId }: Party) => acknowledged.get(buildingId)!
  const requestIds = new Set<string>()
  const faults: string[] = []
  const report = (fault: string, bytes = '') => void faults.push(`${fault} ${bytes && shown(bytes, parties)}`)
  const owners = createSocketOwners(childrenOf(system.pid, 'serve'))

  function noteRequestId(id: string | undefined): void {
    if (id !== undefined && requestIds.has(id)) report(`two responses have the id ${id}`)
    if (id !== undefined) requestIds.add(id)
  }

  async function open(): Promise<IngestConnection> {
    addresses++
    return IngestConnection.open(port, `127.7.${(addresses >> 8) & 255}.${addresses & 255}`, parties)
  }

  async function ingest(connection: IngestConnection, to: Party, count: number, cut?: number): Promise<void> {
    const { text, answer, isAccepted } = await connection.ingest(to, count, cut)
    noteRequestId(answer?.requestId)
    if (isAccepted) acknowledgedBy(to).add(readRequests(text).flatMap(observationsIn))
    else report(`a plain request (cut at ${cut}) got ${answer?.status} ${answer?.body}`, text)
  }

  async function openBusy(to: Party): Promise<IngestConnection> {
    const connection = await open()
    for (let i = 1; i <= BUSY_REQUESTS; i++) await ingest(connection, to, i)
    return connection
  }

  /** The stack that has the connection after a moment. */
  async function stackWith({ client }: IngestConnection): Promise<number | undefined> {
    for (const deadline = performance.now() + TRANSFER_LIMIT_MS; performance.now() < deadline; ) {
      await sleep(10)
      const owner = owners.ownerOf(client.socket)
      if (owner !== undefined) return owner
    }
    return undefined
  }

  async function stackOf(party: Party): Promise<number | undefined> {
    const connection = await openBusy(party)
    const stack = await stackWith(connection)
    await connection.end()
    return stack
  }
  const [ownStack, otherStack] = [await stackOf(own), await stackOf(other)]

  /** A connection that is at the stack of its sandbox; undefined if the gateway kept it. */
  async function openTransferred(): Promise<IngestConnection | undefined> {
    const connection = await openBusy(own)
    for (let more = 1; more <= MORE_REQUESTS; more++) {
      const stack = await stackWith(connection)
      // The stack answers this request itself.
      await ingest(connection, own, BUSY_REQUESTS + more)
      if (stack === ownStack) return connection
      if (stack !== undefined) report('a connection is at the stack of another sandbox')
    }
    counts.kept++
    await connection.end()
    return undefined
  }

  /** Returns how the two connections differ, if they do. */
  async function tryTraffic(traffic: IngestTraffic): Promise<string | undefined> {
    const direct = traffic.waitsForTransfer ? await openTransferred() : await openBusy(own)
    if (direct === undefined) return undefined
    const plain = await open()
    await ingest(plain, own, 1)
    if (traffic.waitsForTransfer) counts.transferred++
    else counts.early++
    const both = [direct, plain]
    await Promise.all(
      both.map(async (connection) => {
        for (const text of traffic.write(parties)) await connection.send(text, traffic.cuts)
      }),
    )
    await sleep(QUIET_MS)
    await untilSettled(both)
    const before = both.map(({ hasEnded, answers }) => ({ hasEnded, answered: answers.length }))
    await Promise.all(both.map((connection) => connection.end()))
    for (const [i, connection] of both.entries()) check(connection, before[i]!)
    const [received, expected] = both.map((connection) => masked(connection.received))
    if (received !== expected) return `${shown(received!, parties)} instead of ${shown(expected!, parties)} to`
    if (before[0]!.hasEnded !== before[1]!.hasEnded)
      return `${before[0]!.hasEnded ? 'the end' : 'no end'} of the connection after`
    return undefined
  }

  function check(connection: IngestConnection, before: BeforeEnd): void {
    for (const { requestId, status } of connection.answers) {
      noteRequestId(requestId)
      if (status >= 400) counts.refused++
    }
    for (const found of checkResponses(connection, before, parties)) {
      if ('fault' in found) report(found.fault, connection.sent)
      else {
        acknowledgedBy(found.party).add(found.acknowledged)
        counts.acknowledged++
      }
    }
  }

  /** A difference counts if it occurs again, because some time limits depend on the load of the machine. */
  async function tryTwice(traffic: IngestTraffic): Promise<void> {
    if ((await tryTraffic(traffic)) === undefined) return
    counts.repeated++
    const difference = await tryTraffic(traffic)
    if (difference !== undefined) report(`a transferred connection gets ${difference}`, traffic.write(parties).join(''))
  }

  /** Sends plain requests that are cut at each of their offsets in turn. A stack does not return a connection for that. */
  async function cutEverywhere(over: AbortSignal): Promise<void> {
    const connection = await openTransferred()
    if (connection === undefined) return
    const { length } = message(parties, observations(parties, 1))
    for (let cut = 1; cut < length && !over.aborted; cut++) await ingest(connection, own, 1, cut)
    if ((await stackWith(connection)) !== ownStack)
      report('a stack returned a connection with plain requests in pieces')
    await connection.end()
  }

  let victims: VictimCounts[] = []
  async function attack(over: AbortSignal): Promise<void> {
    const parts = {
      ...{ port, party: victim, parties, stackPid: otherStack!, owners, onRequestId: noteRequestId },
      acknowledged: acknowledgedBy(other),
    }
    const working = [
      ingestAsVictim(parts, '127.0.0.71', over),
      ingestAsVictim(parts, '127.0.0.72', over),
      readAsVictim(parts, '127.0.0.73', over),
    ]
    const waiting = fc.sample(ingestTraffic, { numRuns: limits.count, seed: limits.seed }).reverse()
    const work = async () => {
      for (let next = waiting.pop(); next !== undefined && !over.aborted; next = waiting.pop()) await tryTwice(next)
    }
    await Promise.all([cutEverywhere(over), ...Array.from({ length: AT_A_TIME }, work)])
    // The victims work until the time is over, also if all traffic has been sent.
    victims = await Promise.all(working)
  }

  if (ownStack === undefined || otherStack === undefined || ownStack === otherStack) {
    process.stdout.write('The connections of busy clients are not at the stacks of their sandboxes\n')
    return { holds: false }
  }
  const { seconds, seed } = limits
  const duration = { seconds, quietSeconds: Math.min(15, seconds), allowanceMs: ALLOWANCE_MS }
  const verdict = await whileNeighbourWorks(fixture, 'Requests on transferred connections', duration, attack)
  const stored: number[] = []
  for (const party of [own, other]) {
    const found = await readStored(`http://${party.host}`, party)
    stored.push(found.length)
    for (const difference of acknowledgedBy(party).differences(found).slice(0, 5)) report(difference)
  }
  const isAlive = (await call(`${system.url}/healthz`)).status === 200
  const sum = (field: keyof VictimCounts) => victims.reduce((total, one) => total + one[field], 0)
  process.stdout.write(
    `${counts.transferred} generated connections were at the stack (seed ${seed}), ${counts.early} others sent their bytes ` +
      `during the transfer, and the gateway kept ${counts.kept}; ${counts.acknowledged} requests acknowledged, ` +
      `${counts.refused} refused, ${counts.repeated} connections tried again, ${faults.length} faults\n` +
      `${stored[0]} observations stored of ${acknowledgedBy(own).count} acknowledged, in the other sandbox ${stored[1]} of ` +
      `${acknowledgedBy(other).count}; of the victims' requests ${sum('right')} answered correctly, ${sum('wrong')} not; ` +
      `a victim's connection was seen at the stack ${sum('direct')} times\n`,
  )
  for (const fault of faults.slice(0, 5)) process.stdout.write(`  ${fault}\n`)
  const hasRun = counts.transferred > 0 && counts.acknowledged > 0 && sum('right') > 0 && sum('direct') > 0
  return { holds: verdict.holds && hasRun && isAlive && faults.length === 0 && sum('wrong') === 0 }
}

/** A sandbox with some of its points, each as a party. */
async function partiesOf({ apiUrl, token, buildingId }: Fixture['target']['connection']): Promise<Party[]> {
  const { json } = await call(`${apiUrl}/api/v1/buildings/${buildingId}/points?limit=4`, { token })
  const { host } = new URL(apiUrl)
  return json.data.map(({ id: pointId }: { id: string }) => ({ host, token, buildingId, pointId }))
}
