import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyWebhook } from '../../packages/sdk/src/index.ts'
import { call } from '../system/call.ts'
import { env, SMALL, useNewDeveloper } from './new-developer.ts'
import { type Ended, newHome, start, startInClone, svc } from './tool.ts'

useNewDeveloper()

const home = newHome()
/** The environment of a shell after `svc sandbox connect`: it has the sandbox's token, and nobody is signed in. */
let connected: Record<string, string>
let received: { headers: IncomingHttpHeaders; body: Buffer }[] = []
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    received.push({ headers: request.headers, body: Buffer.concat(chunks) })
    response.writeHead(204).end()
  })
})

beforeAll(async () => {
  const words = ['sandbox', 'create', '--name', 'Platform mall', '--type', 'mall', ...SMALL, '--format=json']
  const { code, stderr } = await svc(words, { env })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const lines = (await svc(['sandbox', 'connect', 'platform mall'], { env })).stdout
  const pairs = lines.matchAll(/^export (\w+)=(.*)$/gm)
  connected = { ...home, ...Object.fromEntries([...pairs].map(([, name, value]) => [name!, value!])) }
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  receiver.close()
})

const run = (...words: string[]): Promise<Ended> => svc(words, { env: connected })

describe('svc and the API of a sandbox', () => {
  it('[CLI-42] reads lists, selects fields, writes, and streams responses that are not JSON', async () => {
    const { SVC_API_URL, SVC_API_TOKEN, SVC_BUILDING_ID } = connected
    const points = `${SVC_API_URL}/api/v1/buildings/${SVC_BUILDING_ID}/points?limit=1`
    // The tool waits until the sandbox is awake.
    const counted = await run('api', 'points', '--all', '--jq', '.data | length')
    expect(await call(points, { token: SVC_API_TOKEN! })).toMatchObject({
      ...{ status: 200, json: { total: Number(counted.stdout) } },
    })
    expect(counted).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^[1-9]\d*\n$/) })
    const layer = await run('api', 'data-layers', '-f', 'key=clean', '-f', 'name=Clean', '-f', 'valueType=BOOLEAN')
    expect(JSON.parse(layer.stdout)).toMatchObject({ key: 'clean', valueType: 'BOOLEAN' })
    expect((await run('api', 'graph?format=turtle')).stdout).toContain('@prefix brick:')
    const refused = await run('api', 'data-layers', '-f', 'key=clean')
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('VALIDATION_FAILED (400)') })
  })

  it('[CLI-43, CLI-44] triggers an alarm, receives it, and forwards it as a webhook that a receiver can verify', async () => {
    const secret = (await run('listen', '--print-secret')).stdout.trim()
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    received = []
    let triggered: Promise<Ended> | undefined
    const listening = start(['listen', '--forward-to', url, '--count', '2'], {
      env: connected,
      onOutput(text) {
        if (text.includes('Listening to')) triggered ??= run('trigger', 'alarm', '--format=json')
      },
    })
    const { code, stdout } = await listening.ended
    expect(code).toBe(0)
    const { fault, pointId } = JSON.parse((await triggered!).stdout)
    expect(fault).toMatchObject({ kind: 'alarm', state: 'open', pointId })
    expect(stdout).toContain(fault.title)
    const deliveries = await Promise.all(received.map((each) => verifyWebhook({ ...each, secret })))
    expect(deliveries.map(({ event }) => event).sort()).toEqual(['building.alarm.triggered', 'building.point.updated'])
    const alarm = deliveries.find(({ event }) => event === 'building.alarm.triggered')!
    expect(alarm).toMatchObject({ attempt: 1, data: { faultId: fault.id, pointId, title: fault.title } })
  })

  it('[CLI-45] shows the deliveries of webhooks', async () => {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    const created = await run('api', '/api/v1/webhooks', '-f', `url=${url}`, '-F', 'events=["building.point.updated"]')
    expect(created).toMatchObject({ code: 0 })
    await run('api', `/api/v1/webhooks/${JSON.parse(created.stdout).id}/test`, '-X', 'POST')
    let isDone = false
    const following = start(['logs'], {
      env: connected,
      onOutput(text, running) {
        if (!text.includes('Listening to') || isDone) return
        isDone = true
        running.signal('SIGINT')
      },
    })
    const { code, stdout } = await following.ended
    expect(code).toBe(130)
    expect(stdout).toMatch(/webhook\.test → http:\S+\/hook {2}204 {2}\d+ ms {2}attempt 1 succeeded/)
    const lines = (await run('logs', '--no-follow', '--format=json')).stdout.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ kind: 'delivery', event: 'webhook.test', status: 'succeeded', url }),
    )
  })

  it('[CLI-53] ends when scripts/svc.mjs, which the alias runs, is ended by any signal', async () => {
    const codes = { SIGINT: 130, SIGTERM: 143, SIGKILL: null }
    const ends = Object.entries(codes).map(async ([signal, code]) => {
      let isDone = false
      const listening = startInClone(['listen'], {
        env: connected,
        onOutput(text, running) {
          if (!text.includes('Listening to') || isDone) return
          isDone = true
          running.signal(signal as NodeJS.Signals)
        },
      })
      expect(await listening.ended, signal).toMatchObject({ code })
    })
    await Promise.all(ends)
  })

  it('[CLI-46, SBX-61] prints a link to the console that signs in once', async () => {
    const { stdout } = await svc(['open', 'Platform mall', '--no-browser'], { env })
    const opened = await fetch(stdout.trim(), { redirect: 'manual' })
    expect(opened.status).toBe(303)
    expect(opened.headers.get('location')).toBe(`${connected.SVC_CONSOLE_URL}/`)
    expect(opened.headers.getSetCookie().join()).toContain('storey_sandboxes=')
    expect((await fetch(stdout.trim(), { redirect: 'manual' })).status).toBe(400)
  })

  it('[CLI-43] triggers an outage, which the running simulation then lists', async () => {
    const { code, stdout } = await run('trigger', 'outage', '--minutes', '5', '--format=json')
    expect(code).toBe(0)
    const { injection } = JSON.parse(stdout)
    const { faults, running } = JSON.parse((await run('api', 'simulation')).stdout)
    expect({ running, ids: faults.map(({ id }: { id: string }) => id) }).toEqual({ running: true, ids: [injection.id] })
  })
})
