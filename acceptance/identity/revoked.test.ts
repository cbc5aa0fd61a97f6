import { expect, it } from 'vitest'
import { call } from '../system/call.ts'
import { tokenOf } from '../system/service-accounts.ts'
import { api, newDeveloper, newSandbox } from '../system/shared.ts'

it('the token of a removed service account is refused before it expires; that of another account is not', async () => {
  const { key } = await newDeveloper()
  const { record, connection } = await newSandbox(key)
  const path = `/api/v1/sandboxes/${record.sandboxId}/service-accounts`
  const accounts = []
  for (const name of ['first', 'second']) {
    const { json } = await api(key, path, { body: { name, roles: ['user'] } })
    accounts.push({ id: json.id, token: await tokenOf(json) })
  }
  const status = async ({ token }: { token: string }) =>
    (await call(`${connection.apiUrl}/api/v1/buildings`, { token })).status
  const [first, second] = accounts as [(typeof accounts)[0], (typeof accounts)[0]]
  expect([await status(first), await status(second)]).toEqual([200, 200])
  expect((await api(key, `${path}/${first.id}`, { method: 'DELETE' })).status).toBe(204)
  await expect.poll(() => status(first)).toBe(401)
  expect(await status(second)).toBe(200)
})
