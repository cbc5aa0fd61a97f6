import {
  API_TAGS,
  QUOTAS,
  QUOTAS_INTRO,
  type QuotaName,
  quotaRows,
  ROUTE_HEADER,
  type ServeConfig,
  SIGNED_IN_HEADER,
} from '@storey/contract'
import type { Admission } from '@storey/kit/admission'
import type { Database } from '@storey/kit/database'
import { createHttp, type HttpApp, type HttpOptions, type RequestLimit, type RequestLimits } from '@storey/kit/http'
import type { Log } from '@storey/kit/log'
import { createOutbound } from '@storey/kit/outbound'
import { callerKey, callerOf, signedIn } from '../caller.ts'
import { buildingRoutes } from '../features/buildings/index.ts'
import { bulkImportRoutes } from '../features/bulk-import/index.ts'
import { catalogRoutes } from '../features/catalogs/index.ts'
import { changesetRoutes } from '../features/changesets/index.ts'
import { elementRoutes } from '../features/elements/index.ts'
import { faultRoutes } from '../features/faults/index.ts'
import { historyRoutes } from '../features/history/index.ts'
import { type ImportQueue, ifcImportRoutes } from '../features/ifc-import/index.ts'
import { layerRoutes } from '../features/layers/index.ts'
import { licenseRoutes } from '../features/licenses/index.ts'
import { pointRoutes } from '../features/points/index.ts'
import { registryRoutes } from '../features/registry/index.ts'
import { type Desk, serviceDeskRoutes } from '../features/service-desk/index.ts'
import { settingsRoutes } from '../features/settings/index.ts'
import { simulationRoutes } from '../features/simulation/index.ts'
import { snapshotRoutes } from '../features/snapshots/index.ts'
import { spaceRoutes } from '../features/spaces/index.ts'
import { storeyRoutes } from '../features/storeys/index.ts'
import { type FoldingCapacity, type Ingest, ingestRoutes, telemetryRoutes } from '../features/telemetry/index.ts'
import { type WebhookParts, webhookRoutes } from '../features/webhooks/index.ts'
import type { GraphAccess } from '../graph/index.ts'
import { checkRoute, problemsOf, rolesThatHold } from './access.ts'
import { admitRequests } from './admit-requests.ts'
import { gatewayAddresses } from './gateway-addresses.ts'
import { describePeopleRoutes } from './people-routes.ts'

export interface PlatformHttpOptions {
  db: Database
  graph: GraphAccess
  imports: ImportQueue
  ingest: Ingest
  /** Memory for requests. */
  admission: Admission
  foldingCapacity: FoldingCapacity
  webhooks: WebhookParts
  /** Called when a setting of the tenant has changed. */
  onSettings(): void
  /** Called when a simulation was started or stopped, or when its speed or faults have changed. */
  onSimulation(): void
  /** Called when the fault rules of a building have changed. */
  onFaultRules(buildingId: string): Promise<void>
  serviceDesk: Desk
  /** The public address of this API, for its description. */
  apiUrl?: string
  /** The address of this API below a path of the service; null: disabled. */
  pathUrl?: string | null
  /** The issuer of the sandboxes realm, where a visitor of the API reference signs in. */
  signInIssuer?: string | null
  log: Log
  authorize: HttpOptions['authorize']
  rateLimit: RequestLimit
  limits?: RequestLimits
  spacesPageCap: number
  moduleRoute: ServeConfig['moduleRoute']
  /** Where the stack listens; undefined: on loopback. */
  listen?: ServeConfig['listen']
}

const PATH_ADDRESS =
  'The same API, for programs that cannot resolve the host name of the sandbox. Node and Python, for example, may not resolve names that end in .localhost'

/** The platform API. The common behaviour comes from the kit, and the routes come from the features. */
export async function createPlatformHttp(options: PlatformHttpOptions): Promise<HttpApp> {
  const { db, graph, imports, ingest, onSettings, onSimulation, log, authorize, rateLimit, spacesPageCap } = options
  const { clock } = rateLimit
  const app = await createHttp({
    title: 'Storey platform API',
    description: `The API of one sandbox: its building graph, data layers, telemetry, faults, service requests, webhooks and modules. ${limitInWords(rateLimit)}`,
    tables: [QUOTA_TABLE],
    ...(options.apiUrl === undefined ? {} : { url: options.apiUrl }),
    ...(options.pathUrl ? { otherServers: [{ url: options.pathUrl, description: PATH_ADDRESS }] } : {}),
    ...(options.signInIssuer ? { signInOrigin: new URL(options.signInIssuer).origin } : {}),
    tags: API_TAGS,
    log,
    authorize,
    rateLimit,
    ...(options.limits ? { limits: options.limits } : {}),
    rolesThatHold,
    problemsOf,
    checkReady: () => db.ping(),
    trustRequestId: true,
    onRouted: (_request, reply, route) => void reply.header(ROUTE_HEADER, route),
    onSignedIn: (request, reply) => void reply.header(SIGNED_IN_HEADER, signedIn(callerOf(request))),
    clientAddresses: gatewayAddresses(options.listen),
  })
  app.decorateRequest('caller')
  app.decorateRequest('isInternal', false)
  app.addHook('onRoute', (route) => checkRoute(route))
  admitRequests(app, options.admission, (request) => callerKey(callerOf(request)))
  buildingRoutes(app, db)
  storeyRoutes(app, db, graph)
  spaceRoutes(app, db, graph, spacesPageCap)
  elementRoutes(app, db, graph)
  pointRoutes(app, db, graph)
  historyRoutes(app, db)
  snapshotRoutes(app, db, clock)
  bulkImportRoutes(app, graph)
  changesetRoutes(app, db, graph, clock)
  ifcImportRoutes(app, db, clock, imports)
  layerRoutes(app, db, clock)
  catalogRoutes(app)
  telemetryRoutes(app, db, clock)
  ingestRoutes(app, ingest, options.foldingCapacity)
  settingsRoutes(app, db, onSettings)
  webhookRoutes(app, options.webhooks)
  const outbound = createOutbound({ allowLocal: false })
  app.addHook('onClose', async () => outbound.close())
  registryRoutes(app, { db, clock, moduleRoute: options.moduleRoute, outbound })
  licenseRoutes(app, db, clock)
  simulationRoutes(app, db, clock, onSimulation)
  faultRoutes(app, { db, clock, onRules: options.onFaultRules })
  serviceDeskRoutes(app, options.serviceDesk)
  describePeopleRoutes(app)
  return app
}

const { accounts: _, serviceAccounts: __, keysPerDay: ___, ...ownQuotas } = QUOTAS
const QUOTA_TABLE = {
  title: 'Quotas',
  intro: QUOTAS_INTRO,
  columns: ['Quota', 'Limit', 'Of'],
  rows: quotaRows(Object.keys(ownQuotas) as QuotaName[]),
}

function limitInWords({ perMinute, shared }: RequestLimit): string {
  const all = shared?.perMinute ?? 0
  if (perMinute === 0 && all === 0) return 'The number of requests is not limited.'
  const each = perMinute === 0 ? [] : [`each caller may make ${perMinute} requests`]
  const together = all === 0 ? [] : [`all callers together may make ${all} requests`]
  const figures = [...each, ...together].join(' and ')
  return `In any minute ${figures}; the RateLimit headers show how many are left.`
}
