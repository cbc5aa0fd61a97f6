import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import { type Namespace, type NetworkPolicy, type Pod, policyRules } from './policy-rules.ts'

const PAUSE_MS = 500

/**
 * Enforces the network policies of the cluster, which its network plugin does not enforce. All nodes get rules for all
 * pods. The policies, pods and namespaces are read every half second.
 */
export function enforcePolicies(cluster: Cluster): { stop(): Promise<void> } {
  const { server, authority } = cluster.controlPlane
  const { certificate, key } = authority.issueClient('network-policies', 'network-policies', 'system:masters')
  const [ca, cert, privateKey] = [authority.certificate, certificate, key].map((file) => readFileSync(file))
  const agent = new Agent({ keepAlive: true, ca: ca!, cert: cert!, key: privateKey! })
  const list = <T>(path: string) =>
    new Promise<T[]>((resolve, reject) => {
      const outgoing = request(`${server}${path}`, { agent, timeout: 5_000 }, (response) => {
        const chunks: Buffer[] = []
        response
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('error', reject)
          .on('end', () => {
            if (response.statusCode !== 200) return reject(new Error(`${path}: ${response.statusCode}`))
            resolve((JSON.parse(Buffer.concat(chunks).toString()) as { items: T[] }).items)
          })
      })
      outgoing.on('timeout', () => outgoing.destroy(new Error('timed out')))
      outgoing.on('error', reject).end()
    })
  let isStopped = false
  let applied = ''

  async function run(): Promise<void> {
    while (!isStopped) {
      await update().catch(() => undefined)
      await sleep(PAUSE_MS)
    }
    agent.destroy()
  }
  /** While the API server does not answer, the rules stay as they are. */
  async function update(): Promise<void> {
    const [pods, namespaces, policies] = await Promise.all([
      list<Pod>('/api/v1/pods'),
      list<Namespace>('/api/v1/namespaces'),
      list<NetworkPolicy>('/apis/networking.k8s.io/v1/networkpolicies'),
    ])
    const rules = policyRules({ pods, namespaces, policies })
    if (rules === applied) return
    for (const { machine } of cluster.nodes) await machine.run('nft', ['-f', '-'], { input: rules })
    applied = rules
  }
  const running = run()
  return {
    stop() {
      isStopped = true
      return running
    },
  }
}
