// Written by scripts/write-wire.ts from the contract: change the schema there, and regenerate this file.

/** @stable */
export interface SandboxCreate {
  /** 1 to 64 characters with at least one letter or digit, and no control characters */
  name: string
  buildingType?: 'mall' | 'office'
  /** Number of storeys, including those below ground */
  storeys?: number
  /** Gross area of all storeys, in square metres */
  areaSqm?: number
  /** Days until the sandbox expires */
  ttlDays?: number
  /** Days of generated history */
  seedTelemetryDays?: number
  /** Minimum number of spaces on a storey. If only spacesMax is given, the default is at most spacesMax */
  spacesMin?: number
  /** Maximum number of spaces on a storey. If only spacesMin is given, the default is at least spacesMin */
  spacesMax?: number
  equipmentDensity?: 'sparse' | 'realistic' | 'dense'
  /** When absent, office-hours for an office and peak-evenings for a mall */
  occupancyProfile?: '24x7' | 'office-hours' | 'peak-evenings'
  /** 1 to 64 characters, and no control characters */
  seed?: string
}

/** @stable */
export interface SandboxRecord {
  sandboxId: string
  name: string
  slug: string
  status: 'provisioning' | 'ready' | 'failed'
  apiUrl: string
  consoleUrl: string | null
  organizationId: string
  /** ISO 8601, UTC, milliseconds */
  expiresAt: string
  extensionsRemaining: number
  siteId: string | null
  buildingId: string | null
  failureReason?: string
  buildingType: 'mall' | 'office'
  storeys: number
  areaSqm: number
  spacesMin: number
  spacesMax: number
  equipmentDensity: 'sparse' | 'realistic' | 'dense'
  occupancyProfile: '24x7' | 'office-hours' | 'peak-evenings'
  seed: string
  seedTelemetryDays: number
  fingerprint: string | null
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  storage: {
    usedMb: number | null
    limitMb: number | null
    measuredAt: string | null
  }
  progress: {
    percent: number
    step: string
  }
  migration?: {
    from: number | null
    to: number
    /** Why the last attempt to migrate failed. Attempts are repeated */
    failureReason?: string
  }
  suspension?: {
    /** ISO 8601, UTC, milliseconds */
    since: string
    reason: string | null
  }
}

/** @stable */
export interface SandboxConnection {
  apiUrl: string
  pathUrl: string | null
  consoleUrl: string | null
  /** A token with every permission in this sandbox, valid until the sandbox expires */
  token: string
  organizationId: string
  siteId: string
  buildingId: string
  mqtt: {
    url: string
    username: string | null
    password: string | null
    topic: string
  } | null
}

/** @stable */
export interface ConsoleSession {
  /** A link that works once: it signs the browser in to the console as an administrator */
  url: string
  /** ISO 8601, UTC, milliseconds */
  expiresAt: string
}

/** @stable */
export interface ConsoleSessionQuery {
  /** The page of the console that opens, such as /sandbox/my-module; the first page by default */
  path?: string
}

/** @stable */
export interface AccountCreate {
  /** an email address without invisible characters */
  email: string
  roles: Array<'user' | 'accountant' | 'manager' | 'admin' | 'building-graph-writer'>
}

/** @stable */
export interface AccountRecord {
  id: string
  email: string
  roles: string[]
}

/** @stable */
export interface NewAccountRecord {
  id: string
  email: string
  roles: string[]
  /** The first sign-in asks for another password. Shown only in this response */
  oneTimePassword: string
}

/** @stable */
export interface ServiceAccountCreate {
  /** 1 to 100 characters, and no control or invisible characters */
  name: string
  roles: Array<'user' | 'accountant' | 'manager' | 'admin' | 'building-graph-writer'>
}

/** @stable */
export interface ServiceAccountRecord {
  id: string
  name: string
  roles: string[]
  clientId: string
}

/** @stable */
export interface NewServiceAccountRecord {
  id: string
  name: string
  roles: string[]
  clientId: string
  /** Shown only in this response */
  clientSecret: string
}

/** @stable */
export interface PersonRecord {
  /** The subject of their tokens */
  id: string
  email: string
}

/** @stable */
export interface SandboxAccount {
  id: string
  email: string
  roles: string[]
  /** Whether the next sign-in with a password asks for a new one */
  hasOneTimePassword: boolean
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
}

/** @stable */
export interface NewSandboxAccount {
  id: string
  email: string
  roles: string[]
  /** Whether the next sign-in with a password asks for a new one */
  hasOneTimePassword: boolean
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  /** The next sign-in asks for another password. Shown only in this response */
  oneTimePassword: string
}

/** @stable */
export interface SandboxAccountPatch {
  roles: Array<'user' | 'accountant' | 'manager' | 'admin' | 'building-graph-writer'>
}

/** @stable */
export interface AccountEvent {
  /** The id of the row; later rows have larger ids */
  id: number
  /** ISO 8601, UTC, milliseconds */
  at: string
  action: 'account.created' | 'account.roles_changed' | 'account.password_reset' | 'account.removed'
  /**
   * Who did it: the email address of the account or the developer, the id of the developer's key or of
   * the service account, or `sandbox` for the token of the sandbox
   */
  actor: string
  accountId: string
  /** The email address of the account that was changed */
  email: string
  rolesBefore: string[] | null
  rolesAfter: string[] | null
  sourceIp: string | null
}

/** @stable */
export interface AccountAuditQuery {
  /** Rows per page */
  limit?: number
  /** Returns the rows that are older than the row with this id */
  before?: number
}

/** @stable */
export interface KeyMint {
  /** 1 to 100 characters, not all blank, and no control characters */
  label: string
  scope?: 'sandbox' | 'publish' | 'full'
  /** Days until the key expires; default 90 */
  expiresInDays?: number
}

/** @stable */
export interface KeyRecord {
  keyId: string
  label: string
  scope: 'sandbox' | 'publish' | 'full'
  status: 'active' | 'expired' | 'revoked'
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
}

/** @stable */
export interface MintedKey {
  keyId: string
  label: string
  scope: 'sandbox' | 'publish' | 'full'
  status: 'active' | 'expired' | 'revoked'
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  expiresAt: string | null
  /** The key itself. Shown only in this response */
  plaintext: string
}

/** @stable */
export interface AuditRecord {
  /** The id of the row; later rows have larger ids */
  id: number
  /** ISO 8601, UTC, milliseconds */
  at: string
  action: 'key.issued' | 'key.used' | 'key.revoked'
  outcome: 'allowed' | 'denied'
  reason: 'revoked' | 'expired' | 'unknown' | 'out_of_scope' | 'account_disabled' | null
  keyId: string | null
  actor: string | null
  scope: 'sandbox' | 'publish' | 'full' | null
  expiresAt: string | null
  method: string | null
  route: string | null
  status: number | null
  sourceIp: string | null
  userAgent: string | null
  /**
   * Number of actions in the row. Repeated denials and repeated requests above the rate limit (same or
   * unknown key, same route, status, reason and address) share rows: the first has a row of its own, and
   * those that follow within a minute have one more row. In any other row it is 1
   */
  count: number
  /** The time of the first action in the row; `at` is that of the last */
  firstAt: string
}

