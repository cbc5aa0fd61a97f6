/**
 * Runs the replicas of one stack for `createSharedRuntime`: restarts those that end, distributes connections among
 * those that listen, and serves one control channel for all of them. In a cluster, a Deployment and a Service do this.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { connect, createServer, type Socket } from 'node:net'
import type * as contract from '@storey/contract'
import type { ServeConfig, StackCommand, StackMessage, StackReport } from '@storey/contract'
import { openSmallChannel } from './small-control-channel.ts'

const STACK_CONFIG_VARIABLE: typeof contract.STACK_CONFIG_VARIABLE = 'STACK_CONFIG'

export interface SupervisorConfig {
  program: string
  replicas: number
  folder: string
  controlPort: number
  config: ServeConfig
}

const { program, replicas, folder, controlPort, config }: SupervisorConfig = JSON.parse(process.env.SUPERVISED!)
const RESTART_MS = 100
const MAX_RESTART_MS = 5_000
const STOP_LIMIT_MS = 8_000

/** The children that run, with the port of those that listen. */
const children = new Map<ChildProcess, number | undefined>()
/** The revocations that arrived since the configuration was written. A replica gets them when it listens. */
const revoked: StackCommand[] = []
const waiting = new Map<ChildProcess, ((report: StackReport) => void)[]>()
const channel = await openSmallChannel({ port: controlPort, key: config.internalKey!, onCommand: command, report })
let isStopping = false
let isAnnounced = false
let turn = 0

const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
  socket.on('error', () => socket.destroy())
  pass(socket, children.size)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

/** Connects to the next replica. If that replica does not accept the connection, tries the following one. */
function pass(socket: Socket, attempts: number): void {
  const ports = [...children.values()].filter((port) => port !== undefined)
  if (ports.length === 0 || attempts === 0) return void socket.destroy()
  const upstream = connect({ port: ports[turn++ % ports.length]!, host: '127.0.0.1', allowHalfOpen: true })
  const again = () => pass(socket, attempts - 1)
  upstream.once('error', again)
  upstream.once('connect', () => {
    upstream.off('error', again)
    upstream.on('error', () => socket.destroy())
    upstream.once('close', () => socket.destroySoon())
    socket.once('close', () => upstream.destroy())
    socket.setNoDelay(true)
    upstream.setNoDelay(true)
    socket.pipe(upstream).pipe(socket)
  })
}

function start(pauseMs = RESTART_MS): void {
  if (isStopping) return
  const startedAt = Date.now()
  const { control: _, ...own } = config
  const child = spawn(process.execPath, [program, 'serve'], {
    cwd: folder,
    env: { ...process.env, SUPERVISED: '', [STACK_CONFIG_VARIABLE]: JSON.stringify(own) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  children.set(child, undefined)
  child.on('message', (message: StackMessage) => take(child, message))
  child.once('close', () => {
    children.delete(child)
    if (isStopping) return
    const nextMs = Date.now() - startedAt > 10_000 ? RESTART_MS : Math.min(pauseMs * 2, MAX_RESTART_MS)
    setTimeout(() => start(nextMs), pauseMs)
  })
}

function take(child: ChildProcess, message: StackMessage): void {
  if (message.type === 'listening') {
    children.set(child, message.port)
    for (const command of revoked) child.send(command, () => undefined)
    if (isAnnounced) return
    isAnnounced = true
    channel.send({ type: 'listening', port: (server.address() as { port: number }).port })
  } else if (message.type === 'report') reported(child, message)
  else if (message.type !== 'ended') channel.send(message)
  // A stack whose database schema does not match is not restarted.
  if (message.type === 'schema') void stop()
}

function reported(child: ChildProcess, { type: _, ...report }: { type: 'report' } & StackReport): void {
  for (const resolve of waiting.get(child)?.splice(0) ?? []) resolve(report)
}

function broadcast(command: StackCommand): void {
  for (const child of children.keys()) if (child.connected) child.send(command, () => undefined)
}

function command(taken: StackCommand): void {
  if (taken.type === 'stop') return void stop()
  if (taken.type === 'revoked') revoked.push(taken)
  broadcast(taken)
}

function report(): Promise<StackReport> {
  return new Promise((resolve, reject) => {
    const [child] = [...children].find(([, port]) => port !== undefined) ?? []
    if (!child) return reject(new Error('no replica listens'))
    waiting.set(child, [...(waiting.get(child) ?? []), resolve])
    child.send({ type: 'report' } satisfies StackCommand, () => undefined)
  })
}

async function stop(): Promise<void> {
  if (isStopping) return
  isStopping = true
  server.close()
  const ended = [...children.keys()].map((child) => new Promise((resolve) => child.once('close', resolve)))
  broadcast({ type: 'stop' })
  const timer = setTimeout(() => {
    for (const child of children.keys()) child.kill('SIGKILL')
  }, STOP_LIMIT_MS)
  await Promise.all(ended)
  clearTimeout(timer)
  await channel.close()
  process.exit(0)
}

process.on('SIGTERM', () => void stop())
for (let i = 0; i < replicas; i++) start()
