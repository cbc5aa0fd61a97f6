import Type, { type Static } from 'typebox'
import { LIMITS } from './limits.ts'
import { ListOf, Nullable } from './lists.ts'
import { LOCAL_PATH, PLAIN_TEXT, SANDBOX_NAME } from './text-patterns.ts'
import { Timestamp } from './timestamps.ts'

const { sandbox } = LIMITS

export const BuildingType = Type.Enum(['mall', 'office'])
export const EquipmentDensity = Type.Enum(['sparse', 'realistic', 'dense'])
export const OccupancyProfile = Type.Enum(['24x7', 'office-hours', 'peak-evenings'])
export const SandboxStatus = Type.Enum(['provisioning', 'ready', 'failed'])
export type SandboxStatus = Static<typeof SandboxStatus>

const range = ({ min, max, default: defaultValue }: { min: number; max: number; default: number }) => ({
  minimum: min,
  maximum: max,
  default: defaultValue,
})

export const SandboxCreate = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: sandbox.nameLength,
      pattern: SANDBOX_NAME,
      description: `1 to ${sandbox.nameLength} characters with at least one letter or digit, and no control character, line separator, zero-width space, or character that embeds, overrides or isolates a text direction`,
    }),
    buildingType: Type.Optional(Type.Enum(['mall', 'office'], { default: 'office' })),
    storeys: Type.Optional(
      Type.Integer({ ...range(sandbox.storeys), description: 'Number of storeys, including those below ground' }),
    ),
    areaSqm: Type.Optional(
      Type.Number({
        minimum: sandbox.areaSqm.min,
        maximum: sandbox.areaSqm.max,
        description:
          'Gross area of all storeys, in square metres. The default depends on buildingType, storeys, spacesMin and ' +
          'spacesMax',
      }),
    ),
    ttlDays: Type.Optional(Type.Integer({ ...range(sandbox.ttlDays), description: 'Days until the sandbox expires' })),
    seedTelemetryDays: Type.Optional(
      Type.Integer({ ...range(sandbox.seedTelemetryDays), description: 'Days of generated history' }),
    ),
    spacesMin: Type.Optional(
      Type.Integer({
        ...range({ ...sandbox.spaces, default: sandbox.spaces.defaultMin }),
        description: `Minimum number of spaces on a storey. The default is ${sandbox.spaces.defaultMin}, or spacesMax if that is smaller`,
      }),
    ),
    spacesMax: Type.Optional(
      Type.Integer({
        ...range({ ...sandbox.spaces, default: sandbox.spaces.defaultMax }),
        description: `Maximum number of spaces on a storey. The default is ${sandbox.spaces.defaultMax}, or spacesMin if that is larger`,
      }),
    ),
    equipmentDensity: Type.Optional(Type.Enum(['sparse', 'realistic', 'dense'], { default: 'realistic' })),
    occupancyProfile: Type.Optional(
      Type.Enum(['24x7', 'office-hours', 'peak-evenings'], {
        description: 'When absent, office-hours for an office and peak-evenings for a mall',
      }),
    ),
    seed: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: sandbox.seedLength,
        pattern: PLAIN_TEXT,
        description: `1 to ${sandbox.seedLength} characters, not only white space, and no control characters`,
      }),
    ),
  },
  { additionalProperties: false },
)
export type SandboxCreate = Static<typeof SandboxCreate>

/** All parameters of a building: the same parameters give the same building. */
export const BuildingParameters = Type.Object({
  buildingType: BuildingType,
  storeys: Type.Integer(),
  areaSqm: Type.Number(),
  spacesMin: Type.Integer(),
  spacesMax: Type.Integer(),
  equipmentDensity: EquipmentDensity,
  occupancyProfile: OccupancyProfile,
  seed: Type.String(),
})
export type BuildingParameters = Static<typeof BuildingParameters>

