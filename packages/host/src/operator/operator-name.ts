import { hostname, userInfo } from 'node:os'
import type { Environment } from '@storey/kit/config'

/** Who runs an operator command: the user (with `sudo`, the user who called `sudo`) and the machine. */
export function operatorName(environment: Environment): string {
  return `${environment.SUDO_USER?.trim() || userName()}@${hostname()}`
}

/** The name of the user, or the uid: in a container the user may have no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}
