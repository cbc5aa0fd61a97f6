import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { busSubject, type EventName, type PointUpdated } from '@storey/contract'
import type { BusEvent } from '../packages/platform/src/bus/bus.ts'
import { natsServer } from './nats-server.ts'
import { openReplicas, type Replica, type Tenant } from './replicas.ts'

/**
 * Tests the bus over a real nats-server: two replicas of a stack on one database, and another tenant on the same server
 * that must receive nothing. Exits with 1 when a check fails.
 */

const INGESTS = 200
const nats = await natsServer()
await nats.start()
const { tenant, replica, close } = await openReplicas(nats.urlOf('stacks'))

async function open(user: 'maintenance' | 'spy'): Promise<NatsConnection> {
  const { host, password } = new URL(nats.urlOf(user))
  return connect({ servers: host, user, pass: decodeURIComponent(password), reconnect: false })
}

const valuesOf = (events: BusEvent[]) =>
  events.flatMap(({ fields }) => ((fields as PointUpdated).observations ?? []).map(({ value }) => value))

async function until(what: string, holds: () => boolean, limitMs = 15_000): Promise<void> {
  for (const deadline = Date.now() + limitMs; !holds(); await sleep(10)) {
    if (Date.now() > deadline) throw new Error(`not in time: ${what}`)
  }
}

/** Publishes an event at one replica until the other receives it. Then both are connected. */
async function untilLinked(one: Replica, other: Replica, { buildingId }: Tenant): Promise<void> {
  const isLinked = () => other.received.some(({ name }) => name === 'service-desk.ticket.updated')
  for (const deadline = Date.now() + 30_000; !isLinked(); await sleep(50)) {
    if (Date.now() > deadline) throw new Error("the replicas do not receive each other's events")
    one.stack.bus.publish(buildingId, 'service-desk.ticket.updated', () => ({ probe: true }))
  }
  await sleep(200)
  one.received.length = 0
  other.received.length = 0
}

const done = (sentence: string) => process.stdout.write(`✓ ${sentence}\n`)

async function runChecks(): Promise<void> {
  const [mall, office] = [await tenant('mall'), await tenant('office')]
  const [first, second, neighbour] = [await replica(mall), await replica(mall), await replica(office)]
  const spied: string[] = []
  const spy = await open('spy')
  spy.subscribe('>', { callback: (_, message) => void spied.push(message.subject) })
  await spy.flush()
  await untilLinked(first, second, mall)
  await untilLinked(second, first, mall)

  const expected = Array.from({ length: INGESTS }, (_, i) => `${i}`)
  for (const value of expected) assert.equal(await first.ingest(mall, value), 202)
  await until('the other replica receives every ingest', () => second.received.length >= INGESTS)
  await sleep(300)
  assert.deepEqual(valuesOf(first.received), expected)
  assert.deepEqual(valuesOf(second.received), expected)
  done(`${INGESTS} ingests at one replica were received by both, once each and in order`)

  assert.deepEqual(neighbour.received, [])
  assert.deepEqual(
    [...new Set(spied)].sort(),
    [
      busSubject(mall.buildingId, 'building.point.updated'),
      busSubject(mall.buildingId, 'service-desk.ticket.updated'),
    ].sort(),
  )
  done('the subjects are svc.building.{buildingId}.{eventType}, and the other tenant received nothing')

  first.received.length = 0
  second.received.length = 0
  const ignored = () => first.log.filter(({ msg }) => msg === 'NATS message ignored').length
  const garbage: [string, string][] = [
    ['building.point.updated', '{'],
    ['building.point.updated', '{"observations":7}'],
    ['building.point.updated', JSON.stringify({ buildingId: office.buildingId, observations: [] })],
    ['building.demolished', '{}'],
    ['cafm.work-order.created', '\u0000'],
  ]
  for (const [name, text] of garbage) spy.publish(busSubject(mall.buildingId, name as EventName), text)
  const maintenance = await open('maintenance')
  maintenance.publish(busSubject(mall.buildingId, 'cafm.work-order.created'), JSON.stringify({ workOrderId: 'w1' }))
  await until('a work order arrives', () => first.received.length > 0 && second.received.length > 0)
  const order = { buildingId: mall.buildingId, name: 'cafm.work-order.created', fields: { workOrderId: 'w1' } }
  assert.deepEqual([first.received, second.received, neighbour.received], [[order], [order], []])
  assert.equal(ignored(), garbage.length)
  done('a work order from another publisher reached both replicas; garbage was ignored and logged')

  await nats.kill9()
  const outages = () => first.log.filter(({ msg }) => msg.includes('NATS not connected')).length
  await until('the outage is noticed', () => outages() > 0)
  const late = await replica(mall)
  first.received.length = 0
  for (const value of expected) assert.equal(await first.ingest(mall, value), 202)
  assert.equal(await late.ingest(mall, 'late'), 202)
  assert.equal(first.received.length, INGESTS)
  await sleep(2_500)
  assert.deepEqual([outages(), late.log.filter(({ msg }) => msg.includes('NATS not connected')).length], [1, 1])
  done('without a NATS server ingest continued, a stack started, and each stack logged the outage once')

  await nats.start()
  await untilLinked(first, second, mall)
  await untilLinked(second, late, mall)
  await untilLinked(late, first, mall)
  second.received.length = 0
  late.received.length = 0
  assert.equal(await first.ingest(mall, 'again'), 202)
  await until('events flow again', () => second.received.length > 0 && late.received.length > 0)
  assert.deepEqual([valuesOf(second.received), valuesOf(late.received), neighbour.received], [['again'], ['again'], []])
  done('after kill -9 and a restart of the server events flowed again')

  const logs = JSON.stringify([first.log, second.log, late.log, neighbour.log])
  assert.ok(!logs.includes('p%40ss') && !logs.includes('p@ss'))
  done('no log shows the password')
}

let failure: unknown
await runChecks().catch((err) => {
  failure = err
})
await close()
await nats.remove()
if (failure) process.stderr.write(`✗ ${failure instanceof Error ? failure.stack : failure}\n`)
process.exit(failure ? 1 : 0)
