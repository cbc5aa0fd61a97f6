import { describe, expect, it } from 'vitest'
import {
  type Answer,
  problem,
  type ReceivedRequest,
  sandboxRecord,
  scriptedService,
} from '../../testing/scripted-service.ts'
import { runTool, type TestClock, testClock } from '../../testing/test-context.ts'

const empty = { json: { data: [], total: 0, limit: 200, offset: 0 } }
const listOf = (...data: unknown[]) => ({ json: { data, total: data.length, limit: 200, offset: 0 } })
const ready = sandboxRecord({ status: 'ready', buildingId: 'b-1', progress: { percent: 100, step: 'Ready' } })

interface Script {
  list?: () => Answer
  create?: (received: ReceivedRequest, nth: number) => Answer
  poll?: (nth: number) => Answer
}

function service({ list = () => empty, create = () => accepted, poll = () => ({ json: ready }) }: Script) {
  let [creates, polls] = [0, 0]
  return scriptedService((received) => {
    if (received.method === 'POST') return create(received, creates++)
    return received.path.startsWith('/api/v1/sandboxes?') ? list() : poll(polls++)
  })
}

const accepted = { status: 202, json: sandboxRecord() }

function create(url: string, clock: TestClock, ...words: string[]) {
  return runTool(['sandbox', 'create', '--name', 'Mall', ...words], {
    clock,
    env: { SVC_API_TOKEN: 'svc_key', SVC_SANDBOX_API_URL: url },
  })
}

describe('sandbox create', () => {
  it('[CLI-13] polls first after 0.3 seconds, then less and less often, and in the end every 5 seconds', async () => {
    const clock = testClock()
    const { url } = await service({ poll: (nth) => ({ json: nth < 8 ? sandboxRecord() : ready }) })
    const { code, stdout } = await create(url, clock)
    expect(code).toBe(0)
    expect(stdout).toContain('Mall is ready.')
    expect(clock.slept).toEqual([300, 500, 800, 1200, 2000, 3000, 5000, 5000, 5000])
  })

  it('[CLI-14] gives up after 15 minutes with exit code 2', async () => {
    const clock = testClock()
    const began = clock.now()
    const { url } = await service({ poll: () => ({ json: sandboxRecord() }) })
    const { code, stderr } = await create(url, clock)
    expect(code).toBe(2)
    expect(stderr).toContain('15 minutes')
    expect(stderr).toContain('svc sandbox list')
    expect(clock.now() - began).toBeLessThanOrEqual(15 * 60_000)
    expect(clock.now() - began).toBeGreaterThan(15 * 60_000 - 5000)
  })

  it('[CLI-15] ends without polling if an older service responds with a ready record', async () => {
    const clock = testClock()
    const { url, received } = await service({ create: () => ({ status: 201, json: ready }) })
    const { code, stdout } = await create(url, clock, '--format=json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual(ready)
    expect(clock.slept).toEqual([])
    expect(received.map(({ method }) => method)).toEqual(['GET', 'POST'])
  })

  it('[CLI-32] exits with 1 and the reason when provisioning failed', async () => {
    const failed = sandboxRecord({ status: 'failed', failureReason: 'the disk is full' })
    const { url } = await service({ poll: () => ({ json: failed }) })
    const { code, stdout, stderr } = await create(url, testClock(), '--format=json')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(JSON.parse(stderr)).toMatchObject({ code: 'PROVISIONING_FAILED', failureReason: 'the disk is full' })
  })

  it('[CLI-16] finds a sandbox by name when the response was lost, and ignores earlier sandboxes of that name', async () => {
    const older = sandboxRecord({ sandboxId: 'sbx_old', status: 'ready' })
    let isCreated = false
    const { url, received } = await service({
      list: () => (isCreated ? listOf(sandboxRecord({ sandboxId: 'sbx_new' }), older) : listOf(older)),
      create: () => {
        isCreated = true
        return 'cut'
      },
      poll: () => ({ json: { ...ready, sandboxId: 'sbx_new' } }),
    })
    const { code, stdout } = await create(url, testClock())
    expect(code).toBe(0)
    expect(stdout).toContain('sbx_new')
    expect(received.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  it('waits for the network while it looks for a sandbox after the response was lost', async () => {
    let lists = 0
    const { url } = await service({
      list: () => {
        lists += 1
        if (lists === 1) return empty
        return lists < 5 ? 'cut' : listOf(sandboxRecord())
      },
      create: () => 'cut',
    })
    expect((await create(url, testClock())).code).toBe(0)
    expect(lists).toBe(5)
  })

  it('repeats the POST with the same idempotency key if the first one created no sandbox', async () => {
    const { url, received } = await service({ create: (_, nth) => (nth === 0 ? 'cut' : accepted) })
    expect((await create(url, testClock())).code).toBe(0)
    const keys = received.filter(({ method }) => method === 'POST').map(({ headers }) => headers['idempotency-key'])
    expect(keys).toHaveLength(2)
    expect(new Set(keys).size).toBe(1)
  })

  it('keeps polling through network and gateway errors, and stops at a refusal', async () => {
    const polls: Answer[] = ['cut', problem(502, 'UNKNOWN', 'Bad gateway'), { json: ready }]
    const { url } = await service({ poll: (nth) => polls[nth]! })
    expect((await create(url, testClock())).code).toBe(0)
    const refusing = await service({ poll: () => problem(404, 'NOT_FOUND', 'No such sandbox') })
    const { code, stderr } = await create(refusing.url, testClock())
    expect(code).toBe(1)
    expect(stderr).toContain('No such sandbox.')
  })

  it('generates a name if none is given, as the help says, and sends only the given options', async () => {
    const { stdout } = await runTool(['sandbox', 'create', '--help'])
    expect(stdout.replace(/\s+/g, ' ')).toContain('display name (default: type and five random characters)')
    const { url, received } = await service({})
    const env = { SVC_API_TOKEN: 'svc_key', SVC_SANDBOX_API_URL: url }
    expect((await runTool(['sandbox', 'create', '--type=mall', '--spaces-max', '4', '--no-wait'], { env })).code).toBe(
      0,
    )
    const body = JSON.parse(received.find(({ method }) => method === 'POST')!.body)
    expect(body).toEqual({ name: expect.stringMatching(/^mall [a-z2-9]{5}$/), buildingType: 'mall', spacesMax: 4 })
  })

  it('shows a progress bar on a terminal only', async () => {
    const { url } = await service({})
    const env = { SVC_API_TOKEN: 'svc_key', SVC_SANDBOX_API_URL: url }
    expect((await create(url, testClock())).stderr).toBe('')
    const { stdout, stderr } = await runTool(['sandbox', 'create', '--name', 'Mall'], { env, terminal: true })
    expect(stderr).toContain('Seeding')
    expect(stderr).toMatch(/█+░+\s+10 %/)
    expect(stdout).not.toContain('█')
  })

  it('[CLI-33] exits with 2 immediately when nothing listens', async () => {
    const clock = testClock()
    const { code, stderr } = await create('http://127.0.0.1:1', clock)
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^svc: The service at http:\/\/127\.0\.0\.1:1 \(from SVC_SANDBOX_API_URL\) is unreachable.*--api/,
    )
    expect(clock.slept).toEqual([])
  })
})
