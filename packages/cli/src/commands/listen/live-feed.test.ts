import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LIVE_NAMESPACE, type LiveEvent } from '@storey/contract'
import { Server, type Socket } from 'socket.io'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runTool } from '../../testing/test-context.ts'

const ALARM: LiveEvent = 'building.alarm.triggered'
const UPDATE: LiveEvent = 'building.point.updated'
const DROPPED = 2
/** One event is being sent, 1000 wait, and the others are dropped. */
const SENT = 1001 + DROPPED

/** A live channel that calls `onJoin` at each join and has no old events to replay. */
async function liveChannel(onJoin: (socket: Socket, joins: number) => void, onRequest?: RequestListener) {
  const http = createServer(onRequest)
  const io = new Server(http)
  let joins = 0
  io.of(LIVE_NAMESPACE).on('connection', (socket) => {
    socket.on('resume', (_body, reply) => reply({ ok: false, code: 'SNAPSHOT_REQUIRED' }))
    socket.on('join', ({ buildingId }, reply) => {
      reply({ ok: true, buildingId, sequence: 0 })
      joins += 1
      onJoin(socket, joins)
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    http.closeAllConnections()
    await io.close()
  })
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  return { url, env: { SVC_API_URL: url, SVC_API_TOKEN: 'a.b.c', SVC_BUILDING_ID: 'b-1' } }
}

const send = (socket: Socket, name: LiveEvent, meta: object) =>
  socket.emit(name, { buildingId: 'b-1', observations: [] }, meta)
const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('a gap in the events', () => {
  it('is reported as JSON on stderr when the sandbox has skipped events', async () => {
    const { env } = await liveChannel((socket) => send(socket, UPDATE, { sequence: 4, skipped: 3 }))
    const { stdout, stderr } = await runTool(['listen', '--count=1', '--format=json'], { env })
    expect(linesOf(stdout)).toEqual([expect.objectContaining({ event: UPDATE, sequence: 4 })])
    expect(linesOf(stderr)).toEqual([
      {
        ...{ kind: 'gap', reason: 'slow_connection', skipped: 3 },
        detail: '3 events were not sent, because this connection is too slow.',
      },
    ])
  })

  it('is reported even if the event that has the number of skipped events is not shown', async () => {
    const { env } = await liveChannel((socket) => {
      send(socket, ALARM, { sequence: 2, skipped: 1 })
      send(socket, UPDATE, { sequence: 3 })
    })
    const { stdout, stderr } = await runTool(['listen', '--count=1', `--events=${UPDATE}`], { env })
    expect(stdout).not.toContain(ALARM)
    expect(stderr).toMatch(/^1 event was not sent, because this connection is too slow\.$/m)
  })

  it('is reported as JSON on stderr when events may have been missed in an interruption', async () => {
    const { env } = await liveChannel((socket, joins) => {
      send(socket, ALARM, { sequence: joins })
      if (joins === 1) setImmediate(() => socket.conn.close())
    })
    const { stdout, stderr } = await runTool(['listen', '--count=2', '--format=json'], { env })
    expect(linesOf(stdout).map(({ sequence }) => sequence)).toEqual([1, 2])
    expect(linesOf(stderr)).toEqual([
      { kind: 'gap', reason: 'interruption', detail: expect.stringContaining('may have been missed') },
    ])
  })

  it('is reported as JSON on stderr for each event that is dropped because the receiver is slow', async () => {
    let allDropped = () => {}
    const dropped = new Promise<void>((resolve) => {
      allDropped = resolve
    })
    const { url, env } = await liveChannel(
      (socket) => {
        for (let sequence = 1; sequence <= SENT; sequence++) send(socket, ALARM, { sequence })
      },
      (_request, response) => void dropped.then(() => response.end()),
    )
    let gaps = ''
    const { code, stderr } = await runTool(['listen', `--forward-to=${url}/hook`, '--count=1', '--format=json'], {
      env,
      onOutput(text) {
        gaps += text
        if (gaps.trim().split('\n').length === DROPPED) allDropped()
      },
    })
    expect(code).toBe(0)
    expect(linesOf(stderr)).toEqual(
      [SENT - 1, SENT].map((sequence) => ({
        ...{ kind: 'gap', reason: 'slow_receiver', event: ALARM, sequence },
        detail: `${ALARM} was dropped, neither shown nor forwarded: the receiver is too slow.`,
      })),
    )
  })
})
