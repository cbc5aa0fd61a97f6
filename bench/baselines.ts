import { type ChildProcess, fork, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Load, published } from './loads.ts'

/** An empty time-series database on a free port, with which a benchmark compares Storey in the same run. */
export interface Baseline {
  url: string
  stop(): Promise<void>
}

export async function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}

/** InfluxDB 1.x with its default storage settings, which sync the write-ahead log to disk on every write. */
export async function startInflux(): Promise<Baseline | undefined> {
  if (!existsSync('/usr/bin/influxd')) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'storey-influx-'))
  const [port, rpc] = [await freePort(), await freePort()]
  writeFileSync(
    join(folder, 'influxdb.conf'),
    `reporting-disabled = true
bind-address = "127.0.0.1:${rpc}"
[meta]
dir = "${folder}/meta"
[data]
dir = "${folder}/data"
wal-dir = "${folder}/wal"
query-log-enabled = false
[http]
bind-address = "127.0.0.1:${port}"
log-enabled = false
[monitor]
store-enabled = false
`,
  )
  const child = spawn('/usr/bin/influxd', ['-config', join(folder, 'influxdb.conf')], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  await untilAnswers(`${url}/ping`)
  await fetch(`${url}/query?q=${encodeURIComponent('create database bench')}`, { method: 'POST' })
  return { url, stop: () => end(child, folder) }
}

export async function startVictoria(): Promise<Baseline | undefined> {
  if (!existsSync('/usr/bin/victoria-metrics')) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'storey-victoria-'))
  const port = await freePort()
  const args = [`-storageDataPath=${folder}`, `-httpListenAddr=127.0.0.1:${port}`, '-retentionPeriod=100y']
  const child = spawn('/usr/bin/victoria-metrics', args, { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  await untilAnswers(`${url}/health`)
  return { url, stop: () => end(child, folder) }
}

/** A broker without storage, and a subscriber in a separate process that counts messages. */
export async function startMosquitto(topic: string) {
  if (!existsSync('/usr/sbin/mosquitto')) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'storey-mosquitto-'))
  const port = await freePort()
  // Without a queue limit no message for the subscriber is dropped.
  const settings = [`listener ${port} 127.0.0.1`, 'allow_anonymous true', 'max_queued_messages 0', 'log_type error']
  writeFileSync(join(folder, 'mosquitto.conf'), `${settings.join('\n')}\n`)
  const child = spawn('/usr/sbin/mosquitto', ['-c', join(folder, 'mosquitto.conf')], { stdio: 'ignore' })
  const url = `mqtt://127.0.0.1:${port}`
  await untilListens(port)
  const reader = fork(join(import.meta.dirname, 'count-messages.ts'), [url, topic])
  const nextCount = () => new Promise<number>((resolve) => reader.once('message', (count) => resolve(count as number)))
  await nextCount()
  return {
    /** Observations a second, measured until the last one has reached the subscriber. */
    async forwarded(load: Load, seconds: number): Promise<number> {
      const from = performance.now()
      const rate = await published(load, { url, topic }, seconds)
      const sending = performance.now() - from
      let [before, now] = [-1, 0]
      while (now > before) {
        before = now
        reader.send('count')
        now = await nextCount()
        await sleep(20)
      }
      return (rate * sending) / (performance.now() - from)
    },
    async stop(): Promise<void> {
      reader.kill()
      await end(child, folder)
    },
  }
}

async function untilListens(port: number): Promise<void> {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(50)) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
      socket.on('connect', () => socket.destroy())
    })
    if (isOpen) return
  }
  throw new Error(`nothing listens on port ${port}`)
}

async function untilAnswers(url: string): Promise<void> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(100)) {
    if (
      await fetch(url).then(
        (answer) => answer.status < 500,
        () => false,
      )
    )
      return
  }
  throw new Error(`${url} does not answer`)
}

async function end(child: ChildProcess, folder: string): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
  rmSync(folder, { recursive: true, force: true })
}
