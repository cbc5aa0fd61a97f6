import { close, constants, fstatSync, open, openSync, stat, write } from 'node:fs'
import { promisify } from 'node:util'
import type { Log } from '@storey/kit/log'

const [openFile, closeFile, statFile] = [promisify(open), promisify(close), promisify(stat)]

const STDOUT = 1
/** Without `O_NONBLOCK` a pipe that nobody reads would block the process. */
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0)
/** Only the owner and the group may read the file: addresses and ids of callers are personal data. */
const MODE = 0o640
/** Lines are collected this long, or up to this many characters, and written together. */
const FLUSH_MS = 200
const FLUSH_AT = 64 * 1024
/**
 * Above this many waiting characters new lines are dropped: a log that cannot be written must not use up the memory.
 */
const MAX_WAITING = 8 * 1024 * 1024
/** How often to check whether the file was moved or removed, for example by logrotate. */
const CHECK_EVERY_MS = 2_000
const RETRY_MS = 20
const CLOSE_LIMIT_MS = 2_000
const LINE_FEED = Buffer.from('\n')

export interface LineWriter {
  write(line: string): void
  /** How many lines were dropped. */
  dropped(): number
  /** Writes the waiting lines, for at most two seconds. */
  close(): Promise<void>
}

export type LineTarget = 'stdout' | { file: string }

/**
 * Appends lines to a file or to stdout. Writing is left to the thread pool, since a full pipe or a slow disk would
 * otherwise block the main thread. After the file was moved, a new file is opened at its former path, so logrotate does
 * not need to send a signal.
 */
export function createLineWriter(target: LineTarget, log: Log): LineWriter {
  const file = target === 'stdout' ? undefined : target.file
  let fd = file === undefined ? STDOUT : openSync(file, FLAGS, MODE)
  let text = ''
  let lines = 0
  let dropped = 0
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let checkedAt = performance.now()
  let isFailing = false
  let isOnMovedFile = false
  let isClosed = false
  /** Whether the last write ended within a line. */
  let isMidLine = false

  function schedule(): void {
    if (text.length >= FLUSH_AT) flush()
    else if (text !== '') timer ??= setTimeout(flush, FLUSH_MS).unref()
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (writing || text === '') return
    const chunk = Buffer.from(text)
    text = ''
    lines = 0
    writing = append(chunk)
      .then(() => undefined)
      .catch((err: Error) => err)
      .then((err) => {
        noteResult(err)
        writing = undefined
        if (!isClosed) schedule()
      })
  }

  /** Logs the start and the end of an outage. */
  function noteResult(err: Error | undefined): void {
    if (err && !isFailing) log.error({ err }, 'access log not written, lines are dropped')
    if (!err && isFailing) log.info({ dropped }, 'access log written again')
    isFailing = err !== undefined
  }

  async function append(chunk: Buffer): Promise<void> {
    if (file !== undefined && performance.now() - checkedAt >= CHECK_EVERY_MS) await reopenIfMoved(file)
    let from = 0
    try {
      while (isMidLine) isMidLine = (await writeOpen(LINE_FEED, 0)) === 0
      while (from < chunk.length) from += await writeOpen(chunk, from)
    } catch (err) {
      dropped += linesIn(chunk.subarray(from))
      isMidLine ||= from > 0 && chunk[from - 1] !== LINE_FEED[0]
      throw err
    }
  }

  /** Writes nothing after `close`, because the number of the descriptor may then belong to another file. */
  async function writeOpen(bytes: Buffer, from: number): Promise<number> {
    if (isClosed) throw new Error('closed before all lines were written')
    return await writeSome(fd, bytes, from)
  }

  async function reopenIfMoved(path: string): Promise<void> {
    checkedAt = performance.now()
    const present = await statFile(path).catch(() => undefined)
    const own = fstatSync(fd)
    if (present?.ino === own.ino && present.dev === own.dev) {
      isOnMovedFile = false
      return
    }
    const opened = await openFile(path, FLAGS, MODE).catch(keepOld)
    if (opened === undefined) return
    isOnMovedFile = false
    const before = fd
    fd = opened
    isMidLine = false
    await closeFile(before).catch(() => undefined)
  }

  /** Lines are still written to the moved file. This is logged once. */
  function keepOld(err: Error): undefined {
    if (!isOnMovedFile) log.warn({ err }, 'access log moved and no new file created, writing to the moved file')
    isOnMovedFile = true
  }

  return {
    write(line) {
      if (isClosed || text.length + line.length > MAX_WAITING) {
        dropped++
        return
      }
      text += line
      lines++
      schedule()
    },
    dropped: () => dropped,
    async close() {
      const deadline = performance.now() + CLOSE_LIMIT_MS
      for (flush(); writing && performance.now() < deadline; flush()) await Promise.race([writing, until(deadline)])
      clearTimeout(timer)
      isClosed = true
      dropped += lines
      if (file === undefined) return
      // A write in progress still uses the descriptor. It is not awaited, because a disk that hangs would not let it end.
      if (writing) void writing.then(() => closeFile(fd)).catch(() => undefined)
      else await closeFile(fd)
    },
  }
}

const until = (deadline: number) =>
  new Promise<void>((resolve) => void setTimeout(resolve, deadline - performance.now()).unref())

function linesIn(bytes: Buffer): number {
  let count = 0
  for (const byte of bytes) if (byte === LINE_FEED[0]) count++
  return count
}

/** Resolves with the number of bytes that were written: 0, after a short wait, if a non-blocking pipe is full. */
function writeSome(fd: number, chunk: Buffer, from: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, chunk, from, chunk.length - from, null, (err, count) => {
      if (err === null) resolve(count)
      else if (err.code === 'EAGAIN') setTimeout(() => resolve(0), RETRY_MS)
      else reject(err)
    })
  })
}
