import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectAsync } from 'mqtt'
import pg from 'pg'
import { until } from '../until.ts'
import type { World } from './world.ts'

/** Makes the receiver of a webhook fail, and sends it an event. Returns a function that ends the outage. */
export async function failWebhooks({ first, receiver }: World): Promise<() => Promise<void>> {
  receiver.state.isFailing = true
  assert.equal((await first.ingest('31')).status, 202)
  return async () => {
    receiver.state.isFailing = false
  }
}

/** Opens a transaction on the database server and keeps it open, so that folding waits for it. */
export async function blockFolding({ first, postgres }: World): Promise<() => Promise<void>> {
  const client = new pg.Client({
    connectionString: `postgres://storey:storey@localhost:${postgres.port}/storey`,
    ssl: { rejectUnauthorized: false },
  })
  client.on('error', () => undefined)
  await client.connect()
  await client.query('begin')
  await client.query('select pg_current_xact_id()')
  assert.equal((await first.ingest('32')).status, 202)
  return async () => void (await client.end())
}

/** Makes a sandbox fail to store, as a defect would, and publishes a message to it. */
export async function failIngest({ second, postgres }: World): Promise<() => Promise<void>> {
  const { username, password, url, topic } = second.mqtt
  const [{ datname }] = (await postgres.ask(
    `select datname from pg_database where datname like '%${second.sandboxId.slice(4)}'`,
  )) as [{ datname: string }]
  await postgres.ask(
    `create function fail_ingest() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
     create trigger fail_ingest before insert on observation_batches for each row execute function fail_ingest()`,
    datname,
  )
  const client = await connectAsync(url, { username, password })
  await client.publishAsync(topic, JSON.stringify(second.observation('33')), { qos: 1 })
  await client.endAsync()
  return async () => {
    await postgres.ask('drop trigger fail_ingest on observation_batches; drop function fail_ingest()', datname)
  }
}

/** The process id of the stack of a sandbox; undefined while it is not running. */
function stackOf(sandboxId: string): number | undefined {
  const processes = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' }).split('\n')
  const line = processes.find((each) => each.includes(`storey ${sandboxId} serve`))
  return line === undefined ? undefined : Number(line.trim().split(/\s/)[0])
}

/**
 * Kills a stack several times, as the kernel does when memory is used up. Before each kill the function waits until the
 * stack runs.
 */
export async function killStack({ second }: World, times: number): Promise<void> {
  let last: number | undefined
  for (let i = 0; i < times; i++) {
    await until('the stack runs again', async () => {
      const pid = stackOf(second.sandboxId)
      await sleep(200)
      return pid !== undefined && pid !== last
    })
    last = stackOf(second.sandboxId)!
    process.kill(last, 'SIGKILL')
  }
}
