/** The image in which the checks of the cluster itself run: Node.js and a shell with a few tools, without Storey. */
export const NODE_IMAGE = 'localhost/storey/node:1'

const SERVER = `
const http = require('node:http')
const server = http.createServer((request, response) => {
  const target = new URL(request.url, 'http://x').searchParams.get('get')
  if (target === null) return response.end(process.env.HOSTNAME)
  // Each request has a connection of its own, because policies are about new connections.
  const get = http.get(target, { agent: false, timeout: 3000 }, (answer) => answer.pipe(response))
  get.on('timeout', () => get.destroy(new Error('timed out')))
  get.on('error', (err) => response.writeHead(502).end(String(err.message)))
})
server.listen(8080, () => console.log('listening on 8080'))
process.on('SIGTERM', () => process.exit(0))
`

/** What the policy `restricted` of Pod Security requires. */
const RESTRICTED = {
  pod: { runAsNonRoot: true, runAsUser: 1_000, seccompProfile: { type: 'RuntimeDefault' } },
  container: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
}

export interface TestPod {
  name: string
  namespace: string
  script?: string
  memory?: string
}

/** The specification of a pod that answers with its name, and at `/?get=<url>` with the response from that URL. */
export function testPodSpec({ script = SERVER, memory = '128Mi' }: Pick<TestPod, 'script' | 'memory'> = {}) {
  return {
    securityContext: RESTRICTED.pod,
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 5,
    containers: [
      {
        name: 'main',
        image: NODE_IMAGE,
        command: ['/usr/local/bin/node', '-e', script],
        ports: [{ containerPort: 8_080 }],
        readinessProbe: { httpGet: { path: '/', port: 8_080 }, periodSeconds: 1 },
        resources: { requests: { cpu: '10m', memory: '32Mi' }, limits: { memory } },
        securityContext: RESTRICTED.container,
      },
    ],
  }
}

export function testPod({ name, namespace, ...rest }: TestPod) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: name } },
    spec: { ...testPodSpec(rest), restartPolicy: 'Never' },
  }
}
