import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, Socket } from 'node:net'
import { silentLog } from '@storey/kit/log'
import { afterEach, describe, expect, it } from 'vitest'
import { createConnectionTransfer } from './transfer-connection.ts'

/** Returns each connection that it gets, and sends nothing else. */
const RETURN_ALL = `process.on('message', ({ connection }, socket) =>
  process.send({ type: 'returned', connection, read: '', silentMs: 0 }, socket, {}, () => socket.destroy()))`
const INGEST = { served: () => undefined, onReport: () => undefined }

describe('transferred connections', () => {
  let child: ChildProcess
  afterEach(() => void child.kill('SIGKILL'))

  function transferTo(script: string) {
    child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    const ended = once(child, 'close').then(() => undefined)
    return { ...createConnectionTransfer(child, ended, silentLog), ended }
  }

  /** The two ends of a connection. */
  async function connection(): Promise<{ client: Socket; accepted: Socket }> {
    const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const [accepted] = (await once(server, 'connection')) as [Socket]
    server.close()
    return { client, accepted }
  }

  it('[STK-41] are closed if a stack returns a connection of the live channel: only ingest and MQTT connections can be returned', async () => {
    const { transferConnection } = transferTo(RETURN_ALL)
    const { client, accepted } = await connection()
    const closed = once(client.resume(), 'close')
    await transferConnection(accepted, Buffer.alloc(0))
    await closed
  })

  it('[STK-41] are closed if the stack returns them with a `read` that is not a string', async () => {
    const { directIngest } = transferTo(RETURN_ALL.replace("read: ''", 'read: { toString: 1 }'))
    const { client, accepted } = await connection()
    const closed = once(client.resume(), 'close')
    expect(await directIngest.transfer(accepted, 'a.localhost', INGEST)).toBeUndefined()
    await closed
  })

  it('[STK-42] take little CPU time when thousands of them end with their stack', async () => {
    const { transferConnection, ended } = transferTo('process.on("message", () => undefined)')
    // Sockets that were never connected: the stack gets only the commands.
    const all = Array.from({ length: 20_000 }, () => transferConnection(new Socket(), Buffer.alloc(0)))
    child.kill('SIGKILL')
    await ended
    const before = process.threadCpuUsage()
    await Promise.all(all)
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(1_000)
  })
})
