import { silentLog } from '@storey/kit/log'
import { afterEach, describe, expect, it } from 'vitest'
import type { LocalStackPool, ReplicaList, StackAddress } from '../stacks/index.ts'
import { createStackPool } from '../stacks/stack-pool.ts'
import type { StackAnswer, StackRequest } from './notices.ts'
import type { UseRecorder } from './record-uses.ts'
import { createSharedStacks } from './shared-stacks.ts'

const SANDBOX = { id: 'sbx_a', organizationId: 'org_a' }
const at = (n: number): StackAddress => ({ host: `10.0.0.${n}`, port: 8080 })
const [one, two, three] = [at(1), at(2), at(3)]
const list = (version: number, addresses: StackAddress[], run = 'r1'): ReplicaList => ({ run, version, addresses })

describe('a stack with several processes, at a control plane that does not lead', () => {
  const pools: LocalStackPool[] = []
  afterEach(async () => {
    for (const pool of pools.splice(0)) await pool.close()
  })

  function open(answer: (request: StackRequest) => StackAnswer | Promise<StackAnswer>) {
    const asked: StackRequest[] = []
    const local = createStackPool({
      start: () => expect.unreachable(),
      ...{ stop: async () => undefined, send: () => undefined, keepDue: async () => undefined },
      ...{ onStopped: () => undefined, idleMs: 0, log: silentLog },
    })
    pools.push(local)
    const stacks = createSharedStacks({
      ...{ local, isLeader: () => false, log: silentLog },
      uses: { begin: () => () => undefined } as unknown as UseRecorder,
      async ask(request) {
        asked.push(request)
        return await answer(request)
      },
    })
    const use = async (verify = async () => true) => {
      const { stack, release } = await stacks.use(SANDBOX, { verify })
      release()
      return stack
    }
    return { stacks, asked, use }
  }

  it('[KUB-21] has the addresses that the leader has given, until the leader announces a newer list', async () => {
    const { stacks, asked, use } = open(() => ({ ...one, replicas: list(1, [one, two]) }))
    const stack = await use()
    expect(stack.replicas!.list()).toEqual([one, two])
    stacks.setReplicas(SANDBOX.id, list(3, [two, three]))
    // This notice is older than the notice before it, so it has no effect.
    stacks.setReplicas(SANDBOX.id, list(2, [one, two, three]))
    expect((await use()).replicas!.list()).toEqual([two, three])
    // Another leader numbers its lists from 1 again.
    stacks.setReplicas(SANDBOX.id, list(1, [three], 'r2'))
    expect((await use()).replicas!.list()).toEqual([three])
    expect(asked).toHaveLength(1)
  })

  it('[KUB-21] has the addresses of an announced list if the list in the leader’s answer is older', async () => {
    const { stacks, use } = open(async () => {
      await new Promise(setImmediate)
      stacks.setReplicas(SANDBOX.id, list(2, [one, two, three]))
      return { ...one, replicas: list(1, [one]) }
    })
    expect((await use()).replicas!.list()).toEqual([one, two, three])
  })

  it('[KUB-21] has the addresses of an announced list if the list in the leader’s second answer is older', async () => {
    const answers = [Promise.withResolvers<StackAnswer>(), Promise.withResolvers<StackAnswer>()]
    const { stacks, asked, use } = open(() => answers[asked.length - 1]!.promise)
    const first = use()
    const second = use(async () => false)
    await expect.poll(() => asked.length).toBe(2)
    answers[0]!.resolve({ ...one, replicas: list(1, [one]) })
    expect((await first).replicas!.list()).toEqual([one])
    stacks.setReplicas(SANDBOX.id, list(2, [one, two]))
    answers[1]!.resolve({ ...one, replicas: list(1, [one]) })
    expect((await second).replicas!.list()).toEqual([one, two])
  })

  it('[KUB-21] stays in use while some of its processes can be reached, and is requested from the leader again when none can be reached', async () => {
    const { stacks, asked, use } = open(() => ({ ...one, replicas: list(1, [one, two]) }))
    const stack = await use()
    const [first, second] = stack.replicas!.all()
    stacks.noteUnreachable(SANDBOX.id, stack, three)
    stacks.noteUnreachable(SANDBOX.id, stack, first)
    expect((await use()).replicas!.list()).toEqual([two])
    expect(asked).toHaveLength(1)
    stacks.noteUnreachable(SANDBOX.id, stack, second)
    await stack.ended
    await use()
    expect(asked).toHaveLength(2)
  })

  it('[KUB-23] lets the leader end a process that does not respond', async () => {
    const { stacks, asked, use } = open((request) =>
      request.kind === 'start' ? { ...one, replicas: list(1, [one, two]) } : { host: null, port: null },
    )
    const stack = await use()
    stacks.stopUnresponsive(SANDBOX.id, stack, stack.replicas!.all()[1])
    await expect.poll(() => asked.at(-1)).toEqual({ kind: 'stop', sandboxId: SANDBOX.id, replica: two })
    expect(await use()).toBe(stack)
  })

  it('[KUB-21] has one address if the leader has an earlier version of the code and names only one address', async () => {
    const { stacks, use } = open(() => one)
    const stack = await use()
    expect(stack.replicas!.choose()).toEqual(one)
    stacks.noteUnreachable(SANDBOX.id, stack, stack.replicas!.all()[0])
    await stack.ended
  })
})
