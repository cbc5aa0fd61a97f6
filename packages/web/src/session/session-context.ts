import { createContext, useContext } from 'react'
import type { Session } from './session.ts'

export const SessionContext = createContext<Session | undefined>(undefined)

export interface SessionEnd {
  /** Shows the dialog of `SessionEnded` again. Called if an action of the user fails because the session has ended. */
  remind(): void
}

/** Set when the session of this page has ended because it could not be renewed. */
export const SessionEndContext = createContext<SessionEnd | undefined>(undefined)
export const useSessionEnd = (): SessionEnd | undefined => useContext(SessionEndContext)

/** The current session. Throws outside of `SignIn`. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('useSession must be used inside SignIn')
  return session
}
