import { useSyncExternalStore } from 'react'

const QUERY = '(max-width: 720px)'

/** Whether the screen is so narrow that tables are shown as cards. */
export function useCards(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(QUERY).matches)
}

function subscribe(listener: () => void): () => void {
  const media = matchMedia(QUERY)
  media.addEventListener('change', listener)
  return () => media.removeEventListener('change', listener)
}
