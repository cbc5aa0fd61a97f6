import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { SMALL } from '../../acceptance/system/actors.ts'
import type { Answer, CallOptions } from '../../acceptance/system/call.ts'
import type { PostgresServer } from '../postgres/server.ts'
import type { Suite } from '../suite.ts'
import { until } from '../until.ts'
import type { Cluster } from './cluster.ts'
import { objectsWithLabel } from './leftovers.ts'
import { startPlanesBeside } from './planes-beside.ts'
import { readPoints, SANDBOX_LABEL } from './sandbox.ts'
import { namespaceOf, REMAINS } from './settings-beside.ts'

const INSTALLATION = 'churn'
const SANDBOXES = 20
const PLANES = 3
/** A control plane creates at most one sandbox of an organization at a time. */
const ORGANIZATIONS = 5
const KILL_PAUSE_MS = 5_000
const LOOK_EVERY_MS = 5_000
/** Long enough for a creation that waits for all others before it. */
const CREATE_LIMIT_MS = 300_000
const DOUBLED = "select name from sandboxes where name like 'Churn %' group by name having count(*) > 1"
const REMOVE_LIMIT_MS = 180_000

/**
 * Creates, reads and deletes sandboxes again and again, while one control plane after another is killed. Every sandbox
 * must become ready, or failed with a reason; none may exist twice, and nothing may be left at the end.
 */