/** @stable */
export interface AuditQuery {
  action?: 'key.issued' | 'key.used' | 'key.revoked'
  /** the id of a key, such as key_0a1b2c */
  keyId?: string
  /** Rows per page */
  limit?: number
  /** Returns the rows that are older than the row with this id */
  before?: number
}

/** @stable */
export interface ExternalId {
  sourceSystem: string
  externalId: string
}

/** @stable */
export interface BuildingRecord {
  id: string
  externalId: string | null
  externalIds: ExternalId[]
  sourceSystem: string | null
  code: string
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  /** ISO 8601, UTC, milliseconds */
  updatedAt: string
  name: string
  buildingType: string
  siteId: string
  organizationId: string
  timezone: string
  address: string | null
  location: {
    latitude: number
    longitude: number
  } | null
  revision: number
}

/** @stable */
export interface StoreyRecord {
  id: string
  externalId: string | null
  externalIds: ExternalId[]
  sourceSystem: string | null
  code: string
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  /** ISO 8601, UTC, milliseconds */
  updatedAt: string
  name: string
  index: number
  elevationM: number | null
  areaSqm: number | null
  polygon: Array<[number, number]> | null
}

/** @stable */
export interface SpaceRecord {
  id: string
  externalId: string | null
  externalIds: ExternalId[]
  sourceSystem: string | null
  code: string
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  /** ISO 8601, UTC, milliseconds */
  updatedAt: string
  name: string
  storeyId: string
  storey: {
    id: string
    code: string
    name: string
    index: number
  }
  spaceTypeSlug: string
  spaceType: BuildingTypeRecord
  areaSqm: number | null
  status: 'active' | 'vacant' | 'out_of_service'
  isLeasable: boolean
  capacity: number | null
  polygon: Array<[number, number]> | null
}

/** @stable */
export interface ElementRecord {
  id: string
  externalId: string | null
  externalIds: ExternalId[]
  sourceSystem: string | null
  code: string
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  /** ISO 8601, UTC, milliseconds */
  updatedAt: string
  name: string
  elementType: {
    slug: string
    ifcClass: string | null
    brickClass: string | null
  }
  spaceId: string | null
  storeyId: string | null
  status: 'active' | 'inactive' | 'out_of_service'
  /** Ids of the elements and spaces that this element feeds */
  serves: string[]
}

/** @stable */
export interface PointRecord {
  id: string
  externalId: string | null
  externalIds: ExternalId[]
  sourceSystem: string | null
  code: string
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  /** ISO 8601, UTC, milliseconds */
  updatedAt: string
  elementId: string
  pointType: 'SENSOR' | 'COMMAND' | 'SETPOINT' | 'ALARM' | 'STATUS' | 'PARAMETER'
  name: string
  quantityKind: string
  unit: string
}

/** @stable */
export interface NewStorey {
  /** one line of text */
  name: string
  /** position in the order of storeys; 0 is the ground floor */
  index: number
  elevationM?: number | null
  areaSqm?: number | null
  polygon?: Array<[number, number]> | null
  /** one line of text */
  code?: string
  /** one line of text */
  externalId?: string
  /** one line of text */
  sourceSystem?: string
}

/** @stable */
export interface NewSpace {
  /** a UUID */
  storeyId: string
  /** one line of text */
  name: string
  /** a slug of the catalog */
  spaceTypeSlug: string
  areaSqm?: number | null
  status?: 'active' | 'vacant' | 'out_of_service'
  isLeasable?: boolean
  capacity?: number | null
  polygon?: Array<[number, number]> | null
  /** one line of text */
  code?: string
  /** one line of text */
  externalId?: string
  /** one line of text */
  sourceSystem?: string
}

/** @stable */
export interface NewElement {
  /** one line of text */
  name: string
  /** a slug of the catalog */
  elementTypeSlug: string
  spaceId?: string | null
  storeyId?: string | null
  status?: 'active' | 'inactive' | 'out_of_service'
  /** ids of the elements and spaces that this element feeds */
  serves?: string[]
  /** one line of text */
  code?: string
  /** one line of text */
  externalId?: string
  /** one line of text */
  sourceSystem?: string
}

/** @stable */
export interface NewPoint {
  /** a UUID */
  elementId: string
  pointType: 'SENSOR' | 'COMMAND' | 'SETPOINT' | 'ALARM' | 'STATUS' | 'PARAMETER'
  /** one line of text */
  name: string
  /** a QUDT quantity kind of the catalog */
  quantityKind: string
  /** a QUDT unit that fits the quantity kind */
  unit: string
  /** one line of text */
  code?: string
  /** one line of text */
  externalId?: string
  /** one line of text */
  sourceSystem?: string
}

/** @stable */
export interface StoreyPatch {
  /** one line of text */
  name?: string
  /** position in the order of storeys; 0 is the ground floor */
  index?: number
  elevationM?: number | null
  areaSqm?: number | null
  polygon?: Array<[number, number]> | null
  /** one line of text */
  code?: string
}

/** @stable */
export interface SpacePatch {
  /** a UUID */
  storeyId?: string
  /** one line of text */
  name?: string
  /** a slug of the catalog */
  spaceTypeSlug?: string
  areaSqm?: number | null
  status?: 'active' | 'vacant' | 'out_of_service'
  isLeasable?: boolean
  capacity?: number | null
  polygon?: Array<[number, number]> | null
  /** one line of text */
  code?: string
}

/** @stable */
export interface ElementPatch {
  /** one line of text */
  name?: string
  /** a slug of the catalog */
  elementTypeSlug?: string
  spaceId?: string | null
  storeyId?: string | null
  status?: 'active' | 'inactive' | 'out_of_service'
  /** ids of the elements and spaces that this element feeds */
  serves?: string[]
  /** one line of text */
  code?: string
}

/** @stable */
export interface PointPatch {
  /** a UUID */
  elementId?: string
  pointType?: 'SENSOR' | 'COMMAND' | 'SETPOINT' | 'ALARM' | 'STATUS' | 'PARAMETER'
  /** one line of text */
  name?: string
  /** a QUDT quantity kind of the catalog */
  quantityKind?: string
  /** a QUDT unit that fits the quantity kind */
  unit?: string
  /** one line of text */
  code?: string
}

/** @stable */
export interface SpaceListQuery {
  /** Rows per page */
  limit?: number
  /** Rows to skip */
  offset?: number
  /** a UUID */
  storeyId?: string
  /** a slug of the catalog */
  spaceTypeSlug?: string
  status?: 'active' | 'vacant' | 'out_of_service'
  isLeasable?: boolean
}

