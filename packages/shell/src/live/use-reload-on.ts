import { useEffect, useRef } from 'react'

/** Reloads when the version of the same record changes. A change of the id does not reload. */
export function useReloadOn(id: string | undefined, version: string | undefined, reload: () => void): void {
  const known = useRef({ id, version })
  useEffect(() => {
    const before = known.current
    known.current = { id, version }
    if (before.id === id && before.version !== version) reload()
  }, [id, version, reload])
}
