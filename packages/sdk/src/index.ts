export { type ClientCredentialsOptions, clientCredentials } from './credentials/client-credentials.ts'
export { apiKey, bearer, type Credential, type SessionOptions, session } from './credentials/credential.ts'
export {
  type FieldError,
  PreconditionFailedError,
  type ProblemDetails,
  StoreyError,
  UnreachableError,
} from './errors.ts'
export type { CallOptions, ChangeOptions, ClientOptions } from './http/client.ts'
export type { Compression } from './http/compress.ts'
export { copyEtag, etagOf } from './http/etags.ts'
export type { List, PageQuery } from './http/paging.ts'
export { mayHaveArrived, reasonOf } from './http/reasons.ts'
export type { OnWait, RetryOptions, Wait } from './http/retry.ts'
export type { ChangeDetails, ChangeFeed, ChangeKind } from './live/change-feed.ts'
export { connectChanges } from './live/connect-changes.ts'
export { connectLive } from './live/connect-live.ts'
export type { LiveConnection, LiveMeta, LiveOptions, LiveStatus } from './live/live-connection.ts'
export type { LiveEvents } from './live/live-events.ts'
export type { BuildingClient } from './platform/building.ts'
export type { CatalogsApi } from './platform/catalogs.ts'
export type { ChangesetsApi, StepComment } from './platform/changesets.ts'
export { createPlatformClient, type PlatformClient, type SettingsApi } from './platform/client.ts'
export type { FaultRulesApi, FaultsApi } from './platform/faults.ts'
export type { CsvImport, IfcImport, ImportsApi } from './platform/imports.ts'
export type { LayersApi } from './platform/layers.ts'
export type { LicensesApi, ModulesApi } from './platform/modules.ts'
export type { NodesApi } from './platform/nodes.ts'
export type { AccountsApi, PeopleApi } from './platform/people.ts'
export type { CommentsApi, RequestPage, RequestsApi } from './platform/requests.ts'
export type { ListApi, ReadApi } from './platform/resource.ts'
export type { SimulationApi } from './platform/simulation.ts'
export type { SnapshotsApi } from './platform/snapshots.ts'
export type {
  AggregateQuery,
  Bucket,
  HistoryRange,
  IngestOptions,
  LastValue,
  LineProtocolOptions,
  NewObservation,
  Observation,
  TelemetryApi,
} from './platform/telemetry.ts'
export type { WebhooksApi } from './platform/webhooks.ts'
export {
  createProvisioningClient,
  type MembersApi,
  type PollOptions,
  type ProvisioningClient,
  type SandboxesApi,
} from './provisioning/client.ts'
export type { AuditPage, KeysApi } from './provisioning/keys.ts'
export type { Connect, ConnectInit, RequestBody } from './transport/connect.ts'
export { connect } from './transport/runtime-connect.ts'
export { SDK_VERSION } from './version.ts'
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookDelivery,
  type WebhookHeaders,
  type WebhookRejection,
  WebhookVerificationError,
} from './webhooks/verify-webhook.ts'
export type * from './wire.ts'