/** @stable */
export interface ElementListQuery {
  /** Rows per page */
  limit?: number
  /** Rows to skip */
  offset?: number
  /** a UUID */
  storeyId?: string
  /** a UUID */
  spaceId?: string
  /** a slug of the catalog */
  elementTypeSlug?: string
}

/** @stable */
export interface PointListQuery {
  /** Rows per page */
  limit?: number
  /** Rows to skip */
  offset?: number
  /** a UUID */
  storeyId?: string
  /** a UUID */
  spaceId?: string
  /** a UUID */
  elementId?: string
  pointType?: 'SENSOR' | 'COMMAND' | 'SETPOINT' | 'ALARM' | 'STATUS' | 'PARAMETER'
  /** a QUDT quantity kind of the catalog */
  quantityKind?: string
  /** a QUDT unit of the catalog */
  unit?: string
}

/** @stable */
export interface StoreyNode {
  id: string
  externalId: string | null
  externalIds: ExternalId[]
  sourceSystem: string | null
  code: string
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  /** ISO 8601, UTC, milliseconds */
  updatedAt: string
  name: string
  index: number
  elevationM: number | null
  areaSqm: number | null
  polygon: Array<[number, number]> | null
}

/** @stable */
export interface SpaceNode {
  id: string
  externalId: string | null
  externalIds: ExternalId[]
  sourceSystem: string | null
  code: string
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  /** ISO 8601, UTC, milliseconds */
  updatedAt: string
  name: string
  storeyId: string
  spaceTypeSlug: string
  areaSqm: number | null
  status: 'active' | 'vacant' | 'out_of_service'
  isLeasable: boolean
  capacity: number | null
  polygon: Array<[number, number]> | null
}

/** @stable */
export interface ElementNode {
  id: string
  externalId: string | null
  externalIds: ExternalId[]
  sourceSystem: string | null
  code: string
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  /** ISO 8601, UTC, milliseconds */
  updatedAt: string
  spaceId: string | null
  /** Null for an element in a space, which is on the storey of that space */
  storeyId: string | null
  name: string
  elementTypeSlug: string
  status: 'active' | 'inactive' | 'out_of_service'
  serves: string[]
}

/** @stable */
export interface PointNode {
  id: string
  externalId: string | null
  externalIds: ExternalId[]
  sourceSystem: string | null
  code: string
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  /** ISO 8601, UTC, milliseconds */
  updatedAt: string
  elementId: string
  pointType: 'SENSOR' | 'COMMAND' | 'SETPOINT' | 'ALARM' | 'STATUS' | 'PARAMETER'
  name: string
  quantityKind: string
  unit: string
}

/** @stable */
export interface Graph {
  buildingId: string
  revision: number
  /** ISO 8601, UTC, milliseconds */
  at: string
  storeys: StoreyNode[]
  spaces: SpaceNode[]
  elements: ElementNode[]
  points: PointNode[]
}

/** @stable */
export interface DiffQuery {
  /** a revision, an instant (ISO 8601 with an offset) or the name of a snapshot */
  from: string
  /**
   * a revision, an instant (ISO 8601 with an offset) or the name of a snapshot; the current revision
   * when absent
   */
  to?: string
}

/** @stable */
export interface DiffRecord {
  buildingId: string
  from: {
    revision: number
    /** ISO 8601, UTC, milliseconds */
    at: string
  }
  to: {
    revision: number
    /** ISO 8601, UTC, milliseconds */
    at: string
  }
  changes: Array<{
    op: 'create' | 'update' | 'delete'
    kind: 'storey' | 'space' | 'element' | 'point'
    nodeId: string
    before: StoreyNode | SpaceNode | ElementNode | PointNode | null
    after: StoreyNode | SpaceNode | ElementNode | PointNode | null
  }>
}

/** @stable */
export interface HistoryQuery {
  /** Rows per page */
  limit?: number
  /** Rows to skip */
  offset?: number
  /** a UUID */
  nodeId?: string
  kind?: 'storey' | 'space' | 'element' | 'point'
  /** a UUID */
  changesetId?: string
}

/** @stable */
export interface HistoryEntry {
  revision: number
  /** ISO 8601, UTC, milliseconds */
  at: string
  actor: string
  summary: string
  changesetId: string | null
  op: 'create' | 'update' | 'delete'
  kind: 'storey' | 'space' | 'element' | 'point'
  nodeId: string
  before: StoreyNode | SpaceNode | ElementNode | PointNode | null
  after: StoreyNode | SpaceNode | ElementNode | PointNode | null
}

/** @stable */
export interface RevisionListQuery {
  /** Rows per page */
  limit?: number
  /** Rows to skip */
  offset?: number
  /** a UUID */
  changesetId?: string
}

/** @stable */
export interface RevisionRecord {
  revision: number
  /** ISO 8601, UTC, milliseconds */
  at: string
  actor: string
  summary: string
  changesetId: string | null
  changes: number
}

/** @stable */
export interface NewSnapshot {
  /** one line of text */
  name: string
  /** a text without control characters */
  description?: string
}

/** @stable */
export interface SnapshotRecord {
  id: string
  name: string
  description: string | null
  revision: number
  /** ISO 8601, UTC, milliseconds */
  at: string
  createdBy: string
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
}

/** @stable */
export interface Operation {
  op: 'create' | 'update' | 'delete'
  kind: 'storey' | 'space' | 'element' | 'point'
  /** a UUID */
  id?: string
  data?: Record<string, unknown>
}

/** @stable */
export interface NewChangeset {
  /** one line of text */
  title: string
  description?: string | null
  operations: Operation[]
}

/** @stable */
export interface ChangesetPatch {
  /** one line of text */
  title?: string
  description?: string | null
  operations?: Operation[]
}

/** @stable */
export interface Review {
  decision: 'approve' | 'reject'
  comment?: string | null
}

/** @stable */
export interface ChangesetSummary {
  id: string
  title: string
  description: string | null
  state: 'draft' | 'submitted' | 'approved' | 'rejected' | 'applied' | 'reverted'
  author: string
  reviewer: string | null
  operationCount: number
  /** The revision of the graph for which the operations were written */
  baseRevision: number
  appliedRevision: number | null
  revertedRevision: number | null
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  /** ISO 8601, UTC, milliseconds */
  updatedAt: string
}

/** @stable */
export interface ChangesetRecord {
  id: string
  title: string
  description: string | null
  state: 'draft' | 'submitted' | 'approved' | 'rejected' | 'applied' | 'reverted'
  author: string
  reviewer: string | null
  operationCount: number
  /** The revision of the graph for which the operations were written */
  baseRevision: number
  appliedRevision: number | null
  revertedRevision: number | null
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  /** ISO 8601, UTC, milliseconds */
  updatedAt: string
  operations: Operation[]
  trail: Array<{
    /** ISO 8601, UTC, milliseconds */
    at: string
    actor: string
    action: 'create' | 'change' | 'submit' | 'approve' | 'reject' | 'apply' | 'revert'
    comment: string | null
    revision: number | null
  }>
}

