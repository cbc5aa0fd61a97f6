import Type, { type Static } from 'typebox'
import { closed } from './closed.ts'
import { LIMITS } from './limits.ts'
import { ListOf, PageQuery } from './lists.ts'
import { PLAIN_TEXT } from './text-patterns.ts'
import { Timestamp } from './timestamps.ts'

/** Lowercase kebab-case. */
export const MODULE_SLUG = '^[a-z0-9]+(-[a-z0-9]+)*$'
/** Segments joined by dots, each starting with a letter or digit. */
export const EVENT_GRAMMAR = '^[a-z0-9][a-z0-9_-]*(\\.[a-z0-9][a-z0-9_-]*)*$'
/** Semantic Versioning 2.0.0. */
export const SEMANTIC_VERSION =
  '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(\\.(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\\+[0-9a-zA-Z-]+(\\.[0-9a-zA-Z-]+)*)?$'

const { module } = LIMITS
export const ModuleSlug = Type.String({
  pattern: MODULE_SLUG,
  maxLength: module.slugLength,
  description: 'lowercase kebab-case',
})
const Version = Type.String({ pattern: SEMANTIC_VERSION, maxLength: 100, description: 'a semantic version' })

const ModuleEvent = Type.Object({
  name: Type.String({
    pattern: EVENT_GRAMMAR,
    maxLength: module.eventNameLength,
    description: 'segments of a-z, 0-9, _ and -, joined by dots',
  }),
  payloadContract: Type.Optional(
    Type.Union([Type.Object({}, { additionalProperties: true }), Type.Boolean()], {
      description: 'A JSON Schema of the payload',
    }),
  ),
})
const ModuleEvents = Type.Array(ModuleEvent, { maxItems: module.events })

/** The manifest of a module. Further fields are allowed and stored, but not checked. */
export const Manifest = Type.Object(
  {
    slug: ModuleSlug,
    name: Type.String({ minLength: 1, maxLength: 200, pattern: PLAIN_TEXT, description: 'one line of text' }),
    version: Version,
    sdkVersion: Version,
    /** `check-manifest.ts` of the platform checks the names and refuses an unknown one with UNKNOWN_BUILDING_TYPE. */
    buildingTypes: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 })),
    events: Type.Optional(
      Type.Object({ publishes: Type.Optional(ModuleEvents), subscribes: Type.Optional(ModuleEvents) }),
    ),
  },
  { additionalProperties: true },
)
export type Manifest = Static<typeof Manifest>

export const ModuleIngest = Type.Object(
  {
    manifest: Manifest,
    remoteEntryUrl: Type.String({ minLength: 1, maxLength: 2048, description: 'Address of the built remote entry' }),
  },
  closed,
)
export type ModuleIngest = Static<typeof ModuleIngest>

export const ModuleRecord = Type.Object(
  {
    slug: Type.String(),
    name: Type.String(),
    version: Type.String(),
    sdkVersion: Type.String(),
    compatible: Type.Boolean({
      description: 'Whether the platform supports the SDK version of the module',
    }),
    remoteEntryUrl: Type.String(),
    federationName: Type.String(),
    exposeName: Type.String(),
    buildingTypes: Type.Array(Type.String()),
    events: Type.Object({ publishes: Type.Array(ModuleEvent), subscribes: Type.Array(ModuleEvent) }),
    manifest: Type.Object({}, { additionalProperties: true, description: 'The manifest as it was sent' }),
    updatedAt: Timestamp,
  },
  { $id: 'Module' },
)
export type ModuleRecord = Static<typeof ModuleRecord>
export const ModuleList = ListOf(ModuleRecord)
export const ModuleQuery = Type.Object(PageQuery, closed)

/** The name under which the build of a module exposes its root component to the shell. */
export const EXPOSE_NAME = './Shell'
