import { randomUUID } from 'node:crypto'
import { CHANGE_KINDS, type ChangeKind, STACK_CHANGED } from '@storey/contract'
import { io, type Socket } from 'socket.io-client'
import { afterEach, describe, expect, it } from 'vitest'
import { sandboxToken, TOKEN_RULES } from '../testing/tokens.ts'
import { connected, startTestLive, type TestLive } from './testing/test-live.ts'

let live: TestLive
const clients: Socket[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) client.disconnect()
  await live.close()
})

interface Reported {
  kinds: ChangeKind[]
  sequence: number
}

/** A socket of `/changes`, and the events that it receives. */
async function follow(token = live.token, on?: Socket): Promise<{ socket: Socket; reported: Reported[] }> {
  const options = { auth: { token }, reconnection: false, transports: ['websocket'] }
  const socket = on ? on.io.socket('/changes', options) : io(`${live.url}/changes`, { ...options, forceNew: true })
  clients.push(socket)
  await connected(socket)
  const reported: Reported[] = []
  socket.on('changed', ({ buildingId, kinds }, { sequence }) => {
    expect(buildingId).toBe(live.buildingId)
    reported.push({ kinds, sequence })
  })
  return { socket, reported }
}

const change = (...kinds: string[]) => live.bus.publish(live.buildingId, STACK_CHANGED, () => ({ kinds }))
const endOf = (socket: Socket) => new Promise<string>((resolve) => socket.once('disconnect', resolve))

