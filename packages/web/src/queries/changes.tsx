import { CHANGE_KINDS } from '@storey/contract'
import type { ChangeDetails, ChangeFeed, ChangeKind } from '@storey/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import { createThrottle, type Throttle } from './throttle.ts'

/**
 * Data that is requested before the channel is connected must be requested again when it connects, because changes may
 * have been missed. So requests wait for the channel, but not longer than this.
 */
export const CHANNEL_WAIT_MS = 500

type Listener = (details: ChangeDetails) => void

/** When the last request of each query was sent. */
const sentAt = new WeakMap<object, number>()

export function markSent(query: object | undefined): void {
  if (query) sentAt.set(query, performance.now())
}

interface Changes {
  /** Whether the live channel reports changes now. Otherwise pages poll. */
  isLive: boolean
  /** False until the live channel reports changes, or `CHANNEL_WAIT_MS` have passed since the provider got its feed. */
  isReady: boolean
  /** Returns the unsubscribe function. */
  subscribe(kind: ChangeKind, listener: Listener): () => void
}

const ChangesContext = createContext<Changes>({ isLive: false, isReady: true, subscribe: () => () => undefined })

/** For `useLoad`, and for components that load their data without it. */
export const useChanges = (): Changes => useContext(ChangesContext)

/**
 * Refetches the queries of each kind of data that changes (`useLoad` with `changes`). A hidden tab refetches when it is
 * visible again.
 */
export function ChangesProvider({ feed, children }: { feed: ChangeFeed | undefined; children: ReactNode }): ReactNode {
  const client = useQueryClient()
  const [isLive, setIsLive] = useState(false)
  const [hasWaited, setHasWaited] = useState(false)
  const [listeners] = useState(() => new Map<ChangeKind, Set<Listener>>())

  useEffect(() => {
    if (!feed) return
    const throttles = new Map<ChangeKind, Throttle>()
    const missed = new Set<ChangeKind>()
    const waiting = new Map<ChangeKind, { at: number; details: ChangeDetails }>()
    const refetch = (kind: ChangeKind) => {
      const { at, details } = waiting.get(kind)!
      waiting.delete(kind)
      for (const listener of listeners.get(kind) ?? []) listener(details)
      // Refetches only if the last request was sent before the notice, because the response to a later request has the
      // change.
      void client.invalidateQueries({
        predicate: (query) => query.meta?.changes === kind && (sentAt.get(query) ?? 0) <= at,
      })
    }
    const onChanged = (kinds: Iterable<ChangeKind>, details: ChangeDetails) => {
      for (const kind of kinds) {
        if (document.hidden) missed.add(kind)
        else {
          waiting.set(kind, { at: performance.now(), details: waiting.has(kind) ? {} : details })
          const throttle = throttles.get(kind) ?? createThrottle(() => refetch(kind))
          throttles.set(kind, throttle)
          throttle.call()
        }
      }
    }
    const onVisible = () => {
      if (document.hidden) return
      const kinds = [...missed]
      missed.clear()
      onChanged(kinds, {})
    }
    const ends = [feed.onChanged(onChanged), feed.onStatus((status) => setIsLive(status === 'live'))]
    setIsLive(feed.status === 'live')
    // The feed was connected before this component listened, so changes may have been missed.
    if (feed.status === 'live') onChanged(CHANGE_KINDS, {})
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      for (const end of ends) end()
      for (const throttle of throttles.values()) throttle.stop()
      document.removeEventListener('visibilitychange', onVisible)
      setIsLive(false)
    }
  }, [feed, client, listeners])

  useEffect(() => {
    if (!feed) return
    const timer = setTimeout(setHasWaited, CHANNEL_WAIT_MS, true)
    return () => clearTimeout(timer)
  }, [feed])

  const subscribe = useCallback(
    (kind: ChangeKind, listener: Listener) => {
      const all = listeners.get(kind) ?? new Set()
      listeners.set(kind, all.add(listener))
      return () => void all.delete(listener)
    },
    [listeners],
  )
  const isReady = isLive || hasWaited
  const changes = useMemo(() => ({ isLive, isReady, subscribe }), [isLive, isReady, subscribe])
  return <ChangesContext value={changes}>{children}</ChangesContext>
}
