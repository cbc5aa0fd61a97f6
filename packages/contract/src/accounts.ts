import Type, { type Static } from 'typebox'
import { ROLES } from './permissions.ts'
import { EMAIL, EMAIL_LENGTH, PLAIN_TEXT } from './text-patterns.ts'

const Roles = Type.Array(Type.Enum([...ROLES]), { minItems: 1, maxItems: ROLES.length, uniqueItems: true })

/** People who sign in to a sandbox. */
export const AccountCreate = Type.Object(
  {
    email: Type.String({
      maxLength: EMAIL_LENGTH,
      pattern: EMAIL,
      description: 'an email address',
    }),
    roles: Roles,
  },
  { additionalProperties: false },
)
export type AccountCreate = Static<typeof AccountCreate>

export const AccountRecord = Type.Object(
  { id: Type.String(), email: Type.String(), roles: Type.Array(Type.String()) },
  { $id: 'Account' },
)
export type AccountRecord = Static<typeof AccountRecord>

export const NewAccountRecord = Type.Object({
  ...AccountRecord.properties,
  oneTimePassword: Type.String({ description: 'Shown only once; the first sign-in asks for another' }),
})
export type NewAccountRecord = Static<typeof NewAccountRecord>

/** Programs that call a sandbox's API with client credentials. */
export const ServiceAccountCreate = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: PLAIN_TEXT,
      description: '1 to 100 characters, and no control characters',
    }),
    roles: Roles,
  },
  { additionalProperties: false },
)
export type ServiceAccountCreate = Static<typeof ServiceAccountCreate>

export const ServiceAccountRecord = Type.Object(
  { id: Type.String(), name: Type.String(), roles: Type.Array(Type.String()), clientId: Type.String() },
  { $id: 'ServiceAccount' },
)
export type ServiceAccountRecord = Static<typeof ServiceAccountRecord>

export const NewServiceAccountRecord = Type.Object({
  ...ServiceAccountRecord.properties,
  clientSecret: Type.String({ description: 'Shown only once' }),
})
export type NewServiceAccountRecord = Static<typeof NewServiceAccountRecord>