describe('the namespace /changes', () => {
  it('[LIV-17, LIV-18] reports the kinds that changed, and combines many changes into one event', async () => {
    live = await startTestLive()
    const { socket, reported } = await follow()
    const joined = await socket.emitWithAck('join', { buildingId: live.buildingId.toUpperCase() })
    expect(joined).toEqual({
      ...{ ok: true, buildingId: live.buildingId, kinds: [...CHANGE_KINDS], revision: 7 },
      sequence: expect.any(Number),
    })
    for (let i = 0; i < 50; i++) change('layers', 'requests', 'unknown')
    change('graph')
    live.bus.publish(randomUUID(), STACK_CHANGED, () => ({ kinds: ['faults'] }))
    await expect
      .poll(() => reported)
      .toEqual([{ kinds: ['graph', 'layers', 'requests'], sequence: joined.sequence + 1 }])
    change('faults')
    await expect.poll(() => reported.slice(1)).toEqual([{ kinds: ['faults'], sequence: joined.sequence + 2 }])
    expect(await socket.emitWithAck('leave', live.buildingId)).toEqual({ ok: true, buildingId: live.buildingId })
  })

  it('[LIV-20] returns to a joining client the kinds that changed after the sequence number that the client sends', async () => {
    live = await startTestLive({ limits: { changesMs: 5 } })
    const { socket, reported } = await follow()
    const join = async (after: number) =>
      (await socket.emitWithAck('join', { buildingId: live.buildingId, after })).kinds
    const { sequence } = await socket.emitWithAck('join', live.buildingId)
    change('layers')
    await expect.poll(() => reported.length).toBe(1)
    change('faults')
    await expect.poll(() => reported.length).toBe(2)
    expect(await join(sequence)).toEqual(['layers', 'faults'])
    expect(await join(sequence + 1)).toEqual(['faults'])
    expect(await join(sequence + 2)).toEqual([])
    // These numbers are unknown, like those of another process.
    for (const unknown of [0, sequence - 1, sequence + 3]) expect(await join(unknown)).toEqual([...CHANGE_KINDS])
  })

  it('[LIV-20] sends no event before a join is acknowledged, and none after a join that is refused', async () => {
    const reads: PromiseWithResolvers<number>[] = []
    const readRevision = () => {
      const read = Promise.withResolvers<number>()
      reads.push(read)
      return read.promise
    }
    live = await startTestLive({ limits: { changesMs: 5 }, readRevision })
    const { socket, reported } = await follow()
    const order: string[] = []
    socket.on('changed', () => order.push('event'))
    /** Joins, and changes something while the join reads the revision again. Then `end` ends this second read. */
    const joinWhile = async (end: (read: PromiseWithResolvers<number>) => void) => {
      const first = reads.length
      const { promise: joined, resolve } = Promise.withResolvers<{ ok: boolean; sequence?: number }>()
      socket.emit('join', live.buildingId, (answer: { ok: boolean; sequence?: number }) => {
        order.push('answer')
        resolve(answer)
      })
      await expect.poll(() => reads.length).toBe(first + 1)
      reads[first]!.resolve(7)
      await expect.poll(() => reads.length).toBe(first + 2)
      change('layers')
      await new Promise((resolve) => setTimeout(resolve, 30))
      end(reads[first + 1]!)
      return await joined
    }
    expect(await joinWhile((read) => read.reject(new Error('no database')))).toMatchObject({ ok: false })
    change('faults')
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(order).toEqual(['answer'])
    const { sequence } = await joinWhile((read) => read.resolve(8))
    await expect.poll(() => reported).toEqual([{ kinds: ['layers'], sequence: sequence! + 1 }])
    expect(order).toEqual(['answer', 'answer', 'event'])
  })

  it('[LIV-17] checks token, scope and building as the namespace /buildings does', async () => {
    live = await startTestLive()
    await expect(follow('nonsense')).rejects.toMatchObject({ data: { code: 'UNAUTHENTICATED' } })
    const { socket } = await follow(await sandboxToken({ building_ids: [live.buildingId] }))
    const refusal = async (body: unknown) => (await socket.emitWithAck('join', body)).code
    expect(await refusal(live.buildingId)).toBeUndefined()
    expect(await refusal(randomUUID())).toBe('PERMISSION_DENIED')
    const { socket: unscoped } = await follow()
    expect((await unscoped.emitWithAck('join', randomUUID())).code).toBe('NOT_FOUND')
    for (const bad of [undefined, 7, {}, { buildingId: live.buildingId, after: -1 }]) {
      expect(await refusal(bad)).toBe('VALIDATION_FAILED')
    }
    expect((await socket.emitWithAck('resume', { buildingId: live.buildingId, after: 1 })).code).toBe(
      'VALIDATION_FAILED',
    )
  })

  it('subscribes to the bus only while somebody has joined', async () => {
    live = await startTestLive({ limits: { lingerMs: 0 } })
    expect(live.bus.hasSubscribers(STACK_CHANGED)).toBe(false)
    const { socket } = await follow()
    await socket.emitWithAck('join', live.buildingId)
    expect(live.bus.hasSubscribers(STACK_CHANGED)).toBe(true)
    socket.disconnect()
    await expect.poll(() => live.bus.hasSubscribers(STACK_CHANGED), { timeout: 5_000 }).toBe(false)
  })

  /** A polling client without the client library: it gets events when it polls. */
  async function pollingClient() {
    const endpoint = `${live.url}/socket.io/?EIO=4&transport=polling`
    let session = ''
    const poll = async () => (await (await fetch(endpoint + session)).text()).split('\x1e')
    const post = (body: string) => fetch(endpoint + session, { method: 'POST', body })
    session = `&sid=${JSON.parse((await poll())[0]!.slice(1)).sid}`
    await post(`40/changes,${JSON.stringify({ token: live.token })}`)
    await poll()
    await post(`42/changes,1["join","${live.buildingId}"]`)
    expect((await poll())[0]).toMatch(/^43.*"ok":true/)
    return { poll, post }
  }

  it('[LIV-19] keeps one event for a client that does not read, and sends all later kinds as one event', async () => {
    live = await startTestLive({ limits: { changesMs: 5 } })
    const { poll } = await pollingClient()
    const { socket, reported } = await follow()
    await socket.emitWithAck('join', live.buildingId)
    for (const [i, kind] of ['graph', 'layers', 'faults', 'graph'].entries()) {
      change(kind)
      await expect.poll(() => reported.length).toBe(i + 1)
    }
    const last = `{"sequence":${reported.at(-1)!.sequence}}`
    const packets: string[] = []
    while (!packets.some((packet) => packet.includes(last))) packets.push(...(await poll()))
    expect(packets.map((packet) => JSON.parse(packet.replace('42/changes,', ''))[1].kinds)).toEqual([
      ['graph'],
      ['graph', 'layers', 'faults'],
    ])
  })

  it('[LIV-19] closes the connection of a client that reads nothing for too long', async () => {
    live = await startTestLive({ limits: { changesMs: 5, stallMs: 100 } })
    const { post } = await pollingClient()
    expect((await post('3')).status).toBe(200)
    change('graph')
    await expect.poll(async () => (await post('3')).status, { timeout: 5_000 }).toBe(400)
  })
})

