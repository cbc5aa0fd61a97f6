import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

// biome-ignore lint/suspicious/noExplicitAny: objects of any kind.
type Any = any

/**
 * A Kubernetes cluster for tests. It has the few endpoints of the API server that the Kubernetes runtime uses, and does
 * what the controllers do for a job and a deployment: it creates and deletes pods. The test sets the state of a
 * pod. `npm run engines -- cluster` tests with a real cluster.
 */
export class SmallCluster {
  readonly objects = new Map<string, Any>()
  readonly requests: { method: string; path: string; query: URLSearchParams; body: Any }[] = []
  /** Called when a pod was created. */
  onPod: (pod: Any) => void = () => undefined
  /** Returns the status and message with which a request is refused; undefined if it is accepted. */
  refuse: (method: string, path: string) => { status: number; reason: string; message: string } | undefined = () =>
    undefined
  isDown = false
  /** Whether the controllers create pods. False simulates a quota that is used up. */
  createsPods = true
  watches = 0
  private events: { version: number; type: string; object: Any }[] = []
  private oldest = 0
  private version = 1
  private streams = new Map<ServerResponse, { path: string; selector: string }>()
  private server: Server | undefined
  url!: URL

  async start(): Promise<void> {
    this.server = createServer((request, response) => {
      this.handle(request, response).catch((err) => response.writeHead(500).end(String(err)))
    })
    this.server.listen(0, '127.0.0.1')
    await once(this.server, 'listening')
    this.url = new URL(`http://127.0.0.1:${(this.server.address() as AddressInfo).port}`)
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections()
    await new Promise((resolve) => this.server?.close(resolve))
  }

  /** All objects of a kind. The kind is in the plural, such as `pods`. */
  all(kind: string): Any[] {
    return [...this.objects].filter(([path]) => path.split('/').at(-2) === kind).map(([, object]) => object)
  }

  /** Ends all watches, as a restart of the API server does. */
  breakWatches(): void {
    for (const stream of this.streams.keys()) stream.destroy()
  }

  /** Forgets all past events: a watch from an earlier version gets 410. */
  compact(): void {
    this.events = []
    this.oldest = ++this.version
  }

  /** Changes an object, without an event if `isMissed`. */
  update(path: string, change: (object: Any) => void, isMissed = false): void {
    const object = structuredClone(this.objects.get(path))
    change(object)
    this.put(path, object, isMissed)
  }

  updatePod(pod: Any, change: (pod: Any) => void): void {
    const path = podPath(pod.metadata.namespace, pod.metadata.name)
    if (this.objects.has(path)) this.update(path, change)
  }

  /** Sets the state of a pod whose process has ended. */
  endPod(pod: Any, terminated: object, status: object = {}): void {
    const isOk = (terminated as { exitCode?: number }).exitCode === 0
    this.updatePod(pod, (one) => {
      one.status = { ...one.status, phase: isOk ? 'Succeeded' : 'Failed', ...status }
      one.status.containerStatuses = [{ restartCount: 0, state: { terminated } }]
    })
  }

  runPod(pod: Any, podIP = '127.0.0.1'): void {
    this.updatePod(pod, (one) => {
      one.status = { phase: 'Running', podIP, containerStatuses: [{ restartCount: 0, state: { running: {} } }] }
    })
  }

  delete(path: string, isMissed = false): void {
    const object = this.objects.get(path)
    if (!object) return
    this.objects.delete(path)
    if (!isMissed)
      this.emit('DELETED', path, {
        ...object,
        metadata: { ...object.metadata, resourceVersion: String(++this.version) },
      })
  }

  put(path: string, object: Any, isMissed = false): void {
    const isNew = !this.objects.has(path)
    const stored = {
      ...object,
      metadata: { uid: randomUUID(), ...object.metadata, resourceVersion: String(++this.version) },
    }
    this.objects.set(path, stored)
    if (!isMissed) this.emit(isNew ? 'ADDED' : 'MODIFIED', path, stored)
  }

  private emit(type: string, path: string, object: Any): void {
    const event = { version: this.version, type, object, path }
    this.events.push(event)
    for (const [stream, watched] of this.streams) this.send(stream, watched, event)
  }