export async function checkChurn(
  suite: Suite,
  cluster: Cluster,
  database: PostgresServer,
  minutes: number,
): Promise<void> {
  const system = await startPlanesBeside(suite, {
    ...{ cluster, database, installation: INSTALLATION, count: PLANES },
    env: { MAX_ACTIVE_SANDBOXES: `${3 * SANDBOXES}` },
  })
  const { api, newDeveloper } = system
  const keys: string[] = []
  for (let i = 0; i < ORGANIZATIONS; i++) keys.push((await newDeveloper()).key)
  const before = await database.ask(REMAINS)
  const endAt = performance.now() + minutes * 60_000
  const isOver = () => performance.now() > endAt
  const found = { created: 0, ready: 0, deleted: 0, kills: 0, repeated: 0, looks: 0 }
  const failures: string[] = []
  const faults: string[] = []
  const tookS: number[] = []

  /** Sends a request, and repeats it if it fails or gets a server error, as when a control plane is killed. */
  async function ask(key: string, path: string, options: CallOptions, isDone: (answer: Answer) => boolean) {
    for (const deadline = performance.now() + CREATE_LIMIT_MS; performance.now() < deadline; await sleep(200)) {
      const answer = await api(key, path, options).catch(() => undefined)
      if (answer && isDone(answer)) return answer
      if (answer && answer.status < 500) throw new Error(`${options.method ?? ''} ${path}: ${answer.text}`)
      found.repeated++
    }
    throw new Error(`${path} was not answered`)
  }

  async function liveOnce(key: string, name: string): Promise<void> {
    const idempotency = { 'idempotency-key': randomUUID() }
    const body = { name, ...SMALL }
    const from = performance.now()
    const { json } = await ask(key, '/api/v1/sandboxes', { body, headers: idempotency }, ({ status }) => status === 202)
    found.created++
    const path = `/api/v1/sandboxes/${json.sandboxId}`
    const record = await untilProvisioned(key, path)
    if (record?.status === 'ready') {
      found.ready++
      tookS.push((performance.now() - from) / 1000)
      const { json: connection } = await ask(key, `${path}/connection`, {}, ({ status }) => status === 200)
      const reads = async () => (await readPoints(connection).catch(() => ({ status: 0 }))).status === 200
      await until(`${name} answers`, () => reads().then((is) => is || sleep(200).then(() => false)), CREATE_LIMIT_MS)
    } else if (record?.status === 'failed' && record.failureReason) failures.push(record.failureReason)
    else faults.push(`${name} is neither ready nor failed with a reason: ${JSON.stringify(record)}`)
    await ask(key, path, { method: 'DELETE' }, ({ status }) => status < 300 || status === 404)
    found.deleted++
  }

  async function untilProvisioned(key: string, path: string): Promise<Answer['json'] | undefined> {
    for (const deadline = performance.now() + CREATE_LIMIT_MS; performance.now() < deadline; await sleep(500)) {
      const { json } = await ask(key, path, {}, ({ status }) => status === 200)
      if (json.status !== 'provisioning') return json
    }
    return undefined
  }

  async function live(slot: number): Promise<void> {
    for (let round = 1; !isOver(); round++)
      await liveOnce(keys[slot % ORGANIZATIONS]!, `Churn ${slot}-${round}`).catch((err: Error) =>
        faults.push(err.message),
      )
  }

  async function kill(): Promise<void> {
    for (let index = 0; !isOver(); index = (index + 1) % PLANES) {
      await sleep(KILL_PAUSE_MS)
      await system.replace(index).then(
        () => found.kills++,
        (err: Error) => faults.push(err.message),
      )
    }
  }

  /** Looks for sandboxes with the same name, and for two pods with the same work. */
  async function look(): Promise<void> {
    let previous = new Set<string>()
    for (; !isOver(); await sleep(LOOK_EVERY_MS)) {
      // On a busy machine a query may time out. The next query finds the same duplicates.
      const doubled = await database.ask(DOUBLED, INSTALLATION).catch(() => [])
      for (const row of doubled) faults.push(`twice: ${JSON.stringify(row)}`)
      const now = await podsWithSameWork().catch(() => undefined)
      if (now === undefined) continue
      found.looks++
      // A pod that ends exists beside its successor for a moment, so two looks in a row must find both.
      for (const work of now) if (previous.has(work)) faults.push(`two pods of ${work}`)
      previous = now
    }
  }

  async function podsWithSameWork(): Promise<Set<string>> {
    const args = ['-n', namespaceOf(INSTALLATION), 'get', 'pods', '-o', 'json']
    const { items } = JSON.parse(await cluster.kubectl(args))
    const running = (items as Pod[]).filter(({ metadata, status }) => !metadata.deletionTimestamp && isActive(status))
    const works = running.map(
      ({ metadata: { labels } }) => `${labels[SANDBOX_LABEL]} ${labels['app.kubernetes.io/component']}`,
    )
    return new Set(works.filter((work, i) => works.indexOf(work) !== i))
  }

  const title = `${SANDBOXES} sandboxes are created and deleted for ${minutes} min while control planes are killed`
  await suite.check(`${title}: each is ready or failed with a reason, and none exists twice`, async () => {
    const living = Array.from({ length: SANDBOXES }, (_, slot) => live(slot))
    await Promise.all([...living, kill(), look()])
    assert.deepEqual(faults, [], `${faults.length} faults:\n${faults.join('\n')}`)
    const { created, ready, deleted, kills, repeated, looks } = found
    assert.ok(looks > minutes, `${looks} checks for duplicates`)
    assert.equal(ready + failures.length, created)
    assert.equal(deleted, created)
    const sorted = tookS.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.floor(sorted.length * share)]?.toFixed(1)
    return (
      `${created} created, ${ready} ready after ${at(0.5)} s (half) or ${at(0.95)} s (95 %), ${failures.length} failed` +
      `${failures.length > 0 ? ` (${[...new Set(failures)].join('; ')})` : ''}, ${kills} kills, ` +
      `${repeated} requests repeated, ${looks} checks for duplicates`
    )
  })
  await suite.check('no object, database or role of these sandboxes is left', async () => {
    const left = () => database.ask("select id from sandboxes where name like 'Churn %'", INSTALLATION)
    await until('no row is left', async () => (await left()).length === 0, REMOVE_LIMIT_MS)
    await until(
      'no object is left',
      async () => (await objectsWithLabel(cluster, SANDBOX_LABEL)).length === 0,
      REMOVE_LIMIT_MS,
    )
    await until('no database and no role is left', async () => {
      return JSON.stringify(await database.ask(REMAINS)) === JSON.stringify(before)
    })
  })
  await system.remove()
}

interface Pod {
  metadata: { labels: Record<string, string>; deletionTimestamp?: string }
  status: { phase?: string }
}

const isActive = ({ phase }: Pod['status']) => phase !== 'Succeeded' && phase !== 'Failed'
