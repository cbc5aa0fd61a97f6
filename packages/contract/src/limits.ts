/**
 * Limits of the interface; `quotas.ts` has further limits, on numbers of records. An operator can change some limits
 * with settings: the values here are then only the defaults.
 */
export const LIMITS = {
  /**
   * The body of a request, unless it is a building model (`ifcBytes`). Routes for small bodies allow less
   * (`kit/src/http/body-rule.ts`).
   */
  bodyBytes: 10 * 1024 * 1024,
  /** The time in which a request must arrive: long enough for a large model over a slow connection. */
  requestMs: 3_600_000,
  /** Requests of one caller to the platform API: the default of RATE_LIMIT_PER_MINUTE. */
  rateLimitPerMinute: 100,
  page: { default: 50, max: 200 },
  /** The page of lists of the graph. For spaces it is only the default of SPACES_PAGE_CAP. */
  graphPageMax: 1000,
  node: {
    nameLength: 200,
    codeLength: 100,
    sourceSystemLength: 64,
    externalIdLength: 255,
    externalIds: 32,
    serves: 1000,
    polygonCorners: 2000,
    /** In metres and square metres. No building is larger, so these limits detect values in a wrong unit. */
    coordinateMax: 1_000_000,
    elevationMMax: 100_000,
    areaSqmMax: 100_000_000,
  },
  changesetOperations: 10_000,
  acknowledgedFaults: 1000,
  bulkImportRows: 10_000,
  ifcBytes: 256 * 1024 * 1024,
  /** The record of an IFC import lists at most this many left-out entities. `…/left-out` lists all of them in pages. */
  leftOutInRecord: 10_000,
  layer: {
    nameLength: 200,
    descriptionLength: 2000,
    valueSchemaBytes: 64 * 1024,
    metadataBytes: 64 * 1024,
    legendEntries: 100,
    labelLength: 200,
    /** The length of one text value. */
    valueLength: 64 * 1024,
    /** Identifiers in one upload of values (`layers/upload-values.ts`). */
    identifiers: 10_000,
    valuesPage: { default: 100, max: 100 },
    /** If the values of rooms do not match a new schema, the error lists at most this many of the rooms. */
    roomsInConflict: 10,
  },
  observation: {
    /** The earliest accepted time: the start of the year 1. Earlier dates are not needed. */
    earliestMs: -62_135_596_800_000,
    aheadMs: 24 * 3_600_000,
    valueLength: 1000,
    sourceLength: 200,
    /**
     * The most observations of a request. A JSON body of 10 MB cannot have as many: its shortest observation has 63 bytes.
     */
    perRequest: 262_144,
    /** An ingest with more observations is published as several events. */
    perEvent: 1000,
  },
  webhook: {
    urlLength: 2048,
    attempts: 6,
    /** The delays between attempts of a delivery. */
    delaysMs: [60_000, 300_000, 900_000, 3_600_000, 10_800_000],
    jitter: 0.1,
    timeoutMs: 10_000,
    responseBytes: 64 * 1024,
    responseCharacters: 1000,
    /** How much of the body the record of a delivery shows. */
    shownBodyBytes: 64 * 1024,
    failuresToPause: 10,
    probeAfterMs: 3_600_000,
    attemptsListed: 50,
    /** How long the previous secret still signs after a rotation. */
    previousSecretMs: 86_400_000,
    /** How many characters of a secret a GET response shows, `whsec_` included. */
    secretCharactersShown: 8,
  },
  module: { slugLength: 64, events: 1000, eventNameLength: 200, manifestBytes: 128 * 1024 },
  request: {
    page: { default: 50, max: 200 },
    titleLength: 200,
    descriptionLength: 10_000,
    commentLength: 10_000,
    /**
     * How long after its report a request is due, by priority. The time while the request is on hold or resolved does
     * not count.
     */
    slaHours: { critical: 4, high: 24, normal: 72, low: 240 },
    /** The SLA warning is sent after this share of the time until a request is due. */
    slaWarning: 0.8,
  },
  simulation: { speed: { min: 1, max: 600 }, faultMinutes: 7 * 1440 },
  telemetryPage: { default: 1000, max: 10_000 },
  /** The limits of one read of the series of many points. */
  manySeries: { points: 1000, values: 1_000_000 },
  sandbox: {
    /** The default of MAX_ACTIVE_SANDBOXES. */
    maxActive: 3,
    extensions: 2,
    nameLength: 64,
    seedLength: 64,
    ttlDays: { min: 1, max: 30, default: 14 },
    storeys: { min: 1, max: 50, default: 5 },
    areaSqm: { min: 10, max: 10_000_000 },
    seedTelemetryDays: { min: 0, max: 30, default: 7 },
    spaces: { min: 1, max: 200, defaultMin: 10, defaultMax: 30 },
    /** No real room is smaller. The minimum area of a building is this area times its minimum number of rooms. */
    minRoomSqm: 2,
  },
  key: { maxActivePerOrganization: 5, expiresInDays: { min: 1, max: 365, default: 90 }, labelLength: 100 },
  /** A session of the command-line tool (`offline_access`) ends when it has not been used for this long. */
  offlineSessionDays: 30,
  /** How the command-line tool waits for a new sandbox. */
  createPolling: { everyMs: 5_000, giveUpMs: 15 * 60_000 },
  /** The six months for which a stable export of the SDK stays after its deprecation. */
  deprecationDays: 184,
  /** Denials that repeat within `denialWindowMs` become one row. */
  audit: { page: { default: 100, max: 500 }, retentionMonths: 18, userAgentLength: 256, denialWindowMs: 60_000 },
} as const

/** The smallest area of a building with this number of storeys and this minimum number of rooms on a storey. */
export function minAreaSqm({ storeys, spacesMin }: { storeys: number; spacesMin: number }): number {
  return storeys * spacesMin * LIMITS.sandbox.minRoomSqm
}
