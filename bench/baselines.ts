import { type ChildProcess, fork, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { removeTemporaryFolder, temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { EngineMissing } from '../engines/fetch/cache.ts'
import { debianProgram, type Program } from '../engines/fetch/debian.ts'
import { type Load, published } from './loads.ts'

/**
 * An empty server on a free port, with which a benchmark compares Storey in the same run. The functions below return
 * undefined, and print why, if its program is not installed and cannot be fetched.
 */
export interface Baseline {
  url: string
  pid: number
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

function findProgram(name: string, packageName = name): Program | undefined {
  try {
    return debianProgram(name, packageName)
  } catch (err) {
    if (!(err instanceof EngineMissing)) throw err
    process.stdout.write(`Nothing to compare with: ${err.message}\n`)
    return undefined
  }
}

function start({ path, env }: Program, args: readonly string[]): ChildProcess {
  const child = spawn(path, args, { stdio: 'ignore', env: { ...process.env, ...env } })
  // A benchmark that fails must not leave the server running. The server ends before its folder is removed.
  process.prependOnceListener('exit', () => child.kill('SIGKILL'))
  return child
}

/** InfluxDB 1.x with its default storage settings, which sync the write-ahead log to disk on every write. */
export async function startInflux(): Promise<Baseline | undefined> {
  const program = findProgram('influxd', 'influxdb')
  if (program === undefined) return undefined
  const folder = temporaryFolder('storey-influx')
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
  const child = start(program, ['-config', join(folder, 'influxdb.conf')])
  const url = `http://127.0.0.1:${port}`
  await untilAnswers(`${url}/ping`)
  await fetch(`${url}/query?q=${encodeURIComponent('create database bench')}`, { method: 'POST' })
  return { url, pid: child.pid!, stop: () => end(child, folder) }
}

export async function startVictoria(): Promise<Baseline | undefined> {
  const program = findProgram('victoria-metrics')
  if (program === undefined) return undefined
  const folder = temporaryFolder('storey-victoria')
  const port = await freePort()
  const args = [`-storageDataPath=${folder}`, `-httpListenAddr=127.0.0.1:${port}`, '-retentionPeriod=100y']
  const child = start(program, args)
  const url = `http://127.0.0.1:${port}`
  await untilAnswers(`${url}/health`)
  return { url, pid: child.pid!, stop: () => end(child, folder) }
}

/** A broker without storage, and a subscriber in a separate process that counts messages. */
export async function startMosquitto(topic: string) {
  const program = findProgram('mosquitto')
  if (program === undefined) return undefined
  const folder = temporaryFolder('storey-mosquitto')
  const port = await freePort()
  // Without a queue limit no message for the subscriber is dropped.
  const settings = [`listener ${port} 127.0.0.1`, 'allow_anonymous true', 'max_queued_messages 0', 'log_type error']
  writeFileSync(join(folder, 'mosquitto.conf'), `${settings.join('\n')}\n`)
  const child = start(program, ['-c', join(folder, 'mosquitto.conf')])
  const url = `mqtt://127.0.0.1:${port}`
  await untilListens(port)
  const reader = fork(join(import.meta.dirname, 'count-messages.ts'), [url, topic])
  const nextCount = () => new Promise<number>((resolve) => reader.once('message', (count) => resolve(count as number)))
  await nextCount()
  return {
    pid: child.pid!,
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
  removeTemporaryFolder(folder)
}
