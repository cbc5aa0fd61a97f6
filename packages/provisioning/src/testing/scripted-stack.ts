/**
 * A stack for tests. It can crash, hang or respond wrongly on purpose. The seed of the building controls the result of
 * seeding; the path and the body of a request control the response, and so do files in the stack's folder.
 */

import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type * as contract from '@storey/contract'
import type { SeedConfig, ServeConfig, StackCommand, StackMessage } from '@storey/contract'

// Copies of constants of the contract. A test run starts this program hundreds of times, and importing the contract
// with its schemas would take most of the time of a start.
const STACK_CONFIG_VARIABLE: typeof contract.STACK_CONFIG_VARIABLE = 'STACK_CONFIG'
const UNAVAILABLE_EXIT_CODE: typeof contract.UNAVAILABLE_EXIT_CODE = 69
const ARRIVED_AT_HEADER: typeof contract.ARRIVED_AT_HEADER = 'x-storey-arrived-at'

const config: SeedConfig & ServeConfig = JSON.parse(process.env[STACK_CONFIG_VARIABLE]!)
const send = (message: StackMessage) => process.send!(message)
process.on('SIGINT', () => undefined)
process.on('disconnect', () => process.exit(1))

if (process.argv[2] === 'seed') {
  const { seed } = config.building
  send({ type: 'progress', percent: 50, step: 'Half way' })
  if (seed === 'fail') process.exit(3)
  if (seed === 'unavailable' || (seed === 'unavailable once' && !existsSync('tried'))) {
    writeFileSync('tried', '')
    process.exit(UNAVAILABLE_EXIT_CODE)
  }
  if (seed === 'killed' || (seed === 'killed once' && !existsSync('tried'))) {
    writeFileSync('tried', '')
    process.kill(process.pid, 'SIGKILL')
  }
  if (seed === 'hang') setInterval(() => undefined, 1000)
  else {
    const id = '00000000-0000-8000-8000-000000000000'
    const result = { siteId: id, buildingId: id, fingerprint: `sha256:${seed}` }
    process.send!({ type: 'seeded', result } satisfies StackMessage, () => process.exit(0))
  }
} else if (existsSync('schema')) {
  const state = readFileSync('schema', 'utf8') as 'behind'
  process.send!({ type: 'schema', state, version: 1 } satisfies StackMessage, () => process.exit(1))
} else {
  const server = createServer((request, response) => {
    if (request.url === '/crash') process.exit(1)
    if (request.url === '/hold') return
    if (request.url === '/readyz' && existsSync('unready')) return void response.writeHead(503).end()
    if (request.url === '/received') return void response.end(existsSync('received') ? readFileSync('received') : '')
    if (request.url?.endsWith('/telemetry/observations')) return takeObservations(request, response)
    // The first request to /once gets no response. A repeated request gets one, even after a restart of the process.
    if (request.url === '/once' && !existsSync('held')) return void writeFileSync('held', '')
    if (request.url === '/report-due') return reportDue(() => response.end())
    if (request.url?.startsWith('/report-storage/')) {
      send({ type: 'storage', bytes: Number(request.url.split('/').at(-1)) })
      return void response.end()
    }
    if (request.url === '/environment') return void response.end(JSON.stringify(process.env))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ pid: process.pid, url: request.url, headers: request.headers }))
  })
  server.on('upgrade', ({ headers }, socket, head) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
    const { remotePort } = socket as Socket
    setTimeout(() => socket.write(JSON.stringify({ remotePort, headers })), 50)
    if (head.length > 0) socket.write(head)
    socket.on('error', () => undefined)
    socket.pipe(socket)
  })
  server.listen(0, '127.0.0.1', () => {
    send({ type: 'listening', port: (server.address() as { port: number }).port })
    reportDue()
  })
  process.on('message', (command: StackCommand, socket?: Socket) => {
    if (command.type === 'stop') return reportDue(() => process.exit(0))
    if (command.type === 'connection') return takeConnection(command, socket!)
    if (command.type === 'publish' && socket) return servePublisher(command, socket)
    if (command.type === 'return') return returnPublishers(command.connection)
    if (command.type === 'revoked') return appendFileSync('revoked', `${command.issuer} ${command.subject}\n`)
    if (command.type !== 'report' || !existsSync('report')) return
    send({ type: 'report', ...JSON.parse(readFileSync('report', 'utf8')) })
  })

  function takeConnection({ connection, read }: { connection: number; read: string }, socket: Socket): void {
    socket.once('close', () => send({ type: 'ended', connection }))
    socket.unshift(Buffer.from(read, 'base64'))
    server.emit('connection', socket)
  }
}

/** The functions that return the transferred connections of MQTT clients, by the number of the connection. */
const publishers = new Map<number, () => void>()

function returnPublishers(connection: number | undefined): void {
  for (const [number, giveBack] of publishers) if (connection === undefined || number === connection) giveBack()
}

/**
 * Stores and acknowledges a message to the topic if the script in the message has no `answer`. Returns the connection
 * when any other message or packet arrives, or when the client has sent nothing for two seconds. The names of the
 * stored messages are added to the files `received` and `direct`.
 */
