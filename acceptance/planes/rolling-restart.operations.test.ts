import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call } from '../system/call.ts'
import { actorsAt } from '../system/shared.ts'
import { type Planes, startPlanes } from './start-planes.ts'

/** Resolves every name to loopback, because not every system resolves names below localhost. */
const lookup: NonNullable<ConstructorParameters<typeof Agent>[0]>['lookup'] = (_name, { all }, found) => {
  if (all) found(null, [{ address: '127.0.0.1', family: 4 }])
  else found(null, '127.0.0.1', 4)
}

describe('a rolling restart of two control planes', () => {
  let planes: Planes
  beforeAll(async () => {
    planes = await startPlanes(2, { SHUTDOWN_DELAY_SECONDS: '3' })
  })
  afterAll(() => planes.close())

  it('[PLN-08] drops no request, and live connections miss no event', { timeout: 300_000 }, async () => {
    const { newDeveloper, newSandbox } = actorsAt(planes.all)
    const { connection } = await newSandbox((await newDeveloper()).key)
    const { token, apiUrl, buildingId } = connection
    const base = `${apiUrl}/api/v1/buildings/${buildingId}`
    const pointId = (await call(`${base}/points?limit=1`, { token })).json.data[0].id as string

    // A client that resumes after each reconnect, as the SDK does.
    const socket = io(`${apiUrl}/buildings`, {
      ...{ forceNew: true, transports: ['websocket'], auth: { token }, agent: new Agent({ lookup }) as never },
      ...{ reconnectionDelay: 100, reconnectionDelayMax: 500 },
    })
    const seen = new Set<string>()
    let last: number | undefined
    let connects = 0
    const problems: string[] = []
    socket.on('building.point.updated', (fields: { observations: { value: string }[] }, meta: { sequence: number }) => {
      for (const { value } of fields.observations) seen.add(value)
      last = meta.sequence
    })
    socket.on('connect', async () => {
      const command = last === undefined ? 'join' : 'resume'
      const answer = await socket.emitWithAck(command, { buildingId, ...(last === undefined ? {} : { after: last }) })
      if (answer.ok) last ??= answer.sequence
      else problems.push(`${command}: ${JSON.stringify(answer)}`)
      connects++
    })
    await expect.poll(() => connects).toBe(1)

    let isOver = false
    const failures: string[] = []
    const stored: string[] = []
    let answered = 0
    const agents = [new Agent({ keepAlive: true, lookup }), new Agent({ keepAlive: true, lookup })]
    const send = (agent: Agent, path: string, body?: string) =>
      new Promise<number>((resolve, reject) => {
        const { hostname, port } = new URL(apiUrl)
        const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) }
        const sent = request(
          { agent, hostname, port, path, headers, method: body === undefined ? 'GET' : 'POST' },
          (response) => {
            response.resume()
            response.once('end', () => resolve(response.statusCode!))
          },
        )
        sent.once('error', reject)
        sent.end(body)
      })
    async function load(agent: Agent, client: number): Promise<void> {
      for (let i = 0; !isOver; i++) {
        const value = `${client * 100_000 + i}`
        const body = JSON.stringify({ observations: [{ pointId, value }] })
        const isWrite = i % 2 === 0
        const path = `/api/v1/buildings/${buildingId}${isWrite ? '/telemetry/observations' : ''}`
        const status = await send(agent, path, isWrite ? body : undefined).catch((err: Error) => err.message)
        answered++
        if (status !== (isWrite ? 202 : 200)) failures.push(`${path}: ${status}`)
        else if (isWrite) stored.push(value)
        await sleep(20)
      }
    }
    const loads = agents.map((agent, i) => load(agent, i))
    await sleep(1_000)
    for (const index of [0, 1]) {
      await planes.restart(index)
      await sleep(1_000)
    }
    isOver = true
    await Promise.all(loads)
    for (const agent of agents) agent.destroy()
    expect(failures).toEqual([])
    expect(answered).toBeGreaterThan(50)
    await expect.poll(() => stored.filter((value) => !seen.has(value))).toEqual([])
    expect(connects).toBeGreaterThan(1)
    expect(problems).toEqual([])
    socket.disconnect()
  })
})
