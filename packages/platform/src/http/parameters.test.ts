import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../testing/test-stack.ts'

interface Parameter {
  name: string
  in: string
  schema: { type?: string; maximum?: number }
}
interface Operation {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
  parameters: Parameter[]
}

let stack: TestStack
let operations: Operation[]

beforeAll(async () => {
  stack = await startTestStack()
  const { body } = await stack.get('/api/v1/openapi.json')
  operations = Object.entries<Record<string, { parameters?: Parameter[] }>>(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [] }]) => ({
      method: method.toUpperCase() as Operation['method'],
      path: path.replace('{buildingId}', stack.seeded.buildingId),
      parameters,
    })),
  )
})
afterAll(() => stack.close())

describe('the parameters of every operation', () => {
  it('[ERR-11] are refused if they are unknown, and the refusal names them', async () => {
    expect(operations.length).toBeGreaterThan(80)
    for (const { method, path } of operations) {
      const { status, body } = await stack.send(method, `${path}?dryRunn=true`)
      expect(status, `${method} ${path}`).toBe(400)
      const errors: { in: string; pointer: string }[] = body.errors
      // A missing body may be reported instead of the parameter.
      if (errors[0]!.in === 'query') expect(errors.map(({ pointer }) => pointer)).toContain('/dryRunn')
    }
  })

  it('[ERR-31] cause no database error: a number that the database cannot hold is refused, or finds nothing', async () => {
    const numeric = operations.flatMap(({ method, path, parameters }) =>
      parameters
        .filter(({ in: place, schema }) => place === 'query' && schema.type === 'integer')
        .map((parameter) => ({ method, path, parameter })),
    )
    expect(numeric.length).toBeGreaterThan(30)
    for (const { method, path, parameter } of numeric) {
      for (const value of [2 ** 31, 2 ** 32, parameter.schema.maximum ?? 2 ** 53, '9'.repeat(30)]) {
        const { status } = await stack.send(method, `${path}?${parameter.name}=${value}`)
        expect([200, 400, 404, 409], `${method} ${path}?${parameter.name}=${value}`).toContain(status)
      }
    }
  })
})
