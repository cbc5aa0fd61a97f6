import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export interface Process {
  pid: number
  parent: number
  /** The effective user id. */
  user: number
  args: string
}

/** The processes of this machine. On Linux they are read from /proc, because slim systems lack `ps`. */
export function processes(): Process[] {
  if (process.platform !== 'linux') return fromPs()
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => fromProc(pid))
}

function fromProc(pid: string): Process[] {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    const parent = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1])
    const user = Number(/^Uid:\s+\d+\s+(\d+)/m.exec(status)?.[1])
    return [{ pid: Number(pid), parent, user, args }]
  } catch {
    // The process has ended meanwhile.
    return []
  }
}

function fromPs(): Process[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,uid=,args='], { encoding: 'utf8' }).trim().split('\n')
  return lines.map((line) => {
    const [pid, parent, user, ...args] = line.trim().split(/\s+/)
    return { pid: Number(pid), parent: Number(parent), user: Number(user), args: args.join(' ') }
  })
}
