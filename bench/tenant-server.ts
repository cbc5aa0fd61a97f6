import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { derivePassword } from '@storey/kit/secrets'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'

/** The database server of a running system, opened as superuser to measure what the API does not show. */
export function openTenantServer(dataDir: string) {
  const secret = readFileSync(join(dataDir, 'master-secret'), 'utf8').trim()
  const port = Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[3])
  const urlOf = (database: string) =>
    `postgres://storey:${derivePassword(secret, 'postgres')}@127.0.0.1:${port}/${database}`
  const connect = async (database: string) => {
    const client = new pg.Client(urlOf(database))
    await client.connect()
    return client
  }

  async function nameOf(control: pg.Client, pattern: string): Promise<string> {
    const { rows } = await control.query('select datname from pg_database where datname like $1', [pattern])
    return rows[0].datname
  }

  /** Opens the database of a sandbox. */
  async function open(sandboxId: string): Promise<pg.Client> {
    const control = await connect('storey')
    const name = await nameOf(control, `%${sandboxId}`)
    await control.end()
    return connect(name)
  }

  /** Size on disk of a sandbox's database, in bytes. */
  async function sizeOf(sandboxId: string): Promise<number> {
    const control = await connect('storey')
    const { rows } = await control.query('select pg_database_size($1) as size', [
      await nameOf(control, `%${sandboxId}`),
    ])
    await control.end()
    return Number(rows[0].size)
  }

  /** How many seconds a bare COPY needs to write the rows of a seeded sandbox into a new database with the same schema. */
  async function bareCopySeconds(sandboxId: string): Promise<number> {
    const control = await connect('storey')
    const source = await connect(await nameOf(control, `%${sandboxId}`))
    const template = await nameOf(control, 'storey%template%')
    await control.query('drop database if exists bench_copy')
    await control.query(`create database bench_copy template "${template}"`)
    const target = await connect('bench_copy')
    const tables = [
      'organizations',
      'sites',
      'buildings',
      'revisions',
      'nodes',
      'node_external_ids',
      'storeys',
      'spaces',
    ]
    tables.push('elements', 'points', 'observation_chunks', 'latest_values', 'injected_faults')
    let seconds = 0
    for (const table of tables) {
      const rows = await buffer(source.query(copyTo(`copy ${table} to stdout (format binary)`)))
      const blocks = Array.from({ length: Math.ceil(rows.length / 262_144) }, (_, i) =>
        rows.subarray(i * 262_144, (i + 1) * 262_144),
      )
      const from = performance.now()
      await pipeline(Readable.from(blocks), target.query(copyFrom(`copy ${table} from stdin (format binary)`)))
      seconds += (performance.now() - from) / 1000
    }
    await Promise.all([source.end(), target.end()])
    await control.query('drop database bench_copy')
    await control.end()
    return seconds
  }

  /** How many rows a second bare connections insert into a copy of the batches table. Each row is committed durably. */
  async function bareInserts(sandboxId: string, data: Buffer, { connections = 1, seconds = 1 }): Promise<number> {
    const clients = await Promise.all(Array.from({ length: connections }, () => open(sandboxId)))
    await clients[0]!.query('create table bench_batches (like observation_batches including all)')
    const insert = {
      name: 'insert',
      text: 'insert into bench_batches (received_at, first_at, last_at, count, data) values ($1, $1, $1, $2, $3)',
      values: [new Date(), 1000, data],
    }
    const from = performance.now()
    const until = from + seconds * 1000
    let count = 0
    const working = clients.map(async (client) => {
      for (; performance.now() < until; count++) await client.query(insert)
    })
    await Promise.all(working)
    const rate = count / ((performance.now() - from) / 1000)
    await clients[0]!.query('drop table bench_batches')
    await Promise.all(clients.map((client) => client.end()))
    return rate
  }

  async function queryNumber(sandboxId: string, statement: string): Promise<number> {
    const tenant = await open(sandboxId)
    const { rows } = await tenant.query(statement)
    await tenant.end()
    return Number(rows[0].answer)
  }

  const waitingObservations = (sandboxId: string) =>
    queryNumber(sandboxId, 'select coalesce(sum(count), 0) as answer from observation_batches')

  /** Bytes on disk per folded observation, including the table's overhead and its index. */
  const bytesPerObservation = (sandboxId: string) =>
    queryNumber(
      sandboxId,
      `select pg_total_relation_size('observation_chunks')::float
        / greatest(1, (select sum(count) from observation_chunks)) as answer`,
    )

  return { urlOf, connect, waitingObservations, bytesPerObservation, open, sizeOf, bareCopySeconds, bareInserts }
}
