import { type BuildingTypeEntry, buildingTypes } from './building-types.ts'
import { type ElementType, elementTypes } from './element-types.ts'
import { type QuantityKind, quantityKinds } from './quantity-kinds.ts'
import { type RequestCategory, requestCategories } from './request-categories.ts'
import { type SpaceType, spaceTypes } from './space-types.ts'
import { type Unit, units } from './units.ts'

export type { BuildingTypeEntry, ElementType, QuantityKind, RequestCategory, SpaceType, Unit }
export { buildingTypes, elementTypes, quantityKinds, requestCategories, spaceTypes, units }

/** Every catalog, by its name in the interface. */
export const catalogs = {
  'building-types': buildingTypes,
  'space-types': spaceTypes,
  'element-types': elementTypes,
  'quantity-kinds': quantityKinds,
  units,
  'request-categories': requestCategories,
} as const

export type CatalogName = keyof typeof catalogs

const bySlug = <T extends { readonly slug: string }>(entries: readonly T[]) => new Map(entries.map((e) => [e.slug, e]))
const byName = <T extends { readonly name: string }>(entries: readonly T[]) => new Map(entries.map((e) => [e.name, e]))

const buildingTypeBySlug = bySlug<BuildingTypeEntry>(buildingTypes)
const spaceTypeBySlug = bySlug(spaceTypes)
const elementTypeBySlug = bySlug(elementTypes)
const requestCategoryBySlug = bySlug<RequestCategory>(requestCategories)
const quantityKindByName = byName(quantityKinds)
const unitByName = byName(units)

export const buildingType = (slug: string): BuildingTypeEntry | undefined => buildingTypeBySlug.get(slug)
export const spaceType = (slug: string): SpaceType | undefined => spaceTypeBySlug.get(slug)
export const elementType = (slug: string): ElementType | undefined => elementTypeBySlug.get(slug)
export const requestCategory = (slug: string): RequestCategory | undefined => requestCategoryBySlug.get(slug)
export const quantityKind = (name: string): QuantityKind | undefined => quantityKindByName.get(name)
export const unit = (name: string): Unit | undefined => unitByName.get(name)

/** The units of a quantity kind; none for an unknown kind. */
export const unitsOf = (quantityKindName: string): readonly string[] =>
  quantityKindByName.get(quantityKindName)?.units ?? []

/** The element type of an IFC class and predefined type, or else the first element type of the class. */
export function elementTypeOfIfc(ifcClass: string, predefinedType?: string): ElementType | undefined {
  const ofClass = elementTypes.filter((type) => type.ifcClass.toUpperCase() === ifcClass.toUpperCase())
  return ofClass.find((type) => type.predefinedType === predefinedType) ?? ofClass[0]
}
