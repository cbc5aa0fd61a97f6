import { createContext, useContext } from 'react'
import type { Session } from './session.ts'

export const SessionContext = createContext<Session | undefined>(undefined)

export interface SessionEnd {
  /** Says it once more, to somebody who goes on all the same. */
  remind(): void
}

/** Where there was a session on this page that is no longer good. */
export const SessionEndContext = createContext<SessionEnd | undefined>(undefined)
export const useSessionEnd = (): SessionEnd | undefined => useContext(SessionEndContext)

/** Who is signed in. Only inside `SignIn`. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('there is no session outside of SignIn')
  return session
}