/** @stable */
export interface ChangesetDiff {
  state: 'draft' | 'submitted' | 'approved' | 'rejected' | 'applied' | 'reverted'
  baseRevision: number
  changes: Array<{
    op: 'create' | 'update' | 'delete'
    kind: 'storey' | 'space' | 'element' | 'point'
    nodeId: string
    before: StoreyNode | SpaceNode | ElementNode | PointNode | null
    after: StoreyNode | SpaceNode | ElementNode | PointNode | null
  }>
  /**
   * Nodes that prevent the changeset from being applied: they were changed or removed since, or are in
   * use
   */
  conflicts: string[]
}

/** @stable */
export interface ChangesetListQuery {
  /** Rows per page */
  limit?: number
  /** Rows to skip */
  offset?: number
  state?: 'draft' | 'submitted' | 'approved' | 'rejected' | 'applied' | 'reverted'
}

/**
 * A row has either storeyId or storeyExternalId
 *
 * @stable
 */
export interface SpaceRow {
  /** required unless matchBy is code */
  externalId?: string
  storeyId?: string | null
  storeyExternalId?: string | null
  /** a slug of the catalog */
  spaceType: string
  /** one line of text */
  name: string
  /** one line of text */
  code?: string
  areaSqm?: number | null
  status?: 'active' | 'vacant' | 'out_of_service'
  isLeasable?: boolean
  capacity?: number | null
}

/**
 * A row has either spaceId or spaceExternalId
 *
 * @stable
 */
export interface ElementRow {
  /** required unless matchBy is code */
  externalId?: string
  spaceId?: string | null
  spaceExternalId?: string | null
  /** a slug of the catalog */
  elementType: string
  /** one line of text */
  name: string
  /** one line of text */
  code?: string
}

/**
 * A row has either elementId or elementExternalId
 *
 * @stable
 */
export interface PointRow {
  /** required unless matchBy is code */
  externalId?: string
  elementId?: string | null
  elementExternalId?: string | null
  pointType: 'SENSOR' | 'COMMAND' | 'SETPOINT' | 'ALARM' | 'STATUS' | 'PARAMETER'
  /** one line of text */
  name: string
  /** a QUDT quantity kind of the catalog */
  quantityKind: string
  /** a QUDT unit that fits the quantity kind */
  unit: string
  /** one line of text */
  code?: string
}

/** @stable */
export interface ImportSpaces {
  /** one line of text */
  sourceSystem: string
  dryRun?: boolean
  /** Whether rows are matched by externalId (default) or by code. With code, rows have no externalId. */
  matchBy?: 'externalId' | 'code'
  /** Whether the result has the list of changes; default false */
  listChanges?: boolean
  spaces: SpaceRow[]
}

/** @stable */
export interface ImportElements {
  /** one line of text */
  sourceSystem: string
  dryRun?: boolean
  /** Whether rows are matched by externalId (default) or by code. With code, rows have no externalId. */
  matchBy?: 'externalId' | 'code'
  /** Whether the result has the list of changes; default false */
  listChanges?: boolean
  elements: ElementRow[]
}

/** @stable */
export interface ImportPoints {
  /** one line of text */
  sourceSystem: string
  dryRun?: boolean
  /** Whether rows are matched by externalId (default) or by code. With code, rows have no externalId. */
  matchBy?: 'externalId' | 'code'
  /** Whether the result has the list of changes; default false */
  listChanges?: boolean
  points: PointRow[]
}

/** @stable */
export interface BulkImportResult {
  created: number
  updated: number
  unchanged: number
  dryRun: boolean
  /**
   * With listChanges: what the import changes, as in a diff. The ids and the generated codes of created
   * nodes in a dry run are not those that the import will give them.
   */
  changes?: Array<{
    op: 'create' | 'update' | 'delete'
    kind: 'storey' | 'space' | 'element' | 'point'
    nodeId: string
    before: StoreyNode | SpaceNode | ElementNode | PointNode | null
    after: StoreyNode | SpaceNode | ElementNode | PointNode | null
  }>
}

/** @stable */
export interface ImportAccepted {
  importId: string
  status: 'queued' | 'running' | 'succeeded' | 'failed'
}

/** @stable */
export interface LeftOutEntity {
  globalId: string | null
  ifcClass: string
  name: string | null
  reason: string
}

/** @stable */
export interface RemovedNode {
  id: string
  kind: 'storey' | 'space' | 'element' | 'point'
  code: string
  name: string
  sourceSystem: string | null
  externalId: string | null
  reason: string
}

/** @stable */
export interface ImportSummary {
  importId: string
  status: 'queued' | 'running' | 'succeeded' | 'failed'
  replace: boolean
  actor: string
  /** The name of the file, if the upload had one */
  fileName: string | null
  sizeBytes: number
  /** The IFC schema of the file */
  schema: string | null
  failureReason: string | null
  /** The revision that the import created; null until it has succeeded, and if it changed nothing */
  revision: number | null
  counts: {
    storeys: {
      created: number
      updated: number
      unchanged: number
      removed: number
    }
    spaces: {
      created: number
      updated: number
      unchanged: number
      removed: number
    }
    elements: {
      created: number
      updated: number
      unchanged: number
      removed: number
    }
    points: {
      created: number
      updated: number
      unchanged: number
      removed: number
    }
  } | null
  leftOutTotal: number
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
}

/** @stable */
export interface ImportRecord {
  importId: string
  status: 'queued' | 'running' | 'succeeded' | 'failed'
  replace: boolean
  actor: string
  /** The name of the file, if the upload had one */
  fileName: string | null
  sizeBytes: number
  /** The IFC schema of the file */
  schema: string | null
  failureReason: string | null
  /** The revision that the import created; null until it has succeeded, and if it changed nothing */
  revision: number | null
  counts: {
    storeys: {
      created: number
      updated: number
      unchanged: number
      removed: number
    }
    spaces: {
      created: number
      updated: number
      unchanged: number
      removed: number
    }
    elements: {
      created: number
      updated: number
      unchanged: number
      removed: number
    }
    points: {
      created: number
      updated: number
      unchanged: number
      removed: number
    }
  } | null
  leftOutTotal: number
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
  /** The first 10000 entities left out, with the reasons. All are at …/left-out */
  leftOut: LeftOutEntity[]
  removed: RemovedNode[]
}

/** @stable */
export interface LegendEntry {
  /** The value that the entry describes, of the type of the layer */
  value?: number | string | boolean
  /** The smallest number that the entry describes; only with max, in NUMBER layers */
  min?: number
  /** The largest number that the entry describes; only with min, in NUMBER layers */
  max?: number
  /** one line of text */
  label: string
  /** A hexadecimal colour, such as #0a8, #00aa88 or #00aa88ff, or a colour name of CSS */
  color: string
}

