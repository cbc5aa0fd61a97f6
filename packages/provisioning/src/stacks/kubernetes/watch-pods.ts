import { createLoop } from '@storey/kit/background'
import type { Log } from '@storey/kit/log'
import { type ApiClient, KubernetesRefusal, type WatchEvent } from './api-client.ts'
import { COMPONENT_LABEL, SANDBOX_LABEL } from './labels.ts'
import type { List, Pod } from './objects.ts'

export interface WatchPodsOptions {
  api: ApiClient
  /** The path of the pods: of one namespace, or of all. */
  path: string
  labelSelector: string
  log: Log
  retry?: { firstMs: number; maxMs: number }
}

export interface PodWatch {
  /** Starts the watch, once. Resolves after the first list. */
  start(): Promise<void>
  /** The sandboxes that have pods. */
  sandboxes(): string[]
  /** The pods of a sandbox that exist, including those that are terminating. */
  of(sandboxId: string, component: string): Pod[]
  /**
   * Calls `find` now and after each change of the sandbox's pods. Resolves with its first result other than undefined,
   * or with undefined at the time limit or when aborted.
   */
  until<T>(
    sandboxId: string,
    find: () => T | undefined,
    options: { limitMs: number; signal?: AbortSignal },
  ): Promise<T | undefined>
  /** Calls `changed` after each change of the sandbox's pods, until the returned function is called. */
  onChange(sandboxId: string, changed: () => void): () => void
  close(): void
}

const RETRY = { firstMs: 250, maxMs: 5_000 }
const PAGE = '500'
/** The API server ends a watch after this time. The next watch continues where the last one ended. */
const WATCH_SECONDS = '240'
/** The first watch after a failure is shorter, because the loop reports only at its end that watches work again. */
const FIRST_WATCH_SECONDS = '5'

/**
 * The pods of all sandboxes, kept up to date by a watch. A watch that breaks continues at its last resource version. If
 * the API server no longer has that version, all pods are listed again.
 */
export function createPodWatch({ api, path, labelSelector, log, retry = RETRY }: WatchPodsOptions): PodWatch {
  const pods = new Map<string, Map<string, Pod>>()
  const listeners = new Map<string, Set<() => void>>()
  const closing = new AbortController()
  const loop = createLoop({ name: 'pod-watch', log, run: follow, retry })
  let resourceVersion: string | undefined
  let started: Promise<void> | undefined
  let isPausing = false
  let hasFailed = false

  async function list(): Promise<void> {
    const found: Pod[] = []
    let next: string | undefined
    let version: string | undefined
    do {
      const query = { labelSelector, limit: PAGE, ...(next ? { continue: next } : {}) }
      const page = await api.call<List<Pod>>('GET', path, { query, signal: closing.signal })
      found.push(...(page.items ?? []))
      next = page.metadata.continue || undefined
      version = page.metadata.resourceVersion
    } while (next)
    const sandboxes = new Set([...pods.keys(), ...found.map(sandboxOf)])
    pods.clear()
    for (const pod of found) put(pod)
    // The version is set only now, so that all pods are listed again if the request for a page fails.
    resourceVersion = version
    sandboxes.forEach(notify)
  }

  function put(pod: Pod): void {
    const sandboxId = sandboxOf(pod)
    const own = pods.get(sandboxId) ?? new Map<string, Pod>()
    pods.set(sandboxId, own.set(pod.metadata.uid!, pod))
  }

  function notify(sandboxId: string): void {
    for (const listener of [...(listeners.get(sandboxId) ?? [])]) listener()
  }

  function take({ type, object }: WatchEvent): void {
    if (type === 'ERROR') {
      const { code = 500, reason = '', message = '' } = object as { code?: number; reason?: string; message?: string }
      throw new KubernetesRefusal(code, reason, message)
    }
    const pod = object as unknown as Pod
    resourceVersion = pod.metadata.resourceVersion
    if (type === 'BOOKMARK') return
    const sandboxId = sandboxOf(pod)
    if (type !== 'DELETED') put(pod)
    else {
      pods.get(sandboxId)?.delete(pod.metadata.uid!)
      if (pods.get(sandboxId)?.size === 0) pods.delete(sandboxId)
    }
    notify(sandboxId)
  }

  /** Runs as long as one watch. A watch that breaks after an event has worked, so only the next one may fail. */
  async function follow(): Promise<number> {
    let hasEvents = false
    isPausing = false
    try {
      if (resourceVersion === undefined) await list()
      const query = { labelSelector, resourceVersion: resourceVersion!, allowWatchBookmarks: 'true' }
      const onEvent = (event: WatchEvent) => {
        take(event)
        hasEvents = true
      }
      const timeoutSeconds = hasFailed ? FIRST_WATCH_SECONDS : WATCH_SECONDS
      await api.watch(path, { ...query, timeoutSeconds }, onEvent, closing.signal)
    } catch (err) {
      // 410: the version is too old. Events were missed, so all pods are listed again.
      if (err instanceof KubernetesRefusal && err.status === 410) {
        resourceVersion = undefined
        return 0
      }
      hasFailed = !hasEvents
      if (hasFailed) throw err
      log.debug({ err }, 'watch of pods broke')
    } finally {
      isPausing = true
    }
    hasFailed = false
    // A watch that ends at once must not become a busy loop.
    return retry.firstMs
  }

  /** The caller of `until` has usually just got a response from the API server, so the next watch can succeed. */
  function endPause(): void {
    if (isPausing) loop.runNow().catch(() => undefined)
  }

  function onChange(sandboxId: string, changed: () => void): () => void {
    const own = listeners.get(sandboxId) ?? new Set()
    listeners.set(sandboxId, own.add(changed))
    return () => {
      own.delete(changed)
      if (own.size === 0 && listeners.get(sandboxId) === own) listeners.delete(sandboxId)
    }
  }

  return {
    start() {
      started ??= list().then(
        () => loop.wake(),
        (err) => {
          started = undefined
          throw err
        },
      )
      return started
    },
    sandboxes: () => [...pods.keys()],
    of: (sandboxId, component) =>
      [...(pods.get(sandboxId)?.values() ?? [])].filter(
        ({ metadata }) => metadata.labels?.[COMPONENT_LABEL] === component,
      ),
    async until(sandboxId, find, { limitMs, signal }) {
      endPause()
      const present = find()
      if (present !== undefined) return present
      return await new Promise((resolve) => {
        const end = (value: ReturnType<typeof find>) => {
          clearTimeout(timer)
          stop()
          signal?.removeEventListener('abort', aborted)
          resolve(value)
        }
        const aborted = () => end(undefined)
        const timer = setTimeout(aborted, limitMs)
        const stop = onChange(sandboxId, () => {
          const value = find()
          if (value !== undefined) end(value)
        })
        signal?.addEventListener('abort', aborted)
        if (signal?.aborted) aborted()
      })
    },
    onChange,
    close() {
      closing.abort()
      void loop.stop()
    },
  }
}

const sandboxOf = ({ metadata }: Pod): string => metadata.labels?.[SANDBOX_LABEL] ?? ''
