import { randomUUID } from 'node:crypto'
import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 300
/** The precision of the times in /proc. */
const CLOCK_TICK_MS = 10
/** A lock file that has no process id for this long is from a process that was interrupted while it wrote the file. */
const WRITING_MS = 5_000

/**
 * Holds a lock file with the id of this process while `work` runs. Waits for the lock of a running process; takes over
 * the lock of an interrupted one, and then calls `work` with `true`.
 */
export async function withLock(file, what, work, print = (text) => void process.stderr.write(text)) {
  const wasInterrupted = await take(file, what, print)
  try {
    return await work(wasInterrupted)
  } finally {
    rmSync(file, { force: true })
  }
}

/** Returns true if the lock was taken over from an interrupted process. */
async function take(file, what, print) {
  for (let isReported = false; !create(file); await sleep(POLL_MS)) {
    const lock = read(file)
    if (lock === undefined) continue
    if (isDead(lock)) {
      // Several processes may see the same dead lock. Without a second lock, one of them could replace the lock of
      // another that has already taken over.
      const takeOver = () => replaceIfDead(file)
      if (await withLock(`${file}.takeover`, what, takeOver, () => undefined)) return true
    } else if (lock.holder !== undefined && !isReported) {
      isReported = true
      print(`Process ${lock.holder} is ${what} here: waiting for it…\n`)
    }
  }
  return false
}

/** Creates the lock file together with its content. Returns false if it exists. */
function create(file) {
  if (existsSync(file)) return false
  return withDraft(file, (draft) => {
    try {
      linkSync(draft, file)
      return true
    } catch (err) {
      if (err.code === 'EEXIST') return false
      return copy(draft, file)
    }
  })
}

/** For file systems without hard links. */
function copy(draft, file) {
  try {
    copyFileSync(draft, file, constants.COPYFILE_EXCL)
    return true
  } catch (err) {
    if (err.code !== 'EEXIST') throw err
    return false
  }
}

/** Called by one process at a time. */
function replaceIfDead(file) {
  const lock = read(file)
  if (lock === undefined || !isDead(lock)) return false
  // The holder may have released the lock before it ended, so that another process holds the lock now.
  const now = read(file)
  if (now?.holder !== lock.holder || now?.since !== lock.since) return false
  return withDraft(file, (draft) => {
    renameSync(draft, file)
    return true
  })
}

/** Writes the id of this process into a temporary file. */
function withDraft(file, use) {
  const draft = `${file}.${process.pid}-${randomUUID().slice(0, 8)}`
  try {
    writeFileSync(draft, String(process.pid), { flag: 'wx' })
    return use(draft)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** The content and the time of a lock; undefined if it was just released. `holder` is undefined without a process id. */
function read(file) {
  try {
    const text = readFileSync(file, 'utf8')
    return { holder: /^\d+$/.test(text) ? Number(text) : undefined, since: statSync(file).mtimeMs }
  } catch (err) {
    // The lock was released after `create` had failed.
    if (err.code !== 'ENOENT') throw err
    return undefined
  }
}

/** Whether the process that holds the lock has ended. */
function isDead({ holder, since }) {
  if (holder === undefined) return Date.now() - since > WRITING_MS
  return !isRunning(holder) || startedAfter(holder, since)
}

function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (err) {
    return err.code === 'EPERM'
  }
}

/**
 * Whether the process with this id is younger than the lock, so that it cannot be the holder. After a restart of a
 * container, processes get the same ids again: even the current process may have the id of the interrupted process.
 */
function startedAfter(pid, since) {
  const ageMs = ageOf(pid)
  return ageMs !== undefined && Date.now() - ageMs > since + CLOCK_TICK_MS
}

/** The age of a process in milliseconds; undefined if this system does not report it. */
function ageOf(pid) {
  if (pid === process.pid) return process.uptime() * 1_000
  try {
    // The name of the program, in parentheses, may contain spaces. The 20th field after it is the start, in ticks.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const startMs = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]) * CLOCK_TICK_MS
    return Number.parseFloat(readFileSync('/proc/uptime', 'utf8')) * 1_000 - startMs
  } catch {
    return undefined
  }
}
