import { execFileSync } from 'node:child_process'
import { closeSync, constants, existsSync, mkdirSync, openSync, readFileSync, readSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { type Log, silentLog } from '@storey/kit/log'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createLineWriter } from './line-writer.ts'

const LINE = `${JSON.stringify({ text: 'a'.repeat(280) })}\n`
const PIPE_BYTES = 64 * 1024
/** The last of these lines does not fit into a pipe. */
const LINES = Math.ceil((PIPE_BYTES + 1) / LINE.length)

const open: number[] = []
afterEach(() => {
  vi.restoreAllMocks()
  for (const fd of open.splice(0)) closeSync(fd)
})

function newPipe(): string {
  const file = join(temporaryFolder('storey-line-writer'), 'pipe')
  execFileSync('mkfifo', [file])
  return file
}

function openReader(file: string): number {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  open.push(fd)
  return fd
}

/** What the pipe holds, up to `maxBytes`. */
function read(fd: number, maxBytes = PIPE_BYTES): string {
  const bytes = Buffer.alloc(maxBytes)
  try {
    return bytes.toString('utf8', 0, readSync(fd, bytes))
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'EAGAIN') return ''
    throw err
  }
}

/** Writes more lines than the pipe can hold, and returns its first byte when the pipe is full. */
async function fill(writer: { write(line: string): void }, reader: number): Promise<string> {
  for (let i = 0; i < LINES; i++) writer.write(LINE)
  return await vi.waitUntil(() => read(reader, 1))
}

const wholeLines = (text: string) => text.split('\n').filter((line) => `${line}\n` === LINE).length

describe.runIf(process.platform === 'linux')('lines to a pipe', () => {
  it('[HST-73] begin on a new line after a partly written line, and only the partly written line is counted as dropped', async () => {
    const file = newPipe()
    const reader = openReader(file)
    const writer = createLineWriter({ file }, silentLog)
    let text = await fill(writer, reader)
    // Without a reader the rest of the last line is refused.
    closeSync(open.pop()!)
    await expect.poll(() => writer.dropped()).toBeGreaterThan(0)
    const next = openReader(file)
    text += read(next)
    writer.write(LINE)
    await writer.close()
    text += read(next)
    expect(wholeLines(text)).toBe(LINES)
    expect(writer.dropped()).toBe(1)
  })

  it('[HST-73] are never written to another file that gets the descriptor number of a closed writer', async () => {
    const file = newPipe()
    const reader = openReader(file)
    const writer = createLineWriter({ file }, silentLog)
    await fill(writer, reader)
    await writer.close()
    // If the writer has closed its file descriptor, one of these files gets the same descriptor number.
    const others = Array.from({ length: 8 }, (_, i) => `${file}.${i}`)
    for (const other of others) open.push(openSync(other, 'w'))
    await expect.poll(() => writer.dropped()).toBe(1)
    expect(others.map((other) => readFileSync(other, 'utf8')).join('')).toBe('')
  })
})

describe('lines to a file that was moved', () => {
  it('[HST-73] are still written to the moved file until a new file can be created, and the failure to create it is logged once', async () => {
    const folder = join(temporaryFolder('storey-line-writer'), 'logs')
    const file = join(folder, 'access.log')
    const moved = `${folder}.moved/access.log`
    mkdirSync(folder)
    let nowMs = 0
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
    const warn = vi.fn()
    const writer = createLineWriter({ file }, { ...silentLog, warn, error: warn } as unknown as Log)
    renameSync(folder, `${folder}.moved`)
    /** Moves the clock to the next check of the file, and writes a line. */
    const write = (line: string) => {
      nowMs += 60_000
      writer.write(`${line}\n`)
    }
    for (const line of ['a', 'b']) {
      write(line)
      await expect.poll(() => readFileSync(moved, 'utf8')).toContain(`${line}\n`)
    }
    expect(warn).toHaveBeenCalledOnce()
    mkdirSync(folder)
    write('c')
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toBe('c\n')
    await writer.close()
    expect(readFileSync(moved, 'utf8')).toBe('a\nb\n')
    expect(writer.dropped()).toBe(0)
    expect(warn).toHaveBeenCalledOnce()
  })
})
