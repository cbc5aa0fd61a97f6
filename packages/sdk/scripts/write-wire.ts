/**
 * Writes the records and bodies of both APIs as plain types, from the contract's schemas. Editors then show the types
 * with their descriptions, and the published package needs no schema library for its types.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as contract from '@storey/contract'
import { type Schema, TypePrinter } from './print-types.ts'

const NAMES = [
  'SandboxCreate',
  'SandboxRecord',
  'SandboxConnection',
  'ConsoleSession',
  'ConsoleSessionQuery',
  'AccountCreate',
  'AccountRecord',
  'NewAccountRecord',
  'ServiceAccountCreate',
  'ServiceAccountRecord',
  'NewServiceAccountRecord',
  'PersonRecord',
  'SandboxAccount',
  'NewSandboxAccount',
  'SandboxAccountPatch',
  'AccountEvent',
  'AccountAuditQuery',
  'KeyMint',
  'KeyRecord',
  'MintedKey',
  'AuditRecord',
  'AuditQuery',
  'ExternalId',
  'BuildingRecord',
  'StoreyRecord',
  'SpaceRecord',
  'ElementRecord',
  'PointRecord',
  'NewStorey',
  'NewSpace',
  'NewElement',
  'NewPoint',
  'StoreyPatch',
  'SpacePatch',
  'ElementPatch',
  'PointPatch',
  'SpaceListQuery',
  'ElementListQuery',
  'PointListQuery',
  'StoreyNode',
  'SpaceNode',
  'ElementNode',
  'PointNode',
  'Graph',
  'DiffQuery',
  'DiffRecord',
  'HistoryQuery',
  'HistoryEntry',
  'RevisionListQuery',
  'RevisionRecord',
  'NewSnapshot',
  'SnapshotRecord',
  'Operation',
  'NewChangeset',
  'ChangesetPatch',
  'Review',
  'ChangesetSummary',
  'ChangesetRecord',
  'ChangesetDiff',
  'ChangesetListQuery',
  'SpaceRow',
  'ElementRow',
  'PointRow',
  'ImportSpaces',
  'ImportElements',
  'ImportPoints',
  'BulkImportResult',
  'ImportAccepted',
  'LeftOutEntity',
  'RemovedNode',
  'ImportSummary',
  'ImportRecord',
  'LegendEntry',
  'NewDataLayer',
  'DataLayerPatch',
  'DataLayer',
  'ValuesUpload',
  'UploadResult',
  'LayerValueRecord',
  'LayerValuesQuery',
  'LegendInForce',
  'PlainObservations',
  'Accepted',
  'ObservationQuery',
  'RawHistory',
  'AggregatedHistory',
  'LatestValues',
  'SeriesQuery',
  'SeriesTable',
  'Settings',
  'SettingsPatch',
  'NewWebhook',
  'WebhookPatch',
  'WebhookRecord',
  'DeliveryRecord',
  'DeliveryRequest',
  'DeliveryDetail',
  'Redelivery',
  'FaultQuery',
  'FaultRecord',
  'FaultSummary',
  'FaultsToAcknowledge',
  'NewFaultRule',
  'FaultRulePatch',
  'FaultRuleRecord',
  'SimulationOrder',
  'InjectedRecord',
  'SimulationRecord',
  'Injection',
  'Manifest',
  'ModuleIngest',
  'ModuleRecord',
  'NewLicense',
  'LicenseRecord',
  'LicenseQuery',
  'NewRequest',
  'RequestPatch',
  'RequestTransition',
  'RequestRecord',
  'RequestQuery',
  'NewComment',
  'CommentRecord',
  'PointUpdated',
  'AlarmTriggered',
  'WifiSensed',
  'OccupancyChanged',
  'HvacPresence',
  'MeetingLifecycle',
] as const

/** Types of the SDK that keep the earlier name of a schema, because they are stable. The value is its current name. */
const EARLIER_NAMES: Partial<Record<(typeof NAMES)[number], string>> = { SimulationOrder: 'SimulationCommand' }

const CATALOGS = {
  BuildingTypeRecord: 'building-types',
  SpaceTypeRecord: 'space-types',
  ElementTypeRecord: 'element-types',
  QuantityKindRecord: 'quantity-kinds',
  UnitRecord: 'units',
  RequestCategoryRecord: 'request-categories',
} as const

/** Constants that the code of the SDK needs. They are copied, because importing the contract includes its schemas. */
const { VERSION, LIVE_NAMESPACE, LIVE_EVENTS, CHANGES_NAMESPACE, CHANGED, CHANGE_KINDS, WEBHOOK_HEADERS } = contract
const VALUES = {
  ...{ VERSION, LIVE_NAMESPACE, LIVE_EVENTS },
  ...{ CHANGES_NAMESPACE, CHANGED, CHANGE_KINDS, WEBHOOK_HEADERS },
}

export const FILES = { 'wire.ts': wireTypes, 'wire-values.ts': wireValues }
const pathOf = (name: string) => fileURLToPath(new URL(`../src/${name}`, import.meta.url))
const HEAD =
  '// Written by scripts/write-wire.ts from the contract: change the schema there, and regenerate this file.\n\n'

export function wireTypes(): string {
  const exported = contract as unknown as Record<string, Schema>
  const named: [string, Schema][] = NAMES.map((name) => [name, plain(exported[EARLIER_NAMES[name] ?? name])])
  for (const [name, catalog] of Object.entries(CATALOGS)) named.push([name, plain(contract.CATALOG_RECORDS[catalog])])
  const printer = new TypePrinter(named)
  const codes = Object.keys(contract.PROBLEMS).map((code) => JSON.stringify(code))
  const text = [
    ...named.map(([name, schema]) => printer.declaration(name, schema)),
    `/**\n * The codes of problems.\n *\n * @stable\n */\nexport type ProblemCode = ${codes.join(' | ')}\n`,
  ].join('\n')
  return formatted(HEAD + text)
}

export function wireValues(): string {
  const lines = Object.entries(VALUES).map(
    ([name, value]) => `export const ${name} = ${JSON.stringify(value)} as const\n`,
  )
  return formatted(HEAD + lines.join('\n'))
}

const plain = (schema: unknown): Schema => JSON.parse(JSON.stringify(schema)) as Schema

function formatted(text: string): string {
  const biome = fileURLToPath(new URL('../../../node_modules/.bin/biome', import.meta.url))
  const { stdout, stderr, status } = spawnSync(biome, ['format', '--stdin-file-path', pathOf('wire.ts')], {
    input: text,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the types could not be formatted: ${stderr}`)
  return stdout
}

export const written = (name: string): string => readFileSync(pathOf(name), 'utf8')

if (import.meta.main) for (const [name, write] of Object.entries(FILES)) writeFileSync(pathOf(name), write())