/** @stable */
export interface NewDataLayer {
  /** a slug of 2 to 63 lower-case letters, digits and hyphens that does not begin with a hyphen */
  key: string
  valueType: 'NUMBER' | 'STRING' | 'BOOLEAN' | 'ENUM'
  /** one line of text */
  name: string
  /** a text without control characters */
  description?: string | null
  /**
   * A JSON Schema that every value must fit: draft-07, or 2020-12 if its $schema names that; at most
   * 65536 bytes. References stay inside the document, patterns are written in the syntax of RE2 (no
   * lookaround and no backreferences), and formats are date, time, date-time, duration, uuid, email, uri
   * and ipv4.
   */
  valueSchema?: unknown
  legend?: LegendEntry[] | null
  /** Any object, at most 65536 bytes of JSON */
  metadata?: Record<string, unknown> | null
}

/** @stable */
export interface DataLayerPatch {
  /** one line of text */
  name?: string
  /** a text without control characters */
  description?: string | null
  /**
   * A JSON Schema that every value must fit: draft-07, or 2020-12 if its $schema names that; at most
   * 65536 bytes. References stay inside the document, patterns are written in the syntax of RE2 (no
   * lookaround and no backreferences), and formats are date, time, date-time, duration, uuid, email, uri
   * and ipv4.
   */
  valueSchema?: unknown
  legend?: LegendEntry[] | null
  /** Any object, at most 65536 bytes of JSON */
  metadata?: Record<string, unknown> | null
  /** The value type of a layer cannot change: only the current one is accepted */
  valueType?: unknown
}

/** @stable */
export interface DataLayer {
  id: string
  /** a slug of 2 to 63 lower-case letters, digits and hyphens that does not begin with a hyphen */
  key: string
  name: string
  description: string | null
  valueType: 'NUMBER' | 'STRING' | 'BOOLEAN' | 'ENUM'
  /** The JSON Schema as it was sent, or null */
  valueSchema: unknown
  legend: LegendEntry[] | null
  /** Any object, at most 65536 bytes of JSON */
  metadata: Record<string, unknown> | null
  /** Number of rooms that have a value */
  valueCount: number
  valuesUpdatedAt: string | null
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  /** ISO 8601, UTC, milliseconds */
  updatedAt: string
}

/** @stable */
export interface ValuesUpload {
  /** Whether values are keyed by external ids of rooms (default) or by ids */
  keyBy?: 'externalId' | 'id'
  /** Whether all values of the layer are deleted first; default false */
  replace?: boolean
  /** Values by identifier, at most 10000. If two identifiers match one room, the last value is stored. */
  values: Record<string, unknown>
}

/** @stable */
export interface UploadResult {
  /** Number of rooms whose value was written */
  written: number
  /** Number of identifiers that match a room */
  matched: number
  /** Identifiers that match no room, in the order of the upload */
  unmatched: string[]
  /** Number of values that were deleted because of `replace` */
  deleted: number
  diagnostics?: {
    reason: 'BUILDING_HAS_NO_SPACES' | 'BUILDING_HAS_NO_EXTERNAL_IDS' | 'IDENTIFIERS_NOT_IN_BUILDING'
  }
}

/** @stable */
export interface LayerValueRecord {
  /** a UUID */
  entityId: string
  externalId: string | null
  /** The value of the room, of the type of the layer */
  value: number | string | boolean
  /** ISO 8601, UTC, milliseconds */
  updatedAt: string
}

/** @stable */
export interface LayerValuesQuery {
  /** Rows per page */
  limit?: number
  /** Rows to skip */
  offset?: number
  /** Returns the values equal to this one, which is read as the type of the layer */
  eq?: string
  /** Returns the values above this number; in NUMBER layers only */
  gt?: string
  /** Returns the values not below this number; in NUMBER layers only */
  gte?: string
  /** Returns the values below this number; in NUMBER layers only */
  lt?: string
  /** Returns the values not above this number; in NUMBER layers only */
  lte?: string
  /** The same as `eq`, with one value; a list with commas is refused */
  in?: string
}

/** @stable */
export interface LegendInForce {
  source: 'explicit' | 'derived'
  entries: Array<{
    /** The value that the entry describes, of the type of the layer */
    value?: number | string | boolean
    /** The smallest number that the entry describes; only with max, in NUMBER layers */
    min?: number
    /** The largest number that the entry describes; only with min, in NUMBER layers */
    max?: number
    label: string
    color: string
    /** Number of values in the entry; a value counts for the first entry that contains it */
    count: number
  }>
}

/** @stable */
export interface PlainObservations {
  observations: Array<{
    /** A point of this building */
    pointId: string
    /**
     * A finite decimal or exponent literal is stored as a number, with a history. Of other texts only the
     * last one is stored
     */
    value: string
    /** ISO 8601 with an offset, at most 24 hours ahead; the current time when absent */
    timestamp?: string
    source?: string
  }>
}

/** @stable */
export interface Accepted {
  accepted: number
}

/** @stable */
export interface ObservationQuery {
  /** A point of this building */
  pointId: string
  /** ISO 8601 with an offset, included; 24 hours before `to` when absent */
  from?: string
  /** ISO 8601 with an offset, not included; the current time when absent */
  to?: string
  /**
   * One value for each `interval` with an observation. `avg`: the arithmetic mean of the values. `min`:
   * the smallest value. `max`: the largest value. `sum`: the sum of the values. `count`: the number of
   * values. `first`: the earliest value. `last`: the latest value. `median`: the median, or the mean of
   * the two middle values. `delta`: the consumption of a meter: the sum of its increases since the last
   * value before the bucket, however old that value is. A drop means that the meter restarted at zero.
   * The first value of a point has no increase, so the deltas of adjacent buckets add up to the delta of
   * the whole range. `timeWeightedAvg`: the mean over time, where each value holds until the next one.
   * It starts with the value at the start of the bucket (or at `from`, if that is later), however old it
   * is, or with the first value of the point. It ends with the bucket, at `to` or now. A bucket without
   * an observation is returned too, with a `count` of 0. If no time has passed yet, it is the arithmetic
   * mean.
   */
  aggregation?: 'avg' | 'min' | 'max' | 'sum' | 'count' | 'first' | 'last' | 'median' | 'delta' | 'timeWeightedAvg'
  /** a number and s, m, h, d, w or mo, such as 5m */
  interval?: string
  /** IANA name of a time zone. Intervals of days, weeks and months follow its calendar; UTC when absent */
  timezone?: string
  /** Rows per page */
  limit?: number
  /**
   * For charts: returns the whole range in at most this many rows, selected so that a line through them
   * looks the same (largest triangle three buckets). Every row is an observation, and the first and the
   * last of the range are included. Not with `aggregation`, `interval` or `limit`
   */
  maxPoints?: number
}

