import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Program } from '../fetch/debian.ts'

/**
 * The host names in the files of `deploy/`, and the names by which the suite replaces them. A wildcard certificate is
 * accepted only if at least two labels follow `*`.
 */
export const NAMES = { 'storey.example.com': 'localhost', 'example-sandboxes.com': 'sandboxes.localhost' }
export const BASE_DOMAIN = NAMES['example-sandboxes.com']

export interface Ports {
  https: number
  http: number
  mqtts: number
  /** The proxy's own port for administration. */
  admin: number
  storey: number
  mqtt: number
}

export interface ProxyFiles {
  folder: string
  /** The certificate, its key, and both in one file. */
  certificate: string
  key: string
  combined: string
}

export interface ReverseProxy {
  name: string
  version: string
  /** Whether it forwards MQTT, with the PROXY protocol. */
  hasMqtt: boolean
  /** Whether WebSockets and MQTT connections stay open while it reloads its configuration. */
  keepsStreams: boolean
  /** Writes its configuration from `deploy/` and starts it. */
  start(ports: Ports, files: ProxyFiles): Promise<RunningProxy>
}

export interface RunningProxy {
  /** Reads the configuration again while requests run. */
  reload(): Promise<void>
  /** Stops accepting, completes requests in progress, and ends. */
  stop(): Promise<void>
  output(): string
}

/** A proxy that runs in the foreground. */
export async function runProxy(
  program: Program,
  args: string[],
  port: number,
  signals: { stop: NodeJS.Signals; reload(child: ChildProcess): Promise<void> },
): Promise<RunningProxy> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...program.env }
  const child = spawn(program.path, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const ended = once(child, 'exit')
  for (const deadline = Date.now() + 15_000; !(await listens(port)); await sleep(50)) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`the proxy did not start:\n${output}`)
  }
  return {
    output: () => output,
    reload: () => signals.reload(child),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill(signals.stop)
      // Connections that stay open must not keep a suite from ending.
      const limit = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await ended
      clearTimeout(limit)
    },
  }
}

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
