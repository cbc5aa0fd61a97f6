import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { childrenOf } from '../../bench/processes.ts'
import { call } from '../system/call.ts'
import { processes } from '../system/processes.ts'
import { actorsAt, startInstalled } from '../system/shared.ts'
import type { System } from '../system/system.ts'

let system: System
afterAll(() => system?.remove())

const userOf = (pid: number) => processes().find((one) => one.pid === pid)?.user

it('[STK-28] a sandbox wakes in the spare process, which then runs as an operating-system user of its own, and another spare process is started', async () => {
  system = await startInstalled()
  const { newDeveloper, newSandbox } = actorsAt(system)
  const spares = () => childrenOf(system.pid, 'spare')
  await expect.poll(spares).toHaveLength(1)
  const [spare] = spares()
  const { record, connection } = await newSandbox((await newDeveloper()).key)
  const { apiUrl, token, buildingId } = connection
  const answer = await call(`${apiUrl}/api/v1/buildings/${buildingId}`, { token })
  expect(answer.json.id).toBe(buildingId)
  expect(childrenOf(system.pid, 'serve')).toEqual([spare])
  // The folder belongs to the operating-system user of the sandbox, or to that of the service if stacks cannot run as
  // other users, for example because these users cannot read the folder of this repository.
  expect(userOf(spare!)).toBe(statSync(join(system.dataDir, 'sandboxes', record.sandboxId)).uid)
  await expect.poll(spares).toHaveLength(1)
  expect(spares()).not.toContain(spare)
})

const scoreOf = (pid: number) => Number(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8'))

it.runIf(existsSync('/proc/self/oom_score_adj'))(
  '[HST-76] Linux ends a spare process before a stack, and a stack before the service, when memory is used up',
  async () => {
    const own = scoreOf(system.pid)
    // A process sets its score itself, when it has started.
    const scores = () => {
      const [[spare], [stack]] = [childrenOf(system.pid, 'spare'), childrenOf(system.pid, 'serve')]
      return [scoreOf(stack!), scoreOf(spare!)]
    }
    await expect.poll(scores).toEqual([300, 600].map((by) => Math.min(own + by, 1_000)))
  },
)