/** @stable */
export interface RawHistory {
  pointId: string
  data: Array<{
    /** ISO 8601, UTC, milliseconds */
    timestamp: string
    value: string
    source: string | null
  }>
  /** Maximum number of rows: the `limit` or the `maxPoints` of the request */
  limit: number
  /** `from` of the next page; null on the last page */
  nextFrom: string | null
  /** Number of observations in the range, of which `data` is a sample. Only with `maxPoints` */
  sampledFrom?: number
}

/** @stable */
export interface AggregatedHistory {
  pointId: string
  aggregation: 'avg' | 'min' | 'max' | 'sum' | 'count' | 'first' | 'last' | 'median' | 'delta' | 'timeWeightedAvg'
  interval: string
  timezone: string
  data: Array<{
    /** The start of the bucket */
    timestamp: string
    value: number
    /** Number of observations in the bucket */
    count: number
  }>
  /** `from` of the next page; null on the last page */
  nextFrom: string | null
}

/** @stable */
export interface LatestValues {
  data: Array<{
    pointId: string
    elementId: string
    spaceId: string | null
    value: string
    /** ISO 8601, UTC, milliseconds */
    timestamp: string
    source: string | null
    quantityKind: string
    unit: string
  }>
  /** ISO 8601, UTC, milliseconds */
  asOf: string
}

/** @stable */
export interface SeriesQuery {
  /** Points of this building. Not with storeyId */
  pointIds?: string[]
  /** Reads the points of this storey with the quantityKind, at most 1000. Not with pointIds */
  storeyId?: string
  /** A quantity kind, such as Temperature. Required with storeyId */
  quantityKind?: string
  /** ISO 8601 with an offset, included */
  from: string
  /** ISO 8601 with an offset, not included. Number of points times intervals: at most 1000000 */
  to: string
  /**
   * One value for each `interval` with an observation. `avg`: the arithmetic mean of the values. `min`:
   * the smallest value. `max`: the largest value. `sum`: the sum of the values. `count`: the number of
   * values. `first`: the earliest value. `last`: the latest value. `median`: the median, or the mean of
   * the two middle values. `delta`: the consumption of a meter: the sum of its increases since the last
   * value before the bucket, however old that value is. A drop means that the meter restarted at zero.
   * The first value of a point has no increase, so the deltas of adjacent buckets add up to the delta of
   * the whole range. `timeWeightedAvg`: the mean over time, where each value holds until the next one.
   * It starts with the value at the start of the bucket (or at `from`, if that is later), however old it
   * is, or with the first value of the point. It ends with the bucket, at `to` or now. A bucket without
   * an observation is returned too, with a `count` of 0. If no time has passed yet, it is the arithmetic
   * mean.
   */
  aggregation: 'avg' | 'min' | 'max' | 'sum' | 'count' | 'first' | 'last' | 'median' | 'delta' | 'timeWeightedAvg'
  /** a number and s, m, h, d, w or mo, such as 5m */
  interval: string
  /** IANA name of a time zone. Intervals of days, weeks and months follow its calendar; UTC when absent */
  timezone?: string
  /** Adds the smallest and the largest value of each interval. They count as values of the limit */
  extremes?: boolean
}

/** @stable */
export interface SeriesTable {
  /** The start of each interval of the range */
  timestamps: string[]
  /** In the order of `pointIds`, or by the code of the points */
  series: Array<{
    pointId: string
    /** A value for each timestamp; null where the interval has none */
    values: Array<number | null>
    /** With `extremes`: the smallest value of each interval; null without observations */
    minimums?: Array<number | null>
    /** With `extremes`: the largest value of each interval; null without observations */
    maximums?: Array<number | null>
  }>
}

/** @stable */
export interface Settings {
  /** Days of history that are kept, today included; null: all. Older days are deleted within the hour. */
  telemetryRetentionDays: number | null
}

/** @stable */
export interface SettingsPatch {
  telemetryRetentionDays?: number | null
}

/** @stable */
export interface NewWebhook {
  /**
   * An https address, public or in a network that the operator allows; in development also http and
   * loopback
   */
  url: string
  /** Names of events */
  events: string[]
}

/** @stable */
export interface WebhookPatch {
  /**
   * An https address, public or in a network that the operator allows; in development also http and
   * loopback
   */
  url?: string
  /** Names of events */
  events?: string[]
  /** Setting active also resets consecutiveFailures */
  status?: 'active' | 'paused'
}

/** @stable */
export interface WebhookRecord {
  id: string
  url: string
  events: string[]
  /** Complete only in the response to a create or a rotation; otherwise 8 characters and … */
  secret: string
  status: 'active' | 'paused'
  consecutiveFailures: number
  pausedAt: string | null
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
}

/** @stable */
export interface DeliveryRecord {
  deliveryId: string
  event: string
  idempotencyKey: string
  attempt: number
  /** failed: another attempt follows; dead_letter: it was the last attempt */
  status: 'succeeded' | 'failed' | 'dead_letter'
  httpCode: number | null
  responseBody: string | null
  error: string | null
  durationMs: number
  /** ISO 8601, UTC, milliseconds */
  attemptedAt: string
  nextAttemptAt: string | null
}

/** @stable */
export interface DeliveryRequest {
  /** The headers that are equal on every attempt. The signatures, number and time of an attempt are added */
  headers: Array<{
    name: string
    value: string
  }>
  /** The body, at most its first 65536 bytes */
  body: string
  /** The size of the whole body */
  bodyBytes: number
}

/** @stable */
export interface DeliveryDetail {
  deliveryId: string
  event: string
  idempotencyKey: string
  /** pending: an attempt follows */
  state: 'pending' | 'succeeded' | 'dead_letter'
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  nextAttemptAt: string | null
  request: DeliveryRequest
  /** The last 50 attempts, the newest first */
  attempts: DeliveryRecord[]
}

/** @stable */
export interface Redelivery {
  deliveryId: string
}

/** @stable */
export interface FaultQuery {
  /** Rows per page */
  limit?: number
  /** Rows to skip */
  offset?: number
  state?: 'open' | 'acknowledged' | 'resolved'
  /** true: open and acknowledged faults; false: resolved ones */
  active?: boolean
  severity?: 'info' | 'minor' | 'major' | 'critical'
  /** a UUID */
  elementId?: string
  /** a UUID */
  pointId?: string
}

/** @stable */
export interface FaultRecord {
  id: string
  buildingId: string
  alarmId: string
  ruleId: string | null
  kind: 'threshold' | 'stuck' | 'silent' | 'alarm'
  severity: 'info' | 'minor' | 'major' | 'critical'
  title: string
  state: 'open' | 'acknowledged' | 'resolved'
  pointId: string | null
  elementId: string | null
  value: string | null
  /** ISO 8601, UTC, milliseconds */
  detectedAt: string
  acknowledgedAt: string | null
  acknowledgedBy: string | null
  resolvedAt: string | null
  request: {
    id: string
    number: string
    state: 'new' | 'assigned' | 'in_progress' | 'on_hold'
  } | null
}