describe('a connection with both namespaces', () => {
  it('[LIV-19] has at most one socket in each namespace', async () => {
    live = await startTestLive()
    const first = await live.connect()
    const { socket, reported } = await follow(live.token, first)
    expect(socket.io.engine).toBe(first.io.engine)
    await first.emitWithAck('join', live.buildingId)
    await socket.emitWithAck('join', live.buildingId)
    change('layers')
    await expect.poll(() => reported.length).toBe(1)
    // Neither socket receives the events of the other.
    const received: string[] = []
    for (const one of [first, socket]) one.onAny((name) => received.push(name))
    live.observe(['p'], '1')
    await expect.poll(() => received).toEqual(['building.point.updated'])
    const ended = endOf(first)
    first.io.engine.write(`0/changes,${JSON.stringify({ token: live.token })}`)
    expect(await ended).toMatch(/^transport/)
  })

  it('[LIV-19] has one limit of commands for both sockets', async () => {
    live = await startTestLive({ limits: { commands: { burst: 3, perSecond: 0.001 } } })
    const first = await live.connect()
    const { socket } = await follow(live.token, first)
    const answers = []
    for (const one of [first, socket, first, socket, first]) {
      answers.push((await one.emitWithAck('join', live.buildingId)).code ?? 'ok')
    }
    expect(answers).toEqual(['ok', 'ok', 'ok', 'RATE_LIMITED', 'RATE_LIMITED'])
  })

  it('[LIV-19] stays open when the first socket leaves, and is closed when the second one leaves too', async () => {
    live = await startTestLive()
    const first = await live.connect()
    const { socket, reported } = await follow(live.token, first)
    await socket.emitWithAck('join', live.buildingId)
    first.disconnect()
    change('layers')
    await expect.poll(() => reported.length).toBe(1)
    first.auth = { token: 'nonsense' }
    await expect(connected(first.connect())).rejects.toMatchObject({ data: { code: 'UNAUTHENTICATED' } })
    expect(socket.connected).toBe(true)
    const closed = new Promise((resolve) => socket.io.engine.once('close', resolve))
    // The packet is written directly, since the client would close the connection itself when its last socket leaves.
    socket.io.engine.write('1/changes,')
    await closed
  })

  it('[LIV-12, LIV-19] loses both sockets when their token is revoked', async () => {
    live = await startTestLive()
    const iat = Math.floor(Date.now() / 1000) - 30
    const token = await sandboxToken({ sub: 'leaves', iat })
    const first = await live.connect({ auth: { token } })
    const { socket } = await follow(token, first)
    const ends = [first, socket].map(endOf)
    live.revocations.revoke(TOKEN_RULES.issuer, 'leaves', new Date())
    for (const end of ends) expect(await end).toBe('io server disconnect')
  })

  it('[LIV-15, LIV-19] is closed after the sign-in time limit if neither socket has a valid token', async () => {
    live = await startTestLive({ limits: { signInMs: 500 } })
    const endpoint = `${live.url}/socket.io/?EIO=4&transport=polling`
    const { sid } = JSON.parse((await (await fetch(endpoint)).text()).slice(1))
    const post = async (body: string) => (await fetch(`${endpoint}&sid=${sid}`, { method: 'POST', body })).status
    expect(await post('40/changes,{}\x1e40/buildings,{}')).toBe(200)
    await expect.poll(() => post('3'), { timeout: 5_000 }).toBe(400)
  })
})
