import type { CallOptions, HttpClient } from '../http/client.ts'
import { path } from '../http/path.ts'
import type {
  BuildingRecord,
  DiffQuery,
  DiffRecord,
  ElementListQuery,
  ElementPatch,
  ElementRecord,
  Graph,
  HistoryEntry,
  HistoryQuery,
  NewElement,
  NewPoint,
  NewSpace,
  NewStorey,
  PointListQuery,
  PointPatch,
  PointRecord,
  RevisionListQuery,
  RevisionRecord,
  SpaceListQuery,
  SpacePatch,
  SpaceRecord,
  StoreyPatch,
  StoreyRecord,
} from '../wire.ts'
import { type ChangesetsApi, changesetsApi } from './changesets.ts'
import { externalIdMap } from './external-id-map.ts'
import { type FaultRulesApi, type FaultsApi, faultRulesApi, faultsApi } from './faults.ts'
import { type ImportsApi, importsApi } from './imports.ts'
import { type LayersApi, layersApi } from './layers.ts'
import { type NodesApi, nodesApi } from './nodes.ts'
import { type ListApi, listApi } from './resource.ts'
import { type SimulationApi, simulationApi } from './simulation.ts'
import { type SnapshotsApi, snapshotsApi } from './snapshots.ts'
import { type TelemetryApi, telemetryApi } from './telemetry.ts'

/**
 * The API of one building.
 *
 * @stable
 */
export interface BuildingClient {
  readonly buildingId: string
  get(options?: CallOptions): Promise<BuildingRecord>
  /** The whole graph now, or at the revision, the instant or the snapshot that `at` names. */
  graph(query?: { at?: string }, options?: CallOptions): Promise<Graph>
  /** The whole graph as Brick and REC, in Turtle. */
  turtle(query?: { at?: string }, options?: CallOptions): Promise<string>
  diff(query: DiffQuery, options?: CallOptions): Promise<DiffRecord>
  readonly storeys: NodesApi<StoreyRecord, NewStorey, StoreyPatch>
  readonly spaces: NodesApi<SpaceRecord, NewSpace, SpacePatch, SpaceListQuery>
  readonly elements: NodesApi<ElementRecord, NewElement, ElementPatch, ElementListQuery>
  readonly points: NodesApi<PointRecord, NewPoint, PointPatch, PointListQuery>
  readonly layers: LayersApi
  readonly telemetry: TelemetryApi
  readonly history: ListApi<HistoryEntry, HistoryQuery>
  readonly revisions: ListApi<RevisionRecord, RevisionListQuery>
  readonly snapshots: SnapshotsApi
  readonly changesets: ChangesetsApi
  readonly imports: ImportsApi
  readonly faults: FaultsApi
  readonly faultRules: FaultRulesApi
  readonly simulation: SimulationApi
  /**
   * The spaces by their external ids: a map from each external id to the id of its space. If two systems use the same
   * external id for two spaces, the map has the space of the system `ifc`, or else the first space. Give a
   * `sourceSystem` to use only its ids.
   */
  externalIdMap(query?: { sourceSystem?: string }, options?: CallOptions): Promise<Map<string, string>>
}

/** The maximum page size of spaces, elements, points and the history. An operator can lower it for spaces. */
const GRAPH_PAGE = 1000

export function buildingClient(http: HttpClient, buildingId: string): BuildingClient {
  const base = path`/api/v1/buildings/${buildingId}`
  const spaces: BuildingClient['spaces'] = nodesApi(http, `${base}/spaces`, GRAPH_PAGE)
  return {
    buildingId,
    get: (options) => http.json({ ...options, method: 'GET', path: base }),
    graph: (query, options) => http.json({ ...options, method: 'GET', path: `${base}/graph`, query }),
    turtle: (query, options) =>
      http.text({
        ...options,
        method: 'GET',
        path: `${base}/graph`,
        query: { ...query, format: 'turtle' },
        accept: 'text/turtle',
      }),
    diff: (query, options) => http.json({ ...options, method: 'GET', path: `${base}/diff`, query }),
    storeys: nodesApi(http, `${base}/storeys`, 200),
    spaces,
    elements: nodesApi(http, `${base}/elements`, GRAPH_PAGE),
    points: nodesApi(http, `${base}/points`, GRAPH_PAGE),
    layers: layersApi(http, base),
    telemetry: telemetryApi(http, base),
    history: listApi(http, `${base}/history`, GRAPH_PAGE),
    revisions: listApi(http, `${base}/revisions`),
    snapshots: snapshotsApi(http, base),
    changesets: changesetsApi(http, base),
    imports: importsApi(http, base),
    faults: faultsApi(http, base),
    faultRules: faultRulesApi(http, base),
    simulation: simulationApi(http, base),
    externalIdMap: (query, options) => externalIdMap(spaces.listAll({}, options), query?.sourceSystem),
  }
}