/** @stable */
export interface FaultSummary {
  open: {
    info: number
    minor: number
    major: number
    critical: number
  }
  acknowledged: {
    info: number
    minor: number
    major: number
    critical: number
  }
  /** The number of active faults: open and acknowledged */
  total: number
}

/** @stable */
export interface FaultsToAcknowledge {
  faultIds: string[]
}

/** @stable */
export interface NewFaultRule {
  kind: 'threshold' | 'stuck' | 'silent' | 'alarm'
  /** one line of text */
  name: string
  severity: 'info' | 'minor' | 'major' | 'critical'
  enabled?: boolean
  pointId?: string | null
  pointName?: string | null
  quantityKind?: string | null
  unit?: string | null
  pointType?: 'SENSOR' | 'COMMAND' | 'SETPOINT' | 'ALARM' | 'STATUS' | 'PARAMETER' | null
  elementTypeSlug?: string | null
  above?: number | null
  below?: number | null
  /**
   * How long the condition must last. threshold: a value outside the bounds; stuck: no change of the
   * value; silent: no observation. 0 for alarm
   */
  durationSeconds?: number
}

/** @stable */
export interface FaultRulePatch {
  /** one line of text */
  name?: string
  severity?: 'info' | 'minor' | 'major' | 'critical'
  enabled?: boolean
  pointId?: string | null
  pointName?: string | null
  quantityKind?: string | null
  unit?: string | null
  pointType?: 'SENSOR' | 'COMMAND' | 'SETPOINT' | 'ALARM' | 'STATUS' | 'PARAMETER' | null
  elementTypeSlug?: string | null
  above?: number | null
  below?: number | null
  /**
   * How long the condition must last. threshold: a value outside the bounds; stuck: no change of the
   * value; silent: no observation. 0 for alarm
   */
  durationSeconds?: number
}

/** @stable */
export interface FaultRuleRecord {
  id: string
  buildingId: string
  kind: 'threshold' | 'stuck' | 'silent' | 'alarm'
  name: string
  severity: 'info' | 'minor' | 'major' | 'critical'
  enabled: boolean
  /** The rule was created with the building */
  isDefault: boolean
  pointId: string | null
  pointName: string | null
  quantityKind: string | null
  unit: string | null
  pointType: 'SENSOR' | 'COMMAND' | 'SETPOINT' | 'ALARM' | 'STATUS' | 'PARAMETER' | null
  elementTypeSlug: string | null
  above: number | null
  below: number | null
  durationSeconds: number
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  /** ISO 8601, UTC, milliseconds */
  updatedAt: string
}

/** @stable */
export interface SimulationOrder {
  running?: boolean
  /** Seconds of simulated time in one second of real time; observations have real timestamps */
  speed?: number
}

/** @stable */
export interface InjectedRecord {
  id: string
  fault: 'stuck-damper' | 'drifting-sensor' | 'silent-gateway'
  nodeId: string
  /** The start of the fault, in simulated time */
  startsAt: string
  /** The end of the fault, in simulated time */
  endsAt: string
}

/** @stable */
export interface SimulationRecord {
  running: boolean
  /**
   * True until the first command. An automatic simulation runs while somebody has a page of the console
   * open, and pauses 5 minutes after the last one was closed
   */
  automatic: boolean
  speed: number
  startedAt: string | null
  simulatedAt: string | null
  /** Active injected faults */
  faults: InjectedRecord[]
}

/** @stable */
export interface Injection {
  /**
   * What the node must be depends on the fault. stuck-damper: a damper position point, or an element
   * that has one. drifting-sensor: a SENSOR point, or an element that has one. silent-gateway: an
   * element, a space or a storey, whose points then send nothing
   */
  fault: 'stuck-damper' | 'drifting-sensor' | 'silent-gateway'
  /** a UUID */
  nodeId: string
  /** The duration in simulated time. At most 20 faults are active at a time */
  minutes: number
}

/** @stable */
export interface Manifest {
  /** lowercase kebab-case */
  slug: string
  /** one line of text */
  name: string
  /** a semantic version */
  version: string
  /** a semantic version */
  sdkVersion: string
  buildingTypes?: string[]
  events?: {
    publishes?: Array<{
      /** segments of a-z, 0-9, _ and -, joined by dots */
      name: string
      /** A JSON Schema of the payload */
      payloadContract?: Record<string, unknown> | boolean
    }>
    subscribes?: Array<{
      /** segments of a-z, 0-9, _ and -, joined by dots */
      name: string
      /** A JSON Schema of the payload */
      payloadContract?: Record<string, unknown> | boolean
    }>
  }
  [further: string]: unknown
}

/** @stable */
export interface ModuleIngest {
  manifest: Manifest
  /** Address of the built remote entry */
  remoteEntryUrl: string
}

/** @stable */
export interface ModuleRecord {
  slug: string
  name: string
  version: string
  sdkVersion: string
  /** Whether the platform supports the SDK version of the module */
  compatible: boolean
  remoteEntryUrl: string
  federationName: string
  exposeName: string
  buildingTypes: string[]
  events: {
    publishes: Array<{
      /** segments of a-z, 0-9, _ and -, joined by dots */
      name: string
      /** A JSON Schema of the payload */
      payloadContract?: Record<string, unknown> | boolean
    }>
    subscribes: Array<{
      /** segments of a-z, 0-9, _ and -, joined by dots */
      name: string
      /** A JSON Schema of the payload */
      payloadContract?: Record<string, unknown> | boolean
    }>
  }
  /** The manifest as it was sent */
  manifest: Record<string, unknown>
  /** ISO 8601, UTC, milliseconds */
  updatedAt: string
}

/** @stable */
export interface NewLicense {
  /** lowercase kebab-case */
  moduleSlug: string
  /** a UUID */
  buildingId: string
}

/** @stable */
export interface LicenseRecord {
  licenseId: string
  moduleSlug: string
  buildingId: string
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  createdBy: string
}

/** @stable */
export interface LicenseQuery {
  /** Rows per page */
  limit?: number
  /** Rows to skip */
  offset?: number
  /** lowercase kebab-case */
  moduleSlug?: string
  /** a UUID */
  buildingId?: string
}

/** @stable */
export interface NewRequest {
  /** a UUID */
  buildingId: string
  /** one line of text with at least one visible character */
  title: string
  /** a text without control characters */
  description?: string | null
  /** other, when absent */
  category?: 'hvac' | 'electrical' | 'plumbing' | 'lifts' | 'cleaning' | 'security' | 'it' | 'other'
  /** normal, when absent */
  priority?: 'low' | 'normal' | 'high' | 'critical'
  /** a UUID */
  spaceId?: string | null
  /** a UUID */
  storeyId?: string | null
  /** a UUID */
  elementId?: string | null
  /** The fault of this building that the request is about */
  faultId?: string | null
}

