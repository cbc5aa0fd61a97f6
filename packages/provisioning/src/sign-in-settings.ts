import { CLI_CLIENT_ID, DEFAULT_SCOPE, PORTAL_CLIENT_ID } from '@storey/contract'

/** What an app requests of its realm. */
export interface RequestedTokens {
  scope: string
  /** null: the request names no audience. */
  audience: string | null
}

/** The clients of the realms, and what they request. */
export interface SignInSettings {
  portalClientId: string
  cliClientId: string
  /** The client of all shells; undefined: each sandbox has its own. */
  shellClientId: string | undefined
  developers: RequestedTokens
  sandboxes: RequestedTokens
}

const EMBEDDED_REQUEST: RequestedTokens = { scope: DEFAULT_SCOPE, audience: null }

/** The settings of the embedded realms. */
export const EMBEDDED_SIGN_IN: SignInSettings = {
  portalClientId: PORTAL_CLIENT_ID,
  cliClientId: CLI_CLIENT_ID,
  shellClientId: undefined,
  developers: EMBEDDED_REQUEST,
  sandboxes: EMBEDDED_REQUEST,
}
