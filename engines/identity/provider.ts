import type { Page } from 'playwright-core'

export interface Person {
  email: string
  password: string
}

/** Claims of a user or a service account of a sandbox. */
export interface SandboxClaims {
  tenantId?: string
  buildingIds?: string[]
  roles: string[]
}

/** A real identity provider with both realms, as its operator configures it for Storey. */
export interface TestedProvider {
  name: string
  issuers: { developers: string; sandboxes: string }
  /** Settings of Storey, besides the issuers. */
  settings: Record<string, string>
  /** Environment variables of the command-line tool. */
  toolSettings?: Record<string, string>
  /** The client of the command-line tool. */
  cliClientId: string
  /** The `audience` that service accounts must request; absent: none. */
  audience?: string
  tokenEndpoint: { developers: string; sandboxes: string }
  start(): Promise<void>
  kill(): Promise<void>

  /** Whether the browser is at the sign-in page of the provider. */
  isSignInPage(url: URL): boolean
  signIn(page: Page, person: Person): Promise<void>
  /** Opens the address that `svc login` prints, signs in and confirms. */
  confirmTool(page: Page, address: string, person: Person): Promise<void>

  createDeveloper(person: Person, organizationId: string): Promise<void>
  /** Ends the sessions in which the developer signed in with a browser. */
  endDeveloperSessions(email: string): Promise<void>
  /** Returns the id of the user. */
  createUser(person: Person, claims: SandboxClaims): Promise<string>
  /** Disables a user and ends their sessions, or enables the user again. */
  setUserDisabled(id: string, isDisabled: boolean): Promise<void>
  /** Registers the console of a sandbox. */
  addConsole(origin: string): Promise<void>

  /** A service account of a sandbox, with client credentials. */
  serviceAccount: {
    clientId: string
    secret: string
    set(claims: SandboxClaims): Promise<void>
    setDisabled(isDisabled: boolean): Promise<void>
    /** Throws with the answer of the provider if it refuses. */
    token(): Promise<string>
  }
  /** Tokens that must be refused. The key of each is the reason. */
  foreignTokens(): Promise<Record<string, string>>
  /** Signs access tokens of sandboxes with a new key from now on. */
  rotateKey(): Promise<void>
}
