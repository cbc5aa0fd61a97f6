import { hostname, userInfo } from 'node:os'
import type { Environment } from '@storey/kit/config'

/** Who runs an operator command: the user, before `sudo` if it was used, and the machine. */
export function operatorName(environment: Environment): string {
  return `${environment.SUDO_USER?.trim() || userName()}@${hostname()}`
}

/** In a container the user may have no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}
