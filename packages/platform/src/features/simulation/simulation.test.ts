import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sandboxToken } from '../../testing/tokens.ts'
import { type SimulatedStack, startSimulatedStack } from './testing/simulated-stack.ts'

const NOW = '2026-03-03T08:02:00.000Z'
const NOBODY = '0191b6a0-1111-7000-8000-000000000000'
let simulated: SimulatedStack
beforeAll(async () => {
  simulated = await startSimulatedStack(NOW)
})
afterAll(() => simulated.stack.close())

const as = async (...roles: string[]) => `Bearer ${await sandboxToken({ realm_access: { roles } })}`

describe('…/simulation', () => {
  it('[SIM-01] describes a building that was never simulated', async () => {
    const { status, body } = await simulated.stack.get(simulated.path)
    expect(status).toBe(200)
    expect(body).toEqual({ running: false, automatic: true, speed: 1, startedAt: null, simulatedAt: null, faults: [] })
  })

  it('[SIM-02] starts, changes speed and stops, and a repeated command changes nothing', async () => {
    const started = { running: true, automatic: false, speed: 1, startedAt: NOW, simulatedAt: NOW, faults: [] }
    expect(await simulated.command({ running: true })).toMatchObject({ status: 200, body: started })
    simulated.clock.advance(60_000)
    const minuteOn = { ...started, simulatedAt: '2026-03-03T08:03:00.000Z' }
    expect((await simulated.command({ running: true, speed: 1 })).body).toEqual(minuteOn)
    expect((await simulated.command({ speed: 60 })).body).toEqual({ ...minuteOn, speed: 60 })
    simulated.clock.advance(60_000)
    expect((await simulated.read()).simulatedAt).toBe('2026-03-03T09:03:00.000Z')
    const stoppedAt = { startedAt: null, simulatedAt: '2026-03-03T09:03:00.000Z' }
    const stopped = { running: false, automatic: false, speed: 60, ...stoppedAt, faults: [] }
    expect((await simulated.command({ running: false })).body).toEqual(stopped)
    simulated.clock.advance(60_000)
    expect((await simulated.command({ running: false })).body).toEqual(stopped)
    expect(await simulated.read()).toEqual(stopped)
  })

  it.each([
    [{}, ''],
    [{ speed: 0.5 }, '/speed'],
    [{ speed: 601 }, '/speed'],
    [{ speed: '10' }, '/speed'],
    [{ speed: null }, '/speed'],
    [{ running: 'yes' }, '/running'],
    [{ running: true, pace: 2 }, '/pace'],
    [[], ''],
  ])('refuses %j, and changes nothing', async (body, pointer) => {
    const before = await simulated.read()
    const { status, body: problem } = await simulated.command(body)
    expect(status).toBe(400)
    expect(problem.errors[0].pointer).toBe(pointer)
    expect(await simulated.read()).toEqual(before)
  })

  it('refuses a body that is not JSON, and a query', async () => {
    const { stack, path } = simulated
    const broken = await stack.send('POST', path, '{"running":', undefined, { 'content-type': 'application/json' })
    expect(broken.status).toBe(400)
    expect((await stack.get(`${path}?speed=3`)).status).toBe(400)
  })

  it('refuses every request without a credential, and commands without the permission', async () => {
    const { stack, path } = simulated
    const inject = { fault: 'silent-gateway', nodeId: NOBODY, minutes: 5 }
    expect((await stack.get(path, null)).status).toBe(401)
    expect((await stack.get(path, await as('user'))).status).toBe(200)
    for (const [where, body] of [[path, { running: true }] as const, [`${path}/inject`, inject] as const]) {
      expect((await stack.send('POST', where, body, null)).status).toBe(401)
      for (const role of ['user', 'manager', 'admin', 'building-graph-writer']) {
        expect((await stack.send('POST', where, body, await as(role))).body.code).toBe('PERMISSION_DENIED')
      }
      const elsewhere = `Bearer ${await sandboxToken({ tenant_id: 'org_other' })}`
      expect((await stack.send('POST', where, body, elsewhere)).status).toBe(403)
    }
  })

  it('responds with 404 for a building that does not exist', async () => {
    const { stack } = simulated
    for (const id of [NOBODY, 'not-a-uuid', "'; drop table simulations; --"]) {
      const path = `/api/v1/buildings/${encodeURIComponent(id)}/simulation`
      expect((await stack.get(path)).status).toBe(404)
      expect((await stack.send('POST', path, { running: true })).status).toBe(404)
      const inject = { fault: 'silent-gateway', nodeId: NOBODY, minutes: 5 }
      expect((await stack.send('POST', `${path}/inject`, inject)).status).toBe(404)
    }
  })

  it('refuses to simulate a building that was not generated', async () => {
    const { stack } = simulated
    const { buildingId } = stack.other
    await stack.db.run(sql`delete from building_models where building_id = ${buildingId}`)
    const path = `/api/v1/buildings/${buildingId}/simulation`
    const { status, body } = await stack.send('POST', path, { running: true })
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'CONFLICT' })
    expect(body.detail).toMatch(/cannot be simulated/)
    expect((await stack.get(path)).body).toMatchObject({ running: false, automatic: false })
  })
})
