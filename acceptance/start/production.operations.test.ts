import { describe, expect, it } from 'vitest'
import { call } from '../system/call.ts'
import { processes } from '../system/processes.ts'
import { actorsAt } from '../system/shared.ts'
import { startSystem } from '../system/system.ts'

/** The process ids of the stacks that this process (a control plane) has started. */
function stacksOf(host: number): number[] {
  const stacks = processes().filter(({ parent, args }) => parent === host && / serve$/.test(args))
  return stacks.map(({ pid }) => pid)
}

describe('in production', () => {
  it('[HST-26, HST-38, HST-55] there is no demo account, every log line is JSON, log lines of a stack name its sandbox, and SIGHUP stops everything in order', async () => {
    const env = { MODE: 'production', MASTER_SECRET: 'x'.repeat(40), LOG_LEVEL: 'debug' }
    const system = await startSystem({ env })
    expect(system.output()).not.toContain('developer@example.com')
    expect(system.output().match(/PUBLIC_URL and BASE_DOMAIN share the domain localhost/g)).toHaveLength(1)
    const { operator, newDeveloper, newSandbox } = actorsAt(system)
    await expect(operator('key', 'mint', '--org', 'org_demo')).rejects.toThrow('No such organization')
    const { key } = await newDeveloper()
    const { record, connection } = await newSandbox(key)
    const ask = () => call(`${connection.apiUrl}/api/v1/buildings`, { token: connection.token })
    expect((await ask()).status).toBe(200)
    const [stack] = stacksOf(system.pid)
    process.kill(stack!, 'SIGKILL')
    await expect.poll(() => system.output()).toContain('stack crashed, restarting')
    await expect.poll(async () => (await ask()).status).toBe(200)
    process.kill(system.pid, 'SIGHUP')
    await expect.poll(() => stacksOf(system.pid)).toEqual([])
    expect(await system.stop()).toBe(0)
    const lines = system
      .output()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
    const { sandboxId } = record
    const crash = lines.find(({ msg }) => msg === 'stack crashed, restarting')
    expect(crash).toMatchObject({ sandboxId, exitCode: null, signal: 'SIGKILL' })
    expect(lines.find(({ msg }) => msg === 'stack listening')).toMatchObject({ name: 'stack', sandboxId })
    expect(lines.some(({ msg }) => msg === 'stopping')).toBe(true)
    await system.remove()
  })

  it('[HST-38] errors at the start are JSON too', async () => {
    const failed = await startSystem({ env: { MODE: 'production' } }).catch((err: Error) => err.message)
    const lines = (failed as string)
      .split('\n')
      .slice(1)
      .filter((line) => line !== '')
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([expect.stringContaining('MASTER_SECRET is required')])
  })
})
