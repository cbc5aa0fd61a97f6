import { execFileSync } from 'node:child_process'

/** Whether a program is installed. */
export function works(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
