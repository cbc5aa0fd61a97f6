import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { actorsOf } from '../../acceptance/system/actors.ts'
import { freePort } from '../../acceptance/system/system.ts'
import { forwardPort } from '../forward-port.ts'
import type { PostgresServer } from '../postgres/server.ts'
import type { Suite } from '../suite.ts'
import { until } from '../until.ts'
import { createChartRelease, HELM_VERSION } from './chart-release.ts'
import type { Cluster } from './cluster.ts'
import { objectsWithLabel } from './leftovers.ts'
import { readPoints, SANDBOX_LABEL } from './sandbox.ts'

const LIMIT_MS = 240_000

/** Checks control planes that the chart installs in the cluster, with the rights, probes and policies of the chart. */
export async function checkChart(suite: Suite, cluster: Cluster, database: PostgresServer): Promise<void> {
  const release = await createChartRelease(cluster, database, 'storey', 'inside')
  suite.engine('helm', HELM_VERSION)
  const port = await freePort()

  await suite.check(
    'helm installs the chart, with two control planes, in a namespace that is "restricted"',
    async () => {
      const from = performance.now()
      await release.install({
        ...release.values,
        publicUrl: `http://localhost:${port}`,
        baseDomain: 'localhost',
        sandboxes: { egress: [`${cluster.addresses.host}/32:${database.port}`] },
        settings: { RATE_LIMIT_PER_MINUTE: '0', SANDBOX_RATE_LIMIT_PER_MINUTE: '0' },
      })
      return `${(await release.pods()).length} pods ready after ${((performance.now() - from) / 1000).toFixed(1)} s`
    },
  )
  const address = await release.kubectl('get', 'service', 'storey', '-o', 'jsonpath={.spec.clusterIP}')
  const forward = await forwardPort(port, { host: address, port: 80 })
  suite.onEnd(() => forward.close())
  const { api, newDeveloper, newSandbox } = actorsOf({ url: `http://localhost:${port}`, env: {} }, release.operator)
  const { key } = await newDeveloper()

  const { record, connection } = await newSandbox(key)
  const answers = async () => (await readPoints(connection).catch(() => ({ status: 0 }))).status === 200
  const untilAnswers = async () => {
    const waited = await until('it answers', () => answers().then((is) => is || sleep(100).then(() => false)), LIMIT_MS)
    return `answers after ${waited.toFixed(1)} s`
  }
  await suite.check('a sandbox is created with the rights of the service account, and read', untilAnswers)
  await suite.check('a control plane is deleted, and the sandbox is still served', async () => {
    const [pod] = await release.pods()
    await release.kubectl('delete', pod!, '--wait=true')
    return await untilAnswers()
  })
  await suite.check('the sandbox is deleted, and nothing is left', async () => {
    assert.ok((await api(key, `/api/v1/sandboxes/${record.sandboxId}`, { method: 'DELETE' })).status < 300)
    await until('no object is left in the cluster', async () => {
      return (await objectsWithLabel(cluster, `${SANDBOX_LABEL}=${record.sandboxId}`)).length === 0
    })
  })
  await suite.check('helm removes the installation, except the namespace of sandboxes', () => release.uninstall())
}
