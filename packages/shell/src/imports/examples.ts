import type { ImportKind } from './table-fields.ts'

/** An example of each table. The import recognizes these column names (`FieldName`) in every language of the page. */
export const EXAMPLES: Record<ImportKind, readonly (readonly string[])[]> = {
  spaces: [
    ['code', 'name', 'storey', 'spaceType', 'areaSqm', 'capacity', 'status', 'isLeasable'],
    ['NEW-101', 'Quiet room', '0', 'focus-room', '12.5', '2', 'active', 'false'],
  ],
  elements: [
    ['code', 'name', 'room', 'elementType'],
    ['PUMP-901', 'Circulation pump', 'NEW-101', 'pump'],
  ],
  points: [
    ['code', 'name', 'element', 'pointType', 'quantityKind', 'unit'],
    ['PUMP-901-T', 'Flow temperature', 'PUMP-901', 'SENSOR', 'Temperature', 'DEG_C'],
  ],
}
