import type { CallOptions, ChangeOptions, HttpClient } from '../http/client.ts'
import { allPages, type List } from '../http/paging.ts'
import { path } from '../http/path.ts'
import { rows } from '../http/shape.ts'
import type {
  DataLayer,
  DataLayerPatch,
  LayerValueRecord,
  LayerValuesQuery,
  LegendInForce,
  NewDataLayer,
  UploadResult,
  ValuesUpload,
} from '../wire.ts'
import { type ReadApi, readApi, verbs } from './resource.ts'

/**
 * Data layers. A layer has one current value per room.
 *
 * @stable
 */
export interface LayersApi extends ReadApi<DataLayer> {
  create(body: NewDataLayer, options?: CallOptions): Promise<DataLayer>
  update(layerId: string, body: DataLayerPatch, options?: ChangeOptions): Promise<DataLayer>
  delete(layerId: string, options?: ChangeOptions): Promise<void>
  /** The legend that applies: the configured one, or else one that is derived from the values. */
  legend(layerId: string, options?: CallOptions): Promise<LegendInForce>
  /**
   * One invalid value fails the whole upload. Identifiers that match no room are skipped, and listed in `unmatched`. An
   * upload may have at most 10000 identifiers.
   */
  upload(layerId: string, body: ValuesUpload, options?: ChangeOptions): Promise<UploadResult>
  values(layerId: string, query?: LayerValuesQuery, options?: CallOptions): Promise<List<LayerValueRecord>>
  valuesAll(
    layerId: string,
    query?: Omit<LayerValuesQuery, 'offset'>,
    options?: CallOptions,
  ): AsyncGenerator<LayerValueRecord, void, undefined>
}

export function layersApi(http: HttpClient, building: string): LayersApi {
  const all = `${building}/data-layers`
  const valuesOf = (layerId: string) => all + path`/${layerId}/values`
  const values: LayersApi['values'] = (layerId, query, options) =>
    http.json({ ...options, method: 'GET', path: valuesOf(layerId), query, shape: rows })
  return {
    ...readApi(http, all),
    ...pick(http, all),
    legend: (layerId, options) => http.json({ ...options, method: 'GET', path: all + path`/${layerId}/legend` }),
    upload: (layerId, body, options) => http.json({ ...options, method: 'PUT', path: valuesOf(layerId), body }),
    values,
    valuesAll: (layerId, query, options) =>
      allPages((page) => values(layerId, { ...query, ...page }, options), { limit: query?.limit ?? 100 }),
  }
}

function pick(http: HttpClient, all: string): Pick<LayersApi, 'create' | 'update' | 'delete'> {
  const { create, update, delete: remove } = verbs(http, all)
  return { create, update, delete: remove }
}
