import { type Answer, startTestStack, type TestStack } from '../../../testing/test-stack.ts'

/** Calls the data layer routes of a stack's first building, as a client does. */
export interface LayersApi {
  stack: TestStack
  /** The spaces of the building, ordered by code. */
  spaces: { id: string; externalId: string }[]
  path: string
  create(body?: object): Promise<Answer>
  /** Creates a layer and returns its id. */
  layer(valueType: string, more?: object): Promise<string>
  put(layerId: string, values: object | string, more?: object): Promise<Answer>
  /** The values of a layer, by space id. */
  values(layerId: string): Promise<Map<string, unknown>>
  page(layerId: string, query?: string): Promise<Answer>
}

let made = 0

export async function startLayersApi(): Promise<LayersApi> {
  const stack = await startTestStack()
  const building = `/api/v1/buildings/${stack.seeded.buildingId}`
  const path = `${building}/data-layers`
  const create: LayersApi['create'] = (body = {}) => {
    made++
    return stack.send('POST', path, { key: `layer-${made}`, name: `Layer ${made}`, valueType: 'NUMBER', ...body })
  }
  const page: LayersApi['page'] = (layerId, query = '') => stack.get(`${path}/${layerId}/values${query}`)
  return {
    stack,
    spaces: (await stack.get(`${building}/spaces?limit=1000`)).body.data,
    path,
    create,
    async layer(valueType, more) {
      const { status, body } = await create({ valueType, ...more })
      if (status !== 201) throw new Error(JSON.stringify(body))
      return body.id
    },
    put(layerId, values, more = {}) {
      const url = `${path}/${layerId}/values`
      if (typeof values !== 'string') return stack.send('PUT', url, { values, ...more })
      const text = `{"values":${values}${JSON.stringify(more)
        .replace(/^\{(?=")/, ',')
        .replace(/^\{/, '')}`
      return stack.send('PUT', url, text, undefined, { 'content-type': 'application/json' })
    },
    async values(layerId) {
      const { body } = await page(layerId)
      return new Map(body.data.map((row: { entityId: string; value: unknown }) => [row.entityId, row.value]))
    },
    page,
  }
}
