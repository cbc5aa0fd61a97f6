import Type, { type TSchema } from 'typebox'
import type { CatalogName } from './catalogs/index.ts'
import { Nullable, PageQuery } from './lists.ts'

const slug = Type.String()
const name = Type.String()
const brickClass = Type.String({ description: 'Class of the Brick schema' })

const BuildingTypeRecord = Type.Object({ slug, name })
const SpaceTypeRecord = Type.Object({
  slug,
  name,
  brickClass: Nullable(brickClass),
  buildingTypes: Type.Array(Type.String(), { description: 'Building types in which this type of space is usual' }),
  leasable: Type.Boolean({ description: 'Default of isLeasable for a new space of this type' }),
})
const ElementTypeRecord = Type.Object({
  slug,
  name,
  ifcClass: Type.String({ description: 'Class of IFC 4.3' }),
  predefinedType: Type.String(),
  brickClass,
})
const QuantityKindRecord = Type.Object({
  name: Type.String({ description: 'Name in the QUDT vocabulary' }),
  label: Type.String(),
  units: Type.Array(Type.String(), { description: 'Units of this quantity kind; the first is the usual one' }),
})
const UnitRecord = Type.Object({
  name: Type.String({ description: 'Name in the QUDT vocabulary' }),
  label: Type.String(),
  symbol: Type.String(),
})
const RequestCategoryRecord = Type.Object({ slug, name })

/** For each catalog, the schema of its entries. */
export const CATALOG_RECORDS: Readonly<Record<CatalogName, TSchema>> = {
  'building-types': BuildingTypeRecord,
  'space-types': SpaceTypeRecord,
  'element-types': ElementTypeRecord,
  'quantity-kinds': QuantityKindRecord,
  units: UnitRecord,
  'request-categories': RequestCategoryRecord,
}

export const CatalogQuery = Type.Object(PageQuery, { additionalProperties: false })