/** Present while the database of a ready sandbox is being migrated. Meanwhile the sandbox's API answers 503. */
export const SandboxMigration = Type.Object({
  from: Nullable(Type.Integer({ description: 'The schema version before the migration; null if it is not known yet' })),
  to: Type.Integer(),
  failureReason: Type.Optional(
    Type.String({ description: 'Why the last attempt to migrate failed. The service tries again' }),
  ),
})

/** Present while the sandbox is suspended by the operator. Meanwhile its API answers 403 SANDBOX_SUSPENDED. */
export const SandboxSuspension = Type.Object({
  since: Timestamp,
  reason: Nullable(Type.String({ description: 'What the operator has written for the users of the sandbox' })),
})

export const SandboxRecord = Type.Object({
  sandboxId: Type.String({ pattern: '^sbx_' }),
  name: Type.String(),
  slug: Type.String(),
  status: SandboxStatus,
  apiUrl: Type.String(),
  consoleUrl: Nullable(Type.String()),
  organizationId: Type.String(),
  expiresAt: Timestamp,
  extensionsRemaining: Type.Integer(),
  siteId: Nullable(Type.String()),
  buildingId: Nullable(Type.String()),
  failureReason: Type.Optional(Type.String()),
  ...BuildingParameters.properties,
  seedTelemetryDays: Type.Integer(),
  fingerprint: Nullable(Type.String()),
  createdAt: Timestamp,
  storage: Type.Object({
    usedMb: Nullable(Type.Number({ description: 'Disk space in use. Null if it is not measured yet' })),
    limitMb: Nullable(
      Type.Integer({
        description:
          'If more is used, writes that need space get 429 QUOTA_EXCEEDED, while other calls work. Null if there is no ' +
          'limit',
      }),
    ),
    measuredAt: Nullable(Timestamp),
  }),
  progress: Type.Object({ percent: Type.Integer({ minimum: 0, maximum: 100 }), step: Type.String() }),
  migration: Type.Optional(SandboxMigration),
  suspension: Type.Optional(SandboxSuspension),
})
export type SandboxRecord = Static<typeof SandboxRecord>

export const SandboxList = ListOf(SandboxRecord)

export const SandboxExtend = Type.Object(
  {
    days: Type.Integer({
      minimum: 1,
      maximum: 36_500,
      description: `Days to add. The sandbox can expire at most ${sandbox.ttlDays.max} days from now`,
    }),
  },
  { additionalProperties: false },
)

export const SandboxConnection = Type.Object({
  apiUrl: Type.String(),
  pathUrl: Nullable(
    Type.String({
      description:
        'Another address of the same API, below a path of the service, for clients that cannot resolve the host of ' +
        'apiUrl. Null if the operator has disabled such addresses',
    }),
  ),
  consoleUrl: Nullable(Type.String()),
  token: Type.String({
    description:
      'A token with every permission in this sandbox. It is valid until the `expiresAt` that the sandbox has now: after ' +
      'an extension, read the connection again to get a token that is valid longer',
  }),
  organizationId: Type.String(),
  siteId: Type.String(),
  buildingId: Type.String(),
  mqtt: Nullable(
    Type.Object({
      url: Type.String(),
      username: Nullable(
        Type.String({ description: 'Null if the operator uses an external broker, which has its own accounts' }),
      ),
      password: Nullable(Type.String()),
      topic: Type.String(),
    }),
  ),
})
export type SandboxConnection = Static<typeof SandboxConnection>

export const ConsoleSessionQuery = Type.Object(
  {
    path: Type.Optional(
      Type.String({
        maxLength: 1000,
        pattern: LOCAL_PATH,
        description: 'the path of a page of the console, such as /sandbox/my-module (default: the first page)',
      }),
    ),
  },
  { additionalProperties: false },
)
export type ConsoleSessionQuery = Static<typeof ConsoleSessionQuery>

export const ConsoleSession = Type.Object({
  url: Type.String({
    description: 'A link that works once: it signs the browser in to the console as an administrator',
  }),
  expiresAt: Timestamp,
})
export type ConsoleSession = Static<typeof ConsoleSession>
