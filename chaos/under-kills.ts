import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { actorsOf } from '../acceptance/system/actors.ts'
import { type Answer, call } from '../acceptance/system/call.ts'
import { type System, startSystem } from '../acceptance/system/system.ts'
import { childrenOf } from '../bench/processes.ts'
import { createObserved } from './observed.ts'

/** `npm run chaos -- ingest 10` kills ten times. */
const KILLS = Number(process.argv[3] ?? 50)
/** The restart delay of a stack grows with each crash. With ten stacks, each recovers before it is killed again. */
const SANDBOXES = 10
const MESSAGE_SIZE = 100

export interface Target {
  /** The base address of the building's routes. */
  base: string
  token: string
  mqtt: { url: string; username: string; password: string; topic: string }
  /** The body of the n-th message. */
  body(n: number): string
  /** Records that the n-th message was acknowledged, so that it must be stored. */
  acknowledged(n: number): void
}

/** Sends each message until it is acknowledged, until `isOver()`. Returns the number of failures or reconnects. */
export type Write = (target: Target, isOver: () => boolean) => Promise<number>

/**
 * Sends observations while a stack or PostgreSQL is killed again and again. Every acknowledged observation must be stored
 * once and unchanged; the others may be stored or not. Ends the process, with 1 if an acknowledged observation is lost
 * or changed, if an observation is duplicated, or if none was acknowledged.
 */
export async function underKills(env: Record<string, string>, write: Write): Promise<never> {
  const limits = {
    RATE_LIMIT_PER_MINUTE: '0',
    SANDBOX_RATE_LIMIT_PER_MINUTE: '0',
    MAX_ACTIVE_SANDBOXES: `${SANDBOXES}`,
  }
  const system = await startSystem({ env: { ...limits, ...env } })
  const { operator, newSandbox } = actorsOf(system)
  const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
  const targets = []
  for (let i = 0; i < SANDBOXES; i++) targets.push(await newTarget((await newSandbox(key)).connection))

  let isOver = false
  const writing = Promise.all(targets.map((target) => write(target, () => isOver)))
  for (let i = 0; i < KILLS; i++) await kill(system, i)
  isOver = true
  const failed = (await writing).reduce((sum, count) => sum + count, 0)

  const sum = { acknowledged: 0, lost: 0, duplicated: 0, changed: 0 }
  for (const target of targets) {
    const { acknowledged, lost, duplicated, changed } = await target.compare()
    sum.acknowledged += acknowledged
    sum.lost += lost
    sum.duplicated += duplicated
    sum.changed += changed
  }
  await system.remove()
  process.stdout.write(
    `${KILLS} kills; ${sum.acknowledged.toLocaleString('en')} observations acknowledged, ${sum.lost} lost, ` +
      `${sum.duplicated} duplicated, ${sum.changed} changed; ${failed} failed requests or reconnects\n`,
  )
  process.exit(sum.lost + sum.duplicated + sum.changed === 0 && sum.acknowledged > 0 ? 0 : 1)
}

async function newTarget({ apiUrl, buildingId, token, mqtt }: Answer['json']) {
  const base = `${apiUrl}/api/v1/buildings/${buildingId}`
  const { json } = await call(`${base}/points?limit=1`, { token })
  const observed = createObserved(base, token, json.data[0].id, MESSAGE_SIZE)
  return { base, token, mqtt, ...observed } satisfies Target
}

async function kill(system: System, number: number): Promise<void> {
  await sleep(300 + Math.random() * 500)
  if (number % 10 === 9) return void process.kill(postgresPid(system), 'SIGKILL')
  for (;;) {
    const stacks = childrenOf(system.pid, 'serve')
    const chosen = stacks[Math.floor(Math.random() * stacks.length)]
    if (chosen !== undefined) return void process.kill(chosen, 'SIGKILL')
    await sleep(50)
  }
}

function postgresPid({ dataDir }: System): number {
  return Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
}
