import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../acceptance/system/system.ts'
import { startTraceReceiver } from '../../packages/kit/src/testing/trace-receiver.ts'
import { createAuthority } from '../certificates.ts'
import { writeDeployFile } from '../deploy-file.ts'
import { otelCollector } from '../fetch/otel-collector.ts'
import { until } from '../until.ts'

const AUTHORIZATION = 'Basic dHJhY2Vz'

/**
 * A collector with the file of `deploy/otel`, and the backend that it passes traces on to. The backend reads JSON;
 * Storey and the collector use the protocol that Storey is configured for.
 */
export async function createCollector({ hasTls = false } = {}) {
  const { path, version } = otelCollector()
  const folder = mkdtempSync(join(tmpdir(), 'storey-otel-'))
  const backend = await startTraceReceiver()
  const authority = createAuthority(folder)
  const { certificate, key } = authority.issue('server', ['localhost', '127.0.0.1'])
  const port = await freePort()
  const file = writeDeployFile('otel/collector.yaml', join(folder, 'collector.yaml'), {
    'endpoint: 127.0.0.1:4318': `endpoint: 127.0.0.1:${port}`,
    'endpoint: https://traces.example.com': `endpoint: ${backend.url}\n    encoding: json`,
    'timeout: 2s': 'timeout: 100ms',
    ...(hasTls
      ? {
          '# tls:': 'tls:',
          '#   cert_file: /etc/otelcol/server.pem': `  cert_file: ${certificate}`,
          '#   key_file: /etc/otelcol/server.key': `  key_file: ${key}`,
        }
      : {}),
  })
  let child: ChildProcess | undefined
  let ended: Promise<unknown> = Promise.resolve()
  let output = ''

  async function end(signal: NodeJS.Signals): Promise<void> {
    child?.kill('SIGCONT')
    child?.kill(signal)
    await ended
    child = undefined
  }
  return {
    version,
    backend,
    authorization: AUTHORIZATION,
    /** The value of OTEL_EXPORTER_OTLP_ENDPOINT. */
    url: `${hasTls ? 'https' : 'http'}://localhost:${port}`,
    authority: authority.certificate,
    output: () => output,
    async start(): Promise<void> {
      const env = { ...process.env, TRACES_AUTHORIZATION: AUTHORIZATION }
      const started = spawn(path, ['--config', file], { env, stdio: ['ignore', 'pipe', 'pipe'] })
      for (const stream of [started.stdout, started.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text
        })
      child = started
      ended = new Promise((resolve) => started.once('exit', resolve))
      await until('the collector listens', () => accepts(port)).catch((err) => {
        throw new Error(`${err.message}\n${output.slice(-3_000)}`)
      })
    },
    /** Stops the process with SIGSTOP: its connections stay open, and it answers nothing. */
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    kill9: () => end('SIGKILL'),
    async remove(): Promise<void> {
      await end('SIGTERM')
      await backend.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type Collector = Awaited<ReturnType<typeof createCollector>>

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}
