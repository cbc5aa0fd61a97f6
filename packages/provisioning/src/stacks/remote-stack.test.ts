import { readRuns } from '@storey/kit/background'
import { silentLog } from '@storey/kit/log'
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { KEY, ScriptedControl } from '../testing/scripted-control.ts'
import { createRemoteStack, type RemoteStackOptions } from './remote-stack.ts'
import { createStackReports } from './stack-reports.ts'
import { SchemaMismatch, StackEnded } from './stack-runtime.ts'

describe('a remote stack', () => {
  const scripted: ScriptedControl[] = []
  const followed: ReturnType<typeof createRemoteStack>[] = []
  afterEach(async () => {
    for (const remote of followed.splice(0)) remote.end()
    for (const stack of scripted.splice(0)) await stack.stop()
  })

  async function serve(): Promise<ScriptedControl> {
    const stack = new ScriptedControl()
    scripted.push(stack)
    await stack.start()
    return stack
  }
  function follow({ port }: ScriptedControl, options: Partial<RemoteStackOptions> = {}) {
    const due: (Date | null)[] = []
    const storage: number[] = []
    const remote = createRemoteStack({
      ...{ sandboxId: 'sbx_1', host: '127.0.0.1', controlPort: port, internalKey: KEY, log: silentLog },
      onDue: (at) => due.push(at),
      onStorage: (bytes) => storage.push(bytes),
      ...options,
    })
    followed.push(remote)
    return { ...remote, due, storage }
  }

  it('[KUB-06] is running when the stack reports that it listens, and passes on its due work and storage', async () => {
    const stack = await serve()
    const remote = follow(stack)
    await expect.poll(() => stack.streams.length).toBe(1)
    stack.write({ type: 'listening', port: 4711 })
    expect(await remote.listening).toMatchObject({ host: '127.0.0.1', port: 4711 })
    stack.write({ type: 'due', at: '2026-01-01T00:00:00.000Z' })
    stack.write({ type: 'due', at: 'never' })
    stack.write({ type: 'storage', bytes: 12 })
    stack.write({ type: 'storage', bytes: 0.5 })
    const odd = '{"toString":1,"valueOf":1}'
    const invalid = [`{"type":"due","at":${odd}}`, `{"type":"schema","state":${odd}}`, '{"type":"listening","port":""}']
    for (const text of ['not JSON', 'null', '7', '[]', '{}', ...invalid]) stack.streams[0]!.write(`${text}\n`)
    stack.write({ type: 'due', at: null })
    await expect.poll(() => remote.due).toEqual([new Date('2026-01-01T00:00:00Z'), null])
    expect(remote.storage).toEqual([12])
  })

  it('[KUB-06] connects again when the connection breaks, even before the stack has started', async () => {
    const stack = await serve()
    await stack.stop()
    const remote = follow(stack)
    stack.state = [{ type: 'listening', port: 1 }]
    await stack.start()
    const { ended } = await remote.listening
    stack.state.push({ type: 'due', at: null })
    stack.streams[0]!.destroy()
    await expect.poll(() => remote.due).toEqual([null])
    let hasEnded = false
    void ended.then(() => {
      hasEnded = true
    })
    await stack.stop()
    await stack.start()
    await expect.poll(() => stack.streams.length).toBeGreaterThan(2)
    expect(hasEnded).toBe(false)
  })

  it('counts and logs a connection that fails after the stack was reached, and not while the stack starts', async () => {
    const stack = await serve()
    await stack.stop()
    const lines: string[] = []
    const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line).msg) })
    const failures = () => readRuns()['stack-messages']?.failed ?? 0
    const attempts = () => failures() + (readRuns()['stack-messages']?.succeeded ?? 0)
    const [failed, attempted] = [failures(), attempts()]
    follow(stack, { log })
    await expect.poll(() => attempts() - attempted).toBeGreaterThan(2)
    expect(failures()).toBe(failed)
    await stack.start()
    await expect.poll(() => stack.streams.length).toBe(1)
    await stack.stop()
    await expect.poll(() => failures() - failed).toBeGreaterThan(2)
    expect(lines).toEqual(['background work failed, retrying'])
  })

  it('[KUB-06] ends when the stack reports its stop, when it is unreachable for too long, and when `end` is called', async () => {
    const stack = await serve()
    stack.state = [{ type: 'listening', port: 1 }]
    const [stopped, lost, given] = [follow(stack), follow(stack, { lostAfterMs: 50 }), follow(stack)]
    const [one, two, three] = await Promise.all([stopped, lost, given].map(({ listening }) => listening))
    stack.write({ type: 'stopped' }, stack.streams[0]!)
    given.end({ exitCode: 137, signal: null })
    await Promise.all([one!.ended, three!.ended])
    expect(one!.exit!()).toEqual({ exitCode: 0, signal: null })
    expect(three!.exit!()).toEqual({ exitCode: 137, signal: null })
    await stack.stop()
    await two!.ended
    expect(two!.exit!()).toEqual({ exitCode: null, signal: null })
  })

  it('[KUB-06] never listens if the schema does not match, or if the stack has ended', async () => {
    const stack = await serve()
    stack.state = [{ type: 'schema', state: 'behind', version: 3 }]
    await expect(follow(stack).listening).rejects.toThrow(SchemaMismatch)
    stack.state = [{ type: 'stopped' }]
    await expect(follow(stack).listening).rejects.toThrow(StackEnded)
    const refused = follow(stack, { internalKey: 'x'.repeat(64), lostAfterMs: 50 })
    await expect(refused.listening).rejects.toThrow(StackEnded)
  })

  it('[KUB-07] gets commands when it listens, gets them again if it refused them, and gets no command that only a local process can handle', async () => {
    const stack = await serve()
    const remote = follow(stack)
    remote.send({ type: 'people' })
    remote.send({ type: 'serve', config: '{}', folder: '/' })
    await expect.poll(() => stack.streams.length).toBe(1)
    expect(stack.commands).toEqual([])
    stack.commandStatus = 503
    stack.write({ type: 'listening', port: 1 })
    await remote.listening
    stack.commandStatus = 204
    await expect.poll(() => stack.commands, { timeout: 5_000 }).toEqual([{ type: 'people' }])
  })

  it('[KUB-07] is part of the reports of all stacks until it ends', async () => {
    const stack = await serve()
    stack.state = [{ type: 'listening', port: 1 }]
    const remote = follow(stack)
    await remote.listening
    const reports = createStackReports()
    reports.follow('sbx_1', remote.reports, remote.ended)
    stack.report = {
      folding: { waiting: 1, oldestAtMs: null, folded: 2 },
      requests: { rssBytes: 3, bytesInUse: 0, waiting: 0, refused: 0 },
      isDatabaseUp: true,
      pool: { inUse: 0, waiting: 0, limit: 1 },
      webhooks: { due: 0, oldestDueAtMs: null, failing: 0, succeeded: 0, failed: 0 },
      importsWaiting: 0,
      liveConnections: 0,
      isNatsConnected: null,
      loops: {},
    }
    expect((await reports.read()).stacks).toEqual({ sbx_1: stack.report })
    remote.end()
    await remote.ended
    expect((await reports.read()).stacks).toEqual({})
  })
})
