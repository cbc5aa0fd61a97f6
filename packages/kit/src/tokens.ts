import { createPublicKey, type KeyObject } from 'node:crypto'
import { problems } from '@storey/contract'
import { exportJWK, importJWK, type JWK, type JWTPayload, jwtVerify, SignJWT } from 'jose'

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
