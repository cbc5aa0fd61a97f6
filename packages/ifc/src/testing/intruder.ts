// A test program that is started instead of the process that reads an IFC file. It tries everything that this process
// must not be able to do, and reports the result of each attempt.

import { spawnSync } from 'node:child_process'
import { openSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { Worker } from 'node:worker_threads'

/**
 * What this program tries to use. A process that reads a model may read `file`. Every other attempt must fail, except
 * the connection to `port` where neither Node nor the system can deny network access.
 */
export interface Attempts {
  file: string
  neighbour: string
  secret: string
  folder: string
  port: number
}

const attempt = (what: () => unknown): string => {
  try {
    what()
    return 'done'
  } catch (err) {
    return (err as NodeJS.ErrnoException).code ?? (err as Error).name
  }
}

const connectTo = (port: number) =>
  new Promise<string>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => resolve('done'))
    socket.on('error', (err: NodeJS.ErrnoException) => resolve(err.code ?? err.name))
    setTimeout(() => resolve('nothing'), 2_000)
  })

const inThread = (secret: string) =>
  new Promise<string>((resolve) => {
    const code = `require('node:fs').readFileSync(${JSON.stringify(secret)}); require('node:worker_threads').parentPort.postMessage('done')`
    const thread = new Worker(code, { eval: true, execArgv: [] })
    thread.on('message', resolve)
    thread.on('error', (err: NodeJS.ErrnoException) => resolve(err.code ?? err.name))
  })

process.once('message', async ({ file, neighbour, secret, folder, port }: Attempts) => {
  const found = {
    ownFile: attempt(() => readFileSync(file)),
    neighbour: attempt(() => readFileSync(neighbour)),
    secret: attempt(() => readFileSync(secret)),
    passwd: attempt(() => readFileSync('/etc/passwd')),
    dots: attempt(() => readFileSync(`${file}/../../${secret.split('/').pop()}`)),
    environment: attempt(() => readFileSync('/proc/self/environ')),
    parent: attempt(() => readFileSync(`/proc/${process.ppid}/environ`)),
    list: attempt(() => readdirSync(folder)),
    write: attempt(() => writeFileSync(`${folder}/written`, '')),
    overwrite: attempt(() => openSync(file, 'r+')),
    link: attempt(() => symlinkSync(secret, `${folder}/link`)),
    spawn: attempt(() => spawnSync('/bin/true')),
    native: attempt(() => process.dlopen({ exports: {} }, '/lib/none.node')),
    variables: Object.keys(process.env).filter((name) => !name.startsWith('NODE_')).length,
    thread: await inThread(secret).catch((err: NodeJS.ErrnoException) => err.code),
    network: await connectTo(port),
  }
  process.send!(found, () => process.exit(0))
})
