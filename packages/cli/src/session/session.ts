/** A signed-in person, for one provisioning service. */
export interface Session {
  issuer: string
  accessToken: string
  /** Milliseconds since the epoch. */
  expiresAt: number
  refreshToken: string
}

/** Where sessions are kept: one for each service, under its address. */
export interface SessionStore {
  /** For a sentence. */
  readonly place: string
  /** Says what is wrong while nothing is lost by it. */
  ready(): Promise<void>
  read(service: string): Promise<Session | undefined>
  write(service: string, session: Session): Promise<void>
  remove(service: string): Promise<void>
}

export function isSession(value: unknown): value is Session {
  if (typeof value !== 'object' || value === null) return false
  const { issuer, accessToken, expiresAt, refreshToken } = value as Record<string, unknown>
  return [issuer, accessToken, refreshToken].every((text) => typeof text === 'string') && typeof expiresAt === 'number'
}