function servePublisher(command: Extract<StackCommand, { type: 'publish' }>, socket: Socket): void {
  const { connection, topic } = command
  let read = Buffer.from(command.read, 'base64')
  let heardAt = Date.now()
  let isBusy = false
  let isLast = false
  const { _handle: handle } = socket as unknown as { _handle: { readStop(): void } }
  const report = (count: number) =>
    send({ type: 'served', requests: [], messages: count > 0 ? [{ connection, count }] : [] })
  const checking = setInterval(() => {
    report(0)
    if (Date.now() - heardAt > 2_000) giveBack()
  }, 100)

  function giveBack(): void {
    isLast = true
    if (isBusy || !publishers.delete(connection)) return
    clearInterval(checking)
    if (!socket.destroyed) handle.readStop()
    const returned = {
      type: 'returned',
      connection,
      read: read.toString('base64'),
      silentMs: Date.now() - heardAt,
    } as const
    process.send!(returned satisfies StackMessage, socket.destroyed ? undefined : socket, undefined, () =>
      socket.destroy(),
    )
  }

  /** The next packet if `servePublisher` acknowledges it, otherwise `other`; undefined if the packet is incomplete. */
  function nextScript(): { length: number; id: Buffer; script: Script } | 'other' | undefined {
    if (read.length === 0) return undefined
    if (read[0] !== 0x32) return 'other'
    let [rest, at] = [0, 1]
    for (let factor = 1; ; factor *= 128) {
      if (at >= read.length) return undefined
      rest += (read[at]! & 127) * factor
      if (read[at++]! < 128) break
    }
    if (read.length < at + rest) return undefined
    const idAt = at + 2 + read.readUInt16BE(at)
    if (read.toString('utf8', at + 2, idAt) !== topic) return 'other'
    const text = read.toString('utf8', idAt + 2, at + rest)
    const script: Script = text.startsWith('{') ? JSON.parse(text) : { name: '', answer: 400 }
    return script.answer === undefined ? { length: at + rest, id: read.subarray(idAt, idAt + 2), script } : 'other'
  }

  function step(): void {
    if (isBusy) return
    const next = nextScript()
    if (next === 'other' || isLast || socket.destroyed) return void giveBack()
    if (next === undefined) return
    isBusy = true
    setTimeout(() => {
      for (const file of ['received', 'direct']) appendFileSync(file, `${next.script.name}\n`)
      report(1)
      const acknowledgement = Buffer.concat([Buffer.from([0x40, 2]), next.id])
      read = read.subarray(next.length)
      isBusy = false
      if (socket.destroyed) giveBack()
      else socket.write(acknowledgement, step)
    }, next.script.delayMs ?? 0)
  }

  publishers.set(connection, giveBack)
  socket.on('error', () => socket.destroy()).on('close', step)
  socket.on('data', (bytes: Buffer) => {
    heardAt = Date.now()
    read = Buffer.concat([read, bytes])
    step()
  })
  socket.on('end', giveBack)
  step()
}

/** Reports that work is due at the time in the file `due`, or that no work is due if the file does not exist. */
function reportDue(then: () => void = () => undefined): void {
  process.send!(
    { type: 'due', at: existsSync('due') ? readFileSync('due', 'utf8') : null } satisfies StackMessage,
    then,
  )
}

/** How the stack should respond to a message. */
export interface Script {
  name: string
  /** The status, 202 by default; 0: no response; -1: the stack exits. */
  answer?: number
  /** How often the stack responds with `answer` before it responds with 202. */
  times?: number
  delayMs?: number
  /** The stack waits until the message of this name is stored. */
  after?: string
  /** How many points a refusal lists. */
  pointIds?: number
  /** From now on the stack reports that it is not ready (true) or ready (false). */
  unready?: boolean
  /** The raw response body. */
  raw?: string
}

const received = (): string[] => (existsSync('received') ? readFileSync('received', 'utf8').split('\n') : [])

/**
 * The file `received` lists the names of the stored messages, in order. The file `arrivals` lists every request with
 * a script: the name of the message, and the arrival time from the header.
 */
function takeObservations(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString()
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (!text.startsWith('{')) return answer(400, { code: 'VALIDATION_FAILED', detail: 'this is not JSON' })
    const script: Script = JSON.parse(text)
    const tries = existsSync(script.name) ? readFileSync(script.name).length : 0
    appendFileSync(script.name, '.')
    appendFileSync('arrivals', `${script.name} ${request.headers[ARRIVED_AT_HEADER]}\n`)
    const status = tries < (script.times ?? Number.POSITIVE_INFINITY) ? (script.answer ?? 202) : 202
    if (status === 0) return
    if (status === -1) process.exit(1)
    if (script.unready === true) writeFileSync('unready', '')
    if (script.unready === false) rmSync('unready', { force: true })
    if (script.raw !== undefined) return void response.writeHead(status).end(script.raw)
    const isReady = () => script.after === undefined || received().includes(script.after)
    const take = () => {
      if (!isReady()) return void setTimeout(take, 10)
      if (status === 202) appendFileSync('received', `${script.name}\n`)
      if (status === 202) return answer(status, { accepted: 1 })
      const pointIds = Array.from({ length: script.pointIds ?? 0 }, (_, i) => `point-${i}`)
      const listed = script.pointIds === undefined ? {} : { pointIds }
      answer(status, { code: 'SCRIPTED', status, detail: `scripted to answer ${status}`, ...listed })
    }
    setTimeout(take, script.delayMs ?? 0)
  })
}
