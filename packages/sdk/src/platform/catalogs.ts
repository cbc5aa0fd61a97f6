import type { CallOptions, HttpClient } from '../http/client.ts'
import type { List, PageQuery } from '../http/paging.ts'
import type {
  BuildingTypeRecord,
  ElementTypeRecord,
  QuantityKindRecord,
  RequestCategoryRecord,
  SpaceTypeRecord,
  UnitRecord,
} from '../wire.ts'

/**
 * The catalogs of the platform.
 *
 * @stable
 */
export interface CatalogsApi {
  buildingTypes(query?: PageQuery, options?: CallOptions): Promise<List<BuildingTypeRecord>>
  spaceTypes(query?: PageQuery, options?: CallOptions): Promise<List<SpaceTypeRecord>>
  elementTypes(query?: PageQuery, options?: CallOptions): Promise<List<ElementTypeRecord>>
  quantityKinds(query?: PageQuery, options?: CallOptions): Promise<List<QuantityKindRecord>>
  units(query?: PageQuery, options?: CallOptions): Promise<List<UnitRecord>>
  requestCategories(query?: PageQuery, options?: CallOptions): Promise<List<RequestCategoryRecord>>
}

export function catalogsApi(http: HttpClient): CatalogsApi {
  const catalog =
    <T>(name: string) =>
    (query?: PageQuery, options?: CallOptions): Promise<List<T>> =>
      http.json({ ...options, method: 'GET', path: `/api/v1/catalogs/${name}`, query })
  return {
    buildingTypes: catalog('building-types'),
    spaceTypes: catalog('space-types'),
    elementTypes: catalog('element-types'),
    quantityKinds: catalog('quantity-kinds'),
    units: catalog('units'),
    requestCategories: catalog('request-categories'),
  }
}
