import { createBodyCheck } from '@storey/kit/http'

type Json = Readonly<Record<string, unknown>>

/** Fields whose value has a schema or a response under each name, so that `default` and `items` can be names. */
const MAPS = ['properties', 'responses']

/** Rules of Spectral about schemas that Redocly's tool does not have: defaults are valid, and arrays have `items`. */
export function schemaViolations(document: Json): string[] {
  return [...partsOf(document, '#')].flatMap(([pointer, part]) => [
    ...(isArray(part) && part.items === undefined ? [`${pointer} is an array without items`] : []),
    ...('default' in part
      ? createBodyCheck(part)(part.default).map(({ detail }) => `${pointer}/default: ${detail}`)
      : []),
  ])
}

const isArray = ({ type }: Json) => [type].flat().includes('array')

/** All objects of the document except the maps, with their JSON pointers. */
function* partsOf(value: unknown, pointer: string, isMap = false): Generator<[pointer: string, part: Json]> {
  if (typeof value !== 'object' || value === null) return
  if (!isMap && !Array.isArray(value)) yield [pointer, value as Json]
  for (const [name, part] of Object.entries(value)) {
    const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    yield* partsOf(part, at, !isMap && MAPS.includes(name))
  }
}
