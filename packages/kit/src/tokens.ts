import { createPublicKey, type KeyObject } from 'node:crypto'
import { problems } from '@storey/contract'
import {
  createRemoteJWKSet,
  exportJWK,
  importJWK,
  type JWK,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
  SignJWT,
} from 'jose'

const ALGORITHM = 'EdDSA'

/** Signs tokens of one issuer. The same claims give the same token: Ed25519 signatures are deterministic. */
export interface TokenSigner {
  readonly issuer: string
  readonly publicKey: JWK
  sign(claims: JWTPayload & { aud: string; sub: string; iat: number; exp: number }): Promise<string>
}

export async function createTokenSigner(issuer: string, privateKey: KeyObject): Promise<TokenSigner> {
  const publicKey = { ...(await exportJWK(createPublicKey(privateKey))), alg: ALGORITHM, use: 'sig' }
  return {
    issuer,
    publicKey,
    sign: (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' }).setIssuer(issuer).sign(privateKey),
  }
}

export interface TokenVerifier {
  /** The claims of a good token; UNAUTHENTICATED for any other text. */
  verify(token: string): Promise<JWTPayload>
}

export interface TokenRules {
  issuer: string
  audience: string
  publicKey: JWK
}

/** A verifier with one key and one algorithm: nothing that the token says of itself chooses either. */
export async function createTokenVerifier(rules: TokenRules): Promise<TokenVerifier> {
  const key = await importJWK(rules.publicKey, ALGORITHM)
  const options = {
    issuer: rules.issuer,
    audience: rules.audience,
    algorithms: [ALGORITHM],
    requiredClaims: ['sub', 'exp', 'iat'],
  }
  return {
    async verify(token) {
      try {
        return (await jwtVerify(token, key, options)).payload
      } catch (cause) {
        throw problems.unauthenticated('The token is not valid here', cause)
      }
    },
  }
}

/** Asymmetric ones only: what a realm publishes must never do as a shared secret. */
const REALM_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519']
const FETCH_LIMIT_MS = 5_000
/** After a look at the realm's keys this long passes before the next, however many unknown keys are named meanwhile. */
const KEYS_COOLDOWN_MS = 30_000
const CLOCK_TOLERANCE_S = 5

/**
 * A verifier of a realm's access tokens, known by its issuer alone: its keys are found by OpenID discovery. While they
 * cannot be had, every token is refused.
 */
export function createRealmVerifier(issuer: string): TokenVerifier {
  let finding: Promise<JWTVerifyGetKey> | undefined
  let failedAt = Number.NEGATIVE_INFINITY

  async function keys(): Promise<JWTVerifyGetKey> {
    if (!finding) {
      if (Date.now() - failedAt < 1_000) throw new Error('the realm did not answer a moment ago')
      finding = findKeys(issuer)
      finding.catch(() => {
        finding = undefined
        failedAt = Date.now()
      })
    }
    return await finding
  }

  return {
    async verify(token) {
      try {
        const options = {
          issuer,
          algorithms: REALM_ALGORITHMS,
          requiredClaims: ['sub', 'exp', 'iat'],
          clockTolerance: CLOCK_TOLERANCE_S,
        }
        return (await jwtVerify(token, await keys(), options)).payload
      } catch (cause) {
        throw problems.unauthenticated('The token is not valid here', cause)
      }
    },
  }
}

async function findKeys(issuer: string): Promise<JWTVerifyGetKey> {
  const response = await fetch(`${issuer}/.well-known/openid-configuration`, {
    signal: AbortSignal.timeout(FETCH_LIMIT_MS),
    redirect: 'error',
  })
  const found = (await response.json()) as { issuer?: string; jwks_uri?: string }
  if (found.issuer !== issuer || found.jwks_uri === undefined) throw new Error(`${issuer} does not describe itself`)
  return createRemoteJWKSet(new URL(found.jwks_uri), {
    cooldownDuration: KEYS_COOLDOWN_MS,
    timeoutDuration: FETCH_LIMIT_MS,
  })
}
