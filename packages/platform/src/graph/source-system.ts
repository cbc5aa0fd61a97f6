import { IFC_SOURCE, type Problem, problems } from '@storey/contract'

/** Throws if a request names the source system that is reserved for the IFC import. */
export function checkSourceSystem(
  sourceSystem: string,
  field = 'sourceSystem',
  refuse: (name: string, detail: string) => Problem = problems.field,
): void {
  // A name that differs from the reserved name only in case, spaces or invisible characters is refused too, because
  // people would confuse the two names.
  const bare = sourceSystem
    .normalize('NFKC')
    .replace(/[\s\p{Cf}]/gu, '')
    .toLowerCase()
  if (bare !== IFC_SOURCE) return
  throw refuse(field, `${field} ${IFC_SOURCE} is reserved for the import of building models: use another name`)
}