  private send(stream: ServerResponse, { path, selector }: { path: string; selector: string }, event: Any): void {
    if (collectionOf(event.path) !== path && !(path === '/api/v1/pods' && event.path.includes('/pods/'))) return
    if (matches(event.object, selector)) stream.write(`${JSON.stringify({ type: event.type, object: event.object })}\n`)
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, searchParams: query } = new URL(request.url!, 'http://x')
    let text = ''
    for await (const chunk of request) text += chunk
    const body = text === '' ? undefined : JSON.parse(text)
    const method = request.method!
    if (this.isDown) return void response.socket?.destroy()
    this.requests.push({ method, path, query, body })
    const refused = this.refuse(method, path)
    if (refused) return answer(response, refused.status, { kind: 'Status', ...refused })
    if (query.get('watch') === 'true') return this.watch(path, query, response)
    if (method === 'PATCH') return this.patch(path, request.headers['content-type'] ?? '', body, response)
    const object = this.objects.get(path)
    if (method === 'GET' && isCollection(path)) return answer(response, 200, this.list(path, query))
    if (!object) return answer(response, 404, { kind: 'Status', reason: 'NotFound', message: `${path} not found` })
    if (method === 'DELETE') this.remove(path)
    answer(response, 200, object)
  }

  private list(path: string, query: URLSearchParams): object {
    const isIn = (one: string) =>
      collectionOf(one) === path || (path === '/api/v1/pods' && one.split('/').at(-2) === 'pods')
    const items = [...this.objects]
      .filter(([one, object]) => isIn(one) && matches(object, query.get('labelSelector') ?? ''))
      .map(([, object]) => object)
      .filter((object) => matchesFields(object, query.get('fieldSelector') ?? ''))
    return { metadata: { resourceVersion: String(this.version) }, items: items.length === 0 ? null : items }
  }

  private watch(path: string, query: URLSearchParams, response: ServerResponse): void {
    this.watches++
    const from = Number(query.get('resourceVersion'))
    const watched = { path, selector: query.get('labelSelector') ?? '' }
    response.writeHead(200).flushHeaders()
    if (from < this.oldest) {
      const object = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' }
      return void response.end(`${JSON.stringify({ type: 'ERROR', object })}\n`)
    }
    for (const event of this.events) if (event.version > from) this.send(response, watched, event)
    this.streams.set(response, watched)
    response.once('close', () => this.streams.delete(response))
  }

  private patch(path: string, type: string, body: Any, response: ServerResponse): void {
    const present = this.objects.get(path)
    if (type === 'application/merge-patch+json') {
      if (!present) return void answer(response, 404, { kind: 'Status', reason: 'NotFound', message: 'not found' })
      this.put(path, { ...present, spec: { ...present.spec, ...body.spec } })
    } else {
      const namespace = /\/namespaces\/([^/]+)\/./.exec(path)?.[1]
      this.put(path, {
        ...body,
        metadata: { ...present?.metadata, ...body.metadata, ...(namespace ? { namespace } : {}) },
      })
    }
    answer(response, 200, this.objects.get(path))
    setImmediate(() => this.reconcile(path))
  }

  /** Creates and terminates pods, as the controllers of jobs and deployments do. */
  private reconcile(path: string): void {
    const object = this.objects.get(path)
    if (object?.kind !== 'Job' && object?.kind !== 'Deployment') return
    const own = this.all('pods').filter((pod) => pod.metadata.owner === path && !pod.metadata.deletionTimestamp)
    const wanted = object.kind === 'Job' ? 1 : object.spec.replicas
    for (const pod of own.slice(wanted)) this.terminate(pod)
    if (this.createsPods) for (let i = own.length; i < wanted; i++) this.createPod(path, object)
  }

  private createPod(path: string, { metadata: { namespace, name }, spec: { template } }: Any): void {
    const podName = `${name}-${randomUUID().slice(0, 5)}`
    const metadata = { ...template.metadata, name: podName, namespace, owner: path }
    this.put(podPath(namespace, podName), { kind: 'Pod', metadata, spec: template.spec, status: { phase: 'Pending' } })
    this.onPod(this.objects.get(podPath(namespace, podName)))
  }

  /** Deletes a pod, and does what the controllers do after that. */
  replace(pod: Any): void {
    this.terminate(pod)
    this.reconcile(pod.metadata.owner)
  }

  /** Sets `deletionTimestamp` and calls `onTerminating`, which deletes the pod unless a test replaces this function. */
  terminate(pod: Any): void {
    this.updatePod(pod, (one) => {
      one.metadata.deletionTimestamp = new Date().toISOString()
    })
    this.onTerminating(pod)
  }

  onTerminating: (pod: Any) => void = (pod) => this.delete(podPath(pod.metadata.namespace, pod.metadata.name))

  private remove(path: string): void {
    const {
      kind,
      metadata: { uid },
    } = this.objects.get(path)
    this.delete(path)
    if (kind === 'Namespace')
      for (const one of [...this.objects.keys()])
        if (one.startsWith(`${path}/`) || one.includes(`${path.replace('/api/v1', '')}/`)) this.delete(one)
    for (const pod of this.all('pods')) if (pod.metadata.owner === path) this.terminate(pod)
    for (const [one, { metadata }] of [...this.objects])
      if (metadata.ownerReferences?.some((owner: Any) => owner.uid === uid)) this.delete(one)
  }
}

const podPath = (namespace: string, name: string) => `/api/v1/namespaces/${namespace}/pods/${name}`
const collectionOf = (path: string) => path.slice(0, path.lastIndexOf('/'))
const KINDS = ['pods', 'secrets', 'services', 'events', 'namespaces', 'jobs', 'deployments']
const isCollection = (path: string) => KINDS.includes(path.split('/').at(-1)!)

function matches(object: Any, selector: string): boolean {
  return selector
    .split(',')
    .filter((part) => part !== '')
    .every((part) => {
      const [name, value] = part.split('=')
      const label = object.metadata?.labels?.[name!]
      return value === undefined ? label !== undefined : label === value
    })
}

function matchesFields(object: Any, selector: string): boolean {
  return selector
    .split(',')
    .filter((part) => part !== '')
    .every((part) => {
      const [path, value] = part.split('=')
      return path!.split('.').reduce((one, key) => one?.[key], object) === value
    })
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
