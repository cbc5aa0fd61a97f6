import { PLATFORM_ADMINISTRATOR } from '@storey/contract'
import { deriveSigningKey } from '@storey/kit/secrets'
import { createTokenSigner } from '@storey/kit/tokens'

export const SANDBOX_ID = 'sbx_test'
export const ORGANIZATION_ID = 'org_test'
const ISSUER = 'http://localhost:4000'

const signer = await createTokenSigner(ISSUER, deriveSigningKey('test master', 'sandbox-tokens'))
const foreign = await createTokenSigner(ISSUER, deriveSigningKey('another master', 'sandbox-tokens'))

/** The rules by which the stack under test verifies its tokens. */
export const TOKEN_RULES = { issuer: signer.issuer, publicKey: { ...signer.publicKey } as Record<string, unknown> }

function claims() {
  const iat = Math.floor(Date.now() / 1000)
  return {
    aud: SANDBOX_ID,
    sub: SANDBOX_ID,
    iat,
    exp: iat + 3600,
    tenant_id: ORGANIZATION_ID,
    realm_access: { roles: [PLATFORM_ADMINISTRATOR] },
  }
}

/** The sandbox's own token, or one with other claims. */
export function sandboxToken(changes: Record<string, unknown> = {}): Promise<string> {
  return signer.sign({ ...claims(), ...changes })
}

/** A token with valid claims and a foreign signature. */
export function forgedToken(): Promise<string> {
  return foreign.sign(claims())
}
