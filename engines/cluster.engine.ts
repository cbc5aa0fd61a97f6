import { once } from 'node:events'
import { checkChart } from './cluster/check-chart.ts'
import { checkChurn } from './cluster/check-churn.ts'
import { checkCluster } from './cluster/check-cluster.ts'
import { checkIngress } from './cluster/check-ingress.ts'
import { checkReplicas } from './cluster/check-replicas.ts'
import { checkRuntime } from './cluster/check-runtime.ts'
import { type Cluster, startCluster } from './cluster/cluster.ts'
import { startClusterDns } from './cluster/cluster-dns.ts'
import { enforcePolicies } from './cluster/enforce-policies.ts'
import { packStoreyImage } from './cluster/storey-image.ts'
import { createPostgres, type PostgresServer } from './postgres/server.ts'
import { runSuite, type Suite } from './suite.ts'

const NODES = 2
const POSTGRES = '18.4.0-beta.17'

/** How long sandboxes are created and deleted, unless `churn <minutes>` names another time. */
const CHURN_MINUTES = 1
const part = process.argv[3]

/**
 * A real Kubernetes: API server, controllers, scheduler, kubelets and containerd on this machine. The argument `chart`,
 * `ingress`, `runtime`, `replicas` or `churn` runs one part. With `keep` the suite only starts the cluster, and keeps it
 * until the suite is interrupted.
 */
await runSuite('cluster', async (suite) => {
  const cluster = await startCluster(NODES, suite.onEnd)
  suite.engine('Kubernetes', cluster.version)
  const path = 'jsonpath={.items[0].status.nodeInfo.containerRuntimeVersion}'
  suite.engine('containerd', (await cluster.kubectl(['get', 'nodes', '-o', path])).replace('containerd://', ''))
  suite.engine('CoreDNS', await startClusterDns(cluster))
  if (part === 'keep') {
    await suite.check('kept until it was interrupted', async () => {
      process.stdout.write(`KUBECONFIG=${cluster.controlPlane.kubeconfig}\n`)
      await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
    })
    return
  }
  if (part === undefined) await checkCluster(suite, cluster)
  await cluster.load(packStoreyImage)
  const database = await startDatabase(suite, cluster)
  const policies = enforcePolicies(cluster)
  suite.onEnd(() => policies.stop())
  const isAsked = (name: string) => part === undefined || part === name
  if (isAsked('chart')) await checkChart(suite, cluster, database)
  if (isAsked('ingress')) await checkIngress(suite, cluster, database)
  if (isAsked('runtime')) await checkRuntime(suite, cluster, database)
  if (isAsked('replicas')) await checkReplicas(suite, cluster, database)
  if (isAsked('churn')) await checkChurn(suite, cluster, database, Number(process.argv[4] ?? CHURN_MINUTES))
})

/** A PostgreSQL outside the cluster, at an address to which pods can connect. */
async function startDatabase(suite: Suite, cluster: Cluster): Promise<PostgresServer> {
  const database = await createPostgres(POSTGRES, cluster.addresses.host)
  suite.onEnd(() => database.remove())
  await database.start()
  suite.engine('PostgreSQL', database.version)
  await database.ask("create role storey login createdb createrole password 'storey'")
  return database
}
