import { createPublicKey, type KeyObject } from 'node:crypto'
import { type ClaimNames, Problem, problems, renameClaims } from '@storey/contract'
import {
  decodeJwt,
  exportJWK,
  importJWK,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  type JWTVerifyOptions,
  jwtVerify,
  SignJWT,
} from 'jose'
import { type Audience, checkAudience } from './audience.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Log } from './log.ts'
import { createRealmKeys, RealmUnreachable } from './realm-keys.ts'

export type { Audience } from './audience.ts'

const ALGORITHM = 'EdDSA'

/** Signs tokens of one issuer. Equal claims give equal tokens, because Ed25519 signatures are deterministic. */
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
  /**
   * Returns the claims of a valid token. Throws UNAUTHENTICATED for any other text, and NOT_READY while the keys
   * are unavailable.
   */
  verify(token: string): Promise<JWTPayload>
}

export interface TokenRules {
  audience: string
  publicKey: JWK
}

const REQUIRED = ['sub', 'exp', 'iat']
const at = (clock: Clock, options: JWTVerifyOptions): JWTVerifyOptions => ({ ...options, currentDate: clock.now() })

/**
 * A verifier with one key and one algorithm, which the token cannot choose. The key identifies the issuer, so tokens
 * stay valid when the issuer's address changes.
 */
export async function createTokenVerifier(rules: TokenRules, clock: Clock = systemClock): Promise<TokenVerifier> {
  const key = await importJWK(rules.publicKey, ALGORITHM)
  const options = { audience: rules.audience, algorithms: [ALGORITHM], requiredClaims: REQUIRED }
  // Cached: a caller sends the same token with every request, and the key never changes.
  const known = new Map<string, JWTPayload>()
  return refusing(async (token) => {
    const signed = known.get(token)
    const seconds = clock.now().getTime() / 1000
    if (signed !== undefined && signed.exp! > seconds && (signed.nbf ?? 0) <= seconds) return signed
    const { payload, protectedHeader } = await jwtVerify(token, key, at(clock, options))
    checkHeader(protectedHeader)
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(token, payload)
    return payload
  })
}

const MAX_KNOWN = 64

/** Asymmetric algorithms only: a published key must never work as a shared secret. */
const REALM_ALGORITHMS = ['RS', 'PS', 'ES'].flatMap((family) => [256, 384, 512].map((bits) => `${family}${bits}`))
const CLOCK_TOLERANCE_S = 5

export interface RealmRules {
  /** How the audience is checked. Absent: any audience is accepted. */
  audience?: Audience
  /** Claims that have other names at this realm. `verify` returns them under the names that Storey uses. */
  claims?: ClaimNames
  log?: Log
}

/** A verifier of a realm's access tokens. It needs only the issuer, and finds the keys by OpenID discovery. */
export function createRealmVerifier(issuer: string, clock: Clock = systemClock, rules: RealmRules = {}): TokenVerifier {
  const keys = createRealmKeys(issuer, clock, rules.log)
  const options = {
    issuer,
    algorithms: [...REALM_ALGORITHMS, 'EdDSA', 'Ed25519'],
    requiredClaims: REQUIRED,
    clockTolerance: CLOCK_TOLERANCE_S,
  }
  return refusing(async (token) => {
    const { payload, protectedHeader } = await jwtVerify(token, keys, at(clock, options))
    checkHeader(protectedHeader)
    checkAccessToken(payload, protectedHeader)
    if (rules.audience) checkAudience(payload.aud, rules.audience)
    return rules.claims ? renameClaims(payload, rules.claims) : payload
  })
}

const claimed = new Map<string, string | undefined>()

/** The unverified issuer of a token, only used to select the verifier. Cached, because callers repeat their tokens. */
export function claimedIssuer(token: string): string | undefined {
  if (claimed.has(token)) return claimed.get(token)
  const issuer = issuerOf(token)
  if (claimed.size >= MAX_KNOWN) claimed.clear()
  claimed.set(token, issuer)
  return issuer
}

function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}

const RETRY_S = 5

function refusing(verify: TokenVerifier['verify']): TokenVerifier {
  return {
    async verify(token) {
      try {
        return await verify(token)
      } catch (cause) {
        if (cause instanceof Problem) throw cause
        // The cause is left out: it is logged elsewhere, and the error handler could take it for a database error.
        if (cause instanceof RealmUnreachable)
          throw problems.notReady('The identity provider cannot be reached', RETRY_S)
        throw problems.unauthenticated('The token is not valid here', cause)
      }
    },
  }
}

const OWN_KEYS = ['jwk', 'jku', 'x5c', 'x5u']
/** `at+jwt` of RFC 9068, or `jwt` of providers that do not mark access tokens in the header. */
const ACCESS_TOKEN_TYPES = [undefined, 'jwt', 'at+jwt', 'application/jwt', 'application/at+jwt']

/**
 * Refuses a token that contains its own key (`jwk`, `x5c`) or the address of its key (`jku`, `x5u`), or is marked as
 * something other than an access token, even if it is signed correctly.
 */
function checkHeader(header: JWTHeaderParameters): void {
  const own = OWN_KEYS.find((name) => header[name] !== undefined)
  if (own !== undefined) throw new Error(`the token contains its own key or the address of its key, in ${own}`)
  if (!ACCESS_TOKEN_TYPES.includes(header.typ?.toLowerCase())) throw new Error(`the token is a ${header.typ}`)
}

/** Claims that occur in access tokens, but not in ID tokens. */
const MARKS = ['scope', 'scp', 'client_id', 'cid']

/**
 * Refuses a token that is not an access token. Keycloak puts the type of a token into the claim `typ`. Hashes and the
 * nonce occur only in ID tokens, and `events` occurs only in logout tokens. A token without any mark of an access token
 * counts as an ID token. An ID token may expire later than an access token, and is meant for the client only.
 */
function checkAccessToken(claims: JWTPayload, header: JWTHeaderParameters): void {
  if (claims.typ !== undefined && claims.typ !== 'Bearer') throw new Error(`the token is of type ${claims.typ}`)
  const foreignClaim = ['at_hash', 'c_hash', 's_hash', 'nonce', 'events'].find((name) => claims[name] !== undefined)
  if (foreignClaim !== undefined) throw new Error(`a token with ${foreignClaim} is not an access token`)
  const isMarked =
    /at\+jwt$/i.test(header.typ ?? '') || claims.typ === 'Bearer' || MARKS.some((name) => claims[name] !== undefined)
  if (!isMarked) throw new Error('the token is not marked as an access token')
}