/** @stable */
export interface RequestPatch {
  /** one line of text with at least one visible character */
  title?: string
  /** a text without control characters */
  description?: string | null
  category?: 'hvac' | 'electrical' | 'plumbing' | 'lifts' | 'cleaning' | 'security' | 'it' | 'other'
  priority?: 'low' | 'normal' | 'high' | 'critical'
  /** a UUID */
  spaceId?: string | null
  /** a UUID */
  storeyId?: string | null
  /** a UUID */
  elementId?: string | null
  /** an id */
  assignedUserId?: string | null
  /** an id */
  assignedTeamId?: string | null
}

/** @stable */
export interface RequestTransition {
  state: 'new' | 'assigned' | 'in_progress' | 'on_hold' | 'resolved' | 'closed' | 'cancelled'
  /** a text without control characters, with at least one visible character */
  comment?: string | null
}

/** @stable */
export interface RequestRecord {
  id: string
  description: string | null
  /** Readable number, such as SR-000123 */
  number: string
  buildingId: string
  title: string
  category: 'hvac' | 'electrical' | 'plumbing' | 'lifts' | 'cleaning' | 'security' | 'it' | 'other'
  priority: 'low' | 'normal' | 'high' | 'critical'
  state: 'new' | 'assigned' | 'in_progress' | 'on_hold' | 'resolved' | 'closed' | 'cancelled'
  spaceId: string | null
  storeyId: string | null
  elementId: string | null
  faultId: string | null
  assignedUserId: string | null
  assignedTeamId: string | null
  reporter: string
  /** ISO 8601, UTC, milliseconds */
  dueAt: string
  /**
   * Whether dueAt has passed. Always false for a request that is done, or that was put on hold before
   * dueAt
   */
  overdue: boolean
  slaState: 'on_time' | 'warning' | 'breached' | 'met'
  /** The first 100 work orders, in the order of arrival; others are not linked */
  workOrderIds: string[]
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  /**
   * Time of the last change of any kind. No two changes have the same time, and changes become visible
   * in the order of their times.
   */
  updatedAt: string
}

/** @stable */
export interface RequestQuery {
  /** a UUID */
  buildingId?: string
  state?: 'new' | 'assigned' | 'in_progress' | 'on_hold' | 'resolved' | 'closed' | 'cancelled'
  priority?: 'low' | 'normal' | 'high' | 'critical'
  category?: 'hvac' | 'electrical' | 'plumbing' | 'lifts' | 'cleaning' | 'security' | 'it' | 'other'
  assignedUserId?: string
  assignedTeamId?: string
  /** a UUID */
  spaceId?: string
  /** a UUID */
  storeyId?: string
  /** a UUID */
  elementId?: string
  /**
   * Finds requests with all of these words in title, description or number, in any order. A word of
   * three or more letters or digits matches any part of a word, a shorter one only the beginning, except
   * in scripts without spaces, such as Chinese. Case and accents are ignored. SR-000123 finds that
   * number, and SR-00 the numbers that begin with it.
   */
  search?: string
  overdue?: boolean
  page?: number
  /** Rows per page */
  limit?: number
}

/** @stable */
export interface NewComment {
  /** a text without control characters, with at least one visible character */
  text: string
}

/** @stable */
export interface CommentRecord {
  id: string
  text: string
  author: string
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
}

/** @stable */
export interface PointUpdated {
  buildingId: string
  observations: Array<{
    pointId: string
    elementId: string
    value: string
    /** ISO 8601, UTC, milliseconds */
    timestamp: string
    source: string | null
  }>
}

/** @stable */
export interface AlarmTriggered {
  buildingId: string
  alarmId: string
  faultId: string
  severity: string
  title: string
  pointId: string | null
  elementId: string | null
  value: string | null
  /** ISO 8601, UTC, milliseconds */
  triggeredAt: string
}

/** @stable */
export interface WifiSensed {
  buildingId: string
  spaceId: string
  /** ISO 8601, UTC, milliseconds */
  occurredAt: string
  /** Devices that the access points see in the room */
  deviceCount: number
}

/** @stable */
export interface OccupancyChanged {
  buildingId: string
  spaceId: string
  /** ISO 8601, UTC, milliseconds */
  occurredAt: string
  previousCount: number
  count: number
  capacity: number | null
}

/** @stable */
export interface HvacPresence {
  buildingId: string
  spaceId: string
  /** ISO 8601, UTC, milliseconds */
  occurredAt: string
  present: boolean
}

/** @stable */
export interface MeetingLifecycle {
  buildingId: string
  spaceId: string
  /** ISO 8601, UTC, milliseconds */
  occurredAt: string
  /** The id of the meeting, equal in its events started and ended */
  meetingId: string
  phase: 'started' | 'ended'
  count: number
}

/** @stable */
export interface BuildingTypeRecord {
  slug: string
  name: string
}

/** @stable */
export interface SpaceTypeRecord {
  slug: string
  name: string
  brickClass: string | null
  /** Building types in which this type of space is usual */
  buildingTypes: string[]
  /** Default of isLeasable for a new space of this type */
  leasable: boolean
}

/** @stable */
export interface ElementTypeRecord {
  slug: string
  name: string
  /** Class of IFC 4.3 */
  ifcClass: string
  predefinedType: string
  /** Class of the Brick schema */
  brickClass: string
}

/** @stable */
export interface QuantityKindRecord {
  /** Name in the QUDT vocabulary */
  name: string
  label: string
  /** Units of this quantity kind; the first is the usual one */
  units: string[]
}

/** @stable */
export interface UnitRecord {
  /** Name in the QUDT vocabulary */
  name: string
  label: string
  symbol: string
}

/** @stable */
export interface RequestCategoryRecord {
  slug: string
  name: string
}

/**
 * The codes of problems.
 *
 * @stable
 */
export type ProblemCode =
  | 'VALIDATION_FAILED'
  | 'VALUE_SCHEMA_INVALID'
  | 'VALUE_TYPE_MISMATCH'
  | 'VALUE_SCHEMA_MISMATCH'
  | 'VALUE_TYPE_IMMUTABLE'
  | 'TOO_MANY_IDENTIFIERS'
  | 'FILTER_NOT_ALLOWED'
  | 'LIMIT_TOO_LARGE'
  | 'UNKNOWN_POINTS'
  | 'UNKNOWN_BUILDING_TYPE'
  | 'UNKNOWN_EVENT'
  | 'WEBHOOK_URL_REJECTED'
  | 'EXTENSIONS_EXHAUSTED'
  | 'TTL_TOO_LONG'
  | 'UNAUTHENTICATED'
  | 'KEY_EXPIRED'
  | 'KEY_REVOKED'
  | 'SCOPE_DENIED'
  | 'PERMISSION_DENIED'
  | 'SANDBOX_SUSPENDED'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'CONFLICT'
  | 'PRECONDITION_FAILED'
  | 'BODY_TOO_LARGE'
  | 'REQUEST_TIMEOUT'
  | 'HEADERS_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'QUOTA_EXCEEDED'
  | 'RATE_LIMITED'
  | 'INTERNAL'
  | 'NOT_READY'
