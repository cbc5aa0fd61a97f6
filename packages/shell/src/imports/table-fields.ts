/** What a table can contain. The names are those of the API. */
export const IMPORT_KINDS = ['spaces', 'elements', 'points'] as const
export type ImportKind = (typeof IMPORT_KINDS)[number]

export type FieldName =
  | 'code'
  | 'externalId'
  | 'name'
  | 'storey'
  | 'spaceType'
  | 'areaSqm'
  | 'status'
  | 'isLeasable'
  | 'capacity'
  | 'room'
  | 'elementType'
  | 'element'
  | 'pointType'
  | 'quantityKind'
  | 'unit'

export interface FieldSpec {
  field: FieldName
  /** True if a new node needs the field. An existing node keeps its value if its row has no text for the field. */
  isRequired: boolean
  /** Column names that are recognized as this field: in English, in Russian and as in the API. */
  names: readonly string[]
}

const spec = (field: FieldName, isRequired: boolean, ...names: string[]): FieldSpec => ({
  field,
  isRequired,
  names: [field, ...names],
})

const name = spec('name', true, 'название', 'имя', 'наименование', 'title')
const type = ['type', 'тип', 'kind', 'вид']

/** The fields of each kind, without the field that identifies its rows. */
export const FIELDS: Record<ImportKind, readonly FieldSpec[]> = {
  spaces: [
    { ...name, names: [...name.names, 'room', 'room name', 'помещение'] },
    spec('storey', true, 'floor', 'level', 'этаж', 'storeyId', 'storey external id', 'storeyExternalId'),
    spec('spaceType', true, 'room type', 'use', 'тип помещения', 'назначение', ...type),
    spec('areaSqm', false, 'area', 'area m²', 'area sqm', 'площадь', 'площадь м²'),
    spec('capacity', false, 'people', 'seats', 'вместимость', 'мест'),
    spec('status', false, 'состояние', 'статус'),
    spec('isLeasable', false, 'leasable', 'rentable', 'сдаётся', 'аренда'),
  ],
  elements: [
    { ...name, names: [...name.names, 'equipment', 'asset', 'оборудование'] },
    spec('room', true, 'space', 'room code', 'помещение', 'location', 'spaceId', 'spaceExternalId', 'код помещения'),
    spec('elementType', true, 'equipment type', 'тип оборудования', ...type),
  ],
  points: [
    { ...name, names: [...name.names, 'point', 'точка'] },
    spec('element', true, 'equipment', 'оборудование', 'equipment code', 'asset', 'elementId', 'elementExternalId'),
    spec('pointType', true, 'тип точки', ...type),
    spec('quantityKind', true, 'quantity', 'величина'),
    spec('unit', true, 'единица', 'ед', 'ед. изм.', 'units'),
  ],
}

export const KEY_NAMES: Record<'code' | 'externalId', readonly string[]> = {
  code: ['code', 'код', 'number', 'no', 'номер', 'tag', 'room code', 'asset code', 'equipment code', 'point code'],
  externalId: ['externalId', 'external id', 'внешний id', 'id', 'guid', 'asset id'],
}
