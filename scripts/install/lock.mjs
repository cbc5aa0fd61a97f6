import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 300
/** The precision of the times in /proc. */
const CLOCK_TICK_MS = 10

/**
 * Holds a lock file with the id of this process while `work` runs. Waits for the lock of a running process; takes over
 * the lock of an interrupted one, and then calls `work` with `true`.
 */
export async function withLock(file, what, work, print = (text) => void process.stderr.write(text)) {
  let wasInterrupted = false
  for (let isReported = false; !take(file); await sleep(POLL_MS)) {
    const holder = holderOf(file)
    if (holder === undefined) continue
    if (!isRunning(holder) || startedAfter(holder, file)) {
      wasInterrupted = true
      rmSync(file, { force: true })
    } else if (!isReported) {
      isReported = true
      print(`Process ${holder} is ${what} here: waiting for it…\n`)
    }
  }
  try {
    return await work(wasInterrupted)
  } finally {
    rmSync(file, { force: true })
  }
}

function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (err) {
    if (err.code !== 'EEXIST') throw err
    return false
  }
}

/** The id of the process that holds the lock; undefined if the lock was just released or has no id yet. */
function holderOf(file) {
  try {
    const text = readFileSync(file, 'utf8')
    return /^\d+$/.test(text) ? Number(text) : undefined
  } catch (err) {
    // The lock was released after `take` had failed.
    if (err.code !== 'ENOENT') throw err
    return undefined
  }
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
function startedAfter(pid, file) {
  const ageMs = ageOf(pid)
  try {
    return ageMs !== undefined && Date.now() - ageMs > statSync(file).mtimeMs + CLOCK_TICK_MS
  } catch {
    return false
  }
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
