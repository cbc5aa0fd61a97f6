import Type, { type Static } from 'typebox'
import { ROLES } from './permissions.ts'
import { ACCOUNT_NAME, EMAIL, EMAIL_LENGTH } from './text-patterns.ts'

const Roles = Type.Array(Type.Enum([...ROLES]), { minItems: 1, maxItems: ROLES.length, uniqueItems: true })

/** The body that creates an account of a person, who signs in to a sandbox. */
export const AccountCreate = Type.Object(
  {
    email: Type.String({
      maxLength: EMAIL_LENGTH,
      pattern: EMAIL,
      description: 'an email address without invisible characters',
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
  oneTimePassword: Type.String({
    description: 'The person must replace it at the first sign-in. Shown only in this response',
  }),
})
export type NewAccountRecord = Static<typeof NewAccountRecord>

/** The body that creates an account of a program, which calls a sandbox's API with client credentials. */
export const ServiceAccountCreate = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: ACCOUNT_NAME,
      description: '1 to 100 characters, and no control or invisible characters',
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
  clientSecret: Type.String({ description: 'Shown only in this response' }),
})
export type NewServiceAccountRecord = Static<typeof NewServiceAccountRecord>
