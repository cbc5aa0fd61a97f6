/** The tokens of a signed-in person for one provisioning service. */
export interface Session {
  issuer: string
  /** Absent in sessions that an earlier version stored; then the client of the embedded realm is used. */
  clientId?: string
  accessToken: string
  /** Milliseconds since the epoch. */
  expiresAt: number
  refreshToken: string
}

/** Stores sessions, one for each service address. */
export interface SessionStore {
  /** The name of the store in messages. */
  readonly place: string
  /** Throws if the store cannot be used. A login calls this first, because the new session would be lost otherwise. */
  ready(): Promise<void>
  read(service: string): Promise<Session | undefined>
  write(service: string, session: Session): Promise<void>
  remove(service: string): Promise<void>
}

export function isSession(value: unknown): value is Session {
  if (typeof value !== 'object' || value === null) return false
  const { issuer, clientId = '', accessToken, expiresAt, refreshToken } = value as Record<string, unknown>
  const texts = [issuer, clientId, accessToken, refreshToken]
  return texts.every((text) => typeof text === 'string') && typeof expiresAt === 'number'
}
